"""`python -m tests.hostile.growth`: what chains and wide things cost when they get twice as long, in processor time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from tests.hostile.attack import TOSCA
from tests.hostile.misspelt import MISSPELT

__all__ = ["SUBJECTS", "spent"]

_SIZES: Final = (1250, 2500, 5000, 10_000)
Files = Mapping[str, str]


def _types(size: int) -> Files:
    types = "".join(f"  T{n}: {{derived_from: T{n + 1}}}\n" for n in range(size))
    end = f"  T{size}: {{derived_from: tosca.nodes.Root}}\n"
    return {
        "service.yaml": f"{TOSCA}node_types:\n{types}{end}topology_template: {{node_templates: {{n: {{type: T0}}}}}}\n"
    }


def _classes(size: int) -> Files:
    listed = "".join(f"  a.A{n}: A{n}.yaml\n" for n in range(size + 1))
    head = "Format: MuranoPL/1.4\nType: Application\nFullName: a.A0\nName: a\nDescription: a\nClasses:\n"
    return {
        "manifest.yaml": head + listed,
        "model.yaml": "?: {type: a.A0, id: x}\n",
        f"Classes/A{size}.yaml": f"Name: a.A{size}\n",
        **{f"Classes/A{n}.yaml": f"Name: a.A{n}\nExtends: a.A{n + 1}\n" for n in range(size)},
    }


def _entities(size: int) -> Files:
    heirs = "".join(f"entity E{n} extends E{n + 1}:\n    string p{n}\nend\n" for n in range(size))
    return {"main.cf": f"{heirs}entity E{size}:\nend\n"}


def _requires(size: int) -> Files:
    file = "kind: file, fields: {{path: p{0}, content: x}}"
    first = f"  r0: {{{file.format(0)}}}\n"
    others = (f"  r{n}: {{{file.format(n)}, requires: [r{n - 1}]}}\n" for n in range(1, size))
    return {
        "sabir.yaml": "name: d\nparts: {f: {path: resources.yaml}}\n",
        "resources.yaml": f"sabir: resources/1\nresources:\n{first}{''.join(others)}",
    }


def _parts(size: int) -> Files:
    parts = "".join(f"  p{n}: {{path: r.yaml, language: resources}}\n" for n in range(size))
    resources = "sabir: resources/1\nresources: {a: {kind: file, fields: {path: a, content: x}}}\n"
    return {"sabir.yaml": f"name: d\nparts:\n{parts}", "r.yaml": resources}


def _moved(size: int) -> Files:
    files = _requires(3)
    moves = "".join(f"  f/o{n}: f/o{n + 1}\n" for n in range(size))
    return {**files, "sabir.yaml": f"{files['sabir.yaml']}moved:\n{moves}"}


def _reads(size: int) -> Files:
    types = "node_types: {T: {derived_from: tosca.nodes.Root, properties: {p: {type: string, required: false}}}}\n"
    others = "".join(
        f"    n{n}: {{type: T, properties: {{p: {{get_property: [n{n - 1}, p]}}}}}}\n" for n in range(1, size)
    )
    first = "    n0: {type: T, properties: {p: x}}\n"
    return {"service.yaml": f"{TOSCA}{types}topology_template:\n  node_templates:\n{first}{others}"}


def _line(size: int) -> Files:
    nodes = ", ".join(f"n{n}: {{type: X}}" for n in range(size))
    return {"service.yaml": f"{TOSCA}topology_template: {{node_templates: {{{nodes}}}}}\n"}


SUBJECTS: Final[Mapping[str, tuple[Callable[[int], Files], str]]] = {
    "a chain of TOSCA types, compile (refused)": (_types, "compile"),
    "a chain of MuranoPL classes, compile (refused)": (_classes, "compile"),
    "a chain of Inmanta entities, compile (refused)": (_entities, "compile"),
    "resources that require one another, plan": (_requires, "plan"),
    "parts of an environment, check": (_parts, "check"),
    "moves one after the other, plan": (_moved, "plan"),
    "properties that read one another, compile": (_reads, "compile"),
    "findings on one line, check": (_line, "check"),
    **{f"misspelt {subject}, check": (make, "check") for subject, make in MISSPELT.items()},
}


def spent(files: Files, command: str) -> float:
    """Seconds of processor time of a command on these files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text, encoding="utf-8")
        before = os.times()
        environment = {**os.environ, "SABIR_CACHE_DIR": str(folder / "cache"), "HOME": name}
        subprocess.run(
            [sys.executable, "-m", "sabir", command, name],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _rows(sizes: Iterable[int]) -> Iterable[str]:
    for subject, (make, command) in SUBJECTS.items():
        figures = " | ".join(f"{spent(make(size), command):.1f} s" for size in sizes)
        yield f"| {subject} | {figures} |"


if __name__ == "__main__":
    for row in _rows(_SIZES):
        print(row, flush=True)
