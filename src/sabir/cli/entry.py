"""Where the programs begin and end: an interrupt while they are still being imported, or when all is done, is no fault to be shown.

It imports nothing of the project by itself, so that the moment in which an interrupt is Python's own is as short as it can be.
"""

from __future__ import annotations

import sys
from importlib import import_module

_INTERRUPTED = 130


def sabir() -> int:
    return _status_of("sabir.cli.main")


def mpl_check() -> int:
    return _status_of("sabir.cli.mpl_check")


def _status_of(module: str) -> int:
    _forget_working_directory()
    sys.unraisablehook = _interrupt_again
    try:
        status: int = import_module(module).main()
    except KeyboardInterrupt:
        print("sabir: stopped", file=sys.stderr)  # noqa: T201  what writes for the others is not imported yet
        status = _INTERRUPTED
    _end_quietly()
    return status


def _forget_working_directory() -> None:
    """Import nothing from the working directory, which `python -m` and `python -c` put first: it may be untrusted."""
    import os  # the interpreter has loaded it already

    try:
        here = os.getcwd()
    except OSError:  # it was deleted
        here = ""
    if not sys.flags.safe_path and sys.path[:1] in ([""], [here]):
        del sys.path[0]


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Where Python cannot let an interrupt out, in what tidies up after an import, it would show and forget it: it comes a moment later."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    import signal
    import threading

    # To the thread itself: it may be waiting for something.
    again = threading.Timer(0.2, signal.pthread_kill, (threading.main_thread().ident or 0, signal.SIGINT))
    again.daemon = True
    again.start()


def _end_quietly() -> None:
    """From here on the interpreter only tidies up: what an interrupt cuts short is lost to nobody."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
