"""Figures of the source tree: names, imports, docstrings and tests, computed from the syntax trees.

`python -m tests.support.source_tree` prints them; `tests/test_layout.py` holds them to limits. The offenders that are left are listed
in `tests/layout_baseline.toml`, which may only get shorter.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[2]
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

NOT_PARTICIPLES = frozenset(
    [
        "bed",
        "bleed",
        "breed",
        "embed",
        "exceed",
        "feed",
        "heed",
        "indeed",
        "need",
        "proceed",
        "red",
        "seed",
        "shed",
        "sled",
        "speed",
        "succeed",
        "weed",
        "hundred",
        "id",
        "led",
        "bring",
        "building",
        "ceiling",
        "during",
        "evening",
        "king",
        "morning",
        "nothing",
        "anything",
        "something",
        "everything",
        "ping",
        "ring",
        "sing",
        "sling",
        "spring",
        "sting",
        "string",
        "substring",
        "swing",
        "thing",
        "wing",
        "heading",
        "mapping",
        "finding",
        "setting",
        "encoding",
        "binding",
        "listing",
        "rendering",
        "padding",
        "spelling",
        "embedding",
        "logging",
        "warning",
        "meaning",
        "timing",
        "rating",
        "casing",
        "missing",
    ]
)
"""Words in -ed or -ing that are nouns, adjectives or verbs of their own."""
IRREGULAR = frozenset(
    [
        "asked",
        "awoken",
        "been",
        "begun",
        "bound",
        "broken",
        "brought",
        "built",
        "caught",
        "chosen",
        "come",
        "done",
        "drawn",
        "driven",
        "fallen",
        "felt",
        "flown",
        "forgotten",
        "found",
        "given",
        "gone",
        "grown",
        "held",
        "hidden",
        "kept",
        "known",
        "laid",
        "left",
        "lost",
        "made",
        "meant",
        "met",
        "paid",
        "ran",
        "said",
        "seen",
        "sent",
        "shown",
        "sold",
        "sought",
        "spelt",
        "spent",
        "spoken",
        "stood",
        "stuck",
        "sworn",
        "taken",
        "taught",
        "thought",
        "thrown",
        "told",
        "torn",
        "undone",
        "understood",
        "unwritten",
        "withheld",
        "withdrawn",
        "woken",
        "worn",
        "written",
        "wrought",
    ]
)


def is_participle(word: str) -> bool:
    """Tell whether a word is a participle or gerund: `moved`, `asking`, `told`."""
    word = word.lower()
    if word in NOT_PARTICIPLES:
        return False
    bare = word.removeprefix("un").removeprefix("re")
    return word in IRREGULAR or bare in IRREGULAR or (len(word) > 4 and word.endswith(("ed", "ing")))


def function_words(name: str) -> list[str]:
    """Split a name in snake case."""
    return [word for word in name.strip("_").split("_") if word]


def class_words(name: str) -> list[str]:
    """Split a name in camel case."""
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", name.strip("_"))


def is_property(node: FunctionNode) -> bool:
    """Tell whether a method is read like an attribute."""
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if name in {"property", "cached_property", "setter", "getter", "deleter"}:
            return True
    return False


class SourceModule(Struct, frozen=True, eq=False, dict=True):
    """One Python file of the package."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def size(self) -> int:
        return len(self.text.splitlines())

    @property
    def is_entry_point(self) -> bool:
        return self.path.stem.startswith("__")

    @property
    def functions(self) -> list[FunctionNode]:
        """Functions at the top level."""
        return [node for node in self.tree.body if isinstance(node, FunctionNode)]

    @property
    def classes(self) -> list[ast.ClassDef]:
        return [node for node in self.tree.body if isinstance(node, ast.ClassDef)]

    def callables(self) -> Iterator[tuple[str, FunctionNode]]:
        """Functions and methods with their qualified names; properties and special methods are left out."""
        named = [(node.name, node) for node in self.functions]
        named += [
            (f"{cls.name}.{node.name}", node)
            for cls in self.classes
            for node in cls.body
            if isinstance(node, FunctionNode)
        ]
        return (
            (name, node) for name, node in named if not node.name.startswith("__") and not is_property(node)
        )

    @property
    def import_lines(self) -> int:
        lines: set[int] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import | ast.ImportFrom) or (
                isinstance(node, ast.Assign) and _is_export(node)
            ):
                lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        return len(lines)

    @property
    def mirrored_test(self) -> Path:
        """Where its test belongs: `tests/a/test_b.py` for `src/sabir/a/b.py`."""
        inside = self.path.relative_to(ROOT / "src" / "sabir")
        return ROOT / "tests" / inside.with_name(f"test_{inside.name}")


