"""The TOSCA 2.0 conformance files of OASIS, run on sabir: each must be accepted or refused.

    SABIR_TEST_CORPORA=/path/to/corpora python -m tests.corpora.oasis_tosca [-v] [TEXT …]

The corpus is foreign material and no part of the project: it is found by the environment variable. A file is refused when
`sabir check FILE` reports an error. `DECIDED` lists what is meant to be otherwise here, and why.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from sabir.checks.options import CheckOptions
from sabir.diagnostics.finding import Finding, Severity
from sabir.operations.check import check_paths

__all__ = ["DECIDED", "errors_of", "suite_folder", "verdicts"]

_VARIABLE: Final = "SABIR_TEST_CORPORA"

DECIDED: Final[Mapping[str, str]] = {
    "scalar/scalar-invalid-prefixes-with-multiple-units.yaml": "time/s70.yaml, which must be accepted, has prefixes and two units",
}


def suite_folder() -> Path | None:
    """Where the corpus lies, when it is there."""
    root = os.environ.get(_VARIABLE)
    folder = Path(root) / "oasis-tosca-2.0" if root else None
    return folder if folder is not None and (folder / "verdicts.json").is_file() else None


def verdicts(folder: Path, words: list[str]) -> Iterator[tuple[str, bool]]:
    """The files (those with one of the words in their names) and whether they must be accepted."""
    table: dict[str, str] = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
    for name, verdict in table.items():
        if not words or any(word in name for word in words):
            yield name, verdict == "accept"


def errors_of(path: Path) -> list[Finding]:
    findings = (finding for _, finding in check_paths([path], CheckOptions()).report.findings())
    return [finding for finding in findings if finding.severity is Severity.ERROR]


def main(arguments: list[str]) -> int:
    folder = suite_folder()
    if folder is None:
        print(f"{_VARIABLE} names no folder with oasis-tosca-2.0/verdicts.json", file=sys.stderr)
        return 2
    right = {True: 0, False: 0}
    wrong = {True: 0, False: 0}
    for name, accept in verdicts(folder, [word for word in arguments if word != "-v"]):
        errors = errors_of(folder / name)
        if accept is not bool(errors):
            right[accept] += 1
            continue
        wrong[accept] += 1
        print(f"{'accept' if accept else 'refuse'} {name}" + (" (decided)" if name in DECIDED else ""))
        for error in errors if "-v" in arguments else ():
            print(f"    {error.location} {error.code} {error.message}")
    print(
        f"accept: {right[True]} right, {wrong[True]} wrong; refuse: {right[False]} right, {wrong[False]} wrong"
    )
    return 1 if wrong[True] or wrong[False] > len(DECIDED) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
