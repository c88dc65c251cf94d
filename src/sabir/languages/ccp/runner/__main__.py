"""`python -m sabir.languages.ccp.runner ACTION NAME`; in a container `python3 /etc/ccp/runner/ccp_runner ACTION NAME`."""

from __future__ import annotations

import importlib
import os
import sys

if __package__:
    main = importlib.import_module(".program", __package__).main
else:
    # Started as a folder: make the folder above importable, so that the modules find each other.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[0] = os.path.dirname(here)
    main = importlib.import_module(os.path.basename(here) + ".program").main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
