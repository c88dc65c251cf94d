"""Rendered files arrive together, or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from sabir.errors import UsageError
from sabir.operations import render
from sabir.operations.render import Rendered, write_rendering

FILES = {f"folder/{number}.yaml": f"n: {number}\n" for number in range(17)}


def test_all_files_are_there_and_nothing_else(tmp_path: Path) -> None:
    written = write_rendering(Rendered(files=FILES), tmp_path / "out")
    assert sorted(path for path in (tmp_path / "out").rglob("*") if path.is_file()) == sorted(written)
    assert (tmp_path / "out/folder/16.yaml").read_text() == "n: 16\n"


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []

    def full(path: Path, _: bytes) -> None:
        if len(written) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        path.write_bytes(b"x")
        written.append(path)

    monkeypatch.setattr(render, "write_atomically", full)
    with pytest.raises(UsageError, match="No space left"):
        write_rendering(Rendered(files=FILES), tmp_path)
    assert not list(tmp_path.iterdir())
