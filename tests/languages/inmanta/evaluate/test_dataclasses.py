"""Entities with a Python class: instances are objects for plug-ins, and objects become instances."""

from __future__ import annotations

import sys

import pytest

from sabir.languages.inmanta.evaluate.model import EvaluatedModel
from tests.languages.inmanta.models import evaluate

FILES = {
    "libs/vm/module.yml": "name: vm\n",
    "libs/vm/model/_init.cf": (
        "entity Disk extends std::Dataclass:\n    string name\n    int? size\nend\nimplement Disk using std::none\n"
    ),
    "libs/vm/plugins/__init__.py": """
import dataclasses
from collections.abc import Sequence
from inmanta.plugins import plugin

@dataclasses.dataclass(frozen=True)
class Disk:
    name: str
    size: int | None

@dataclasses.dataclass(frozen=True)
class Alone:
    name: str

@plugin
def make(name: str) -> Disk:
    return Disk(name, 5)

@plugin
def bad() -> Disk:
    return Disk("x", "large")

@plugin
def alone() -> "any":
    return Alone("x")

@plugin
def size(disk: Disk) -> "int":
    assert isinstance(disk, Disk)
    return disk.size

@plugin
def largest(disks: Sequence[Disk]) -> Disk | None:
    return max(disks, key=lambda disk: disk.size or 0)
""",
}


def run(text: str) -> EvaluatedModel:
    return evaluate(f"import vm\n{text}", **FILES)


def test_objects_become_instances() -> None:
    model = run('d = vm::make("a")\nn = d.name\ns = d.size\n')
    assert not model.findings
    assert (model.variables()["n"], model.variables()["s"]) == ("a", 5)
    assert sum(instance.entity.name == "vm::Disk" for instance in model.instances) == 1


def test_instances_are_objects_and_come_back_as_themselves() -> None:
    model = run(
        'a = vm::Disk(name="a", size=1)\nb = vm::make("b")\nc = vm::largest([a, b])\nn = vm::size(a)\n'
    )
    assert not model.findings
    assert model.variables()["c"] is model.variables()["b"]
    assert model.variables()["n"] == 1
    assert sum(instance.entity.name == "vm::Disk" for instance in model.instances) == 2


def test_objects_that_fit_nothing() -> None:
    (finding,) = run("d = vm::bad()\n").findings
    assert (finding.code, finding.message) == ("INM:E010", "vm::Disk.size is int?, and 'large' is not")
    (finding,) = run("d = vm::alone()\n").findings
    assert "which no entity stands for" in finding.message


@pytest.mark.skipif(sys.version_info < (3, 12), reason="'type' statements exist since Python 3.12")
def test_objects_are_passed_for_a_type_alias() -> None:
    python = """
type Disks = list[Disk]

@plugin
def count(disks: Disks) -> int:
    assert all(isinstance(disk, Disk) for disk in disks)
    return len(disks)
"""
    files = FILES | {"libs/vm/plugins/__init__.py": FILES["libs/vm/plugins/__init__.py"] + python}
    model = evaluate('import vm\nn = vm::count([vm::make("a"), vm::Disk(name="b")])\n', **files)
    assert [finding.message for finding in model.findings] == []
    assert model.variables()["n"] == 2
