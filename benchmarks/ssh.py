"""Files on another machine: over a real sshd on a loopback port, as whole commands. The peer is ansible-core over the same sshd."""

from __future__ import annotations

import atexit
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

from benchmarks.runner.workload import Workload
from tests.deployments.sshd import sshd, why_not

__all__ = ["WORKLOADS"]


def generate(_size: int, _folder: Path) -> None:
    """Keys and ports are of each run."""


def described(size: int) -> Path:
    """An environment of so many files on a machine that listens now, until this process ends."""
    running = ExitStack()
    atexit.register(running.close)
    server = running.enter_context(sshd(Path(mkdtemp(prefix="sshd-"))))
    folder = Path(mkdtemp())
    (folder / "root").mkdir()
    settings = "".join(f"    {name}: {value}\n" for name, value in server.settings(folder / "root").items())
    (folder / "sabir.yaml").write_text(
        f"name: bench\ntargets:\n  far:\n    driver: ssh\n{settings}"
        "parts: {files: {language: resources, path: files.yaml}}\n"
    )
    files = "".join(
        f"  f{number}: {{kind: file, target: far, fields: {{path: d/{number}, content: text {number}}}}}\n"
        for number in range(size)
    )
    (folder / "files.yaml").write_text("sabir: resources/1\nresources:\n" + files)
    return folder


def _sabir(folder: Path, *words: str) -> int:
    command = [sys.executable, "-m", "sabir.cli", words[0], str(folder), *words[1:], "--quiet"]
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode


def files(_folder: Path, size: int) -> Callable[[], int]:
    """`sabir deploy` of files that are not there yet."""
    folder = described(size)

    def deploy() -> int:
        _sabir(folder, "deploy", "--yes")
        return len([*(folder / "root/d").iterdir()])

    return deploy


def unchanged(_folder: Path, size: int) -> Callable[[], int]:
    """`sabir plan --refresh`: everything is looked at on the machine, and nothing differs."""
    folder = described(size)
    _sabir(folder, "deploy", "--yes")
    return lambda: _sabir(folder, "plan", "--refresh")


_SIZES = (20, 100)

WORKLOADS = (
    Workload(
        name="deploy-files-ssh",
        about="files over ssh, and a play of ansible-core with one task for all of them",
        sizes=_SIZES,
        generate=generate,
        sabir="benchmarks.ssh:files",
        peer="ansible_peer.py:files_over_ssh",
        needs=why_not,
    ),
    Workload(
        name="deploy-unchanged-ssh",
        about="`sabir plan --refresh` over ssh, and the same play again, when nothing differs",
        sizes=_SIZES,
        generate=generate,
        sabir="benchmarks.ssh:unchanged",
        peer="ansible_peer.py:unchanged_over_ssh",
        needs=why_not,
    ),
)
