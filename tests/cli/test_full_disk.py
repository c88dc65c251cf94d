"""A disk that is full in the middle: an error in words, nothing half-written, and afterwards everything goes on."""

from __future__ import annotations

import resource
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
ENVIRONMENT = "name: demo\nparts:\n  f: {path: resources.yaml}\n"
RESOURCES = "sabir: resources/1\nresources:\n" + "".join(
    f"  r{number}: {{kind: file, fields: {{path: p{number}, content: x}}}}\n" for number in range(20)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sabir.yaml").write_text(ENVIRONMENT)
    (tmp_path / "resources.yaml").write_text(RESOURCES)
    return tmp_path


def _sabir(folder: Path, *words: str, most: int | None = None) -> tuple[int, str]:
    """A command whose files may have so many bytes: what a full disk is like, without one."""

    def fill() -> None:
        if most is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    ended = subprocess.run(
        [sys.executable, "-B", "-m", "sabir", *words],
        cwd=folder,
        env={
            "HOME": str(folder),
            "PATH": "/usr/bin:/bin",
            "SABIR_CACHE_DIR": str(folder / "cache"),
            "SABIR_DEBUG": "1",
        },
        preexec_fn=fill,  # the tests have no threads here
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [0, 4, 16, 64, 90, 110, 130])
def test_a_deployment_goes_on_when_there_is_room(kilobytes: int, folder: Path) -> None:
    status, said = _sabir(folder, "deploy", ".", "--yes", most=kilobytes << 10)
    assert status in (0, 1), said
    assert "Traceback" not in said
    status, said = _sabir(folder, "deploy", ".", "--yes")
    assert status == 0, said
    assert _sabir(folder, "plan", ".")[0] == 0
    assert len(list((folder / ".sabir" / "world").iterdir())) == 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("plan", ".", "-o", "out"),
        ("compile", ".", "-o", "out"),
        ("compile", ".", "--format", "html", "-o", "out"),
        ("trust", ".", "--trust", "scripts"),
        ("check", ".", "--update-baseline", "--baseline", "out"),
    ],
    ids=lambda words: " ".join(words[:1]),
)
def test_nothing_is_half_written(words: tuple[str, ...], folder: Path) -> None:
    (folder / "out").write_text("what was there before\n")
    before = sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    status, said = _sabir(folder, *words, most=10)
    assert status in (1, 2), said
    assert "Traceback" not in said
    assert (folder / "out").read_text() == "what was there before\n"
    files = sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    assert [file for file in files if file.parts[0] != "cache"] == before


WRITERS = (
    f"render {EXAMPLES}/ccp/shop --to kubernetes -o out/",
    f"render {EXAMPLES}/tosca/guestbook --to csar -o x.csar",
    f"export {EXAMPLES}/inmanta/web -o out/",
    f"export {EXAMPLES}/inmanta/web -o x.json",
    f"compile {EXAMPLES}/shop --format html -o x.html",
    "new inmanta shop",
    "new muranopl shop",
    "check broken --fix --unsafe-fixes -q",
    "plan d -o x.plan",
)
# In a room of its own a disk of 96 kB: what is there stays, the rest of it is filled but for some pages; then the command.
ROOM = """
mount -t tmpfs -o size=96k none {room} || exit 99
cp -r {files}/. {room} && cd {room} || exit 98
left=$(df --output=avail -k . | tail -1)
dd if=/dev/zero of={room}/filler bs=1k count=$((left - {free} * 4)) 2> /dev/null
{command}; status=$?
rm filler; cp -r . {result}; exit $status
"""


def _is_allowed() -> bool:
    if shutil.which("unshare") is None:
        return False
    return (
        subprocess.run(
            ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
        ).returncode
        == 0
    )


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("words", WRITERS)
@pytest.mark.parametrize("free", [0, 1])
def test_a_disk_that_is_full(words: str, free: int, tmp_path: Path) -> None:
    """All or nothing: with room the whole of it, without room what was there before."""
    if not _is_allowed():
        pytest.skip("nobody may mount a disk here")
    files, room, result = (tmp_path / name for name in ("files", "room", "result"))
    room.mkdir()
    result.mkdir()
    shutil.copytree(EXAMPLES / "murano" / "broken", files / "broken")
    (files / "d").mkdir()
    (files / "d" / "sabir.yaml").write_text(ENVIRONMENT)
    (files / "d" / "resources.yaml").write_text(RESOURCES)
    command = shlex.join([sys.executable, "-B", "-m", "sabir", *words.split()])
    script = ROOM.format(room=room, files=files, free=free, command=command, result=result)
    environment = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
        "SABIR_CACHE_DIR": str(tmp_path / "cache"),
        "SABIR_DEBUG": "1",
    }
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    before, after = _contents(files), _contents(result)
    assert done.returncode in (0, 1, 2, 3), done.stderr
    assert "Traceback" not in done.stderr
    if done.returncode == 2:
        assert "No space left on device" in done.stderr
        assert after == before
    assert not [name for name in after if Path(name).name.startswith(".")]
    assert set(after) >= set(before)
    assert all(after.values()), "no empty file, which a writer leaves that has no room"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("compile", "."), ("state", "export", "."), ("check", ".", "--format", "json")]
)
def test_output_that_goes_to_a_full_disk(words: tuple[str, ...], folder: Path) -> None:
    """The shell has opened the file; what can be done is to say that it is not whole."""
    assert _sabir(folder, "deploy", ".", "--yes")[0] == 0
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    with full.open("w") as output:
        done = subprocess.run(
            [sys.executable, "-B", "-m", "sabir", *words],
            cwd=folder,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "the output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
