"""`python -m tests.requirements [--open] [--write-docs]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.requirements.matrix import load_matrix
from tests.requirements.pages import write_pages
from tests.requirements.shown import LAST_RUN, STATE, open_rows, read_shown, summary, write_shown

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.requirements",
        description="Which rows of the requirement matrix a test shows that passed in the last full run of the suite.",
    )
    parser.add_argument("--open", action="store_true", help="list the rows not shown yet")
    parser.add_argument(
        "--write-docs", action="store_true", help="take over the last full run and write the docs pages"
    )
    arguments = parser.parse_args(argv)
    matrix = load_matrix()
    if not LAST_RUN.exists():
        print("no full run of the suite yet (make test); showing the committed state", file=sys.stderr)
    shown = read_shown(LAST_RUN if LAST_RUN.exists() else STATE)
    print("\n".join(summary(matrix, shown)))
    if arguments.open:
        rows = {row.id: row for document in matrix.documents for row in document.rows}
        for document in matrix.documents:
            for name in open_rows(document, shown):
                print(f"{name}  {rows[name].text}")
    if arguments.write_docs:
        write_shown(shown, STATE)
        write_pages(matrix, shown)
    return 0
