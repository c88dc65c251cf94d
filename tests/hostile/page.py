"""The table of attacks as the docs show it: `python -m tests.hostile.page` writes it anew."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.hostile.attack import Attack
from tests.hostile.attacks import ATTACKS

__all__ = ["PAGE", "page_text"]

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "safety.md"
_BEGIN: Final = "<!-- attacks -->\n"
_ENDS: Final = {0: "done", 1: "an error", 2: "refused", 3: "a plan"}


def page_text(text: str) -> str:
    """The page with the table as it is now."""
    head, _, rest = text.partition(_BEGIN)
    _, _, tail = rest.partition(_BEGIN)
    rows = "".join(map(_row, ATTACKS))
    return f"{head}{_BEGIN}| attack | door | ends | says | CPU, memory at most |\n|---|---|---|---|---|\n{rows}{_BEGIN}{tail}"


def _row(attack: Attack) -> str:
    bounds = f"{attack.cpu:g} s, {attack.megabytes} MB"
    says = f"`{attack.says}`" if attack.says else ""
    return f"| {attack.attack} | {attack.door} | {_ENDS[attack.ends]} | {says} | {bounds} |\n"


if __name__ == "__main__":
    PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
