"""Workers: the same result as in one process, whatever foreign Python does to its own."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from sabir.checks.options import CheckOptions
from sabir.errors import InputError
from sabir.graph.json import graph_chunks
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.operations.check import check_paths
from sabir.operations.evaluation import evaluate_path
from sabir.operations.query import QueryRequest, query_evaluation, query_graph, query_path
from sabir.operations.render import RenderPathRequest, render_path
from sabir.operations.worker import WorkerPool
from sabir.session import Limits, Session, Trust
from tests.support.files import write_files

PLUGIN = 'from inmanta.plugins import plugin\n\n@plugin\ndef f() -> "any":\n'
MODEL = (
    "import m\nentity Box:\n    string text\nend\nimplement Box using std::none\nBox(text=string(m::f()))\n"
)


@pytest.fixture
def workers() -> Iterator[WorkerPool]:
    with WorkerPool() as workers:
        yield workers


def project(folder: Path, python: str, main: str = MODEL) -> Path:
    files = {
        "main.cf": main,
        "libs/m/module.yml": "name: m\n",
        "libs/m/model/_init.cf": "",
        "libs/m/plugins/__init__.py": python,
    }
    return write_files(folder, files)


def request(workers: WorkerPool | None, **limits: float) -> EvaluationRequest:
    session = Session(
        trust=Trust(python=True),
        workers=workers,
        limits=Limits(**limits),  # type: ignore[arg-type]
        environment={"PORT": "80", "PATH": os.environ.get("PATH", "")},
        clock=lambda: datetime(2026, 1, 2, tzinfo=UTC),
    )
    return EvaluationRequest(session=session)


def evaluate(path: Path, workers: WorkerPool | None, **limits: float) -> Evaluation:
    return evaluate_path(path, request(workers, **limits)).evaluation


def texts(evaluation: Evaluation) -> list[object]:
    return [box.attributes["text"] for box in evaluation.graph if box.type.endswith("Box")]


def message(evaluation: Evaluation) -> str:
    (finding,) = evaluation.findings
    assert finding.code == "E920"
    assert not len(evaluation.graph)
    return finding.message


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(
    "python",
    [
        PLUGIN + "    return 4\n",
        PLUGIN + "    import os\n    from inmanta_plugins.std import get_env\n    return get_env('PORT')\n",
        PLUGIN + "    print('to nobody')\n    return input\n",
        PLUGIN + "    raise ValueError('no')\n",
        "import nowhere_to_be_found\n",
        PLUGIN + "    raise SystemExit(3)\n",
    ],
)
def test_the_same_as_in_one_process(tmp_path: Path, workers: WorkerPool, python: str, *, full: bool) -> None:
    path = project(tmp_path, python)
    said: list[list[str]] = []
    results = []
    for owner in (None, workers):
        said.append([])
        asked = replace(request(owner), full_provenance=full, on_notice=said[-1].append)
        results.append(evaluate_path(path, asked).evaluation)
    inside, outside = results
    assert b"".join(graph_chunks(outside.graph)) == b"".join(graph_chunks(inside.graph))
    assert [(one.sort_key, one.source, one.hint) for one in outside.findings] == [
        (one.sort_key, one.source, one.hint) for one in inside.findings
    ]
    assert [[related.place.location for related in one.related] for one in outside.findings] == [
        [related.place.location for related in one.related] for one in inside.findings
    ]
    assert list(outside.rendered()) == list(inside.rendered())
    assert said[0] == said[1]


def test_projects_with_modules_of_one_name_do_not_mix(tmp_path: Path, workers: WorkerPool) -> None:
    one = project(tmp_path / "one", "import sys\nsys.modules['shared'] = 'one'\n" + PLUGIN + "    return 1\n")
    two = project(
        tmp_path / "two",
        "import sys\n" + PLUGIN + "    return str(sys.modules.get('shared', 'clean')) + '2'\n",
    )
    assert [texts(evaluate(path, workers)) for path in (one, two, one)] == [["1"], ["clean2"], ["1"]]


def test_changed_python_gets_a_new_worker(tmp_path: Path, workers: WorkerPool) -> None:
    python = PLUGIN + "    import sys\n    sys.calls = getattr(sys, 'calls', 0) + 1\n    return sys.calls\n"
    path = project(tmp_path, python)
    assert [texts(evaluate(path, workers)) for _ in range(2)] == [["1"], ["2"]]
    project(tmp_path, python + "# changed\n")
    assert texts(evaluate(path, workers)) == ["1"]


def test_a_loop_is_stopped_in_time_and_the_next_evaluation_works(tmp_path: Path, workers: WorkerPool) -> None:
    path = project(tmp_path, PLUGIN + "    while True:\n        pass\n")
    began = time.monotonic()
    assert message(evaluate(path, workers, seconds=2)) == (
        "the evaluation was not finished: the worker that ran its Python did not finish within 2 s and was stopped"
    )
    assert time.monotonic() - began < 20
    project(tmp_path, PLUGIN + "    return 1\n")
    assert texts(evaluate(path, workers)) == ["1"]


@pytest.mark.parametrize(
    ("statement", "ending"),
    [
        ("os._exit(3)", "ended with status 3"),
        ("os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
        ("os.close(3); os.close(4); os.closerange(3, 100); os._exit(0)", "ended with status 0"),
    ],
)
def test_a_worker_that_dies_is_a_finding(
    tmp_path: Path, workers: WorkerPool, statement: str, ending: str
) -> None:
    path = project(tmp_path, PLUGIN + f"    import os\n    {statement}\n")
    for _ in range(2):
        assert message(evaluate(path, workers)).endswith(f"the worker that ran its Python {ending}")


def test_the_process_of_the_owner_stays_as_it_is(tmp_path: Path, workers: WorkerPool) -> None:
    before = os.getcwd(), dict(os.environ), set(sys.modules)
    path = project(
        tmp_path,
        PLUGIN
        + "    import os, sys\n    was = os.getcwd(), os.environ.get('BAD')\n"
        + "    os.chdir('/')\n    os.environ['BAD'] = '1'\n    sys.modules['json'] = None\n    return str(was)\n",
    )
    expected = [str((os.getcwd(), None))]
    assert [texts(evaluate(path, workers)) for _ in range(2)] == [expected, expected]
    assert (os.getcwd(), dict(os.environ)) == before[:2]
    assert not [name for name in set(sys.modules) - before[2] if name.startswith("inmanta")]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no limit of memory")
def test_a_memory_bomb_ends_with_a_finding(tmp_path: Path, workers: WorkerPool) -> None:
    path = project(tmp_path, PLUGIN + "    return len(bytearray(1 << 40))\n")
    (finding,) = evaluate(path, workers, memory=1 << 30, seconds=60).findings
    assert "MemoryError" in finding.message


def test_stopped_when_asked(tmp_path: Path, workers: WorkerPool) -> None:
    path = project(tmp_path, PLUGIN + "    import time\n    time.sleep(600)\n")
    results: list[Evaluation] = []
    asked = replace(request(workers), on_notice=lambda _: threading.Timer(0.2, workers.stop, [path]).start())
    thread = threading.Thread(target=lambda: results.append(evaluate_path(path, asked).evaluation))
    thread.start()
    thread.join(60)
    assert message(results[0]).endswith("was asked to stop")


def test_errors_of_the_request_are_those_of_one_process(tmp_path: Path, workers: WorkerPool) -> None:
    with pytest.raises(InputError):
        evaluate(tmp_path / "missing", workers)


def test_without_trust_nobody_is_asked(tmp_path: Path) -> None:
    class Nobody(WorkerPool):
        def evaluate(self, *_: object, **__: object) -> Evaluation:
            raise AssertionError

    path = project(tmp_path, PLUGIN + "    return 1\n")
    asked = EvaluationRequest(session=Session(workers=Nobody()))
    assert [one.code for one in evaluate_path(path, asked).evaluation.findings] == ["INM:E023"]


def test_no_more_workers_than_allowed(tmp_path: Path) -> None:
    python = PLUGIN + "    import sys\n    sys.calls = getattr(sys, 'calls', 0) + 1\n    return sys.calls\n"
    one, two = project(tmp_path / "one", python), project(tmp_path / "two", python)
    with WorkerPool(most=1) as workers:
        assert [texts(evaluate(path, workers)) for path in (one, one, two, one)] == [
            ["1"],
            ["2"],
            ["1"],
            ["1"],
        ]


KILLS = PLUGIN + "    import os\n    os._exit(3)\n"


def test_a_check_that_evaluates_survives_its_python(tmp_path: Path, workers: WorkerPool) -> None:
    path = project(tmp_path, KILLS)
    options = CheckOptions(session=request(workers).session)
    codes = {finding.code for _, finding in check_paths([path], options).report.findings()}
    assert "E920" in codes


@pytest.mark.parametrize(
    ("python", "expected"), [(PLUGIN + "    return 1\n", {"RULE:W001"}), (KILLS, {"E920"})]
)
def test_rules_are_asked_in_a_worker(
    tmp_path: Path, workers: WorkerPool, python: str, expected: set[str]
) -> None:
    path = project(tmp_path / "project", python)
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "rules:\n  - code: RULE:W001\n    message: a box\n    for: '::*'\n"
        "    condition: {eval: {python: builtins.callable}}\n"
    )
    options = CheckOptions(session=request(workers).session, rules=(str(rules),), scope=("RULE",))
    codes = {finding.code for _, finding in check_paths([path], options).report.findings()}
    assert codes == expected


def test_what_is_rendered_is_the_same_as_in_one_process(tmp_path: Path, workers: WorkerPool) -> None:
    asked = RenderPathRequest(path=project(tmp_path, PLUGIN + "    return 1\n"), evaluation=request(workers))
    assert render_path(asked) == render_path(replace(asked, evaluation=request(None)))
    project(tmp_path, KILLS)
    assert [finding.code for finding in render_path(asked).findings] == ["E920"]


NODES = "topology_template: {node_templates: {a: {type: tosca.nodes.Compute}, b: {type: tosca.nodes.Root}}}\n"
QUESTIONS = [
    "::a",
    "{eval: {get_nodes_of_type: tosca.nodes.Root}, select: .name}",
    "{eval: {python: 'code.py#big'}}",
    "::nobody",
    "{eval: {python: 'code.py#raises'}}",
]


def _template(folder: Path) -> Path:
    code = (
        "import os\ndef big(ctx): return 2 ** 80\ndef raises(ctx): raise ValueError('no')\n"
        "def ends(ctx): os._exit(3)\n"
    )
    template = "tosca_definitions_version: tosca_simple_yaml_1_3\n" + NODES
    return write_files(folder, {"service.yaml": template, "code.py": code})


@pytest.mark.parametrize("why", [False, True])
@pytest.mark.parametrize("expression", QUESTIONS)
def test_a_query_gives_what_it_gives_in_one_process(
    tmp_path: Path, workers: WorkerPool, expression: str, *, why: bool
) -> None:
    asked = QueryRequest(
        path=_template(tmp_path), expression=expression, evaluation=request(workers), why=why
    )
    there, here = query_path(asked), query_path(replace(asked, evaluation=request(None)))
    assert [replace(there, chains=(), findings=()), *map(str, there.findings)] == [
        replace(here, chains=(), findings=()),
        *map(str, here.findings),
    ]
    steps = [[[step.subject for step in chain.steps] for chain in each.chains] for each in (there, here)]
    assert steps[0] == steps[1]
    assert bool(steps[0]) is (why and expression == "::a")


def test_python_of_a_query_that_ends_its_process_is_a_finding(tmp_path: Path, workers: WorkerPool) -> None:
    path = _template(tmp_path)
    expression = "{eval: {python: 'code.py#ends'}}"
    asked = QueryRequest(path=path, expression=expression, evaluation=request(workers))
    assert [finding.code for finding in query_path(asked).findings] == ["E920"]
    evaluation = evaluate(path, None)
    assert [finding.code for finding in query_evaluation(evaluation, asked).findings] == ["E920"]


def test_a_graph_alone_is_asked_in_a_worker_too(tmp_path: Path, workers: WorkerPool) -> None:
    graph = evaluate(_template(tmp_path), None).graph
    asked = QueryRequest(path=Path(), expression="{eval: {python: os.getpid}}", evaluation=request(workers))
    answer = query_graph(graph, asked)
    assert [finding.code for finding in answer.findings] == ["EXPR:E015"]  # it takes no arguments
    assert query_graph(graph, replace(asked, expression="::a::.name")).values == ("a",)
