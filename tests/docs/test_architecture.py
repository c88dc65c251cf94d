"""The page on the architecture counts the modules that four requests load: the counts stay near the code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "architecture.md"
INPUTS = ("--input", "subnet=10.0.0.0/24", "--input", "address=10.0.0.5")
REQUESTS = {
    "sabir check examples/murano/hello": (),
    "sabir compile examples/inmanta/web": (),
    "sabir why examples/shop mysql.url": (),
    "sabir query examples/shop/database/service-template.yaml '::mysql::url'": INPUTS,
}
"""As the page writes them, and what it leaves out."""
SLACK = 0.05
"""A module more is no reason to rewrite the page; a room more is."""

COUNT = """
import sys
from sabir.cli.main import main
status = main(sys.argv[1:])
print(status, sum(name.partition('.')[0] == 'sabir' for name in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("request_", REQUESTS)
def test_modules_of_a_request(request_: str) -> None:
    told = re.search(
        rf"^\| `{re.escape(request_)}`.*\| (\d+):", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert told is not None, "the page has no such row"
    words = [word.strip("'") for word in request_.split()[1:]]
    command = [sys.executable, "-c", COUNT, *words, *REQUESTS[request_]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    status, modules = map(int, done.stderr.splitlines()[-1].split())
    assert status == 0, done.stderr
    assert abs(modules - int(told[1])) <= SLACK * modules, f"{modules} modules, the page says {told[1]}"
