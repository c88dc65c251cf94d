"""The side of murano-pkg-check 0.3.0. Install it in an environment with Python 3.8; there it reads archives only."""

import contextlib
import glob
import io
import os
import sys


def _archives(folder):
    return sorted(glob.glob(os.path.join(folder, "*.zip")))


def commands(folder, size):
    def run():
        from muranopkgcheck.cmd.run import main

        total = 0
        for path in _archives(folder):
            sys.argv = ["murano-pkg-check", path]
            with contextlib.redirect_stdout(io.StringIO()):
                total += main() or 0
        return total

    return run


def many(folder, size):
    def run():
        from muranopkgcheck.manager import Manager

        found = 0
        for path in _archives(folder):
            manager = Manager(path)
            manager.load_plugins()
            found += len(manager.validate())
        return found

    return run
