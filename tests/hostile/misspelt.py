"""Files in which as many names are misspelt as are right, in every language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tests.hostile.attack import TOSCA

__all__ = ["MISSPELT", "ONLY_WARNED_OF"]

Files = Mapping[str, str]
_MANIFEST: Final = "Format: MuranoPL/1.4\nType: Application\nFullName: a.App\nName: a\nDescription: a\n"
_SERVICE: Final = (
    "dsl_version: 0.4.0\nservice:\n  name: {0}\n  containers:\n  - name: {1}\n    image: {1}\n    daemon:\n"
)


def _rows(row: str, size: int) -> str:
    return "".join(row.replace("#", str(number)) for number in range(size))


def _variables(size: int) -> Files:
    return {"main.cf": _rows("variable_# = varable_#\n", size)}


def _blocks(size: int) -> Files:
    return {"main.cf": _rows("variable_# = 1\nif variable_# > 1:\n    other_# = varable_#\nend\n", size)}


def _entities(size: int) -> Files:
    return {"main.cf": _rows("entity Entity#:\nend\nEnttiy#()\n", size)}


def _attributes(size: int) -> Files:
    entity = (
        "entity E:\n" + _rows("    int? attribute_# = null\n", size) + "end\nimplement E using std::none\n"
    )
    return {"main.cf": entity + _rows("E(attribtue_#=1)\n", size)}


def _types(size: int) -> Files:
    types = _rows("  Type#: {derived_from: tosca.nodes.Root}\n", size)
    nodes = _rows("    n#: {type: Tpye#}\n", size)
    return {"service.yaml": f"{TOSCA}node_types:\n{types}topology_template:\n  node_templates:\n{nodes}"}


def _nodes(size: int) -> Files:
    nodes = _rows("    server#: {type: tosca.nodes.Root, requirements: [{dependency: srever#}]}\n", size)
    return {"service.yaml": f"{TOSCA}topology_template:\n  node_templates:\n{nodes}"}


def _inputs(size: int) -> Files:
    inputs = _rows("    input#: {type: string, default: x}\n", size)
    outputs = _rows("    o#: {value: {get_input: inptu#}}\n", size)
    return {"service.yaml": f"{TOSCA}topology_template:\n  inputs:\n{inputs}  outputs:\n{outputs}"}


def _properties(size: int) -> Files:
    properties = _rows("  property#: {Contract: $.string()}\n", size)
    body = _rows("    - $.proprety#\n", size)
    text = f"Name: a.App\nProperties:\n{properties}Methods:\n  m:\n    Body:\n{body}"
    return {"manifest.yaml": f"{_MANIFEST}Classes: {{a.App: App.yaml}}\n", "Classes/App.yaml": text}


def _classes(size: int) -> Files:
    manifest = f"{_MANIFEST}Classes:\n  a.App: App.yaml\n" + _rows("  a.Class#: Class#.yaml\n", size)
    classes = {
        f"Classes/Class{number}.yaml": f"Name: a.Class{number}\nExtends: a.Calss{number}\n"
        for number in range(size)
    }
    return {"manifest.yaml": manifest, "Classes/App.yaml": "Name: a.App\n", **classes}


def _dependencies(size: int) -> Files:
    tail = "      command: x\n      dependencies: [contaienr{0}]\n"
    return {
        f"service/s{number}.yaml": _SERVICE.format(f"service{number}", f"container{number}")
        + tail.format(number)
        for number in range(size)
    }


def _configs(size: int) -> Files:
    service = (
        _SERVICE.format("a", "c")
        + "      command: x\n      files: [f]\nfiles: {f: {path: /x, content: f.j2}}\n"
    )
    configs = "configs:\n" + _rows("  variable#: 1\n", size)
    template = _rows("{{ varialbe# }}\n", size)
    return {"service/a.yaml": service, "service/files/f.j2": template, "service/files/defaults.yaml": configs}


def _requires(size: int) -> Files:
    row = "  resource#: {kind: file, fields: {path: p#, content: {file: fiel#}}, requires: [resoruce#]}\n"
    description = f"sabir: resources/1\nresources:\n{_rows(row, size)}"
    environment = "name: d\nparts: {f: {path: resources.yaml}}\n"
    files = {f"file{number}": "" for number in range(size)}
    return {"sabir.yaml": environment, "resources.yaml": description, **files}


MISSPELT: Final[Mapping[str, Callable[[int], Files]]] = {
    "variables of Inmanta": _variables,
    "variables of Inmanta, each in a block": _blocks,
    "entities of Inmanta": _entities,
    "attributes of Inmanta": _attributes,
    "types of TOSCA": _types,
    "nodes of TOSCA": _nodes,
    "inputs of TOSCA": _inputs,
    "properties of MuranoPL": _properties,
    "classes of MuranoPL": _classes,
    "dependencies of CCP": _dependencies,
    "variables of CCP": _configs,
    "resources and files": _requires,
}

ONLY_WARNED_OF: Final = ("variables of Inmanta, each in a block", "variables of CCP")
"""What may never be read."""
