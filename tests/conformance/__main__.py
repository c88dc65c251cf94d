import sys

from tests.conformance.runner.command import main

if __name__ == "__main__":
    sys.exit(main())
