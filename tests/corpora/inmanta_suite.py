"""Compiles of the existing Inmanta compiler's own test-suite, with the outcome there, run on sabir.

    SABIR_TEST_CORPORA=/path/to/corpora python -m tests.corpora.inmanta_suite [-k TEXT] [-v]

The corpus is foreign material and no part of the project: it is found by the environment variable. A compile agrees when both
sides have the same instances and variables, or when both refuse and one of our errors names a line that the other names too.
Instances of std, `requires` and `provides` are not compared. `DECIDED` lists what is meant to be otherwise here, and why.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding, Severity
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.model import EvaluatedModel, evaluate_package
from sabir.languages.inmanta.evaluate.values import ModelInstance, PendingSlot, RelationList, RelationValue
from sabir.languages.inmanta.model.entities import Property
from sabir.languages.inmanta.model.types import Late
from sabir.session import Session, Trust
from sabir.source.packages.load import load_package

__all__ = [
    "DECIDED",
    "Compile",
    "colours_of_outcome",
    "compiles",
    "disagreement",
    "suite_folder",
    "written_outcome",
]

_VARIABLE: Final = "SABIR_TEST_CORPORA"
_PROJECT: Final = "name: suite\nmodulepath: libs\ndownloadpath: libs\nrepo: []\n"
_NOT_COMPARED: Final = frozenset({"requires", "provides"})
_ROUNDS: Final = 6

_HYPHENS: Final = "names may hold '-', as document 002 says"
DECIDED: Final[Mapping[str, str]] = {
    **{
        f"tests/compiler/test_define.py::test_deprecation_minus_{what}": _HYPHENS
        for what in (
            "in_entity_name",
            "in_attribute_name",
            "in_implementation_name",
            "in_typedef_name",
            "in_assign_variable_name",
            "import_as",
        )
    },
    "tests/compiler/test_dict.py::test_dict_attr_type_error": "std is always there",
    "tests/compiler/test_dict.py::test_interpolation_in_dict_keys": "a text is read as UTF-8, also in the keys of a dict",
}
"""The name of a test → why its compile ends otherwise here."""
_INCOMPLETE: Final = (
    "test_modules_v2_compile",
    "test_modules_plugin_",
    "test_modules_fail",
    "test_modules_compiler_",
    "test_relation_precedence_policy",
    "test_validation_relation_precedence_rules",
)
"""Compiles that need a module or settings of a project that the corpus does not have: they cannot be repeated."""


class Compile(Struct, frozen=True):
    test: str
    model: str
    outcome: dict[str, Any]


def suite_folder() -> Path | None:
    """Where the corpus lies, when it is there."""
    root = os.environ.get(_VARIABLE)
    folder = Path(root) / "inmanta-suite" if root else None
    return folder if folder is not None and (folder / "compiles.jsonl").is_file() else None


def compiles(folder: Path) -> Iterator[Compile]:
    with open(folder / "compiles.jsonl", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if not row["test"].rpartition("::")[2].startswith(_INCOMPLETE):
                yield Compile(row["test"], row["model"], row["outcome"])


def disagreement(case: Compile, folder: Path) -> str | None:
    """What is otherwise here; None when both sides agree."""
    with tempfile.TemporaryDirectory(prefix="sabir-suite-") as scratch:
        project = Path(scratch).resolve()
        (project / "main.cf").write_text(case.model, encoding="utf-8")
        (project / "project.yml").write_text(_PROJECT, encoding="utf-8")
        model = evaluate_package(
            load_package(project),
            session=Session(trust=Trust(python=True, env=True), environment=dict(os.environ)),
            search_path=(folder / "modules",),
        )
    errors = [finding for finding in model.findings if finding.severity is Severity.ERROR]
    if "error" in case.outcome:
        return _other_error(case.outcome["error"], errors)
    if errors:
        return f"compiles there, here: {_shown(errors[0])}"
    return _other_values(case.outcome, model) if "instances" in case.outcome else None


def _shown(finding: Finding) -> str:
    return f"{finding.code} {finding.location}: {finding.message}"


def _other_error(expected: dict[str, Any], errors: list[Finding]) -> str | None:
    said = expected["text"].splitlines()[0] if expected["text"] else ""
    if not errors:
        return f"compiles here, there: {expected['class']}: {said} {expected['places']}"
    places = {(Path(file).name, line) for file, line in expected["places"]}
    ours = {
        (Path(place.source.name).name, place.location.line)
        for error in errors
        for place in (error.place, *(related.place for related in error.related))
    }
    if not places or places & ours:
        return None
    return f"other place: there {sorted(places)} {expected['class']}: {said}; here {_shown(errors[0])}"


def _other_values(expected: dict[str, Any], model: EvaluatedModel) -> str | None:
    theirs, their_variables = colours_of_outcome(expected)
    ours, our_variables = colours_of_outcome(written_outcome(model))
    if our_variables != their_variables:
        names = sorted(
            name
            for name in {*our_variables, *their_variables}
            if our_variables.get(name) != their_variables.get(name)
        )
        first = names[0]
        return f"variables {names}: {first} is {our_variables.get(first)}, there {their_variables.get(first)}"
    if ours != theirs:
        return f"instances: only here {list((ours - theirs).elements())[:2]}, only there {list((theirs - ours).elements())[:2]}"
    return None


class _Node(Struct, eq=False):
    """An instance of either side: its entity, and its properties with references to other nodes in them."""

    entity: str
    properties: dict[str, Any] = {}


class _Many(Struct, eq=False):
    """Instances without an order."""

    nodes: list[_Node]


def _colours(nodes: list[_Node], variables: dict[str, Any]) -> tuple[Counter[str], dict[str, str]]:
    """Instances as texts that are equal when the instances, and what they lead to, are."""
    colours = {id(node): node.entity for node in nodes}
    for _ in range(_ROUNDS):
        colours = {
            id(node): _digest(
                node.entity,
                {
                    name: _coloured(value, colours)
                    for name, value in node.properties.items()
                    if name not in _NOT_COMPARED
                },
            )
            for node in nodes
        }
    compared = [node for node in nodes if not node.entity.startswith("std::")]
    return Counter(colours[id(node)] for node in compared), {
        name: _coloured(value, colours) for name, value in variables.items()
    }


def _digest(entity: str, properties: dict[str, str]) -> str:
    import hashlib

    text = repr(sorted(properties.items()))
    if entity.startswith("std::"):
        return entity  # what std is made of differs between its releases
    return f"{entity}:{hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:8]} {text}"[:4000]


def _coloured(value: Any, colours: Mapping[int, str]) -> str:
    if isinstance(value, _Node):
        return colours[id(value)].partition(" ")[0]
    if isinstance(value, _Many):
        return f"[{', '.join(sorted(colours[id(node)].partition(' ')[0] for node in value.nodes))}]"
    if isinstance(value, list):
        if value and all(isinstance(item, _Node) for item in value):
            return _coloured(_Many(value), colours)  # of a relation, whose order is nobody's promise
        return f"[{', '.join(_coloured(item, colours) for item in value)}]"
    if isinstance(value, dict):
        return (
            f"{{{', '.join(sorted(f'{key!r}: {_coloured(item, colours)}' for key, item in value.items()))}}}"
        )
    if isinstance(value, Unknown):
        return "unknown"
    return repr(value)


def colours_of_outcome(outcome: dict[str, Any]) -> tuple[Counter[str], dict[str, str]]:
    nodes = [_Node(entity.removeprefix("__config__::")) for entity, _ in outcome["instances"]]

    def read(value: Any) -> Any:
        if isinstance(value, list):
            return [read(item) for item in value]
        if isinstance(value, dict):
            if "$i" in value:
                return nodes[value["$i"]]
            if "$r" in value:
                return _Many([nodes[at] for at in value["$r"]])
            if "$u" in value:
                return Unknown()
            if "$ref" in value:
                return f"reference {value['$ref']}"
            return {key: read(item) for key, item in value["$d"]}
        return value

    for node, (_, properties) in zip(nodes, outcome["instances"], strict=True):
        node.properties = {name: read(value) for name, value in properties.items()}
    return _colours(nodes, {name: read(value) for name, value in outcome["vars"].items()})


def written_outcome(model: EvaluatedModel) -> dict[str, Any]:
    """The instances and variables of a model in the form of the corpus."""
    number = {instance: at for at, instance in enumerate(model.instances)}

    def written(value: Any) -> Any:
        if isinstance(value, ModelInstance):
            return {"$i": number[value]}
        if isinstance(value, RelationList):
            return {"$r": [number[instance] for instance in value]}
        if isinstance(value, RelationValue):
            return {"$r": [number[instance] for instance in value.values]}
        if isinstance(value, Unknown):
            return {"$u": True}
        if isinstance(value, Late):
            return {"$ref": type(value).__name__}
        if isinstance(value, list):
            return [written(item) for item in value]
        if isinstance(value, dict):
            return {"$d": [[key, written(item)] for key, item in value.items()]}
        return value

    def slot(prop: Property, value: Any) -> Any:
        if isinstance(value, PendingSlot):
            return {"$r": []} if prop.is_list else None
        return written(value)

    rows = [
        [
            instance.entity.shown,
            {
                prop.name: slot(prop, value)
                for prop, value in zip(instance.entity.by_slot, instance.values, strict=True)
            },
        ]
        for instance in model.instances
    ]
    return {
        "instances": rows,
        "vars": {name: written(value) for name, value in model.variables().items()},
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpora.inmanta_suite", description=__doc__)
    parser.add_argument("-k", metavar="TEXT", dest="only", help="only tests whose name contains this text")
    parser.add_argument("-v", action="store_true", dest="verbose", help="show the models that disagree")
    arguments = parser.parse_args()
    folder = suite_folder()
    if folder is None:
        print(f"{_VARIABLE} names no folder with inmanta-suite/compiles.jsonl", file=sys.stderr)
        return 2
    agreed = total = 0
    for case in compiles(folder):
        if arguments.only is not None and arguments.only not in case.test:
            continue
        total += 1
        try:
            difference = disagreement(case, folder)
        except Exception as error:  # noqa: BLE001  # a crash is a disagreement, and the next case is wanted as well
            difference = f"CRASH {type(error).__name__}: {error}"
        if difference is None or case.test in DECIDED:
            agreed += 1
            continue
        print(f"{case.test}\n    {difference}")
        if arguments.verbose:
            print("\n".join(f"      | {line}" for line in case.model.splitlines()))
    print(f"{agreed} of {total} agree ({100 * agreed / max(total, 1):.1f} %)")
    return 0 if agreed == total else 1


if __name__ == "__main__":
    sys.exit(main())
