"""`python -m tests.hostile.parallel [RUNS]`: a method whose `Parallel` calls itself twenty times, run after run: a finding each time, no crash."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

from tests.languages.muranopl.evaluate.test_parallel import ENDLESS
from tests.languages.muranopl.packages import files

_ROOMS: Final = ("unlimited", "4000000", "1000000")
"""Kilobytes of address space: threads that could not be had crashed at their start."""


def main(runs: int) -> int:
    """0: every run ended with the finding."""
    ends: Counter[tuple[str, int, bool]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files(ENDLESS + "  .init:\n    Body: $.go()\n").items():
            file = Path(folder, name)
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        for number in range(runs):
            room = _ROOMS[number % len(_ROOMS)]
            command = f"ulimit -v {room}; exec {sys.executable} -m sabir compile {folder}"
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
            ends[room, done.returncode, "MRUN:E028" in done.stderr] += 1
    for (room, status, is_told), count in sorted(ends.items()):
        print(f"address space {room}: status {status}, {'told' if is_told else 'NOT TOLD'}: {count} runs")
    return 0 if all(status == 1 and is_told for _, status, is_told in ends) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
