"""PyYAML with late patterns reads and writes what it reads and writes without."""

from __future__ import annotations

import subprocess
import sys

PLAIN = "import yaml"
LATE = "from sabir.source.yaml.pyyaml import yaml"
WORK = """
import re
values = ["1", "1.5", "yes", "2001-01-01", "<<", "=", "~", "0x1f", "a: b", "\\u2028", 1, 1.5, True, None]
print(yaml.safe_dump(values))
for loader in (yaml.SafeLoader, yaml.CSafeLoader):
    print(yaml.load("[1, 1.5, yes, 2001-01-01, 2001-01-01T10:00:00.5Z, 0x1f, ~, 1:30]", loader))
    try:
        yaml.load("a\\x07b", yaml.SafeLoader)
    except yaml.YAMLError as error:
        print(error)
assert isinstance(re.compile("a"), re.Pattern)
"""


def run(first: str) -> str:
    done = subprocess.run([sys.executable, "-c", first + WORK], capture_output=True, text=True, check=True)
    return done.stdout


def test_late_patterns_are_the_patterns() -> None:
    assert run(LATE) == run(PLAIN)
