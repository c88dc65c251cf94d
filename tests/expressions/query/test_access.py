"""Files that an expression may reach: those of the project, and others only with leave."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from sabir.expressions.query import EnsembleProject, QueryContext, QueryError, QuerySession
from sabir.expressions.query.access import (
    base_directory,
    may_write,
    normalize_path,
    read_bytes,
    read_text,
    require_reachable,
    temporary_directory,
)
from sabir.expressions.query.functions.call import FunctionCall
from sabir.expressions.query.functions.registry import Function
from sabir.session import Session as WorkSession
from sabir.session import Trust
from tests.expressions.query.plain import PlainResource

CALL = FunctionCall(Function("file", lambda _call, _context: None), "x", {})


def _context(directory: Path | None, *trust: str) -> QueryContext:
    session = QuerySession(
        project=EnsembleProject(directory=directory), work=WorkSession(trust=Trust.of(trust))
    )
    return QueryContext(PlainResource("box", session=session))


def _refused(ask: Callable[[], object]) -> str:
    with pytest.raises(QueryError) as failure:
        ask()
    return failure.value.finding.code


def test_paths_are_made_absolute_without_asking_the_disk(tmp_path: Path) -> None:
    assert normalize_path("a/./../b", tmp_path) == tmp_path / "b"
    assert normalize_path("/etc/hosts", tmp_path) == Path("/etc/hosts")
    assert base_directory(_context(tmp_path)) == tmp_path
    assert base_directory(_context(None)) == Path.cwd()


@pytest.mark.parametrize("name", ["a.txt", "deep/er/a.txt", "not-there"])
def test_what_lies_below_the_project_is_reached(name: str, tmp_path: Path) -> None:
    assert require_reachable(tmp_path / name, CALL, _context(tmp_path)) == tmp_path / name


def test_nothing_else_is(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    (project / "link").symlink_to(tmp_path / "secret")
    context = _context(project)
    for path in (tmp_path / "secret", project / "link", tmp_path / "project-2" / "a"):
        assert _refused(partial(require_reachable, path, CALL, context)) == "EXPR:E016"
    assert _refused(lambda: require_reachable(Path("a\0b"), CALL, context)) == "EXPR:E006"
    assert _refused(lambda: require_reachable(project / "a", CALL, _context(None))) == "EXPR:E009"


def test_leave_opens_the_rest(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    assert require_reachable(tmp_path / "other", CALL, _context(project, "outside")) == tmp_path / "other"


def test_writing_needs_leave_except_for_temporary_files(tmp_path: Path) -> None:
    context = _context(tmp_path)
    assert _refused(lambda: may_write(tmp_path / "a", CALL, context)) == "EXPR:E016"
    assert may_write(temporary_directory() / "a", CALL, context) == temporary_directory() / "a"
    assert may_write(tmp_path / "a", CALL, _context(tmp_path, "write-files")) == tmp_path / "a"


def test_reading(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("grüß", encoding="utf-8")
    (tmp_path / "b.bin").write_bytes(b"\xff\xfe")
    context = _context(tmp_path)
    assert read_bytes(tmp_path / "nothing", CALL, context) is None
    assert read_text("a.txt", CALL, context) == "grüß"
    assert _refused(lambda: read_text("nothing", CALL, context)) == "EXPR:E009"
    assert _refused(lambda: read_text("b.bin", CALL, context)) == "EXPR:E009"


def test_no_temporary_directory_is_created_to_refuse_a_path(tmp_path: Path) -> None:
    """A process that is killed would leave it behind."""
    (tmp_path / "temporary").mkdir()
    (tmp_path / "service.yaml").write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n"
        "  outputs: {o: {value: {eval: {file: /etc/passwd}}}, p: {value: {eval: {file: service.yaml}}}}\n"
    )
    code = "import os; from sabir.cli.main import main; main(['compile', 'service.yaml']); os._exit(0)"
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, check=True
    )
    assert list((tmp_path / "temporary").iterdir()) == []
