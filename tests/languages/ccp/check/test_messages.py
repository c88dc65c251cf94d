"""Slips that people make: one message each, at the place of the slip, with what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sabir.checks.options import CheckOptions
from sabir.operations.check import check_paths
from tests.support.files import write_files

FILES = {
    "service/api.yaml": """\
dsl_version: 0.4.0
service:
  name: api
  ports:
    - {{ api.port }}
  containers:
    - name: api
      image: api
      probes:
        readiness: curl localhost:{{ api.port.cont }}
      daemon:
        command: api --listen {{ api.port.cont }} --cache {{ address("cache") }}
        dependencies:
          - cache
        files:
          - conf
files:
  conf:
    path: /etc/api.conf
    content: api.conf.j2
    perm: "0644"
""",
    "service/cache.yaml": """\
dsl_version: 0.4.0
service:
  name: cache
  containers:
    - name: cache
      image: redis
      probes:
        readiness: redis-cli ping
      daemon:
        command: redis-server
""",
    "service/files/api.conf.j2": 'cache={{ address("cache") }}\n',
    "service/files/defaults.yaml": "configs:\n  api:\n    port:\n      cont: 8000\n",
    "ccp.yaml": 'images: {namespace: acme, tag: "1.0"}\n',
}


def _said(folder: Path, **options: Any) -> list[str]:
    report = check_paths([folder], CheckOptions(**options)).report
    return [
        f"{finding.location.file}:{finding.location.line}:{finding.location.column} {finding.code} {finding.hint or ''}".rstrip()
        for package in report.packages
        for finding in package.findings
    ]


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("service/api.yaml", "command: api", "comand: api", ["service/api.yaml:12:9 CCP:E011 did you mean 'command'?"]),
        ("service/api.yaml", "service:\n", "servce:\n", ["service/api.yaml:2:1 CCP:E011 did you mean 'service'?"]),
        ("service/api.yaml", "0.4.0", "0.4", ["service/api.yaml:1:14 CCP:E012 as in 0.4.0"]),
        ("service/api.yaml", "{{ api.port }}", "{{ api.port }", ["service/api.yaml:5:5 CCP:E002 an expression is closed by two braces: {{ … }}"]),
        ("service/api.yaml", 'address("cache")', 'address("cahce")', ["service/api.yaml:12:71 CCP:W034 did you mean 'cache'?"]),
        ("service/files/api.conf.j2", "cache=", "port={{ api.prot }} ", ["service/files/api.conf.j2:1:9 CCP:W030 did you mean 'api.port'?"]),
        ("service/files/api.conf.j2", "cache=", "port={{ api.prot.cont }} ", ["service/files/api.conf.j2:1:9 CCP:E033 did you mean 'api.port'?"]),
        ("service/files/api.conf.j2", "address(", "adress(", ["service/files/api.conf.j2:1:10 CCP:E033 did you mean 'address'?"]),
        ("service/files/api.conf.j2", '"cache"', '"cahce"', ["service/files/api.conf.j2:1:19 CCP:W034 did you mean 'cache'?"]),
        ("service/files/api.conf.j2", "cache=", "{% if api %}", ["service/files/api.conf.j2:1:1 CCP:E033 close the statement, or remove it: {% if … %} … {% endif %}"]),
        ("service/files/api.conf.j2", "cache=", "{{ 1|upperr }}", ["service/files/api.conf.j2:1:1 CCP:E033 did you mean 'upper'?"]),
        ("ccp.yaml", "}\n", "}\nreplicas: {apii: 2}\n", ["ccp.yaml:2:12 CCP:E050 did you mean 'api'?"]),
        ("ccp.yaml", "}\n", "}\nnodes: {n1: {roles: [a]}}\nroles: {a: [apii, api, cache]}\n", ["ccp.yaml:3:13 CCP:W021 did you mean 'api'?"]),
    ],
)  # fmt: skip
def test_one_slip_one_message(tmp_path: Path, file: str, old: str, new: str, said: list[str]) -> None:
    text = FILES[file]
    assert old in text
    write_files(tmp_path, {**FILES, file: text.replace(old, new, 1)})
    assert _said(tmp_path) == said


def test_the_deployment_is_part_of_the_check(tmp_path: Path) -> None:
    """Its configuration, inputs, what-if values, and the components beside."""
    parts = {name: text for name, text in FILES.items() if name != "ccp.yaml"}
    api = {f"api/{name}": text for name, text in parts.items() if "cache" not in name}
    write_files(tmp_path, {**api, "cache/service/cache.yaml": parts["service/cache.yaml"]})
    write_files(tmp_path / "deployment", {"ccp.yaml": FILES["ccp.yaml"]})
    folder = tmp_path / "api"
    beside = {"search_path": (str(tmp_path),), "deployment": str(tmp_path / "deployment" / "ccp.yaml")}
    assert [line.split()[1] for line in _said(folder)] == ["CCP:E040"]
    assert _said(folder, **beside) == []
    assert _said(folder, **beside, inputs={"api.port": {"cont": 0}}) == [
        "service/api.yaml:5:7 CCP:E016",
    ]
    assert _said(folder, **beside, overrides={"api/api.image": 5}) == [
        "service/api.yaml:7:7 CCP:E012 put it in quotes: '5'"
    ]


def test_components_beside_are_not_what_is_checked(tmp_path: Path) -> None:
    """Their warnings are left out, and of their errors the first is said with its whole path."""
    api = {f"api/{name}": text for name, text in FILES.items() if "cache" not in name}
    cache = FILES["service/cache.yaml"].replace("readiness: redis-cli ping", "liveness: redis-cli ping")
    write_files(tmp_path, {**api, "cache/service/cache.yaml": cache})
    beside = (str(tmp_path / "cache"),)
    assert _said(tmp_path / "api", search_path=beside) == []
    write_files(
        tmp_path, {"cache/service/cache.yaml": cache.replace("daemon:", "demon:").replace("image", "imag")}
    )
    assert _said(tmp_path / "api", search_path=beside) == [
        f"{tmp_path}/cache/service/cache.yaml:6:7 CCP:E011 did you mean 'image'?"
    ]
