"""Whatever a server answers, the command ends in time and in words, and nobody else is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.answers.attempt import attempt
from tests.hostile.answers.rows import ANSWER_ATTACKS, AnswerAttack
from tests.hostile.test_attacks import NEVER

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is asked of Linux"),
]


@pytest.mark.parametrize("row", ANSWER_ATTACKS, ids=lambda row: f"{row.door.name}, {row.at}: {row.attack}")
def test_it_ends_within_bounds(row: AnswerAttack, tmp_path: Path) -> None:
    ended = attempt(row.door, row.lie, row.lies_at, tmp_path)
    assert ended.status == row.ends, ended.output[-2000:]
    assert row.says in ended.output
    assert [words for words in (*NEVER, "a-token", "Error:", "Exception") if words in ended.output] == []
    assert ended.elsewhere == ()
    assert ended.seconds <= row.seconds
    assert ended.cpu <= row.cpu
    assert ended.megabytes <= row.megabytes
