"""Files that somebody names: a pipe that nobody writes to, a device without an end and a folder are refused, and nobody waits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.files import write_files

FILES = {
    "model/main.cf": "x = 1\n",
    "package/manifest.yaml": "Format: MuranoPL/1.4\nType: Application\nFullName: a.App\nName: a\nDescription: a\nClasses: {a.App: App.yaml}\n",
    "package/Classes/App.yaml": "Name: a.App\n",
    "environment/sabir.yaml": "name: d\nparts: {f: {path: r.yaml}}\n",
    "environment/r.yaml": "sabir: resources/1\nresources: {a: {kind: file, fields: {path: a, content: {sensitive: xyz}}}}\n",
}
WORDS = (
    "check model --baseline FILE",
    "check model --config FILE",
    "check model --rules FILE",
    "check FILE",
    "compile FILE",
    "compile model --input FILE",
    "compile package --model FILE",
    "diff model FILE",
    "model package --cloud FILE",
    "call environment f/a.b --arg FILE",
    "state import environment FILE",
    "adopt environment --murano FILE",
    "plan environment -o out.plan --sign FILE",
    "deploy environment FILE --yes",
    "deploy environment --key-file FILE --yes",
)


@pytest.mark.slow
@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("file", ["pipe", "/dev/zero", "folder/inner"])
def test_it_is_refused(words: str, file: str, tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no such pipes here")
    write_files(tmp_path, FILES)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-m", "sabir", *words.replace("FILE", file).split()],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "SABIR_CACHE_DIR": str(tmp_path / "cache")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode in (1, 2), done.stdout + done.stderr
    assert Path(file).name in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("cannot be read") <= 1


def test_an_open_pipe_of_a_shell_is_read(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    read, write = os.pipe()
    os.write(write, b"x: 5\n")
    os.close(write)
    words = [sys.executable, "-m", "sabir", "query", "model", "::x", "--input", f"/dev/fd/{read}"]
    done = subprocess.run(
        words, cwd=tmp_path, pass_fds=[read], capture_output=True, text=True, timeout=60, check=False
    )
    os.close(read)
    assert "cannot be read" not in done.stderr
