import sys

from tests.requirements.command import main

if __name__ == "__main__":
    sys.exit(main())
