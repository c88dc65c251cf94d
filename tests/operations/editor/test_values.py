from __future__ import annotations

import pytest

from sabir.operations.editor.values import LineShift


@pytest.mark.parametrize(
    ("text", "old", "lines"),
    [
        ("a\nb\nc", "a\nb\nc", [1, 2, 3]),
        ("new\na\nb", "a\nb", [None, 1, 2]),
        ("a\nx\nc", "a\nb\nc", [1, None, 3]),
        ("a", "a\nb\nc", [1]),
        ("a\na\na", "a\na", [1, 2, None]),
    ],
)
def test_lines_keep_what_was_evaluated_unless_they_were_touched(
    text: str, old: str, lines: list[int | None]
) -> None:
    shift = LineShift.between(text, old)
    assert [shift.old(line) for line in range(1, text.count("\n") + 2)] == lines
