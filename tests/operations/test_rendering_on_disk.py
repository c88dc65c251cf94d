"""Rendered files arrive together, or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from sabir.errors import UsageError
from sabir.operations.render import RenderResult, write_rendering

FILES = {f"folder/{number}.yaml": f"n: {number}\n" for number in range(17)}


def test_all_files_are_there_and_nothing_else(tmp_path: Path) -> None:
    written = write_rendering(RenderResult(files=FILES), tmp_path / "out")
    assert sorted(path for path in (tmp_path / "out").rglob("*") if path.is_file()) == sorted(written)
    assert (tmp_path / "out/folder/16.yaml").read_text() == "n: 16\n"


def fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for three files."""
    written: list[Path] = []
    real = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if len(written) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path)
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)


@pytest.mark.parametrize("is_there", [False, True])
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool) -> None:
    out = tmp_path / "out"
    if is_there:
        out.mkdir()
        (out / "mine").write_text("mine")
    fill_the_disk(monkeypatch)
    with pytest.raises(UsageError, match="No space left"):
        write_rendering(RenderResult(files=FILES), out)
    assert [path.name for path in tmp_path.rglob("*")] == (["out", "mine"] if is_there else [])


def test_what_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/1.yaml").write_text("old")
    (tmp_path / "folder/mine").write_text("mine")
    write_rendering(RenderResult(files=FILES), tmp_path)
    assert (tmp_path / "folder/1.yaml").read_text() == "n: 1\n"
    assert (tmp_path / "folder/mine").read_text() == "mine"
    assert len(list(tmp_path.rglob("*"))) == 19


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/../../x"])
def test_no_name_leads_out(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        write_rendering(RenderResult(files={name: "x"}), tmp_path / "out")
    assert not list(tmp_path.rglob("*"))
