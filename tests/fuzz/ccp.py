"""CCP components: definitions, configurations and templates that are made, then damaged.

Whatever the text: reading and checking give violations whose places lie in a file of the component; without an error the
objects fit today's Kubernetes schema; all within seconds, and never with an exception.
"""

from __future__ import annotations

import random
from typing import Any

from sabir.languages.ccp.check.phases import check_deployment
from sabir.languages.ccp.evaluate.render import render_objects
from sabir.languages.ccp.graph.build import build_graph
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.deployment import read_deployment
from sabir.source.packages import MemoryPackage
from sabir.source.yaml.write import yaml_document
from tests.fuzz.judging import complaint

__all__ = ["check", "made", "run"]

_SECONDS = 5.0
_VALUES = (
    *(
        "x",
        "'x'",
        "5",
        "true",
        "null",
        "[]",
        "{}",
        "''",
        "-1",
        "1e5",
        "0755",
        "80:53",
        "8080:30080",
        "2017-01-01",
    ),
    *(
        "[a, b]",
        "{a: 1}",
        "{cont: 80, node: 30080}",
        "'a b'",
        "&a [*a]",
        "!!int x",
        "{{ app.port }}",
        "{{ app.nope }}",
    ),
    *(
        "{{ app }}",
        "{{ ''.__class__ }}",
        "{{ 'a' * 10**9 }}",
        "{{ 1/0 }}",
        "/",
        "/a",
        "a" * 70,
        "\u2028",
        "é",
    ),
)
_KEYS = (
    *("name", "kind", "containers", "ports", "hostNetwork", "hostPID", "hostIPC", "strategy", "antiAffinity"),
    *("annotations", "headless", "image", "probes", "volumes", "pre", "daemon", "post", "env", "privileged"),
    *("lifecycle", "command", "dependencies", "type", "files", "user", "secrets", "path", "content", "perm"),
    *(
        "service",
        "dsl_version",
        "readiness",
        "liveness",
        "mount-path",
        "readOnly",
        "secret",
        "data",
        "nope",
        "1",
    ),
)
_LINES = (
    *(
        "{% if app.on %}",
        "{% endif %}",
        "{% for i in app.list %}",
        "{% endfor %}",
        "{% set x = 1 %}",
        "{% raw %}",
    ),
    *(
        "{# c",
        "#}",
        "{{",
        "}}",
        "{% include 'web.yaml' %}",
        "{% for i in range(10**9) %}",
        "---",
        "\t",
        "? a",
        "<<: *x",
    ),
)
_BASE = """\
dsl_version: 0.9.0
service:
  name: web
  kind: Deployment
  ports: [{{ app.port }}, {cont: 81, node: 30081}]
  antiAffinity: local
  annotations: {pod: {a: b}}
  containers:
  - name: web
    image: web
    probes:
      readiness: check
      liveness: {type: httpGet, path: /, port: 80}
    volumes:
    - {name: v, type: host, path: /v}
    env:
    - {name: A, value: b}
    pre:
    - name: init
      type: single
      command: init
      files: [conf]
    daemon:
      command: run
      dependencies: [db]
      files: [conf]
      secrets: [tls]
    post:
    - command: done
files:
  conf: {path: /etc/conf, content: conf.j2, perm: "0600"}
secrets:
  tls: {path: /tls, secret: {secretName: tls}}
"""
_OTHER = "dsl_version: 0.9.0\nservice:\n  name: db\n  containers:\n  - {name: db, image: db, daemon: {command: run}}\n"
_CONFIG = """\
configs: {app: {port: 8080, on: true, list: [1, 2]}}
replicas: {web: 2}
nodes: {'node[1-3]': {roles: [all], configs: {app: {port: 1}}}}
roles: {all: [web, db]}
kubernetes: {cluster_nodes: [node1, node2]}
services: {web2: {service_def: web, configs: {app: {port: 9090}}, mapping: {db: db}}}
images: {tag: '1'}
"""


def made(random_: random.Random) -> dict[str, str]:
    """A component and its configuration, with a few damages."""
    texts = {"service/web.yaml": _BASE, "service/db.yaml": _OTHER, "ccp.yaml": _CONFIG}
    texts["service/files/conf.j2"] = "{{ app.port }}"
    for _ in range(random_.randint(0, 4)):
        name = random_.choice([*texts])
        texts[name] = _damaged(random_, texts[name])
    return texts


def _damaged(random_: random.Random, text: str) -> str:
    lines = text.split("\n")
    at = random_.randrange(len(lines))
    line = lines[at]
    match random_.randrange(7):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, random_.choice(_LINES))
        case 2:
            head, colon, _ = line.partition(":")
            lines[at] = f"{head}{colon} {random_.choice(_VALUES)}"
        case 3:
            indent = len(line) - len(line.lstrip(" -"))
            lines.insert(at, f"{' ' * indent}{random_.choice(_KEYS)}: {random_.choice(_VALUES)}")
        case 4:
            lines[at] = random_.choice((" ", "  ", "- ")) + line
        case 5:
            lines[at], other = lines[random_.randrange(len(lines))], line
            lines.append(other)
        case _:
            position = random_.randrange(len(line) + 1)
            lines[at] = line[:position] + random_.choice("{}[]:,'\"%#\x00\ud7ff-&*!|>") + line[position:]
    return "\n".join(lines)


def check(files: dict[str, str], schema_problems: Any = None) -> str | None:
    """What is wrong with how sabir takes these files."""
    return complaint(lambda: _checked(files, schema_problems), seconds=_SECONDS)


def _checked(files: dict[str, str], schema_problems: Any) -> str | None:
    package = MemoryPackage({name: text.encode("utf-8", "replace") for name, text in files.items()})
    config = package.get_file("ccp.yaml")
    assert config is not None
    component = Component(name="demo", package=package, root="")
    checked = check_deployment(read_deployment([component], config=config.source, recording=True))
    for finding in checked.findings:
        source, span = finding.place.source, finding.place.span
        if not 0 <= span.start <= span.end <= len(source.text):
            return f"{finding.code} lies outside {source.name}: {span}"
        if not finding.message:
            return f"{finding.code} says nothing"
    if checked.resolved is None:
        return None
    objects = [one.data for one in render_objects(checked.resolved)]
    build_graph(checked.resolved, full_provenance=True)
    for data in objects:
        yaml_document(data)
    if objects and schema_problems is not None:
        problems = schema_problems(objects)
        return f"no valid objects: {problems[:2]}" if problems else None
    return None


def run(count: int, seed: int) -> list[str]:
    from tests.conformance.runner.kubernetes_schema import schema_problems

    random_ = random.Random(seed)
    failures: list[str] = []
    for number in range(count):
        files = made(random_)
        # Validating objects takes longer than all the rest; one in ten shows enough.
        problem = check(files, schema_problems if number % 10 == 0 else None)
        if problem is not None:
            failures.append(f"{problem}\n" + "\n".join(f"--- {name}\n{text}" for name, text in files.items()))
    return failures
