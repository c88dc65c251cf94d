"""Links that are put in place of a folder, and taken away again, as fast as can be, while something is read or written there.

What was looked at a moment ago may lead elsewhere now: nothing outside is read, written or taken away.
"""

from __future__ import annotations

import ctypes
import io
import os
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sabir.deployments.host_agent.archives import Archive
from sabir.deployments.host_agent.files import Directory, File, Symlink
from sabir.deployments.host_agent.root import HostAgentError, HostRoot
from sabir.errors import SabirError
from sabir.operations.files import write_folder
from sabir.server.store.files import EnvironmentFiles
from sabir.source.packages.directory import DirectoryLoader
from sabir.source.packages.file_access import read_regular_file
from sabir.source.packages.limits import PackageLimits, PackageReadError
from tests.hostile.attack import CANARY

SECONDS = 1.5
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="two names are exchanged at once by Linux"),
]


@contextmanager
def swapping(inside: Path, outside: Path) -> Generator[None]:
    """`inside` is a folder, then a link to `outside`, then the folder again …; it is never not there."""
    ended = threading.Event()
    link = inside.parent.parent / "link"
    os.symlink(outside, link)

    def swap() -> None:
        while not ended.is_set():
            _exchange(inside, link)
            time.sleep(0)
        if inside.is_symlink():
            _exchange(inside, link)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _exchange(one: Path, other: Path) -> None:
    done = ctypes.CDLL(None).renameat2(-100, bytes(one), -100, bytes(other), 2)  # AT_FDCWD, RENAME_EXCHANGE
    assert done == 0


class World:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.inside = self.root / "sub"
        self.outside = folder / "outside"
        for place in (self.inside, self.outside):
            place.mkdir(parents=True)
            (place / "kept").write_text(CANARY if place is self.outside else "ours")
        (self.outside / "folder").mkdir()
        (self.outside / "folder" / "kept").write_text(CANARY)
        self.before = self.seen()

    def seen(self) -> dict[str, tuple[str, int]]:
        """Everything outside: names, contents, modes."""
        return {
            str(path.relative_to(self.outside)): (
                path.read_text() if path.is_file() else "",
                path.lstat().st_mode,
            )
            for path in self.outside.rglob("*")
        }


def archive() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        packed.writestr("a/b", "x")
    return stream.getvalue()


def _task(**fields: object) -> dict[str, object]:
    return {"fields": fields, "action": "update", "operation": "o", "recorded": None}


def _unpack(world: World, count: int) -> None:
    packed = _task(path="sub/unpacked", content=archive() + b"\0" * count)
    Archive().apply(packed, HostRoot(str(world.root)))
    Archive().delete(packed, HostRoot(str(world.root)))


def _directory(world: World, count: int) -> None:
    made = _task(path="sub/folder", mode="0700" if count % 2 else "0711", force=True)
    Directory().apply(made, HostRoot(str(world.root)))
    if count % 3 == 0:
        Directory().delete(made, HostRoot(str(world.root)))


def _files(world: World, count: int) -> None:
    name = "sub/new" if count % 2 else "sub/kept"
    written = _task(path=name, content=str(count), mode="0600")
    File().apply(written, HostRoot(str(world.root)))
    if name != "sub/kept":
        File().delete(written, HostRoot(str(world.root)))


def _put(world: World, count: int) -> None:
    environment = EnvironmentFiles(world.root)
    environment.put({"sub/put": str(count).encode(), "sub/more/put": b"x"})
    environment.remove("sub/put")


WRITES: dict[str, Callable[[World, int], object]] = {
    "files of a machine": _files,
    "folders of a machine": _directory,
    "links of a machine": lambda world, count: (
        Symlink().apply(_task(path="sub/link", to=str(count)), HostRoot(str(world.root))) and None
    ),
    "archives that are unpacked": _unpack,
    "a folder that is written as a whole": lambda world, count: (
        write_folder(world.root, {"sub/rendered": str(count).encode(), "sub/deep/er": b"x"}) and None
    ),
    "files of an environment of the service": _put,
}


@pytest.mark.parametrize("name", WRITES)
def test_nothing_outside_is_touched(name: str, tmp_path: Path) -> None:
    world = World(tmp_path)
    done = failed = 0
    with swapping(world.inside, world.outside):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                WRITES[name](world, done)
                done += 1
            except (HostAgentError, SabirError, OSError):
                failed += 1
    assert world.seen() == world.before
    assert done, failed


def _machine(world: World) -> str:
    seen = File().read({"path": "sub/kept", "content": ""}, HostRoot(str(world.root)))
    return str(seen["fields"].get("content"))


def _package(world: World) -> str:
    package = DirectoryLoader.try_load(world.root)
    assert package is not None
    files = (package.get_file(name) for name in package.list() if name.endswith("kept"))
    return "".join(file.source.text for file in files if file is not None)


READS: dict[str, Callable[[World], str]] = {
    "files of a machine": _machine,
    "files of a package": _package,
    "a file below a folder": lambda world: read_regular_file(
        world.inside / "kept", PackageLimits(), world.root
    ).decode(),
    "files of an environment of the service": lambda world: (
        EnvironmentFiles(world.root).read("sub/kept") or b""
    ).decode(),
}


@pytest.mark.parametrize("name", READS)
def test_nothing_outside_is_read(name: str, tmp_path: Path) -> None:
    world = World(tmp_path)
    texts = set[str]()
    with swapping(world.inside, world.outside):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            with suppress(HostAgentError, SabirError, PackageReadError, OSError):
                texts.add(READS[name](world))
    assert "ours" in texts
    assert not [text for text in texts if CANARY in text]
