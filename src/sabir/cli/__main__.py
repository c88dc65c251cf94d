"""`python -m sabir.cli` is the command `sabir`."""

import sys

from sabir.cli.entry import sabir

sys.exit(sabir())
