"""Secrets that a command prints: it is ended when it takes too long, and when nobody waits for it any more."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.secrets.local import COMMAND_PROVIDER
from sabir.errors import DeployError
from sabir.resources.driver import DriverContext
from sabir.session import Session, Trust


def _is_there(number: int) -> bool:
    return Path(f"/proc/{number}").exists()


async def _started(folder: Path) -> int:
    while not (folder / "number").exists() or not (folder / "number").read_text():
        await asyncio.sleep(0.01)
    return int((folder / "number").read_text())


def _reading(folder: Path, **settings: Any) -> Any:
    words: Mapping[str, Any] = {"run": ["sh", "-c", "echo $$ > number; exec sleep 60"], **settings}
    return COMMAND_PROVIDER.read(
        words, DriverContext(session=Session(trust=Trust.of(["scripts"])), folder=folder)
    )


def test_stopped(tmp_path: Path) -> None:
    async def stop() -> None:
        reading = asyncio.ensure_future(_reading(tmp_path))
        number = await _started(tmp_path)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert not _is_there(number)

    asyncio.run(stop())


def test_too_long(tmp_path: Path) -> None:
    async def wait() -> None:
        with pytest.raises(DeployError, match="'sh' took too long"):
            await _reading(tmp_path, timeout=0.5)
        assert not _is_there(await _started(tmp_path))

    asyncio.run(wait())
