"""A command that asks a server which lies: how it ended, what it said, what it cost, and who else was asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from tests.hostile.answers.doors import Door
from tests.hostile.answers.liar import Asked, Lie, lying
from tests.hostile.test_attacks import run

__all__ = ["Ended", "attempt"]


class Ended(Struct, frozen=True, kw_only=True):
    status: int
    output: str
    seconds: float
    cpu: float
    megabytes: float
    elsewhere: tuple[str, ...]
    """What was asked of a server that must never be asked."""


def attempt(door: Door, lie: Lie, at: Callable[[Asked], bool], folder: Path) -> Ended:
    asked_elsewhere: list[str] = []

    def elsewhere(asked: Asked) -> tuple[int, dict[str, str], Mapping[str, str]]:
        asked_elsewhere.append(f"{asked.method} {asked.path}")
        return 200, {}, {}

    def never(_: Asked) -> bool:
        return False

    with lying(elsewhere, lie, never, "") as other, lying(door.truth, lie, at, other) as url:
        project = folder / "project"
        project.mkdir()
        for name, text in door.files.items():
            (project / name).write_text(text.replace("URL", url), encoding="utf-8")
        words = [word.replace("PATH", str(project)) for word in door.words]
        variables = {name: value.replace("URL", url) for name, value in door.variables.items()}
        began = time.monotonic()
        status, output, cpu, megabytes = run(words, folder, variables)
    return Ended(
        status=status,
        output=output,
        seconds=time.monotonic() - began,
        cpu=cpu,
        megabytes=megabytes,
        elsewhere=tuple(asked_elsewhere),
    )
