"""The law of provenance for definitions: every literal of every line of definitions and configuration is changed; a value that
changes has the line in its chain, and a line of a chain changes the value or leaves none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from jinja2 import Environment, TemplateSyntaxError

from sabir.diagnostics.finding import Severity
from sabir.errors import SabirError
from sabir.graph import Graph
from sabir.graph.dependence import lines_of
from sabir.graph.values import reveal_all
from sabir.languages.ccp import LANGUAGE
from sabir.languages.language import EvaluationRequest
from sabir.operations.why import Explainer, Subject
from sabir.source.packages import MemoryPackage
from tests.provenance.law import Files, Law, Line, Value

__all__ = ["LAW", "PACKAGES", "graph_of"]

_LITERAL = re.compile(r"\b[Tt]rue\b|\b[Ff]alse\b|\b[0-9]+\b|\b[a-z]{2,}\b")
_BLOCK = re.compile(r"\s*(- )*[\w.-]+:\s*")

_HEAD = """\
dsl_version: 0.9.0
service:
  name: web
"""
_TAIL = """\
      daemon:
        command: serve
"""

PACKAGES: dict[str, Files] = {
    "statements": {
        "service/web.yaml": f"""\
{{% set base = web.port %}}
{{% if web.high %}}
{{% set base = 9000 %}}
{{% endif %}}
{_HEAD}  ports:
    - {{{{ base }}}}
    {{% for extra in web.extra %}}
    - {{{{ extra + web.step }}}}
    {{% endfor %}}
  containers:
    - name: main
      image: {{{{ web.image }}}}
      {{% if web.root %}}
      privileged: true
      {{% elif web.trusted %}}
      privileged: {{{{ web.privileged }}}}
      {{% else %}}
      privileged: false
      {{% endif %}}
{_TAIL}""",
        "service/files/defaults.yaml": """\
configs:
  web:
    port: 8080
    high: false
    extra:
      - 100
      - 200
    step: 7
    image: nginx
    root: false
    trusted: true
    privileged: true
    other: 12
""",
    },
    "macros and imports": {
        "service/web.yaml": f"""\
{{% import "files/lib" as lib with context %}}
{{% macro flag(name) %}}
--{{{{ name }}}}={{{{ web.level }}}}
{{%- endmacro %}}
{_HEAD}  containers:
    - name: main
      image: web
      env:
        - name: URL
          value: {{{{ lib.url("shop") }}}}
        - name: MODE
          value: {{{{ web.mode | default("fast") }}}}
      daemon:
        command: serve {{{{ flag("level") | trim }}}}
        user: {{{{ web.user }}}}
""",
        "service/files/lib": """\
{% macro url(path) %}http://{{ web.host }}/{{ path }}{% endmacro %}
""",
        "service/files/defaults.yaml": """\
configs:
  web:
    level: 3
    host: local
    mode: slow
    user: shop
""",
        "ccp.yaml": """\
configs:
  web:
    level: 4
""",
    },
    "objects": {
        "service/web.yaml": """\
dsl_version: 0.9.0
service:
  name: web
  kind: {{ web.kind }}
  {% if web.shared %}
  hostNetwork: true
  {% endif %}
  annotations:
    pod:
      scrape: always
    service:
      balance: round
  ports:
    - {cont: 8080, ingress: shop}
  containers:
    - name: main
      image: nginx
      probes:
        readiness: check ready
        liveness: {type: exec, command: check alive, timeout: 5}
      env:
        - name: LEVEL
          value: high
      volumes:
        - name: cache
          type: host
          path: /var/cache
      {% if web.root %}
      privileged: true
      {% endif %}
      pre:
        - name: migrate
          type: single
          command: migrate now
          dependencies: [db]
        {% if web.warm %}
        - name: warm
          command: warm up
        {% endif %}
      daemon:
        command: serve
        user: www
        files: [conf]
        secrets: [login]
    {% if web.beside %}
    - name: beside
      image: helper
      daemon:
        command: help
    {% endif %}
files:
  conf:
    path: /srv/web.conf
    content: web.conf
    perm: "0600"
  {% if web.more %}
  more:
    path: /srv/more.conf
    content: web.conf
  {% endif %}
secrets:
  login:
    type: Opaque
    path: /srv/login
    secret:
      secretName: login
    data:
      word: hush
""",
        "service/db.yaml": """\
dsl_version: 0.9.0
service:
  name: db
  containers:
    - name: db
      image: mysql
      daemon:
        command: mysqld
""",
        "service/files/web.conf": """\
level {{ web.level }}
{{ lib.lines(web.deep) }}
""",
        "service/files/defaults.yaml": """\
