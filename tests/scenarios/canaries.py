"""An environment of all languages with a secret of its own in every place that can hold one, whole and with mistakes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Final

from tests.scenarios.parts import PARTS

__all__ = ["MISTAKES", "PLACES", "SOUND", "canary", "leaks"]

PLACES: Final = (
    "input-default",
    "input-given",
    "property-value",
    "property-default",
    "expression",
    "inmanta-input",
    "murano-model",
    "ccp-config",
    "ccp-secret-config",
    "ccp-secret-data",
    "ccp-registry",
    "resource-field",
    "output",
)


def canary(place: str) -> str:
    assert place in PLACES
    return f"hush-{place}-4711"


def leaks(text: str | bytes) -> list[str]:
    """The places whose secret stands in a text, as it is or in base64, wherever in a longer text that begins."""
    data = text.encode() if isinstance(text, str) else text
    return [place for place in PLACES if any(form in data for form in _forms(canary(place).encode()))]


def _forms(secret: bytes) -> list[bytes]:
    return [secret, *(b64encode(secret[cut:])[:-4] for cut in range(3))]


_TOSCA: Final = f"""\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  test.Vault:
    derived_from: tosca.nodes.Root
    properties:
      password: {{type: string, metadata: {{sensitive: true}}}}
      pin: {{type: string, default: {canary("property-default")}, metadata: {{sensitive: true}}}}
      token: {{type: string}}
      key: {{type: string, metadata: {{sensitive: true}}}}
      user: {{type: string}}
topology_template:
  inputs:
    unused: {{type: string, default: {canary("input-default")}, metadata: {{sensitive: true}}}}
    key: {{type: string, metadata: {{sensitive: true}}}}
  node_templates:
    vault:
      type: test.Vault
      properties:
        password: {canary("property-value")}
        token: {{eval: {{sensitive: {canary("expression")}}}}}
        key: {{get_input: key}}
        user: bob
  outputs:
    token: {{value: {{eval: {{sensitive: {canary("output")}}}}}}}
"""
_ENVIRONMENT: Final = f"""\
parts:
  vault:
    path: vault.yaml
    inputs: {{key: {canary("input-given")}}}
  model:
    language: inmanta
    path: model
    inputs:
      number: 9
      text: {{eval: {{sensitive: {canary("inmanta-input")}}}}}
      items: [a, {{eval: "::vault::vault::password"}}]
  package:
    language: muranopl
    path: package
    model:
      "?": {{id: thing, type: test.Thing, name: thing}}
      number: 9
      text: {{eval: {{sensitive: {canary("murano-model")}}}}}
      items: [a]
  component:
    language: ccp
    path: component
    config:
      registry: {{address: "reg.test:5000", username: bob, password: {canary("ccp-registry")}}}
      configs: {{thing: {{number: 9, text: {{eval: {{sensitive: {canary("ccp-config")}}}}}, items: [a]}}}}
      secret_configs: {{thing: {{word: {canary("ccp-secret-config")}}}}}
  files:
    language: resources
    model:
      resources:
        secret: {{kind: file, fields: {{path: secret, content: {{sensitive: {canary("resource-field")}}}}}}}
outputs:
  it: {{eval: "::vault::vault::password"}}
"""
_SECRETS: Final = f"""\
secrets:
  words: {{path: /etc/words, secret: {{secretName: words}}, data: {{word: {canary("ccp-secret-data")}}}}}
"""


def _files() -> dict[str, str]:
    parts = {"model": "inmanta", "package": "muranopl", "component": "ccp"}
    files = {
        f"{part}/{path}": content
        for part, language in parts.items()
        for path, content in PARTS[language].files.items()
    }
    files["component/service/thing.yaml"] += _SECRETS
    return {**files, "vault.yaml": _TOSCA, "sabir.yaml": _ENVIRONMENT}


SOUND: Final[Mapping[str, str]] = _files()

MISTAKES: Final[Mapping[str, tuple[str, str, str]]] = {
    "a property that is not there, on the line": (
        "vault.yaml",
        f"password: {canary('property-value')}",
        f"password: {canary('property-value')}\n        pasword: {canary('property-value')}",
    ),
    "a value that goes on behind its end": ("vault.yaml", "password: hush", "password: {} hush"),
    "a property of another type": ("vault.yaml", "password: {type: string", "password: {type: integer"),
    "an input of another type": ("vault.yaml", "unused: {type: string", "unused: {type: integer"),
    "an input that is given, of another type": ("vault.yaml", "key: {type: string", "key: {type: integer"),
    "a constraint": (
        "vault.yaml",
        "pin: {type: string",
        "pin: {type: string, constraints: [{max_length: 3}]",
    ),
    "a pattern": (
        "vault.yaml",
        "pin: {type: string",
        "pin: {type: string, constraints: [{pattern: '[0-9]'}]",
    ),
    "a valid value": (
        "vault.yaml",
        "password: {type: string",
        "password: {type: string, constraints: [{valid_values: [a]}]",
    ),
    "an unknown key in a definition": ("vault.yaml", "unused: {type: string", "unused: {typ: string"),
    "an unknown input": ("sabir.yaml", "inputs: {key:", "inputs: {kye:"),
    "an unknown function": ("vault.yaml", "{eval: {sensitive:", "{eval: {nothing: 1, sensitive:"),
    "a number in a model": ("model/main.cf", "string text", "int text"),
    "a contract": ("package/Classes/Thing.yaml", "text: {Contract: $.string()", "text: {Contract: $.int()"),
    "a contract with a condition": (
        "package/Classes/Thing.yaml",
        "$.string().notNull()",
        "$.string().check(len($) < 3)",
    ),
    "an unknown key of a secret": ("component/service/thing.yaml", "words: {path:", "words: {pth:"),
    "a key that is none": ("component/service/thing.yaml", "data: {word:", "data: {'a b':"),
    "a template that fails": (
        "component/service/thing.yaml",
        "{{ thing.text }}",
        "{{ thing.text | int / 0 }}",
    ),
    "a port that is none": ("component/service/thing.yaml", "{{ thing.number }}", "{{ thing.text }}"),
    "a secret that is set twice": (
        "sabir.yaml",
        "secret_configs: {thing: {word:",
        "secret_configs: {thing: {text:",
    ),
    "an unknown setting": ("sabir.yaml", "registry: {address:", "registry: {adress:"),
    "a number for a text": ("sabir.yaml", "username: bob", "username: [bob]"),
    "an unknown field": ("sabir.yaml", "fields: {path: secret", "fields: {pth: secret"),
    "a field of another kind": ("sabir.yaml", "kind: file", "kind: directory"),
    "a key twice": ("sabir.yaml", "inputs: {key:", "inputs: {key: 1, key:"),
    "a quote that is not closed": ("vault.yaml", "password: hush", "password: 'hush"),
    "a bracket that is not closed": ("sabir.yaml", "inputs: {key:", "inputs: {{key:"),
}
"""By their name: a file, a text in it, and what stands in its place."""
