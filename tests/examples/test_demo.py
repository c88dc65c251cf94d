import subprocess
import sys

from tests.docs.pages import ROOT


def test_the_demo_ends_well_wherever_it_is_started(tmp_path: object) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/demo.py")],
        cwd=str(tmp_path),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "did not end as they should" not in done.stdout
