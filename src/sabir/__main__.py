"""`python -m sabir` is the command `sabir`."""

import sys

from sabir.cli.main import main

sys.exit(main())
