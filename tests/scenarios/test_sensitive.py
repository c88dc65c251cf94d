"""What is sensitive stays so in the part that it is given to, whatever its language, in everything that is shown."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.environment import ENVIRONMENT
from sabir.errors import UsageError
from sabir.expressions.query import evaluate as query
from sabir.expressions.query import resources_of
from sabir.graph import Sensitive
from sabir.graph.secrets import holds_sensitive
from sabir.languages.language import EvaluationRequest, RenderRequest
from sabir.operations.impact import ImpactRequest, impact_path
from sabir.source.packages import load_package
from tests.scenarios.parts import PARTS, environment, evaluate
from tests.support.files import write_files

SECRET = "hush-4711"
VAULT = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  test.Vault:
    derived_from: tosca.nodes.Root
    properties:
      password: {type: string, metadata: {sensitive: true}}
      user: {type: string}
topology_template:
  node_templates:
    vault:
      type: test.Vault
      properties: {user: bob, password: hush-4711}
"""
GIVEN = '{eval: "::vault::vault::password"}'


def files(language: str) -> dict[str, str]:
    made = environment({"part": (language, {"text": GIVEN, "items": f"[a, {GIVEN}]"})})
    made["vault.yaml"] = VAULT
    made["sabir.yaml"] += "  vault:\n    path: vault.yaml\noutputs:\n  it: " + GIVEN + "\n"
    return made


def is_shown(text: str) -> bool:
    """Whether the secret stands in a text, as it is or in what base64 stands for."""
    words = re.findall(r"[A-Za-z0-9+/]{8,}={0,2}", text)
    hidden = b"".join(b64decode(word[: len(word) // 4 * 4]) for word in words if "=" not in word[:-2])
    return SECRET in text or SECRET.encode() in hidden


@pytest.mark.parametrize("language", PARTS)
def test_values_keep_their_mark(language: str, tmp_path: Path) -> None:
    graph = evaluate(tmp_path, files(language)).graph
    root = resources_of(graph)
    for name in ("text", "items"):
        value = query(PARTS[language].query("part", name), root).value
        assert SECRET not in repr(value)
        assert "REDACTED" in repr(value)
    number = query(PARTS[language].query("part", "number"), root).value
    assert number == 9  # what has nothing to do with it is not hidden
    assert isinstance(graph.outputs["it"], Sensitive)


SHOWN = [
    *(
        ["compile", ".", "--format", name]
        for name in ("json", "yaml", "text", "dot", "mermaid", "svg", "html")
    ),
    ["query", ".", "::*::.name", "--why"],
    ["query", ".", "TEXT", "--why"],
    ["why", ".", "SUBJECT"],
    ["why", ".", "SUBJECT", "--format", "json"],
    ["why", ".", "SUBJECT", "--format", "mermaid"],
    ["why", ".", "vault/vault.user"],
    ["why", ".", "outputs.it"],
    ["impact", ".", "vault.yaml:12"],
    ["check", "."],
    ["diff", ".", "--set", "vault/vault.user=eve"],
]


@pytest.mark.parametrize("language", PARTS)
def test_no_view_shows_it(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(write_files(tmp_path, files(language)))
    words = {
        "TEXT": PARTS[language].query("part", "text"),
        "SUBJECT": f"part/{PARTS[language].subjects['text']}",
    }
    for command in SHOWN:
        status = main([words.get(word, word) for word in command])
        out, err = capfd.readouterr()
        assert status in (0, None), (command, err)
        assert not is_shown(out + err), command


MODEL = """\
text = "none"
host = std::Host(name="vm1", os=std::linux)
std::ConfigFile(host=host, path="/etc/web.conf", content=text)
"""


def test_impact_reaches_what_is_rendered_from_it(tmp_path: Path) -> None:
    made = {
        "vault.yaml": VAULT,
        "model/main.cf": MODEL,
        "sabir.yaml": f"parts:\n  vault: {{path: vault.yaml}}\n  net: {{path: model, inputs: {{text: {GIVEN}}}}}\n",
    }
    impact = impact_path(ImpactRequest(path=write_files(tmp_path, made), line="vault.yaml:12"))
    assert [(rendered.name, rendered.fields) for rendered in impact.rendered] == [
        ("std::ConfigFile[vm1,path=/etc/web.conf]", ("hash",))
    ]


@pytest.mark.parametrize("language", PARTS)
def test_no_file_that_is_rendered_holds_it_unless_asked_for(language: str, tmp_path: Path) -> None:
    package = load_package(write_files(tmp_path, files(language)))
    for name, renderer in ENVIRONMENT.renderers().items():
        try:
            rendering = renderer(package, EvaluationRequest(), RenderRequest())
        except UsageError:
            continue  # it is for things that these packages do not have
        text = "".join(rendering.files.values())
        assert not is_shown(text), name
        hidden = [one for one in rendering.findings if one.code == "ENV:W001"]
        revealed = renderer(package, EvaluationRequest(), RenderRequest(options={"reveal": "yes"}))
        assert bool(hidden) == is_shown("".join(revealed.files.values())), name


BROKEN = {
    "inmanta": ("main.cf", "string text", "int text"),
    "tosca": ("service.yaml", "    text: {type: string}", "    text: {type: integer}"),
    "ccp": ("service/thing.yaml", "    - {{ thing.number }}", "    - {{ thing.text }}"),
    "muranopl": ("Classes/Thing.yaml", "$.string().notNull()", "$.int().notNull()"),
}


@pytest.mark.parametrize("language", PARTS)
def test_no_message_quotes_it(language: str, tmp_path: Path) -> None:
    made = files(language)
    file, before, after = BROKEN[language]
    assert before in made[f"part/{file}"]
    made[f"part/{file}"] = made[f"part/{file}"].replace(before, after)
    findings = evaluate(tmp_path, made).findings
    assert [one for one in findings if one.code != "ENV:W001"]
    assert not is_shown(repr([(one.message, one.hint, one.source) for one in findings]))


@pytest.mark.parametrize("how", ["upper", "reverse", "urlencode", "length"])
def test_what_is_computed_from_it_is_hidden_too(how: str, tmp_path: Path) -> None:
    made = files("ccp")
    made["sabir.yaml"] = made["sabir.yaml"].replace(f"[a, {GIVEN}]", "[a]")
    made["part/service/thing.yaml"] = made["part/service/thing.yaml"].replace(
        "{{ thing.text }}", f"{{{{ thing.text | {how} }}}}"
    )
    graph = evaluate(tmp_path, made).graph
    assert holds_sensitive(graph["part/thing/main"].attributes["env"])
    assert not holds_sensitive(graph["part/thing/main"].attributes["image"])
    assert holds_sensitive(graph["part/Deployment/thing"].attributes["spec"])