configs:
  web:
    kind: Deployment
    shared: false
    root: false
    warm: false
    beside: false
    more: false
    level: 3
    deep: 4
  ingress:
    enabled: true
    domain: example
""",
        "exports/lib": """\
{% macro lines(count) %}lines {{ count }}{% endmacro %}
""",
        "ccp.yaml": """\
kubernetes:
  namespace: shop
  image_pull_policy: Always
  access:
    web:
      - resources: [pods]
        verbs: [get]
images:
  tag: "1"
  image_specs:
    nginx:
      tag: "2"
registry:
  address: local
  username: someone
  password: hush
replicas:
  web: 2
  db: 1
nodes:
  one:
    roles: [front]
    configs:
      web:
        level: 5
  two:
    roles: [front, back]
roles:
  front: [web]
  back: [db]
""",
    },
    "named instances": {
        "service/web.yaml": f"""\
{_HEAD}  ports:
    - {{{{ web.port }}}}
  containers:
    - name: main
      image: web
      daemon:
        command: serve {{{{ address("db") }}}}
""",
        "service/db.yaml": """\
dsl_version: 0.9.0
service:
  name: db
  containers:
    - name: db
      image: mysql
      daemon:
        command: mysqld {{ secret.word }}
""",
        "service/files/defaults.yaml": """\
configs:
  web:
    port: 8080
secret_configs:
  secret:
    word: hush
""",
        "ccp.yaml": """\
kubernetes:
  namespace: shop
  cluster_domain: local
services:
  second:
    service_def: db
  front:
    service_def: web
    configs:
      web:
        port: 8081
    mapping:
      db: second
""",
    },
}


def _evaluated(files: Files, *, full: bool = False) -> Graph | None:
    if not all(_is_readable(text) for name, text in files.items() if name.startswith("exports/")):
        return None  # no file that imports them can be rendered
    try:
        evaluation = LANGUAGE.evaluate(MemoryPackage(files), EvaluationRequest(full_provenance=full))
    except SabirError:
        return None
    is_wrong = any(finding.severity is Severity.ERROR for finding in evaluation.findings)
    return None if is_wrong else evaluation.graph


@cache
def _is_readable(template: str) -> bool:
    try:
        Environment().parse(template)
    except TemplateSyntaxError:
        return False
    return True


def _values(graph: Graph) -> dict[Value, str]:
    """What definitions say, and the parts of all objects."""
    return {
        (instance.id, name): repr(reveal_all(value))
        for instance in graph
        for name, value in instance.attributes.items()
        if name not in ("apiVersion", "kind")
    }


def _variants(_file: str, line: str, _files: Files) -> Iterator[str | None]:
    if not line.strip() or _BLOCK.fullmatch(line):
        return
    yield None
    for match in _LITERAL.finditer(line):
        text = match[0]
        flipped = {"true": "false", "false": "true"}.get(text.lower())
        new = flipped or (str(int(text) + 1) if text.isdigit() else f"{text}x")
        yield line[: match.start()] + new + line[match.end() :]


LAW = Law(_evaluated, _values, _variants)


def graph_of(files: Files) -> Graph:
    graph = _evaluated(files, full=True)
    assert graph is not None
    return graph


@pytest.mark.parametrize("files", PACKAGES.values(), ids=[*PACKAGES])
def test_law_both_ways(files: Files) -> None:
    graph = graph_of(files)
    before = _values(graph)
    lines_for = LAW.chains(graph)
    matters: dict[Line, set[Value]] = {}
    missing: list[tuple[Line, str | None, Value]] = []
    for mutant, changed, gone in LAW.changed(before, LAW.mutants(files)):
        matters.setdefault(mutant.line, set()).update(changed, gone)
        missing += [
            (mutant.line, mutant.text, value) for value in changed if mutant.line not in lines_for(value)
        ]
    assert missing == []
    assert sum(map(len, matters.values())) > len(before)
    assert set(_idle(graph, before, matters)) == set()


def _idle(
    graph: Graph, values: dict[Value, str], matters: dict[Line, set[Value]]
) -> Iterator[tuple[Value, Line]]:
    """Lines of chains that change nothing. Steps of one line only: the others are blocks."""
    explainer = Explainer(graph)
    for id_, name in values:
        for step in explainer.explain(Subject(graph[str(id_)], name)).steps:
            file, lines = ("", range(0)) if step.origin is None else lines_of(step.origin)
            if len(lines) == 1 and (file, lines[0]) in matters and (id_, name) not in matters[file, lines[0]]:
                yield (id_, name), (file, lines[0])
