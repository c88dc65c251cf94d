"""Every attack of the table ends as it says, within its bounds, under the limits for strangers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.hostile.attack import CANARY, Attack
from tests.hostile.attacks import ATTACKS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is asked of Linux"),
]

# Python's own words and addresses of objects have no place in what people read.
NEVER = (
    CANARY,
    "Traceback",
    "a fault of sabir",
    "<script>alert",
    " object at 0x",
    "unhashable",
    "too large to convert",
    "object is not",
    "NoneType",
)


# What the kernel counts for a child also holds what its parent had before: the process tells its own most, in kilobytes.
PROGRAM = """
import sys
from pathlib import Path
from sabir.cli.main import main
try:
    status = main(sys.argv[2:])
finally:
    lines = Path("/proc/self/status").read_text().splitlines()
    Path(sys.argv[1]).write_text(next(line.split()[1] for line in lines if line.startswith("VmHWM:")))
sys.exit(status)
"""


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.door}: {attack.attack}")
def test_it_ends_within_bounds(attack: Attack, tmp_path: Path) -> None:
    profile = ("--limits", "strict") if attack.is_limited else ()
    status, output, seconds, megabytes = attempt(attack, profile, tmp_path)
    assert status == attack.ends, output[-2000:]
    assert attack.says in output
    assert seconds <= attack.cpu
    assert megabytes <= attack.megabytes


def attempt(attack: Attack, profile: tuple[str, ...], folder: Path) -> tuple[int, str, float, float]:
    """How it ended, what it said and what it cost; whatever the limits, it does no harm."""
    project = folder / "project"
    for name, content in attack.files().items():
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    for name, target in attack.links:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).symlink_to(target)
    (folder / "secret.yaml").write_text(f"{CANARY}: {CANARY}\n: [\n", encoding="utf-8")
    words = [word.replace("PATH", str(project)) for word in attack.words]
    status, output, seconds, megabytes = run([*words, *profile], folder)
    for words_never_said in NEVER:
        assert words_never_said not in output
    assert not list(folder.rglob("RAN"))
    return status, output, seconds, megabytes


def run(
    words: list[str], folder: Path, variables: Mapping[str, str] | None = None
) -> tuple[int, str, float, float]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
        "CANARY": CANARY,
        "HOME": str(folder),
        "SABIR_DEBUG": "1",
        "SABIR_CACHE_DIR": str(folder / "cache"),
        **(variables or {}),
    }
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder / "most"), *words],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    text = (folder / "output").read_text(encoding="utf-8", errors="replace")
    megabytes = int((folder / "most").read_text()) / 1024
    return process.returncode, text, usage.ru_utime + usage.ru_stime, megabytes
