"""Rows of spec 004 that conformance cases cannot show: jobs, processes, several resources, other ensembles, the network."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace

from sabir.expressions.query import DeploymentJob, EnsembleProject, QueryError, QuerySession, evaluate
from sabir.expressions.query.errors import REFUSED
from sabir.expressions.query.values import reveal_deep
from sabir.languages.tosca.evaluate import Request
from sabir.languages.tosca.graph.evaluation import instantiate_topology
from sabir.languages.tosca.syntax.documents import load_file
from sabir.session import Session as WorkSession
from sabir.session import Trust
from tests.expressions.query.plain import PlainResource


def box(project: EnsembleProject, trust: Trust | None = None) -> PlainResource:
    work = WorkSession(trust=trust or Trust())
    return PlainResource("box", {"a": 1}, session=QuerySession(project=project, work=work))


def folder(name: str, project: EnsembleProject) -> str:
    found: str = evaluate({"eval": {"get_dir": name}}, box(project)).value
    return found


@pytest.mark.rows("U-116", "U-117", "U-118")
@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("tasks", DeploymentJob(id="2", operation="create", workflow="deploy")),
        ("operation", DeploymentJob(id="1", operation="delete", workflow="deploy")),
        ("workflow", DeploymentJob(id="1", operation="create", workflow="undeploy")),
    ],
)
def test_folders_of_a_job(name: str, other: DeploymentJob, tmp_path: Path) -> None:
    one = EnsembleProject(
        directory=tmp_path, job=DeploymentJob(id="1", operation="create", workflow="deploy")
    )
    first, second = folder(name, one), folder(name, replace(one, job=other))
    assert first != second
    assert Path(first).is_relative_to(tmp_path)
    assert folder(name, one) == first


@pytest.mark.rows("U-112", "U-113", "U-114", "U-120", "U-121")
@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("artifacts", "artifacts/box"),
        ("local", "local/box"),
        ("secrets", "secrets/box"),
        ("spec.home", "spec/box"),
        ("spec.local", "spec/box/local"),
    ],
)
def test_folders_of_an_instance(name: str, wanted: str, tmp_path: Path) -> None:
    assert folder(name, EnsembleProject(directory=tmp_path)) == str(tmp_path / wanted)


def test_the_name_of_an_instance_cannot_lead_out(tmp_path: Path) -> None:
    climber = PlainResource("../../x", session=QuerySession(project=EnsembleProject(directory=tmp_path)))
    found = evaluate({"eval": {"get_dir": "local"}}, climber).value
    assert found == str(tmp_path / "local" / ".._.._x")


@pytest.mark.rows("U-085", "U-109")
def test_folders_are_made_only_when_asked_and_allowed(tmp_path: Path) -> None:
    project, trust = EnsembleProject(directory=tmp_path), Trust(write_files=True)
    evaluate({"eval": {"get_dir": "local"}}, box(project, trust))
    assert not (tmp_path / "local").exists()
    evaluate({"eval": {"get_dir": ["local", True]}}, box(project, trust))
    assert (tmp_path / "local" / "box").is_dir()
    with pytest.raises(QueryError) as refused:
        evaluate({"eval": {"get_dir": ["artifacts", True]}}, box(EnsembleProject(directory=tmp_path)))
    assert refused.value.rule is REFUSED


@pytest.mark.rows("U-086")
def test_abspath_is_relative_to_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert evaluate({"eval": {"abspath": "a/b"}}, PlainResource("box")).value == str(tmp_path / "a" / "b")


@pytest.mark.rows("U-119")
def test_source_of_a_template_in_an_imported_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    head = {"tosca_definitions_version": "tosca_simple_yaml_1_3"}
    inner = {**head, "topology_template": {"node_templates": {"n": {"type": "tosca.nodes.Root"}}}}
    (tmp_path / "sub" / "inner.yaml").write_text(yaml.safe_dump(inner))
    (tmp_path / "main.yaml").write_text(yaml.safe_dump({**head, "imports": ["sub/inner.yaml"]}))
    root = instantiate_topology(
        load_file(tmp_path / "main.yaml"), Request(project=EnsembleProject(directory=tmp_path))
    ).root
    assert evaluate({"eval": {"get_dir": "spec.src"}}, root.all()["n"]).value == str(tmp_path / "sub")


@pytest.mark.rows("U-115", "U-151")
def test_temporary_things_are_gone_when_the_process_ends() -> None:
    script = (
        "from sabir.expressions.query import evaluate, resources_of\n"
        "from sabir.graph import Graph\n"
        "box = resources_of(Graph(()))\n"
        "for expression in ({'eval': {'tempfile': 'x'}, 'select': 'path'}, {'eval': {'get_dir': 'tmp'}}):\n"
        "    path = evaluate(expression, box).value\n"
        "    print(path, __import__('os').path.exists(path))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        path, existed = line.rsplit(" ", 1)
        assert existed == "True"
        assert not Path(path).exists()


@pytest.mark.rows("U-165")
def test_evaluation_starts_with_several_resources() -> None:
    assert evaluate(".::x", [PlainResource("a", {"x": 1}), PlainResource("b", {"x": 2})]).values == [1, 2]


@pytest.mark.rows("U-091", "U-068")
def test_an_instance_of_another_ensemble() -> None:
    other = PlainResource("other", {"port": 80})
    here = PlainResource("here", session=QuerySession(externals={"shared": other}))
    assert evaluate({"eval": {"external": "shared"}, "select": "port"}, here).value == 80


@pytest.mark.rows("U-024")
def test_a_trace_tells_each_step_and_no_secret() -> None:
    lines: list[str] = []
    here = PlainResource("box", {"a": {"b": "hush"}}, session=QuerySession(on_trace=lines.append))
    here2 = {"eval": "$s::b", "vars": {"s": {"eval": {"sensitive": {"b": "hush"}}}}, "trace": 1}
    assert evaluate({"eval": "a::b", "trace": 1}, here).value == "hush"
    assert any("segment" in line for line in lines)
    lines.clear()
    evaluate(here2, here)
    assert lines
    assert not any("hush" in line for line in lines)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"one\ntwo\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Quiet."""


