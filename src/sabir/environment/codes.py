"""The codes of environments with their documentation."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Example, Rule

__all__ = ["CODES"]

_TOSCA: Final = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    address: {type: string, default: 10.0.0.1}
  node_templates:
    db:
      type: tosca.nodes.Root
  outputs:
    address: {value: {get_input: address}}
"""
_WEB: Final = """\
dsl_version: 0.4.0
service:
  name: web
  containers:
    - name: web
      image: web
      probes: {readiness: /ready}
      env: [{name: PASSWORD, value: "PASSWORD"}]
      daemon: {command: /run}
"""
_GOOD: Final[Example] = {"sabir.yaml": "parts:\n  db:\n    path: db.yaml\n", "db.yaml": _TOSCA}


def _code(
    number: str, title: str, why: str, text: str, *, run: bool = False, more: Example | None = None
) -> Rule:
    return Rule(
        code=f"ENV:{number}",
        title=title,
        why=why,
        bad={"sabir.yaml": text, **(more or {"db.yaml": _TOSCA})},
        good=_GOOD,
        language="environment",
        when="evaluate" if run else "check",
    )


CODES: Final[tuple[Rule, ...]] = (
    _code(
        "E001",
        "sabir.yaml is not an environment",
        "An environment is a mapping with the key parts: names, each with a path and, if need be, a language.",
        "name: shop\n",
    ),
    _code(
        "E002",
        "a malformed part",
        "A part is named by letters, digits, _ and -, and is a mapping with a path; inputs is a mapping.",
        "parts:\n  db: db.yaml\n",
    ),
    _code(
        "E003",
        "an unknown key",
        "Keys that sabir does not know have no effect, most often because of a typing error.",
        "parts:\n  db:\n    path: db.yaml\n    inptus: {}\n",
    ),
    _code(
        "E004",
        "a part that is not there",
        "The path of a part is a folder, an archive or a file, from the folder of sabir.yaml.",
        "parts:\n  db:\n    path: gone.yaml\n",
    ),
    _code(
        "E005",
        "a part in no known language",
        "The language of a part is found from its files. Say it with language where they do not tell.",
        "parts:\n  db:\n    path: db.yaml\n    language: toska\n",
    ),
    _code(
        "E006",
        "a reference that gives no value",
        "The expression matches nothing, or matches an instance where a value is needed. Query the environment to see "
        "what is there: sabir query . '::db'.",
        "parts:\n  db:\n    path: db.yaml\noutputs:\n  address: {eval: '::db::nothing'}\n",
        run=True,
    ),
    _code(
        "E007",
        "values that wait for each other",
        "Each of these values is computed from the next, and the last one from the first. Parts may refer to each other "
        "in both directions, but no value may need itself.",
        "parts:\n  db:\n    path: db.yaml\n    inputs:\n      address: {eval: '::db::outputs::address'}\n",
        run=True,
    ),
    _code(
        "E008",
        "a policy file that cannot be read",
        "The files under rules lie beside sabir.yaml, or are named from its folder.",
        "parts:\n  db:\n    path: db.yaml\nrules: gone.yaml\n",
    ),
    _code(
        "E009",
        "a part that cannot use what it is given",
        "The inputs, the model or the configuration of a part are not what its language takes.",
        "parts:\n  net:\n    path: net\n    inputs: {blokc: 1}\n",
        run=True,
        more={"net/main.cf": "block = 1\n"},
    ),
    Rule(
        code="ENV:W001",
        title="something sensitive is left out of what is rendered",
        why="A part is given a sensitive value, and its text would stand in a file that render writes.",
        bad={
            "sabir.yaml": (
                "parts:\n  db: {path: db.yaml}\n  web:\n    path: web\n    config:\n      configs:\n"
                "        db: {password: {eval: {sensitive: {eval: '::db::outputs::address'}}}}\n"
            ),
            "db.yaml": _TOSCA,
            "web/service/web.yaml": _WEB.replace("PASSWORD", "{{ db.password }}"),
        },
        good={"sabir.yaml": "parts:\n  web:\n    path: web\n", "web/service/web.yaml": _WEB},
        language="environment",
        when="render",
    ),
)
