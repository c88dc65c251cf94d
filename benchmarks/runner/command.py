"""`python -m benchmarks NAME … [--peer-python PATH] [--json FILE] [--repeat N] [--size N …] [--growth N]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from benchmarks.runner.growth import doubling
from benchmarks.runner.measure import BenchmarkError, Measured, measure
from benchmarks.runner.page import write_page
from benchmarks.runner.report import as_json, growth_lines, table
from benchmarks.runner.workload import Workload, find_workloads

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """0: measured; 1: a side failed; 2: no such workload."""
    arguments = _parser().parse_args(argv)
    known = find_workloads()
    if arguments.list or not (arguments.name or arguments.page):
        width = max(map(len, known), default=0)
        for workload in known.values():
            print(f"{workload.name:{width}}  {workload.about}")
        return 0
    for name in arguments.name:
        if name not in known:
            near = get_close_matches(name, known, 1)
            print(
                f"no workload {name!r}" + (f"; did you mean {near[0]!r}?" if near else "; see --list"),
                file=sys.stderr,
            )
            return 2
    if arguments.peer_python and not arguments.peer_python.is_file():
        print(f"{arguments.peer_python}: no such interpreter", file=sys.stderr)
        return 2
    if arguments.page is not None:
        return _page(known, arguments)
    try:
        groups = [_measure(known[name], arguments) for name in arguments.name]
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    if arguments.json:
        figures = as_json(groups, growth=arguments.growth is not None)
        if arguments.json == Path("-"):
            print(figures, end="")
        else:
            arguments.json.write_text(figures, encoding="utf-8")
    return 0


def _page(known: Mapping[str, Workload], arguments: argparse.Namespace) -> int:
    names = arguments.name or known
    try:
        failed = write_page(
            arguments.page,
            (known[name] for name in names),
            peers=arguments.peers,
            repeat=arguments.repeat,
        )
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    return 1 if failed else 0


def _absolute(text: str) -> Path:
    # Runs start in a folder of their own. Links stay: that of a virtual environment is what makes it one.
    return Path(text).absolute()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Time workloads on sabir and on the tools it stands in for."
    )
    parser.add_argument("name", nargs="*", help="workloads; see --list")
    parser.add_argument("--list", action="store_true", help="list the workloads")
    parser.add_argument(
        "--peer-python",
        metavar="PATH",
        type=_absolute,
        help="interpreter that has the existing tool installed",
    )
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help="write all figures here; - prints them after the table"
    )
    parser.add_argument(
        "--page",
        metavar="FILE",
        type=Path,
        help="measure all workloads (or those named) at their first size and write the figures into a page",
    )
    parser.add_argument(
        "--peers",
        metavar="DIR",
        type=_absolute,
        help="with --page: environments of the existing tools, each named after its file in benchmarks/peers",
    )
    parser.add_argument("--repeat", metavar="N", type=int, default=3, help="runs of each side (default 3)")
    parser.add_argument(
        "--size", metavar="N", type=int, nargs="+", help="sizes instead of the workload's own"
    )
    parser.add_argument(
        "--growth", metavar="N", type=int, help="sizes N, 2N, 4N … instead, and the exponent of growth"
    )
    parser.add_argument(
        "--steps", metavar="N", type=int, default=4, help="how many sizes in growth mode (default 4)"
    )
    return parser


def _measure(workload: Workload, arguments: argparse.Namespace) -> list[Measured]:
    sizes = (
        doubling(arguments.growth, arguments.steps) if arguments.growth else arguments.size or workload.sizes
    )
    rows = [
        measure(workload, size, peer_python=arguments.peer_python, repeat=arguments.repeat) for size in sizes
    ]
    print(table(rows))
    if arguments.growth and len(rows) > 1:
        print("\n".join(growth_lines(rows)))
    print()
    return rows
