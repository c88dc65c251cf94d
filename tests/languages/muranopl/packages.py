"""Small packages for tests: class text, a model, a session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.packages import MuranoPackage
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.evaluate.system import SystemClass
from sabir.languages.muranopl.syntax.classes import ClassFile, read_class_file
from sabir.languages.muranopl.syntax.manifest import Manifest
from sabir.source.packages import MemoryPackage
from sabir.source.yaml import compose
from sabir.text import Source

__all__ = ["files", "load", "read"]

MANIFEST = """\
Format: MuranoPL/1.4
Type: Library
FullName: demo
Name: Demo
Classes:
  demo.Root: Root.yaml
"""


def read(text: str, manifest_name: str | None = None) -> ClassFile:
    return read_class_file(compose(Source("Root.yaml", text)), manifest_name)


def load(
    classes: str,
    model: dict[str, Any] | None = None,
    limits: RunLimits | None = None,
    system: Iterable[SystemClass] = (),
) -> MuranoRun:
    """A session of the classes, its model loaded when there is one."""
    found = read(classes)
    assert not found.findings, found.findings
    package = MuranoPackage(Manifest(name="demo", format="1.4"), MemoryPackage({}))
    for node in found.classes:
        package.add(node)
    session = MuranoRun(Runtime([package], limits=limits, system=system))
    if model is not None:
        session.load(model)
    return session


def files(classes: str, model: str = "'?': {id: root, type: demo.Root}\n", **more: str) -> dict[str, str]:
    """A package as files, with its model."""
    return {
        "manifest.yaml": MANIFEST,
        "Classes/Root.yaml": "Namespaces:\n  =: demo\n  std: io.murano\n" + classes,
        "model.yaml": model,
        **more,
    }
