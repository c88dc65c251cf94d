"""Unfurl expressions: small ones many times, and one over a tree of many instances. The peer is unfurl."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.runner.workload import Workload

if TYPE_CHECKING:
    from tests.expressions.query.plain import PlainResource

__all__ = ["WORKLOADS"]

DATA: dict[str, Any] = {
    "title": "crate",
    "size": {"w": 3, "h": 4},
    "people": [{"name": "a", "age": 31}, {"name": "b", "age": 45}],
}


def generate(size: int, folder: Path) -> None:
    """Nothing: the data is made in memory."""


def _repeated(expression: Any, size: int) -> Callable[[], object]:
    from sabir.expressions.query import evaluate
    from tests.expressions.query.plain import PlainResource

    box = PlainResource("box", DATA)
    return lambda: sum(len(evaluate(expression, box).values) for _ in range(size))


def two_keys(folder: str, size: int) -> Callable[[], object]:
    return _repeated(".::size::w", size)


def filtered(folder: str, size: int) -> Callable[[], object]:
    return _repeated("people::[age=45]::name", size)


def concat(folder: str, size: int) -> Callable[[], object]:
    return _repeated({"concat": [{"eval": ".::title"}, {"eval": ".::size::w"}]}, size)


def template(folder: str, size: int) -> Callable[[], object]:
    from sabir.expressions.query import map_value
    from tests.expressions.query.plain import PlainResource

    box = PlainResource("box", DATA)
    map_value("{{ 1 }}", box)  # Jinja2 is loaded and warm
    return lambda: sum(len(map_value("w={{ SELF.size.w }} {{ 1 + 1 }}", box)) for _ in range(size))


def tree(size: int) -> PlainResource:
    """A root, racks of 99 servers each, `size` instances in all."""
    from tests.expressions.query.plain import PlainResource

    root = PlainResource("root", {"region": "eu"})
    made, number = 1, 0
    for at in range(max(1, size // 100)):
        rack = PlainResource(f"rack{at}", {"slots": at}, parent=root)
        made += 1
        while made < size and len(rack.children) < 99:
            attributes = {"cpu": number % 16, "role": ("web", "db", "mq")[number % 3]}
            PlainResource(f"srv{number}", attributes, parent=rack)
            made += 1
            number += 1
    return root


def over_tree(folder: str, size: int) -> Callable[[], object]:
    from sabir.expressions.query import evaluate

    root = tree(size)
    return lambda: len(evaluate("::*::[role=db]::.name", root).values)


def _small(name: str, about: str, function: str) -> Workload:
    return Workload(
        name=f"query-{name}",
        about=about,
        sizes=(2_000,),
        generate=generate,
        sabir=f"benchmarks.query:{function}",
        peer=f"unfurl_peer.py:{function}",
    )


WORKLOADS = (
    _small("two-keys", "the path .::size::w, so many times", "two_keys"),
    _small("filter", "the path people::[age=45]::name, so many times", "filtered"),
    _small("concat", "concat of two evals, so many times", "concat"),
    _small("template", "a Jinja2 string with two expressions, so many times", "template"),
    Workload(
        name="query-tree",
        about="::*::[role=db]::.name over a tree of so many instances, the first time",
        sizes=(1_000, 2_000),
        generate=generate,
        sabir="benchmarks.query:over_tree",
        peer="unfurl_peer.py:over_tree",
    ),
)
