"""A disk that is full in the middle: an error in words, nothing half-written, and afterwards everything goes on."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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
