from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.runner.inmanta import (
    InmantaCase,
    InmantaError,
    InmantaOutcome,
    InmantaWarning,
    Instance,
    Relation,
)
from tests.conformance.runner.inmanta_compare import compare
from tests.conformance.runner.inmanta_project import write_project


def _case(*outcomes: dict[str, Any]) -> InmantaCase:
    return InmantaCase(language="inmanta", id="c", file=Path("f"), raw={}, files={}, outcomes=outcomes)


def _model() -> InmantaOutcome:
    service = Instance("Service", {"name": "s"})
    first, second = (
        Instance("__config__::File", {"path": name, "service": service, "requires": Relation(())})
        for name in "ab"
    )
    service.attributes["files"] = Relation((second, first))
    child = Instance("mod::Child", {"n": 1})
    return InmantaOutcome(
        variables={
            "s": service,
            "a": first,
            "b": second,
            "n": 1,
            "f": 1.0,
            "t": True,
            "l": [1, 2],
            "d": {"k": [1], "i": first},
            "m": Relation((first, second)),
            "nothing": None,
        },
        instances=(service, first, second, child),
        warnings=(
            InmantaWarning(kind="deprecated", line=3),
            InmantaWarning(kind="deprecated", line=4, file="libs/x.cf"),
        ),
    )


FILES = [{"path": "b", "service": {"$var": "s"}}, {"path": "a", "service": {"$var": "s"}}]
PASS: list[dict[str, Any]] = [
    {"ok": True},
    {"vars": {"n": 1, "f": 1.0, "t": True, "l": [1, 2], "nothing": None}},
    {"vars": {"a": {"$type": "File", "path": "a"}}},
    {"vars": {"a": {"$type": "File", "service": {"$type": "Service", "name": "s"}}}},
    {"vars": {"d": {"k": [1], "i": {"$var": "a"}}}},
    {"vars": {"m": [{"$var": "b"}, {"$var": "a"}]}},
    {"instances": {"File": FILES}},
    {"instances": {"File": FILES[::-1], "Service": [{"name": "s", "files": [{"$var": "a"}, {"$var": "b"}]}]}},
    {"instances": {"mod::Child": [{"n": 1}], "Child": []}},
    {"warnings": [{"kind": "deprecated", "line": 3}]},
    {"warnings": [{"kind": "deprecated", "line": 4, "file": "libs/x.cf"}]},
]
FAIL: list[dict[str, Any]] = [
    {"error": {"kind": "unset"}},
    {"vars": {"n": 1.0}},
    {"vars": {"f": 1}},
    {"vars": {"t": 1}},
    {"vars": {"n": True}},
    {"vars": {"l": [2, 1]}},
    {"vars": {"missing": None}},
    {"vars": {"nothing": False}},
    {"vars": {"a": {"$var": "b"}}},
    {"vars": {"a": {"$var": "n"}}},
    {"vars": {"a": {"$type": "Service"}}},
    {"vars": {"a": {"$type": "File", "path": "b"}}},
    {"vars": {"a": {"$type": "File", "size": 1}}},
    {"vars": {"d": {"k": [1]}}},
    {"vars": {"m": [{"$var": "a"}, {"$var": "a"}]}},
    {"vars": {"m": [{"$var": "a"}]}},
    {"vars": {"m": None}},
    {"instances": {"File": FILES[:1]}},
    {"instances": {"File": [*FILES, FILES[0]]}},
    {"instances": {"File": [{"path": "a"}, {"path": "b"}]}},
    {"instances": {"File": [FILES[0], FILES[0]]}},
    {"instances": {"Child": [{"n": 1}]}},
    {"warnings": [{"kind": "deprecated", "line": 4}]},
]


@pytest.mark.parametrize("expected", PASS)
def test_model_passes(expected: dict[str, Any]) -> None:
    assert compare(_case(expected), _model()) == []


@pytest.mark.parametrize("expected", FAIL)
def test_model_fails(expected: dict[str, Any]) -> None:
    assert compare(_case(expected), _model())


