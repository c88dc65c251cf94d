"""Which faults of a template are told before anything runs, by sabir and by its peers: `python -m docs.tosca_engines [PROGRAM …]`.

Each PROGRAM is a command to which the path of a template is given behind; a status other than 0 means that it refused. Without
programs only sabir is asked. The figures of docs/tosca/engines.md come from here.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["FAULTS", "GOOD", "TEMPLATE", "refused", "templates"]

TEMPLATE: Final = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.SoftwareComponent
    properties: {port: {type: integer}}
    attributes: {url: {type: string}}
    interfaces:
      Standard:
        type: tosca.interfaces.node.lifecycle.Standard
        operations:
          create:
            implementation: create.yaml
            inputs: {at: {type: integer, default: {get_property: [SELF, port]}}}
            outputs: {url: [SELF, url]}
topology_template:
  inputs: {port: {type: integer, default: 80}}
  node_templates:
    server: {type: tosca.nodes.Compute}
    app:
      type: App
      properties: {port: {get_input: port}}
      requirements: [{host: server}]
  outputs: {url: {value: {get_attribute: [app, url]}}}
"""
GOOD: Final = "the correct template"
FAULTS: Final = {
    "a requirement of a node that is not there": ("host: server", "host: sever"),
    "a type that is not there": ("type: App\n", "type: Ap\n"),
    "a property that the type does not have": (
        "properties: {port: {get_input",
        "properties: {prt: 1, port: {get_input",
    ),
    "a required property without a value": ("      properties: {port: {get_input: port}}\n", ""),
    "text where a number must be": ("properties: {port: {get_input: port}}", "properties: {port: eighty}"),
    "an input that is not there": ("{get_input: port}", "{get_input: prot}"),
    "an attribute of an output that is not there": ("get_attribute: [app, url]", "get_attribute: [app, ulr]"),
    "a node of an output that is not there": ("get_attribute: [app, url]", "get_attribute: [ap, url]"),
    "a property of an operation's input that is not there": (
        "get_property: [SELF, port]",
        "get_property: [SELF, prt]",
    ),
    "an operation that the interface does not have": ("          create:\n", "          creat:\n"),
    "an output that goes to an unknown attribute": (
        "outputs: {url: [SELF, url]}",
        "outputs: {url: [SELF, ulr]}",
    ),
    "a script that is not there": ("implementation: create.yaml", "implementation: craete.yaml"),
    "an unknown section": ("  inputs: {port: {type", "  inptus: {x: {type: string}}\n  inputs: {port: {type"),
}


def templates() -> Iterator[tuple[str, str]]:
    yield GOOD, TEMPLATE
    for title, (before, after) in FAULTS.items():
        assert before in TEMPLATE, title
        yield title, TEMPLATE.replace(before, after, 1)


def refused(words: list[str], text: str) -> bool:
    """Whether a program refuses a template."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "create.yaml").write_text("- {hosts: all, tasks: []}\n", encoding="utf-8")
        (Path(folder) / "service.yaml").write_text(text, encoding="utf-8")
        done = subprocess.run([*words, "service.yaml"], cwd=folder, capture_output=True, check=False)
        return done.returncode != 0


def main() -> None:
    programs = [[sys.executable, "-m", "sabir.cli", "check"], *map(shlex.split, sys.argv[1:])]
    for title, text in templates():
        answers = ("refused" if refused(program, text) else "accepted" for program in programs)
        sys.stdout.write(f"| {title} | {' | '.join(answers)} |\n")


if __name__ == "__main__":
    main()
