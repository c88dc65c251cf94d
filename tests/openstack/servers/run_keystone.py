"""Keystone in one process.

python run_keystone.py PORT CONFIGURATION
"""

import sys

from keystone.server.flask import core
from serving import serve


def main(port, configuration):
    sys.argv[1:] = []  # Keystone reads them, too
    serve(core.initialize_application("public", config_files=[configuration]), port)


if __name__ == "__main__":
    main(*sys.argv[1:])
