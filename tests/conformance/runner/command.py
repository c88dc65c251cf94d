"""`python -m tests.conformance LANGUAGE [DIR …] [--json FILE] [-k ID] [--update-open]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.loading import CaseFileError
from tests.conformance.runner.open_cases import remove_open
from tests.conformance.runner.report import as_json, failure_text
from tests.conformance.runner.suites import SUITES, judge, load

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """0: all passed; 1: some failed; 2: nothing could be run."""
    arguments = _parser().parse_args(argv)
    try:
        cases = _chosen(arguments)
    except CaseFileError as error:
        print(error, file=sys.stderr)
        return 2
    if not cases:
        print(f"no cases of {arguments.language} found", file=sys.stderr)
        return 2
    outcomes = [(case, _run(case)) for case in cases]
    if arguments.json:
        arguments.json.write_text(as_json(outcomes), encoding="utf-8")
    if arguments.update_open:
        removed = remove_open(case.name for case, verdict in outcomes if verdict.passed)
        print(f"{removed} lines removed from open.txt")
    passed = sum(verdict.passed for _, verdict in outcomes)
    skipped = sum(verdict.skipped is not None for _, verdict in outcomes)
    failed = len(outcomes) - passed - skipped
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance", description="Run the conformance cases of a language."
    )
    parser.add_argument("language", choices=sorted(SUITES))
    parser.add_argument(
        "directory", nargs="*", type=Path, help="folders of the same layout; default: the project's cases"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the outcome of every case here")
    parser.add_argument("-k", metavar="ID", dest="only", help="only the cases whose id contains this text")
    parser.add_argument(
        "--update-open", action="store_true", help="delete the lines of passing cases from open.txt"
    )
    return parser


def _chosen(arguments: argparse.Namespace) -> list[Case]:
    for folder in arguments.directory:
        if not folder.is_dir():
            raise CaseFileError(f"{folder}: no such folder")
    cases = load(arguments.language, tuple(arguments.directory))
    return [case for case in cases if arguments.only is None or arguments.only in case.id]


def _run(case: Case) -> Verdict:
    verdict = judge(case)
    if verdict.skipped is not None:
        print(f"skipped {case.name}: {verdict.skipped}")
    elif not verdict.passed:
        print(failure_text(case, verdict) + "\n")
    return verdict
