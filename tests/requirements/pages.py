"""The docs pages made of the matrix: docs/requirements.md and one page per document and for the decisions."""

from __future__ import annotations

import re
from pathlib import Path

from tests.requirements.matrix import Document, Matrix, Row
from tests.requirements.shown import Shown, partly_rows, shown_count

__all__ = ["DOCS", "pages", "write_pages"]

DOCS = Path(__file__).resolve().parents[2] / "docs"
_NOTE = "<!-- Made by `python -m tests.requirements --write-docs`; change the data in tests/requirements instead. -->"
_TESTS_SHOWN = 3
_NAMED = re.compile(r"\b([MVICUS])-\d{2,3}\b")


def pages(matrix: Matrix, shown: Shown) -> dict[str, str]:
    """Path under docs/ to text."""
    made = {"requirements.md": _overview(matrix, shown), "requirements/S.md": _decisions(matrix, shown)}
    for document in matrix.documents:
        made[f"requirements/{document.prefix}.md"] = _document(document, matrix, shown)
    return made


def write_pages(matrix: Matrix, shown: Shown) -> None:
    for path, text in pages(matrix, shown).items():
        file = DOCS / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _overview(matrix: Matrix, shown: Shown) -> str:
    lines = [
        "# Requirements",
        "",
        _NOTE,
        "",
        "Every statement, table row, example, value and rule of the five documents that sabir implements is a numbered row. A row",
        "counts as shown when a test names it and passed in the last full run of the suite, and as partly shown when that test",
        "shows something smaller than the row says; its page tells what is missing.",
        "",
        "| document | rows | shown | partly |",
        "|---|---|---|---|",
    ]
    total = all_partly = 0
    for document in matrix.documents:
        count = shown_count(document, matrix, shown)
        partly = len(partly_rows(document, matrix, shown))
        total, all_partly = total + count, all_partly + partly
        title = f"[{document.number} {document.title}](requirements/{document.prefix}.md)"
        lines.append(f"| {title} | {len(document.rows)} | {count} | {partly} |")
    rows = sum(len(document.rows) for document in matrix.documents)
    lines.append(f"| all | {rows} | {total} | {all_partly} |")
    lines += [
        "",
        f"The documents contradict themselves or the tools that exist in {len(matrix.decisions)} places;"
        " [what sabir does there](requirements/S.md) is written down too.",
        "",
        "## What the documents only name",
        "",
        "Some rows need something that no document defines. sabir brings a small version of each.",
        "",
        "| what | rows | what sabir brings |",
        "|---|---|---|",
    ]
    lines += [
        f"| {_cell(entry.context)} | {_linked(', '.join(entry.rows), 'requirements/')} | {_cell(entry.brings)} |"
        for entry in matrix.contexts
    ]
    return "\n".join(lines) + "\n"


def _document(document: Document, matrix: Matrix, shown: Shown) -> str:
    count = shown_count(document, matrix, shown)
    partly = len(partly_rows(document, matrix, shown))
    lines = [
        f"# {document.number} {document.title}",
        "",
        _NOTE,
        "",
        f"{count} of {len(document.rows)} rows shown, {partly} partly. [All documents](../requirements.md)",
    ]
    section = ""
    for row in document.rows:
        if row.section != section:
            section = row.section
            lines += [
                "",
                f"## {_cell(section)}",
                "",
                "| row | requirement | how it shows | state |",
                "|---|---|---|---|",
            ]
        lines.append(_row(row, matrix, shown))
    return "\n".join(lines) + "\n"


def _row(row: Row, matrix: Matrix, shown: Shown) -> str:
    state = _state(shown.get(row.id, ()))
    if row.id in matrix.partly and shown.get(row.id):
        state = f"**partly**: {_cell(matrix.partly[row.id])}; {state}"
    mark = f" ({_linked(_cell(row.mark), '')})" if row.mark else ""
    return f"| {_anchor(row.id)} | {_cell(row.text)}{mark} | {_cell(row.show)} | {state} |"


def _state(tests: tuple[str, ...]) -> str:
    if not tests:
        return "open"
    more = f" and {len(tests) - _TESTS_SHOWN} more" if len(tests) > _TESTS_SHOWN else ""
    return "shown by " + ", ".join(f"`{_test_name(test)}`" for test in tests[:_TESTS_SHOWN]) + more


def _test_name(test: str) -> str:
    """A conformance case by its name, any other test by its file and function."""
    case = re.search(r"test_case\[(.*)\]$", test)
    return case[1] if case else test.removeprefix("tests/").replace("|", "\\|")


def _decisions(matrix: Matrix, shown: Shown) -> str:
    lines = [
        "# Slips, contradictions and decisions",
        "",
        _NOTE,
        "",
        "Where a document contradicts itself, leaves something open, or says something else than the existing tool does.",
        "[All documents](../requirements.md)",
        "",
        "| decision | where | the document | the existing tool | what sabir does | rows | state |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in matrix.decisions:
        cells = (one.where, one.document, one.tool, one.decision)
        lines.append(
            f"| {_anchor(one.id)} | {' | '.join(_cell(cell) for cell in cells)} | {_linked(', '.join(one.rows), '')} "
            f"| {_decision_state(one.id, one.rows, shown)} |"
        )
    return "\n".join(lines) + "\n"


def _decision_state(name: str, rows: tuple[str, ...], shown: Shown) -> str:
    if shown.get(name):
        return _state(shown[name])
    count = sum(bool(shown.get(row)) for row in rows)
    return f"{count} of its {len(rows)} rows shown" if rows else "open"


def _anchor(name: str) -> str:
    return f'<a id="{name.lower()}"></a>{name}'


def _linked(text: str, folder: str) -> str:
    """Names of rows and decisions become links to their pages."""
    return _NAMED.sub(lambda found: f"[{found[0]}]({folder}{found[1]}.md#{found[0].lower()})", text)


def _cell(text: str) -> str:
    """Text for a table cell: what looks like a tag must not become one, unless it stands in code already."""
    parts = text.replace("|", "\\|").split("`")
    return "`".join(part if index % 2 else part.replace("<", "&lt;") for index, part in enumerate(parts))
