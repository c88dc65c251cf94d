"""Names that say nothing are few: a reader meets the thing by its name."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import sabir

EMPTY = frozenset(["found", "given", "known", "made", "one", "own", "what"])
MOST = 0.02
"""The share of names that may be empty."""


def bound_names(tree: ast.Module) -> Iterator[str]:
    """Every name that a module gives: to variables, parameters, attributes, functions and classes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case _:
                pass


def test_names_of_a_module() -> None:
    text = "class A:\n    def f(self, one):\n        self._known = [found for found in one]\n"
    assert sorted(bound_names(ast.parse(text))) == ["A", "_known", "f", "found", "one", "self"]


def test_few_names_are_empty() -> None:
    total, empty = 0, Counter[str]()
    for file in Path(sabir.__file__).parent.rglob("*.py"):
        names = [name.lstrip("_") for name in bound_names(ast.parse(file.read_text(encoding="utf-8")))]
        total += len(names)
        empty[str(file)] += sum(name in EMPTY for name in names)
    share = empty.total() / total
    assert share <= MOST, f"{share:.1%} of all names are empty, most in {empty.most_common(5)}"
