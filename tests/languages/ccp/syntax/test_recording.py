"""What is noted while a definition is rendered: which settings each value of it was computed from."""

from __future__ import annotations

import pytest

from sabir.graph import Origin
from sabir.languages.ccp import LANGUAGE
from sabir.languages.language import EvaluationRequest
from sabir.source.packages import MemoryPackage
from tests.languages.ccp.building import service

DEFAULTS = """\
configs:
  web: {port: 8080, level: 3, debug: true, off: false, names: [a, b], items: 7, shop: {a: 1, b: 2}}
  hosts: [{name: n1, port: 1}, {name: n2, port: 2}]
  motd: hello
"""
LIBRARY = "{% macro twice(x) %}{{ x }}{{ web.level }}{% endmacro %}"

CASES = {
    "a setting": ("{{ web.port }}", {"port"}),
    "a key before a method": ("{{ web.items }}", {"items"}),
    "by subscript": ("{{ web['port'] }}", {"port"}),
    "two": ("{{ web.port }}-{{ web.level }}", {"port", "level"}),
    "a default that is not needed": ("{{ web.port | default(web.level) }}", {"port", "level"}),
    "a default": ("{{ web.nothing | default(web.level) }}", {"level"}),
    "only the branch that is taken": ("{{ web.port if web.debug else web.level }}", {"port", "debug"}),
    "set": ("{% set x = web.port %}{{ x }}", {"port"}),
    "set by what was set": ("{% set x = web.port %}{% set y = x + web.level %}{{ y }}", {"port", "level"}),
    "set for something else": ("{% set x = web.port %}{{ web.level }}", {"level"}),
    "set block": ("{% set x %}{{ web.port }}{% endset %}{{ x }}", {"port"}),
    "a condition": ("{% if web.debug %}1{% endif %}", {"debug"}),
    "a condition that keeps text back": ("x{% if web.off %}{{ web.port }}{% endif %}", {"off"}),
    "the conditions before": ("{% if web.off %}1{% elif web.debug %}2{% else %}3{% endif %}", {"off", "debug"}),
    "set or not": ("{% set x = 1 %}{% if web.off %}{% set x = 2 %}{% endif %}{{ x }}", {"off"}),
    "a loop": ("{% for name in web.names %}{{ name }}{% endfor %}", {"names.0", "names.1"}),
    "a loop that reads more": ("{% for i in range(2) %}{{ web.level }}{% endfor %}", {"level"}),
    "keys and values": (
        "{% for key, value in web.shop.items() %}{{ key }}{{ value }}{% endfor %}",
        {"shop.a", "shop.b"},
    ),
    "a loop with a test": (
        "{% for host in hosts if host.port > 1 %}{{ host.name }}{% endfor %}",
        {"hosts.0.name", "hosts.1.name", "hosts.0.port", "hosts.1.port"},
    ),
    "a macro": ("{% macro m(x) %}{{ x }}{{ web.level }}{% endmacro %}{{ m(web.port) }}", {"port", "level"}),
    "a macro that is not called": ("{% macro m() %}{{ web.level }}{% endmacro %}{{ web.port }}", {"port"}),
    "a macro of another file": ("{% import 'files/lib' as lib with context %}{{ lib.twice(web.port) }}", {"port", "level"}),
    "a filter": ("{% filter upper %}{{ web.port }}{% endfilter %}", {"port"}),
    "a call": (
        "{% macro m() %}{{ caller() }}{{ web.level }}{% endmacro %}{% call m() %}{{ web.port }}{% endcall %}",
        {"port", "level"},
    ),
    "with": ("{% with x = web.port %}{{ x }}{% endwith %}", {"port"}),
    "as text": ("{{ web.shop }}", {"shop.a", "shop.b"}),
    "as JSON": ("{{ web.shop | tojson }}", {"shop.a", "shop.b"}),
    "by a filter": ("{{ hosts | map(attribute='port') | join(',') }}", {"hosts.0.name", "hosts.1.name", "hosts.0.port", "hosts.1.port"}),
    "at the top": ("{{ motd }}", {"motd"}),
    "a name of its own": ("{% for motd in web.names %}{{ motd }}{% endfor %}", {"names.0", "names.1"}),
    "an address": ("{{ address('db') }}", {"kubernetes.namespace", "kubernetes.cluster_domain"}),
    "a comment": ("x{# {{ web.port }} #}", set[str]()),
    "raw": ("{% raw %}{{ web.port }}{% endraw %}", set[str]()),
}  # fmt: skip


def settings_of(origin: Origin) -> set[str]:
    """The settings that an origin rests on, by their short names."""
    notes = {
        setting
        for source in origin.sources
        if isinstance(source, Origin)
        for setting in ({source.note} if source.note else settings_of(source))
    }
    return {note.removeprefix("configs.").removeprefix("web.") for note in notes}


@pytest.mark.parametrize(("expression", "expected"), CASES.values(), ids=[*CASES])
def test_what_was_read(expression: str, expected: set[str]) -> None:
    text = service("web", daemon="command: run-TEXT\nuser: other").replace("TEXT", expression)
    if "'" in expression or '"' in expression or "{{ web.shop" in expression:
        text = text.replace(f"run-{expression}", f"|\n        run-{expression}")
    files = {
        "service/web.yaml": text,
        "service/files/defaults.yaml": DEFAULTS,
        "service/files/lib": LIBRARY,
    }
    evaluation = LANGUAGE.evaluate(MemoryPackage(files), EvaluationRequest(full_provenance=True))
    graph = evaluation.graph
    assert settings_of(graph["web/web/daemon"].origins["command"]) == expected
    assert settings_of(graph["web/web/daemon"].origins["user"]) == set()
    plain = LANGUAGE.evaluate(MemoryPackage(files), EvaluationRequest()).graph
    assert plain["web/web/daemon"].attributes == graph["web/web/daemon"].attributes
