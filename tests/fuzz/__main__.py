"""`python -m tests.fuzz NAME [--count N] [--seed N]`: runs `tests.fuzz.NAME`, which has a function `run(count, seed)`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys


def main() -> int:
    """0: nothing found; 1: inputs that broke a rule, each printed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Feed generated inputs to sabir."
    )
    parser.add_argument("name", help="what to fuzz: yaql, …")
    parser.add_argument("--count", type=int, default=10_000, help="how many inputs")
    parser.add_argument(
        "--seed", type=int, default=1, help="start of the random numbers; the same seed, the same inputs"
    )
    arguments = parser.parse_args()
    started = _spent()
    failures: list[str] = importlib.import_module(f"tests.fuzz.{arguments.name}").run(
        arguments.count, arguments.seed
    )
    for failure in failures:
        print(failure)
    seconds = _spent() - started
    print(f"{arguments.count} inputs, {len(failures)} failures, {seconds:.1f} s of CPU")
    return 1 if failures else 0


def _spent() -> float:
    """Processor time of this process and of those it has waited for."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    sys.exit(main())
