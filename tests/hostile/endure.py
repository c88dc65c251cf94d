"""`python -m tests.hostile.endure`: the attacks that ask for too much, under the limits for people at work: an end, and no harm."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.hostile.attacks import ATTACKS
from tests.hostile.test_attacks import attempt

_SECONDS: Final = 75.0
"""Of processor time: 60 are allowed, and what stops the work needs a moment."""
_MEGABYTES: Final = 2500


def main() -> int:
    """0: all of them ended within the bounds of the profile `default`."""
    harm = 0
    for attack in ATTACKS:
        if not attack.is_heavy:
            continue
        with tempfile.TemporaryDirectory() as folder:
            status, output, seconds, megabytes = attempt(attack, (), Path(folder))
        is_fine = status in (0, 1, 2) and seconds <= _SECONDS and megabytes <= _MEGABYTES
        harm += not is_fine
        cost = f"{seconds:.1f} s, {megabytes:.0f} MB"
        print(
            f"{'' if is_fine else 'HARM '}{attack.door}: {attack.attack}: status {status}, {cost}", flush=True
        )
        if not is_fine:
            print(output[-2000:])
    return 1 if harm else 0


if __name__ == "__main__":
    sys.exit(main())
