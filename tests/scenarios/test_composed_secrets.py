"""A secret is known only to the step that uses it: a string that any language computes from the reference to it is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.diagnostics.finding import Finding, Severity
from sabir.environment import ENVIRONMENT
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.resources.secrets import find_secret_names
from sabir.session import Session, Trust
from sabir.source.packages import load_package
from tests.support.files import write_files

MESSAGE = "secret 'pw' cannot be part of a string"
HEAD = """\
secrets: {pw: {env: PASSWORD}}
parts:
  keys:
    language: resources
    model:
      resources:
        key: {kind: file, fields: {path: key, content: {secret: pw}}}
"""
READ = '{eval: "::keys::key::content"}'
GIVEN = [READ, "{secret: pw}"]
"""Both ways in which a part can be given a secret."""


def evaluated(folder: Path, files: dict[str, str]) -> Evaluation:
    request = EvaluationRequest(session=Session(trust=Trust.of(["python"])))
    return ENVIRONMENT.evaluate(load_package(write_files(folder, files)), request)


def errors(evaluation: Evaluation) -> list[Finding]:
    """Those of the evaluation and, where it has none, of what is to be deployed."""
    found = [finding for finding in evaluation.findings if finding.severity is Severity.ERROR]
    return found or [*evaluation.wanted().findings]


def assert_refused(evaluation: Evaluation, file: str | None = None) -> None:
    found = errors(evaluation)
    assert {finding.message for finding in found} == {MESSAGE}
    for finding in found:
        assert finding.hint == "use the secret as the whole value"
        assert finding.location.line > 0
    if file is not None:
        assert {finding.filename for finding in found} == {file}


# The resources language and sabir.yaml


RESOURCES = [
    "{concat: ['pw=', {secret: pw}]}",
    "{concat: [{secret: pw}]}",
    "{join: [[a, {secret: pw}], '-']}",
    "{eval: {concat: ['pw=', {secret: pw}]}}",
    "{eval: {concat: ['pw=', {eval: '::key::content'}]}}",
    "{concat: ['pw=', {eval: '::key::content'}]}",
    "{eval: {token: [{secret: pw}, 'e', 0]}}",
    "\"pw={{ '::key::content' | eval }}\"",
    "\"{{ '::key::content' | eval | tojson }}\"",
    "\"{{ '::key::content' | eval | tojson | b64encode }}\"",
    "\"{{ '::key::content' | eval | string | hash }}\"",
    "{eval: {template: 'pw={{ it }}'}, vars: {it: {secret: pw}}}",
    "{lines: [{concat: ['pw=', {secret: pw}]}]}",
]
KEY = "  key: {kind: file, fields: {path: key, content: {secret: pw}}}\n"


@pytest.mark.parametrize("value", RESOURCES)
def test_a_string_in_a_description_of_resources(value: str, tmp_path: Path) -> None:
    text = (
        f"sabir: resources/1\nresources:\n{KEY}  a: {{kind: file, fields: {{path: a, content: {value}}}}}\n"
    )
    files = {
        "r.yaml": text,
        "sabir.yaml": "secrets: {pw: {env: PASSWORD}}\nparts:\n  files: {path: r.yaml}\n",
    }
    evaluation = evaluated(tmp_path, files)
    assert_refused(evaluation, "r.yaml")
    assert [finding.location.line for finding in errors(evaluation)] == [4]


@pytest.mark.parametrize("value", RESOURCES)
def test_a_string_in_an_environment(value: str, tmp_path: Path) -> None:
    described = f"        a: {{kind: file, fields: {{path: a, content: {value}}}}}\n"
    evaluation = evaluated(tmp_path, {"sabir.yaml": HEAD + described})
    assert_refused(evaluation, "sabir.yaml")
    assert [finding.location.line for finding in errors(evaluation)] == [8]


def test_an_output(tmp_path: Path) -> None:
    outputs = f"outputs:\n  whole: {READ}\n  text: {{concat: ['pw=', {READ}]}}\n"
    evaluation = evaluated(tmp_path, {"sabir.yaml": HEAD + outputs})
    assert_refused(evaluation, "sabir.yaml")
    assert [finding.location.line for finding in errors(evaluation)] == [10]


WHOLE = [
    "{secret: pw}",
    "{eval: '::key::content'}",
    "\"{{ '::key::content' | eval }}\"",
    "{eval: {if: true, then: {secret: pw}}}",
    "{sensitive: {secret: pw}}",
    "{inner: {password: {secret: pw}, user: bob}}",
    "[a, {secret: pw}]",
    "{eval: '$it', vars: {it: {secret: pw}}}",
]


@pytest.mark.parametrize("value", WHOLE)
@pytest.mark.parametrize("here", [True, False], ids=["environment", "resources"])
def test_a_whole_value(value: str, here: bool, tmp_path: Path) -> None:
    if here:
        files = {"sabir.yaml": f"{HEAD}        a: {{kind: file, fields: {{path: a, content: {value}}}}}\n"}
    else:
        described = f"sabir: resources/1\nresources:\n{KEY}  a: {{kind: file, fields: {{path: a, content: {value}}}}}\n"
        head = "secrets: {pw: {env: PASSWORD}}\nparts:\n  keys: {path: r.yaml}\n"
        files = {"r.yaml": described, "sabir.yaml": head}
    evaluation = evaluated(tmp_path, files)
    assert errors(evaluation) == []
    assert find_secret_names(evaluation.graph["keys/a"].attributes["content"]) == {"pw"}


def test_a_text_that_only_mentions_the_name(tmp_path: Path) -> None:
    others = (
        "        a: {kind: file, fields: {path: a, content: 'echo \"$secret\"; pw=1'}}\n"
        "        b: {kind: file, fields: {path: b, content: {concat: ['$secret = ', pw]}}}\n"
    )
    assert errors(evaluated(tmp_path, {"sabir.yaml": HEAD + others})) == []


# Other languages


TOSCA = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  test.Thing: {{derived_from: tosca.nodes.Root, properties: {{text: {{type: string}}}}}}
topology_template:
  inputs: {{text: {{}}}}
  node_templates:
    thing:
      type: test.Thing
      properties: {{text: {value}}}
"""
TOSCA_VALUES = [
    "{concat: ['pw=', {get_input: text}]}",
    "{join: [[a, {get_input: text}], '-']}",
    "{token: [{concat: [{get_input: text}, ';b']}, ';', 0]}",
    "{eval: {concat: ['pw=', {get_input: text}]}}",
    "\"pw={{ '::root::inputs::text' | eval }}\"",
    "\"pw={{ {'get_input': 'text'} | eval }}\"",
]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("value", TOSCA_VALUES)
def test_tosca(value: str, given: str, tmp_path: Path) -> None:
    head = f"{HEAD}  tosca:\n    path: service.yaml\n    inputs:\n      text: {given}\n"
    evaluation = evaluated(tmp_path, {"service.yaml": TOSCA.format(value=value), "sabir.yaml": head})
    assert_refused(evaluation, "service.yaml")


