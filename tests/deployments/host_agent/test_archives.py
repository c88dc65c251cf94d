"""Archives of strangers: nothing leads out, nothing fills the disk, and what is broken is said."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from sabir.deployments.host_agent.archives import Archive
from sabir.deployments.host_agent.root import HostAgentError, HostRoot


def zipped(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name or zipfile.ZipInfo(""), content)
    return stream.getvalue()


def linked() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "../../.."
        archive.addfile(link)
    return stream.getvalue()


def bombed() -> bytes:
    """70 MB of nothing in some 70 kB, as a tar."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for number in range(7):
            member = tarfile.TarInfo(str(number))
            member.size = 10 << 20
            archive.addfile(member, io.BytesIO(bytes(10 << 20)))
    return stream.getvalue()


def unpack(data: bytes, folder: Path) -> None:
    task = {"fields": {"path": "out", "content": data}, "action": "create", "operation": "o"}
    Archive().apply(task, HostRoot(str(folder)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped("../../x", b"x"), "leads out of"),
        (zipped("", b"x"), "has no name"),
        (linked(), "neither a file nor a folder"),
        (zipped("big", bytes(70 << 20)), "the archive holds too much"),
        (bombed(), "the archive holds too much"),
        (zipped("a", b"x" * 1000)[:-40], "cannot be read"),
        (b"PK", "cannot be read"),
        (b"", "cannot be read"),
    ],
    # An archive tells the time: its bytes are no name that two runs have in common.
    ids=["outside", "no name", "link", "large", "bomb", "cut short", "head only", "empty"],
)
def test_refused(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(HostAgentError, match=message):
        unpack(data, tmp_path)
    assert sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()) < 70 << 20


def test_unpacked(tmp_path: Path) -> None:
    unpack(zipped("a/b", b"x"), tmp_path)
    assert (tmp_path / "out/a/b").read_bytes() == b"x"
