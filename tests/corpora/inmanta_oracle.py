"""Compiles and exports a project with the existing compiler, and writes what came of it as JSON.

    PYTHON-WITH-INMANTA-CORE inmanta_oracle.py PROJECT

It imports nothing of sabir and runs in an environment of its own. The form is that of the corpus `inmanta-suite`: `instances`
with `$i` for a reference, `$r` for a relation of several, `$u` for what is unknown, `$d` for a dict, or an `error`; beside
it `resources`, the fields of what is exported.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from importlib import import_module
from typing import Any


def main() -> int:
    project = os.path.abspath(sys.argv[1])
    os.chdir(project)
    logging.disable(logging.CRITICAL)
    sys.stdout, out = sys.stderr, sys.stdout
    try:
        written = _compiled(project)
    except Exception as error:  # noqa: BLE001  # whatever the compiler raises is its outcome
        lines = str(error) or type(error).__name__
        written = {"error": {"class": type(error).__name__, "text": lines, "places": _places(error)}}
        traceback.print_exc()
    json.dump(written, out)
    out.flush()
    os._exit(0)  # threads of modules may go on for ever


def _core(name: str) -> Any:
    """A module of the existing engine."""
    return import_module(f"inmanta.{name}")


def _places(error: Any) -> list[Any]:
    places: list[Any] = []
    todo = [error]
    for cause in todo:
        location = getattr(cause, "location", None)
        if location is not None:
            places.append([location.file, location.lnr])
        todo += getattr(cause, "causes", None) or getattr(cause, "get_causes", list)()
    return places


def _compiled(path: str) -> dict[str, Any]:
    compiler, Config, Project = _core("compiler"), _core("config").Config, _core("module").Project  # noqa: N806

    Config.load_config()
    Config.set("config", "environment", "00000000-0000-0000-0000-000000000000")
    Project.set(Project(path, venv_path=sys.prefix, autostd=True))
    types, root = compiler.do_compile()
    outcome = _instances(types, root)
    try:
        outcome["resources"] = _exported(types, root)
    except Exception as error:  # noqa: BLE001  # classes of modules may raise anything
        outcome["export_error"] = f"{type(error).__name__}: {error}"
    return outcome


def _instances(types: Any, root: Any) -> dict[str, Any]:
    runtime, values = _core("execute.runtime"), _core("execute.util")
    Instance, ListVariable = runtime.Instance, runtime.ListVariable  # noqa: N806
    Entity, Reference = _core("ast.entity").Entity, _core("references").Reference  # noqa: N806
    entities = {id(entity): entity for entity in types.values() if isinstance(entity, Entity)}
    every: dict[int, Any] = {}
    for entity in entities.values():
        for instance in entity.get_all_instances():
            every[id(instance)] = instance
    ordered = list(every.values())
    number = {id(instance): at for at, instance in enumerate(ordered)}

    def value_of(value: Any) -> Any:
        if isinstance(value, Instance):
            return {"$i": number[id(value)]}
        if isinstance(value, values.Unknown):
            return {"$u": True}
        if isinstance(value, values.NoneValue):
            return None
        if isinstance(value, Reference):
            return {"$ref": type(value).__name__}
        if isinstance(value, list):
            return [value_of(item) for item in value]
        if isinstance(value, dict):
            return {"$d": [[key, value_of(item)] for key, item in value.items()]}
        return value

    def read(variable: Any) -> Any:
        try:
            value = variable.get_value()
        except Exception:  # noqa: BLE001  # an optional relation without a value
            return None
        if isinstance(variable, ListVariable) and isinstance(value, list):
            return {"$r": [number[id(item)] for item in value if isinstance(item, Instance)]}
        return value_of(value)

    rows = [
        [
            instance.get_type().get_full_name(),
            {
                name: read(variable)
                for name, variable in instance.slots.items()
                if name != "self" and isinstance(variable, runtime.ResultVariable)
            },
        ]
        for instance in ordered
    ]
    config = root.get_child("__config__")
    variables = {
        name: read(variable)
        for name, variable in (config.scope.slots if config is not None else {}).items()
        if isinstance(variable, runtime.ResultVariable)
    }
    return {"instances": rows, "vars": variables}


def _exported(types: Any, root: Any) -> dict[str, Any]:
    exporter = _core("export").Exporter()
    exporter.types = types
    exporter.scopes = root
    exporter._version = 0
    exporter._file_store = {}
    exporter._load_resources(types)
    exporter._call_dep_manager(types)
    exporter._validate_graph()
    resources = {}
    for identity, exported in exporter._resources.items():
        fields = json.loads(json.dumps(exported.serialize(), default=_core("util").internal_json_encoder))
        fields.pop("id", None)
        fields["requires"] = sorted(text.partition(",v=")[0] for text in fields.get("requires", ()))
        resources[identity.resource_str()] = fields
    return resources


if __name__ == "__main__":
    sys.exit(main())