TOSCA_2 = """\
tosca_definitions_version: tosca_2_0
node_types:
  Thing: {{properties: {{text: {{type: string}}}}}}
service_template:
  inputs: {{text: {{}}}}
  node_templates:
    thing:
      type: Thing
      properties: {{text: {value}}}
"""


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    "value",
    [
        "{$join: [[a, {$get_input: text}], '-']}",
        "{$token: [{$join: [[{$get_input: text}, b], ';']}, ';', 0]}",
    ],
)
def test_tosca_2(value: str, given: str, tmp_path: Path) -> None:
    head = f"{HEAD}  tosca:\n    path: service.yaml\n    inputs:\n      text: {given}\n"
    evaluation = evaluated(tmp_path, {"service.yaml": TOSCA_2.format(value=value), "sabir.yaml": head})
    assert_refused(evaluation, "service.yaml")


def test_tosca_2_concat_accepts_only_strings(tmp_path: Path) -> None:
    text = TOSCA_2.format(value="{$concat: ['pw=', {$get_input: text}]}")
    head = f"{HEAD}  tosca:\n    path: service.yaml\n    inputs:\n      text: {READ}\n"
    evaluation = evaluated(tmp_path, {"service.yaml": text, "sabir.yaml": head})
    assert [finding.location.line for finding in errors(evaluation)] == [9]


INMANTA = """\
import mod
entity Thing:
    string name
    string text
end
index Thing(name)
implement Thing using std::none
text = {}
Thing(name="thing", text=VALUE)
"""


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    "value",
    [
        '"pw={{text}}"',
        'f"pw={text}"',
        'std::replace(f"pw={text}", "a", "b")',
        'std::template("mod/x.j2")',
        "mod::glue(text)",
    ],
)
def test_inmanta(value: str, given: str, tmp_path: Path) -> None:
    plugin = (
        "from inmanta.plugins import plugin\n\n\n@plugin\n"
        "def glue(text: 'any') -> 'string':\n    return 'pw=' + str(text)\n"
    )
    files = {
        "m/main.cf": INMANTA.replace("VALUE", value),
        "m/libs/mod/module.yml": "name: mod\nversion: 1.0.0\nlicense: none\n",
        "m/libs/mod/model/_init.cf": "",
        "m/libs/mod/plugins/__init__.py": plugin,
        "m/libs/mod/templates/x.j2": "pw={{ text }}",
        "sabir.yaml": f"{HEAD}  model:\n    path: m\n    language: inmanta\n    inputs:\n      text: {given}\n",
    }
    assert_refused(evaluated(tmp_path, files), "m/main.cf")


CCP = """\
dsl_version: 0.4.0
service:
  name: thing
  containers:
    - name: main
      image: main
      env:
        - name: TEXT
          value: "pw={{ thing.text }}"
      daemon:
        command: /run
"""


@pytest.mark.parametrize("given", GIVEN)
def test_ccp(given: str, tmp_path: Path) -> None:
    config = f"{HEAD}  ccp:\n    path: ccp\n    language: ccp\n    config:\n      configs:\n        thing:\n          text: {given}\n"
    evaluation = evaluated(tmp_path, {"ccp/service/thing.yaml": CCP, "sabir.yaml": config})
    assert_refused(evaluation)


MURANO = """\
Namespaces: {{=: test, std: io.murano}}
Name: Thing
Extends: std:Object
Properties:
  text: {{Contract: $}}
  out: {{Contract: $, Usage: Out}}
Methods:
  .init:
    Body:
      - $.out: {value}
"""


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    "value",
    [
        "format('pw={0}', $.text)",
        "concat('pw=', str($.text))",
        "str($.text) + '!'",
        "str($.text)",
        "list(a, $.text).select(str($)).join('-')",
        "base64encode(str($.text))",
    ],
)
def test_muranopl(value: str, given: str, tmp_path: Path) -> None:
    files = {
        "m/manifest.yaml": (
            "Format: MuranoPL/1.4\nType: Library\nFullName: test\nName: test\nClasses: {test.Thing: Thing.yaml}\n"
        ),
        "m/Classes/Thing.yaml": MURANO.format(value=value),
        "sabir.yaml": f"{HEAD}  m:\n    path: m\n    language: muranopl\n    model:\n"
        f'      "?": {{id: thing, type: test.Thing, name: thing}}\n      text: {given}\n',
    }
    assert_refused(evaluated(tmp_path, files))
