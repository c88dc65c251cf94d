"""YAQL: parsing, a query over many items, a short expression run many times, against the `yaql` library."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.runner.workload import Workload

__all__ = ["WORKLOADS"]

QUERY = "$.items.where($.price > 10).select($.name)"
CHAIN = "$.a.b.c + 1"


def expressions(count: int) -> Iterator[str]:
    """Texts of six shapes, all different."""
    for number in range(0, count, 6):
        yield f"$.a{number}.b.c + {number}"
        yield f"$.items{number}.where($.price > {number}).select($.name)"
        yield f"concat('x{number}', str($n)) + 'tail'"
        yield f"$x{number} > {number} and not ($y = null or $z in [1, 2, {number}])"
        yield f"{{a => {number}, b => [$p, $q{number}], c => switch($r => one, true => two)}}"
        yield f"$this.method{number}(1, $arg, named => {number})"


def generate_texts(size: int, folder: Path) -> None:
    texts = list(expressions(size))[:size]
    (folder / "input.json").write_text(json.dumps(texts), encoding="utf-8")


def generate_items(size: int, folder: Path) -> None:
    items = [{"name": f"item-{number}", "price": number % 40} for number in range(size)]
    (folder / "input.json").write_text(json.dumps({"items": items}), encoding="utf-8")


def generate_chain(size: int, folder: Path) -> None:
    (folder / "input.json").write_text(json.dumps({"a": {"b": {"c": size}}}), encoding="utf-8")


def _read(folder: str) -> Any:
    return json.loads(Path(folder, "input.json").read_text(encoding="utf-8"))


def parse_all(folder: str, size: int) -> Callable[[], object]:
    """Each text is checked in full; its tree is built when it is looked at (`parse_trees` times that too)."""
    from sabir.expressions.yaql import parse

    texts = _read(folder)
    return lambda: len([parse(text) for text in texts])


def parse_trees(folder: str, size: int) -> Callable[[], object]:
    from sabir.expressions.yaql.parser import parse_tree

    texts = _read(folder)
    return lambda: len([parse_tree(text) for text in texts])


def query(folder: str, size: int) -> Callable[[], object]:
    from sabir.expressions.yaql import Engine, Options

    data = _read(folder)
    compiled = Engine(options=Options(limit_iterators=-1, memory_quota=-1)).compile(QUERY)
    return lambda: len(compiled({"$": data}))


def chain(folder: str, size: int) -> Callable[[], object]:
    from sabir.expressions.yaql import Engine

    data = _read(folder)
    compiled = Engine().compile(CHAIN)
    return lambda: sum([compiled({"$": data}) for _ in range(size)])


def start(folder: str, size: int) -> Callable[[], object]:
    """Import and one evaluation, in a process that has loaded nothing of it."""

    def run() -> object:
        from sabir.expressions.yaql import evaluate

        return evaluate("$.a.b.c - $.a.b.c", _read(folder))

    return run


WORKLOADS = (
    Workload(
        name="yaql-parse",
        about="YAQL: parse distinct expressions",
        sizes=(10_000,),
        generate=generate_texts,
        sabir="benchmarks.yaql:parse_all",
        peer="yaql_peer.py:parse_all",
    ),
    Workload(
        name="yaql-parse-trees",
        about="YAQL: parse distinct expressions and build all their trees",
        sizes=(10_000,),
        generate=generate_texts,
        sabir="benchmarks.yaql:parse_trees",
        peer="yaql_peer.py:parse_all",
    ),
    Workload(
        name="yaql-query",
        about=f"YAQL: {QUERY} over so many items",
        sizes=(10_000,),
        generate=generate_items,
        sabir="benchmarks.yaql:query",
        peer="yaql_peer.py:query",
    ),
    Workload(
        name="yaql-chain",
        about=f"YAQL: {CHAIN}, parsed once, so many times",
        sizes=(5_000,),
        generate=generate_chain,
        sabir="benchmarks.yaql:chain",
        peer="yaql_peer.py:chain",
    ),
    Workload(
        name="yaql-start",
        about="YAQL: import and first evaluation",
        sizes=(1,),
        generate=generate_chain,
        sabir="benchmarks.yaql:start",
        peer="yaql_peer.py:start",
    ),
)
