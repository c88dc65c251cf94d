"""Nothing that is read, checked or evaluated leaves a trace in a module: several sessions share one process.

Modules may keep what follows from a closed set of names (tables of sabir's own), and a bounded number of answers of functions
that depend on their arguments alone, as `re` does.
"""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import sabir

EXAMPLES = Path(__file__).parent.parent / "examples"

CLOSED = {
    "sabir.diagnostics.examples._load_file": "packages with rules",
    "sabir.diagnostics.rules.collect_rules": "packages of sabir",
    "sabir.expressions.patterns.translation._all_characters": "two sizes of character sets",
    "sabir.expressions.query.functions.registry._load_extensions": "the import path, for installed plug-ins",
    "sabir.expressions.query.syntax._key_end": "true and false",
    "sabir.languages.inmanta.syntax.nodes._node_fields": "classes of nodes",
    "sabir.languages.muranopl.check.core_library._find_subclasses": "classes of the core library",
    "sabir.languages.muranopl.check.core_library._parse_class_line": "classes of the core library",
    "sabir.languages.muranopl.evaluate.functions._library_for_format": "versions of the format",
    "sabir.languages.muranopl.library.load_bundled_package": "packages that are shipped",
    "sabir.languages.tosca.library._load_definition": "types that are shipped",
    "sabir.languages.tosca.library._short_names": "profiles that are shipped",
    "sabir.languages.tosca.library._read_type_texts": "profiles that are shipped",
    "sabir.plugins._load_group": "the import path, for installed plug-ins",
    "sabir.plugins._scan_path": "the import path, for installed plug-ins",
}
"""Caches without a bound, and the closed set that bounds them."""

GROWING = {
    "sabir.expressions.yaql.parser._known_shapes": "shapes of expressions, bounded, without their words",
    "sabir.expressions.yaql.kinds.KINDS": "types of Python, never values",
}


def _modules() -> Iterator[Any]:
    for module in pkgutil.walk_packages(sabir.__path__, "sabir."):
        if not module.name.endswith("__main__"):
            yield import_module(module.name)


def test_caches_are_bounded() -> None:
    unbounded = {
        f"{module.__name__}.{name}"
        for module in _modules()
        for name, value in vars(module).items()
        if hasattr(value, "cache_info")
        and value.__module__ == module.__name__
        and value.cache_info().maxsize is None
        and inspect.signature(value).parameters
    }
    assert unbounded == CLOSED.keys()


def _containers() -> dict[str, int]:
    return {
        f"{name}.{variable}": len(value) + _size_inside(value)
        for name, module in sys.modules.items()
        if name.startswith("sabir")
        for variable, value in vars(module).items()
        if isinstance(value, list | dict | set) and not variable.startswith("__")
    }


def _size_inside(value: Any) -> int:
    parts = value.values() if isinstance(value, dict) else value
    return sum(len(part) for part in parts if isinstance(part, list | dict | set))


def test_work_leaves_no_trace_in_modules() -> None:
    for _ in _modules():
        pass
    before = _containers()
    sabir.check(EXAMPLES / "murano" / "hello")
    for name in ("inmanta/web", "shop"):
        sabir.check(EXAMPLES / name)
        sabir.compile(EXAMPLES / name, provenance=True)
    sabir.query(EXAMPLES / "shop", "{{ '::*::.name' | eval }}")
    after = _containers()
    grown = {name for name, size in after.items() if size != before.get(name, size)}
    homes = {name.rpartition(".")[2] for name in GROWING}
    assert {name for name in grown if name.rpartition(".")[2] not in homes} == set()