ERROR = InmantaError(kind="double-assignment", file="main.cf", line=3, lines=(1,), message="x")
OTHER = InmantaError(kind="unset", file="libs/m/model/_init.cf", line=7)
PASSING_ERRORS: list[tuple[dict[str, Any], tuple[InmantaError, ...]]] = [
    ({"kind": "double-assignment", "file": "main.cf", "line": 3}, (ERROR,)),
    (
        {"kind": ["unset", "double-assignment"], "file": "main.cf", "line": [1, 3], "locations": [1, 3]},
        (ERROR,),
    ),
    ({"kind": ["unset", "double-assignment"], "count": 2, "line": 7}, (ERROR, OTHER)),
    ({"kind": ["unset", "double-assignment"], "count": 2, "line": [7, 3]}, (ERROR, OTHER)),
]
FAILING_ERRORS: list[tuple[dict[str, Any], tuple[InmantaError, ...]]] = [
    ({"kind": "double-assignment", "file": "main.cf", "line": 3}, (OTHER, ERROR)),
    ({"kind": "unset", "file": "main.cf", "line": 3}, (ERROR,)),
    ({"kind": "double-assignment", "file": "other.cf", "line": 3}, (ERROR,)),
    ({"kind": "double-assignment", "file": "main.cf", "line": 4}, (ERROR,)),
    ({"kind": "double-assignment", "file": "main.cf", "line": [1, 4]}, (ERROR,)),
    ({"kind": "double-assignment", "file": "main.cf", "locations": [1, 2]}, (ERROR,)),
    ({"kind": "unset", "file": "main.cf", "line": 3}, (ERROR, OTHER)),
    ({"kind": "double-assignment", "count": 2}, (ERROR,)),
    ({"kind": "double-assignment", "count": 2}, (ERROR, OTHER)),
    ({"kind": "double-assignment", "count": 1, "line": [3, 4]}, (ERROR,)),
    ({"kind": "double-assignment", "count": 1, "line": 4}, (ERROR,)),
]


@pytest.mark.parametrize("expected, errors", PASSING_ERRORS)
def test_errors_pass(expected: dict[str, Any], errors: tuple[InmantaError, ...]) -> None:
    assert compare(_case({"error": expected}), InmantaOutcome(errors=errors)) == []


@pytest.mark.parametrize("expected, errors", FAILING_ERRORS)
def test_errors_fail(expected: dict[str, Any], errors: tuple[InmantaError, ...]) -> None:
    assert compare(_case({"error": expected}), InmantaOutcome(errors=errors))


def test_an_error_fails_what_should_compile() -> None:
    assert compare(_case({"ok": True}), InmantaOutcome(errors=(ERROR,)))


def test_one_of_also_is_enough() -> None:
    case = _case({"ok": True}, {"error": {"kind": "double-assignment", "file": "main.cf", "line": 3}})
    assert compare(case, InmantaOutcome()) == []
    assert compare(case, InmantaOutcome(errors=(ERROR,))) == []
    assert compare(case, InmantaOutcome(errors=(OTHER,)))


def test_project_files(tmp_path: Path) -> None:
    files = {
        "main.cf": "",
        "libs/m/model/_init.cf": "",
        "libs/n/module.yml": None,
        "libs/n/model/_init.cf": "x = 1\r\n",
    }
    write_project(files, tmp_path)
    written = sorted(file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*") if file.is_file())
    assert written == [
        "libs/m/model/_init.cf",
        "libs/m/module.yml",
        "libs/n/model/_init.cf",
        "main.cf",
        "project.yml",
    ]
    assert (tmp_path / "libs/m/module.yml").read_text() == "name: m\nversion: 0.1\nlicense: x\n"
    assert (tmp_path / "libs/n/model/_init.cf").read_bytes() == b"x = 1\r\n"


def test_own_project_file_is_kept(tmp_path: Path) -> None:
    write_project({"main.cf": "", "project.yml": "name: mine\n"}, tmp_path)
    assert (tmp_path / "project.yml").read_text() == "name: mine\n"
