"""MuranoPL: loops, calls, models in and out, the start. Its existing engine is retired; docs/benchmarks.md has its costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.runner.workload import Measure, Workload

__all__ = ["WORKLOADS"]

LOOPS = """
Namespaces: {=: bench}
Name: Loops
Methods:
  whileLoop:
    Arguments:
      - n: {Contract: $.int().notNull()}
    Body:
      - $i: 0
      - $s: 0
      - While: $i < $n
        Do:
          - $s: $s + $i
          - $i: $i + 1
      - Return: $s
  repeatLoop:
    Arguments:
      - n: {Contract: $.int().notNull()}
    Body:
      - $s: 0
      - Repeat: $n
        Do:
          - $s: $s + 1
      - Return: $s
"""
PING = """
Namespaces: {=: bench}
Name: Ping
Properties:
  pong: {Contract: $.class(Pong).notNull()}
Methods:
  run:
    Arguments:
      - n: {Contract: $.int().notNull()}
    Body:
      - $i: 0
      - While: $i < $n
        Do:
          - $i: $.pong.hit($i)
      - Return: $i
---
Name: Pong
Properties:
  hits: {Contract: $.int(), Usage: InOut, Default: 0}
Methods:
  hit:
    Arguments:
      - i: {Contract: $.int().notNull()}
    Body:
      - $.hits: $.hits + 1
      - Return: $i + 1
"""
TREE = """
Namespaces: {=: bench}
Name: Farm
Properties:
  name: {Contract: $.string().notNull()}
  nodes:
    Contract: [$.class(Node).notNull()]
---
Name: Node
Properties:
  name: {Contract: $.string().notNull()}
  port: {Contract: $.int().notNull().check($ > 0 and $ < 65536)}
  enabled: {Contract: $.bool().notNull(), Default: true}
  tags:
    Contract: [$.string().notNull()]
  labels:
    Contract:
      $.string().notNull(): $.string().notNull()
  next: {Contract: $.class(Node)}
  status: {Contract: $.string(), Usage: Out}
"""


def generate(size: int, folder: Path) -> None:
    """Nothing: classes and models are made in memory."""


def session(classes: str, model: dict[str, Any]) -> Any:
    from sabir.languages.muranopl.evaluate.packages import MuranoPackage
    from sabir.languages.muranopl.evaluate.runtime import Runtime
    from sabir.languages.muranopl.evaluate.session import MuranoRun
    from sabir.languages.muranopl.syntax.classes import read_class_file
    from sabir.languages.muranopl.syntax.manifest import Manifest
    from sabir.source.packages import MemoryPackage
    from sabir.source.yaml import compose
    from sabir.text import Source

    package = MuranoPackage(Manifest(name="bench", format="1.4"), MemoryPackage({}))
    for node in read_class_file(compose(Source("bench.yaml", classes))).classes:
        package.add(node)
    made = MuranoRun(Runtime([package]))
    made.load(model)
    return made


def tree_model(size: int) -> dict[str, Any]:
    """One farm with nodes of seven properties, each with a reference to the next one, which is still to come."""
    count = max(1, size - 1)
    nodes = [
        {
            "?": {"id": f"n{i}", "type": "bench.Node"},
            "name": f"node-{i}",
            "port": str(1000 + i % 60_000),
            "tags": ["a", "b", "c"],
            "labels": {"zone": f"z{i % 7}", "rack": f"r{i % 31}"},
            "next": f"n{(i + 1) % count}",
        }
        for i in range(count)
    ]
    return {"?": {"id": "farm", "type": "bench.Farm"}, "name": "farm", "nodes": nodes}


def _called(classes: str, model: dict[str, Any], method: str, size: int) -> Callable[[], Any]:
    made = session(classes, model)
    return lambda: made.call(made.runtime.root, method, [size])


def while_loop(_folder: str, size: int) -> Callable[[], Any]:
    return _called(LOOPS, {"?": {"id": "r", "type": "bench.Loops"}}, "whileLoop", size)


def repeat_loop(_folder: str, size: int) -> Callable[[], Any]:
    return _called(LOOPS, {"?": {"id": "r", "type": "bench.Loops"}}, "repeatLoop", size)


def calls(_folder: str, size: int) -> Callable[[], Any]:
    pong = {"?": {"id": "p", "type": "bench.Pong"}}
    return _called(PING, {"?": {"id": "r", "type": "bench.Ping"}, "pong": pong}, "run", size)


def load(_folder: str, size: int) -> Callable[[], Any]:
    model = tree_model(size)
    session(TREE, tree_model(2))  # modules are loaded now, not while the clock runs
    return lambda: len(session(TREE, model).runtime.store)


def write(_folder: str, size: int) -> Callable[[], Any]:
    made = session(TREE, tree_model(size))
    return lambda: len(made.dump()["nodes"])


def generate_package(_size: int, folder: Path) -> None:
    (folder / "Classes").mkdir(exist_ok=True)
    (folder / "manifest.yaml").write_text(
        "Format: MuranoPL/1.4\nType: Library\nFullName: bench\nClasses:\n  bench.Loops: Loops.yaml\n"
    )
    (folder / "Classes" / "Loops.yaml").write_text(LOOPS)
    (folder / "model.yaml").write_text("'?': {id: r, type: bench.Loops}\n")


def start(folder: str, size: int) -> Callable[[], Any]:
    def run() -> Any:
        from sabir.languages.language import EvaluationRequest
        from sabir.languages.muranopl.evaluate.preparation import prepare_run
        from sabir.source.packages import load_package

        made = prepare_run(load_package(Path(folder)), EvaluationRequest()).session
        assert made is not None
        assert made.runtime.root is not None
        return made.call(made.runtime.root, "whileLoop", [size])

    return run


def _workload(name: str, about: str, sizes: tuple[int, ...]) -> Workload:
    function = name.replace("-", "_")
    return Workload(
        name=f"muranopl-{name}",
        about=about,
        sizes=sizes,
        generate=generate,
        sabir=f"benchmarks.muranopl:{function}",
    )


WORKLOADS = (
    _workload("while-loop", "rounds of a While loop: two assignments and a comparison", (100_000,)),
    _workload("repeat-loop", "rounds of a Repeat loop: one assignment", (100_000,)),
    _workload("calls", "calls of a method of another object: contract, property update, return", (20_000,)),
    _workload(
        "load", "objects of a model loaded, with contracts and forward references", (2_000, 20_000, 200_000)
    ),
    _workload("write", "objects written back as a model", (2_000, 20_000)),
    Workload(
        name="muranopl-start",
        about="from the start of the process to the first statement of a small package",
        sizes=(1,),
        generate=generate_package,
        sabir="benchmarks.muranopl:start",
        measure=Measure.PROCESS,
    ),
)
