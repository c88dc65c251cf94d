"""The table of attacks as the docs show it: `python -m tests.hostile.page` writes it anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.hostile.answers.rows import ANSWER_ATTACKS
from tests.hostile.attack import Attack
from tests.hostile.attacks import ATTACKS

__all__ = ["PAGE", "page_text"]

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "safety.md"
_ENDS: Final = {0: "done", 1: "an error", 2: "refused", 3: "a plan"}


def page_text(text: str) -> str:
    """The page with the tables as they are now."""
    attacks = "".join(map(_row, ATTACKS))
    text = _replaced(
        text,
        "attacks",
        f"| attack | door | ends | says | CPU, memory at most |\n|---|---|---|---|---|\n{attacks}",
    )
    answers = "".join(_answer_rows())
    return _replaced(
        text,
        "answers",
        f"| it answers with | to | ends | says | time, CPU, memory at most |\n|---|---|---|---|---|\n{answers}",
    )


def _replaced(text: str, name: str, table: str) -> str:
    mark = f"<!-- {name} -->\n"
    head, _, rest = text.partition(mark)
    _, _, tail = rest.partition(mark)
    return f"{head}{mark}{table}{mark}{tail}"


def _answer_rows() -> Iterator[str]:
    """Doors where the same lie ends alike share a row."""
    doors: dict[str, list[str]] = {}
    for row in ANSWER_ATTACKS:
        says = f"`{row.says}`" if row.says else ""
        bounds = f"{row.seconds:g} s, {row.cpu:g} s, {row.megabytes} MB"
        line = f"| {row.attack} | DOORS | {_ENDS[row.ends]} | {says} | {bounds} |\n"
        doors.setdefault(line, []).append(f"{row.door.name}, {row.at}")
    return (line.replace("DOORS", "; ".join(named)) for line, named in doors.items())


def _row(attack: Attack) -> str:
    bounds = f"{attack.cpu:g} s, {attack.megabytes} MB"
    says = f"`{attack.says}`" if attack.says else ""
    return f"| {attack.attack} | {attack.door} | {_ENDS[attack.ends]} | {says} | {bounds} |\n"


if __name__ == "__main__":
    PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
