"""What the coverage-guided fuzzer opens: the readers and the expression engines, each with texts to begin from.

A target takes text and answers with what is wrong about its treatment, or None; an exception is a failure, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import yaml
from msgspec import Struct

from sabir.environment.read import read_environment
from sabir.errors import SabirError
from sabir.expressions.patterns import (
    PatternError,
    PatternRefusedError,
    ResultTooLongError,
    compile_pattern,
    substitute_matches,
)
from sabir.expressions.template.tags import read_tags
from sabir.expressions.vault import decrypt_vault
from sabir.expressions.yaql import Dialect, Engine, Options
from sabir.graph.json import graph_chunks, load_graph
from sabir.languages.inmanta.syntax.parser import parse as parse_inmanta
from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.syntax.classes import read_class_file
from sabir.languages.muranopl.syntax.manifest import Version, VersionError, VersionSpec, read_manifest
from sabir.languages.resources import LANGUAGE as RESOURCES
from sabir.languages.tosca.syntax.documents import load_topology as load_tosca
from sabir.languages.tosca.syntax.files import PackageFiles
from sabir.source.packages import MemoryPackage, PackageFile
from sabir.source.yaml import compose
from sabir.text import Source
from tests.fuzz import ccp, packages, query, yaql
from tests.fuzz.guided_deployments import FORM, WORKFLOWS, check_dump, check_state, edited
from tests.fuzz.kept import DUMPS, STATE
from tests.fuzz.projects import expressions, projects

__all__ = ["TARGETS", "Target"]

_SHORT: Final = 300
_SMALL_GRAPH: Final = """{"format":"sabir.graph/1","instances":[
{"id":"a","type":"T","language":"tosca","name":"a","owner":"b","attributes":{"x":[1,{"y":null}],"p":{"$sensitive":true}},\
"relations":{"host":["b"]},"requires":["b"],"status":null,"origin":{"file":"f","line":1,"column":1,"how":"literal"},\
"origins":{"x":{"file":"f","line":2,"column":3,"how":"expression","note":"n","sources":[{"instance":"b","attribute":"z"}]}}},
{"id":"b","type":"T","language":"tosca","name":"b","attributes":{"z":{"$unknown":{"of":"b|z"}},"m":{"$map":[[1,{"$int":"0x1"}],\
["$f",{"$float":"nan"}],["d",{"$date":"2026-11-15"}],["b",{"$bytes":"aGk="}],["r",{"$ref":"a"}]]}}}],
"outputs":{"o":1}}
"""
_CASES: Final = Path(__file__).resolve().parents[1] / "conformance"


class Target(Struct, frozen=True):
    """`seeds` are read when they are wanted; `longest` in bytes."""

    check: Callable[[bytes], str | None]
    seeds: Callable[[], Sequence[bytes]]
    longest: int = 1500


def _target(
    check: Callable[[str], str | None], seeds: Callable[[], Sequence[str]], longest: int = 1500
) -> Target:
    """One that takes text."""
    return Target(
        lambda data: check(data.decode("utf-8", "replace")),
        lambda: [text.encode("utf-8", "surrogateescape") for text in seeds()],
        longest,
    )


@cache
def _texts(kind: str, pattern: str) -> list[str]:
    """The files of the projects of a kind, those that are not too long to be changed in interesting places."""
    return [
        text
        for project in projects()
        if project.kind == kind
        for name, text in project.files.items()
        if re.search(pattern, name) and len(text) < 1500
    ]


def _of(kind: str, pattern: str) -> Callable[[], Sequence[str]]:
    return lambda: _texts(kind, pattern)


def _yaml(text: str) -> None:
    parsed = compose(Source("x.yaml", text))
    for finding in parsed.findings:
        assert finding.message
        assert 0 <= finding.place.span.start <= finding.place.span.end <= len(text), finding


def _has_words(error: Exception) -> None:
    if not str(error):
        raise AssertionError("an error that says nothing") from error


def _class_file(text: str) -> None:
    for finding in read_class_file(compose(Source("C.yaml", text), tags=frozenset({"!yaql"}))).findings:
        assert finding.message


def _inmanta(text: str) -> None:
    for problem in parse_inmanta(Source("main.cf", text)).problems:
        assert 0 <= problem.place.span.start <= problem.place.span.end <= len(text), problem


def _tosca(text: str) -> None:
    load_tosca(PackageFiles(MemoryPackage({"t.yaml": text})), "t.yaml")


def _ccp(text: str) -> str | None:
    return ccp.check({"ccp.yaml": "{}\n", "service/web.yaml": text})


def _environment(text: str) -> None:
    read_environment(PackageFile("sabir.yaml", text.encode()))


def _resources(text: str) -> None:
    RESOURCES.evaluate(MemoryPackage({"resources.yaml": text}), EvaluationRequest())


def _graph(text: str) -> None:
    try:
        graph = load_graph(text.encode(), name="graph.json")
    except SabirError as error:
        _has_words(error)
        return
    again = b"".join(graph_chunks(graph))
    assert b"".join(graph_chunks(load_graph(again, name="again.json"))) == again


def _manifest(text: str) -> None:
    read_manifest(MemoryPackage({"manifest.yaml": text}))


def _versions(text: str) -> None:
    version, _, spec = text.partition("\n")
    try:
        VersionSpec.parse(spec).allows(Version.parse(version))
    except VersionError as error:
        _has_words(error)


def _pattern(text: str) -> None:
    pattern, _, subject = text.partition("\n")
    try:
        substitute_matches(compile_pattern(pattern), subject, "x", most=10_000)
    except (PatternError, PatternRefusedError, ResultTooLongError) as error:
        _has_words(error)


@cache
def _engines() -> tuple[Engine, Engine]:
    options = Options(limit_iterators=200, memory_quota=64 * 1024, limit_steps=20_000)
    return Engine(options=options), Engine(options=options, dialect=Dialect.MURANO)


def _yaql(text: str) -> str | None:
    return yaql.check(text, _engines()[0]) or yaql.check(text, _engines()[1])


def _template(text: str) -> str | None:
    read_tags(text)
    return query.check(text if "{" in text else "{{ " + text + " }}")


def _vault(text: str) -> None:
    try:
        decrypt_vault(text.encode(), "password")
    except SabirError as error:
        _has_words(error)


def _queries() -> list[str]:
    return [text for text in expressions() if len(text) < _SHORT]


def _yaqls() -> list[str]:
    cases = (
        yaml.safe_load(file.read_text(encoding="utf-8")) for file in sorted((_CASES / "yaql").glob("*.yaml"))
    )
    return [case["expr"] for entries in cases for case in entries if "expr" in case]


def _templates() -> list[str]:
    written = [text for text in _queries() if "{{" in text or "{%" in text]
    return [*written, *_texts("ccp", r"\.j2$")]


def _archives() -> list[bytes]:
    small = {
        "manifest.yaml": "Format: MuranoPL/1.4\nType: Library\nFullName: a\nName: a\nClasses: {a.A: A.yaml}\n"
    }
    return [packages.archive_of(files) for files in (small, {**small, "Classes/A.yaml": "Name: a.A\n"})]


TARGETS: Final[Mapping[str, Target]] = {
    "yaml": _target(_yaml, _of("ccp", r"\.yaml$")),
    "muranopl": _target(_class_file, _of("muranopl", r"Classes/.*\.yaml$")),
    "manifest": _target(_manifest, _of("muranopl", r"manifest\.yaml$")),
    "inmanta": _target(_inmanta, _of("inmanta", r"\.cf$")),
    "tosca": _target(_tosca, _of("tosca", r"\.yaml$")),
    "ccp": _target(_ccp, _of("ccp", r"service/.*\.yaml$")),
    "environment": _target(_environment, _of("resources", r"sabir\.yaml$")),
    "resources": _target(_resources, _of("resources", r"resources\.yaml$")),
    "graph": _target(_graph, lambda: [_SMALL_GRAPH]),
    "state": Target(check_state, lambda: [STATE.encode()]),
    "dumps": Target(check_dump, lambda: [dump.encode() for dump in DUMPS]),
    "classes": _target(
        edited("muranopl", "Classes/App.yaml"), _of("muranopl", r"Classes/.*\.yaml$"), longest=800
    ),
    "forms": _target(edited("muranopl", "UI/ui.yaml"), lambda: [FORM]),
    "workflows": _target(edited("tosca", "service.yaml"), lambda: [WORKFLOWS]),
    "archive": Target(packages.check_archive, _archives),
    "versions": _target(
        _versions, lambda: ["1.2.3\n>=1.2,<2", "1.0.0-rc.1+b\n^1.0 || ~2", "1\n!=1.x"], _SHORT
    ),
    "patterns": _target(
        _pattern, lambda: ["(a+)+$\naaab", r"(?P<n>\w)(?<!x)[^a-z]{2,3}?|\b" + "\nabc d"], _SHORT
    ),
    "yaql": _target(_yaql, _yaqls, _SHORT),
    "query": _target(query.check, _queries, _SHORT),
    "templates": _target(_template, _templates, _SHORT),
    "vault": _target(
        _vault, lambda: ["$ANSIBLE_VAULT;1.1;AES256\n3333\n", "$ANSIBLE_VAULT;1.2;AES256;id\n61\n"]
    ),
}