@pytest.fixture
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/x"
    server.shutdown()
    server.server_close()


@pytest.mark.rows("U-135")
def test_a_url_is_fetched_only_as_far_as_allowed(address: str) -> None:
    expression = {"eval": {"lookup": {"url": address, "validate_certs": True}}}
    allowed = Trust(network=True, private_network=True)
    assert evaluate(expression, box(EnsembleProject(), allowed)).values == ["one", "two"]
    for trust, word in ((Trust(), "--trust network"), (Trust(network=True), "--trust private-network")):
        with pytest.raises(QueryError) as refused:
            evaluate(expression, box(EnsembleProject(), trust))
        assert refused.value.rule is REFUSED
        assert word in str(refused.value.finding.hint)


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", "link.txt"])
def test_files_outside_the_project_are_out_of_reach(path: str, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "outside.txt").write_text("x")
    (inside / "link.txt").symlink_to(tmp_path / "outside.txt")
    with pytest.raises(QueryError) as refused:
        evaluate({"eval": {"file": path}, "select": "contents"}, box(EnsembleProject(directory=inside)))
    assert refused.value.rule is REFUSED


def test_writing_and_python_need_leave(tmp_path: Path) -> None:
    for expression in ({"file": "x.txt", "contents": "a"}, {"python": "os.getcwd"}):
        with pytest.raises(QueryError) as refused:
            evaluate({"eval": expression}, box(EnsembleProject(directory=tmp_path)))
        assert refused.value.rule is REFUSED
        assert "--trust" in str(refused.value.finding.hint)
    assert not (tmp_path / "x.txt").exists()


def test_file_encrypts_what_it_writes_into_secrets(tmp_path: Path) -> None:
    project = EnsembleProject(directory=tmp_path, vault_password="opensesame")
    written = {"eval": {"file": "key.json", "dir": {"eval": {"get_dir": "secrets"}}, "contents": "hush"}}
    evaluate(written, box(project, Trust(write_files=True)))
    path = tmp_path / "secrets/box/key.json"
    assert path.read_bytes().startswith(b"$ANSIBLE_VAULT;")
    read = {"eval": {"file": str(path)}, "select": "contents"}
    assert reveal_deep(evaluate(read, box(project)).value) == "hush"
