"""A few states that somebody tampered with; `python -m tests.hostile.tampering` tries them all."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest

from tests.hostile.tampering import Tampered

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is asked of Linux"),
]


def test_no_command_does_harm(tmp_path: Path) -> None:
    harms = [harm for harm in islice(Tampered(tmp_path).harm(random.Random(7)), 25) if harm]
    assert harms == []
