"""The command `python -m sabir.languages.ccp.runner ACTION NAME`; the archive has its own entry point."""

from __future__ import annotations

import sys

from .program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
