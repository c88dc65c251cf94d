"""Modules in the directory in which sabir is started: a project's file named like a library is never imported."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sabir.deployments.cluster.child import BatchJob, run_batch_job
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluation import evaluate_path
from sabir.operations.worker import WorkerPool
from sabir.session import Session, Trust
from tests.server.live import live_service

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/sabir"
NAMES = (
    *("sabir", "msgspec", "yaml", "ryml", "json", "click", "rich", "rich_click", "sqlalchemy", "jinja2"),
    *("sitecustomize", "usercustomize", "typing", "dataclasses", "datetime", "decimal", "pathlib", "uuid"),
    *("subprocess", "tempfile", "socket", "ssl", "asyncio", "inspect", "logging", "random", "string"),
)
SPAWNING = ("multiprocessing", "pickle", "struct", "threading", "signal", "socket", "tempfile")
"""What `multiprocessing` imports in a new process before it takes over the module search path of its parent."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "main.cf").write_text("entity A:\nend\nimplement A using std::none\nA()\n")
    return folder


def plant(folder: Path, *names: str) -> None:
    """Modules that leave a mark when they are imported, and do no more."""
    for name in names:
        (folder / f"{name}.py").write_text(
            f"import os\nos.close(os.open({str(folder / 'ran')!r} + '-{name}', os.O_CREAT | os.O_WRONLY))\n"
        )


def imported(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("ran-*"))


COMMANDS = (("check", "."), ("compile", "."), ("deploy", ".", "--yes"), ("query", ".", "::*"), ("--help",))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("start", ["script", "module", "cli", "safe"])
def test_commands_import_nothing_from_where_they_run(
    folder: Path, start: str, words: tuple[str, ...]
) -> None:
    commands = {
        "script": [str(Path(sys.executable).with_name("sabir"))],
        "module": [sys.executable, "-m", "sabir"],
        "cli": [sys.executable, "-m", "sabir.cli"],
        "safe": [sys.executable, "-P", "-m", "sabir"],
    }
    # A `sabir.py` here is what `python -m sabir` runs, and nothing of sabir could prevent it.
    plant(folder, *(name for name in NAMES if name != "sabir" or start in ("script", "safe")))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*commands[start], *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert imported(folder) == []
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr


def test_a_worker_imports_nothing_from_where_it_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(folder, *NAMES, *SPAWNING)
    monkeypatch.chdir(folder)
    with WorkerPool() as workers:
        session = Session(trust=Trust(python=True), workers=workers, environment=dict(os.environ))
        evaluation = evaluate_path(folder, EvaluationRequest(session=session)).evaluation
    assert not evaluation.findings
    assert len(evaluation.graph)
    assert imported(folder) == []


def test_a_child_on_a_cluster_imports_nothing_from_where_it_runs(folder: Path) -> None:
    plant(folder, *NAMES, *SPAWNING)
    assert run_batch_job(BatchJob(work=abs, items=[-1, -2], folder=str(folder))) == [1, 2]
    assert imported(folder) == []


DESCRIPTION = """
name: x
parts:
  files:
    language: resources
    model: {resources: {a: {kind: file, fields: {path: a, content: b}}}}
"""
SPAWN = """
import sys
import multiprocessing
from sabir.operations import parallel

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    parallel._FORKS = False
    print(sum(parallel.map_in_processes(abs, [-1, -2, -3], 2)))
    import os
    print(os.environ.get("PYTHONSAFEPATH"))
"""


def test_spawned_checks_import_nothing_from_where_they_run(folder: Path, tmp_path: Path) -> None:
    plant(folder, *NAMES, *SPAWNING)
    program = tmp_path / "program.py"
    program.write_text(SPAWN)
    done = subprocess.run(
        [sys.executable, str(program)], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert (imported(folder), done.stdout) == ([], "6\nNone\n"), done.stderr


def test_the_service_imports_nothing_from_where_it_runs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(folder, *(name for name in (*NAMES, *SPAWNING) if name not in ("sabir", "threading", "signal")))
    monkeypatch.chdir(folder)
    with live_service(tmp_path / "data") as live:
        client = httpx.Client(
            base_url=live.url, headers={"Authorization": f"Bearer {live.token}"}, timeout=60
        )
        with client:
            made = client.post("/api/1/environments", json={"name": "x"})
            assert made.status_code < 300, made.text
            where = f"/api/1/environments/{made.json()['id']}"
            assert client.put(f"{where}/files/sabir.yaml", content=DESCRIPTION).status_code == 200
            assert client.get(f"{where}/graph").status_code == 200
            assert client.get(f"{where}/plan").status_code == 200
    assert imported(folder) == []


def test_every_interpreter_is_started_without_the_working_directory() -> None:
    """Each place in the source that names `sys.executable` is followed by -P or -I, or uses only its directory."""
    found = [*_interpreters()]
    assert len(found) >= 5
    assert [place for place, is_safe in found if not is_safe] == []


def _interpreters() -> Iterator[tuple[str, bool]]:
    for file in SOURCE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if "sys.executable" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            items: list[ast.expr] = []
            match node:
                case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Call(args=items):
                    pass
                case ast.JoinedStr():
                    written = ast.unparse(node)
                    if "sys.executable" in written:
                        yield f"{file.name}:{node.lineno}", " -P " in written
            for item, following in zip(items, [*items[1:], None], strict=False):
                if ast.unparse(item) == "sys.executable" and not _names_only_a_path(node):
                    is_safe = isinstance(following, ast.Constant) and following.value in ("-P", "-I")
                    yield f"{file.name}:{item.lineno}", is_safe


def _names_only_a_path(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in (
        "Path",
        "quote",
        "realpath",
    )


@pytest.mark.parametrize("name", ["action.yml", "ci/gitlab.yml", ".pre-commit-hooks.yaml", "docs/ci.md"])
def test_what_runs_in_a_checkout_starts_no_module_of_it(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "python -m" not in text
    assert "python3 -m" not in text
