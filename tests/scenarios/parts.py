"""One small part in each language, all alike: it takes a number, a text and a list, and gives back what it was given.

`fixed` rests on nothing that is given. Where each value stands is a path below the part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sabir.environment import ENVIRONMENT
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.source.packages import load_package
from tests.support.files import write_files

__all__ = ["PARTS", "PartKind", "environment", "evaluate"]


@dataclass(frozen=True)
class PartKind:
    files: Mapping[str, str]
    """By path below the folder of the part."""
    given: str
    """What `sabir.yaml` says for the part, with {number}, {text} and {items} in it, indented by four."""
    paths: Mapping[str, str]
    """Of the values number, text, items and fixed, as a query from the part on; {part} is its name."""
    path: str = ""
    """Of the description below the folder of the part."""
    subjects: Mapping[str, str] = field(default_factory=dict[str, str])
    """INSTANCE.ATTRIBUTE of the values, for `why`."""

    def query(self, part: str, value: str) -> str:
        return f"::{part}::{self.paths[value].format(part=part)}"


PARTS: Mapping[str, PartKind] = {
    "inmanta": PartKind(
        files={
            "main.cf": """\
entity Thing:
    string name
    int number
    string text
    string[] items
    int fixed
end
index Thing(name)
implement Thing using std::none

number = 1
text = "none"
items = ["none"]

Thing(name="thing", number=number, text=text, items=items, fixed=8020)
"""
        },
        given="    inputs:\n      number: {number}\n      text: {text}\n      items: {items}\n",
        paths={name: f"thing::{name}" for name in ("number", "text", "items", "fixed")},
        subjects={name: f"Thing/thing.{name}" for name in ("number", "text", "items")},
    ),
    "tosca": PartKind(
        path="/service.yaml",
        files={
            "service.yaml": """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  test.Thing:
    derived_from: tosca.nodes.Root
    properties:
      number: {type: integer}
      text: {type: string}
      items: {type: list, entry_schema: string}
      fixed: {type: integer, default: 8021}
topology_template:
  inputs:
    number: {type: integer}
    text: {type: string}
    items: {type: list, entry_schema: string}
  node_templates:
    thing:
      type: test.Thing
      properties:
        number: {get_input: number}
        text: {get_input: text}
        items: {get_input: items}
"""
        },
        given="    inputs:\n      number: {number}\n      text: {text}\n      items: {items}\n",
        paths={name: f"thing::{name}" for name in ("number", "text", "items", "fixed")},
        subjects={name: f"thing.{name}" for name in ("number", "text", "items")},
    ),
    "ccp": PartKind(
        files={
            "service/thing.yaml": """\
dsl_version: 0.4.0
service:
  name: thing
  ports:
    - {{ thing.number }}
  containers:
    - name: main
      image: main
      env:
        - name: TEXT
          value: "{{ thing.text }}"
        - name: ITEMS
          value: "{{ thing['items'] | join(' ') }}"
      daemon:
        command: /run
""",
            "service/other.yaml": """\
dsl_version: 0.4.0
service:
  name: other
  ports: [8022]
  containers:
    - name: main
      image: main
      daemon:
        command: /run
""",
        },
        given=(
            "    config:\n      configs:\n        thing:\n          number: {number}\n          text: {text}\n"
            "          items: {items}\n"
        ),
        paths={
            "number": "{part}::thing::ports::0",
            "text": "{part}::thing::main::env::0::value",
            "items": "{part}::thing::main::env::1::value",
            "fixed": "{part}::other::ports::0",
        },
        subjects={"number": "thing.ports", "text": "thing/main.env", "items": "thing/main.env"},
    ),
    "muranopl": PartKind(
        files={
            "manifest.yaml": (
                "Format: MuranoPL/1.4\nType: Library\nFullName: test\nName: test\n"
                "Classes: {test.Thing: Thing.yaml}\n"
            ),
            "Classes/Thing.yaml": """\
Namespaces: {=: test, std: io.murano}
Name: Thing
Extends: std:Object
Properties:
  number: {Contract: $.int().notNull().check($ > 0)}
  text: {Contract: $.string().notNull()}
  items: {Contract: [$.string()]}
  fixed: {Contract: $.int(), Default: 8023}
""",
        },
        given=(
            '    model:\n      "?": {{id: thing, type: test.Thing, name: thing}}\n      number: {number}\n      text: {text}\n'
            "      items: {items}\n"
        ),
        paths={name: f"thing::{name}" for name in ("number", "text", "items", "fixed")},
        subjects={name: f"thing.{name}" for name in ("number", "text", "items")},
    ),
}


def environment(parts: Mapping[str, tuple[str, Mapping[str, str]]], tail: str = "") -> dict[str, str]:
    """The files of an environment: parts by name with their language and the expressions they are given."""
    files: dict[str, str] = {}
    text = "parts:\n"
    for name, (language, given) in parts.items():
        kind = PARTS[language]
        files.update({f"{name}/{path}": content for path, content in kind.files.items()})
        values = {"number": "9", "text": "text", "items": "[a]", **given}
        text += f"  {name}:\n    language: {language}\n    path: {name}{kind.path}\n" + kind.given.format(
            **values
        )
    return {**files, "sabir.yaml": text + tail}


def evaluate(folder: Path, files: Mapping[str, str], *, full: bool = False) -> Evaluation:
    package = load_package(write_files(folder, files))
    return ENVIRONMENT.evaluate(package, EvaluationRequest(full_provenance=full))
