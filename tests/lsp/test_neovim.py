"""The server in a real editor."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NEOVIM = shutil.which("nvim")


@pytest.mark.slow
@pytest.mark.skipif(NEOVIM is None, reason="there is no Neovim here: apt-get install neovim")
def test_neovim_shows_the_findings(tmp_path: Path) -> None:
    package = tmp_path / "broken"
    shutil.copytree(EXAMPLES / "murano" / "broken", package)
    run = subprocess.run(
        [
            str(NEOVIM),
            *("--headless", "-u", "NONE", "-i", "NONE", "-n"),
            *(
                str(package / "Classes" / "Greeter.yaml"),
                "-c",
                f"luafile {Path(__file__).parent / 'probe.lua'}",
            ),
        ],
        env={
            **os.environ,
            "HOME": str(tmp_path),
            "SABIR_PYTHON": sys.executable,
            "SABIR_ROOT": str(package),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "6:10 MPL:E110" in run.stderr