def _is_export(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)


def read_modules() -> list[SourceModule]:
    """All modules of the package."""
    source = ROOT / "src"
    return [
        SourceModule(".".join(path.relative_to(source).with_suffix("").parts), path)
        for path in sorted((source / "sabir").rglob("*.py"))
    ]


def participle_functions(modules: list[SourceModule]) -> set[str]:
    """Functions and methods whose name begins with a participle or gerund."""
    return {
        f"{module.name}:{name}"
        for module in modules
        for name, node in module.callables()
        if (words := function_words(node.name)) and is_participle(words[0])
    }


def participle_classes(modules: list[SourceModule]) -> set[str]:
    """Classes named by a single participle or gerund."""
    return {
        f"{module.name}:{node.name}"
        for module in modules
        for node in module.classes
        if len(words := class_words(node.name)) == 1 and is_participle(words[0])
    }


def duplicate_classes(modules: list[SourceModule]) -> set[str]:
    """Public class names that more than one module defines."""
    homes: dict[str, set[str]] = defaultdict(set)
    for module in modules:
        for node in module.classes:
            if not node.name.startswith("_"):
                homes[node.name].add(module.name)
    return {name for name, modules_ in homes.items() if len(modules_) > 1}


def one_word_share(modules: list[SourceModule]) -> float:
    """The share of functions at the top level whose name is one word."""
    names = [node.name for module in modules for node in module.functions if not node.name.startswith("__")]
    return sum(len(function_words(name)) == 1 for name in names) / len(names)


def import_share(modules: list[SourceModule]) -> float:
    """The share of lines that only import or export."""
    return sum(module.import_lines for module in modules) / sum(module.size for module in modules)


def undocumented(modules: list[SourceModule]) -> tuple[float, float]:
    """The shares of public functions and of public classes without a docstring."""
    functions = [node for module in modules for node in module.functions if not node.name.startswith("_")]
    classes = [node for module in modules for node in module.classes if not node.name.startswith("_")]

    def share(nodes: list[FunctionNode] | list[ast.ClassDef]) -> float:
        return sum(ast.get_docstring(node) is None for node in nodes) / len(nodes)

    return share(functions), share(classes)


def untested_modules(modules: list[SourceModule]) -> set[str]:
    """Modules over 80 lines without a test at the mirrored path."""
    return {
        module.name
        for module in modules
        if module.size > 80 and not module.is_entry_point and not module.mirrored_test.exists()
    }


def main() -> None:
    modules = read_modules()
    large = [module for module in modules if module.size > 80 and not module.is_entry_point]
    functions, classes = undocumented(modules)
    print(f"modules: {len(modules)}")
    print(f"functions that begin with a participle: {len(participle_functions(modules))}")
    print(f"classes named by a participle: {len(participle_classes(modules))}")
    print(f"public class names used more than once: {len(duplicate_classes(modules))}")
    print(f"one-word functions at the top level: {one_word_share(modules):.1%}")
    print(f"lines that only import or export: {import_share(modules):.1%}")
    print(f"public functions without a docstring: {functions:.1%}, classes: {classes:.1%}")
    print(
        f"modules over 80 lines with a test at the mirrored path: {1 - len(untested_modules(modules)) / len(large):.1%}"
    )


if __name__ == "__main__":
    main()
