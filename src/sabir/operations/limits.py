"""Limits of CPU time and memory for a whole operation, enforced by the operating system.

Languages count their own steps and sizes; these limits also stop work that they do not count. They are for
interfaces that do one thing at a time in their main thread, such as the command line. A server has worker
processes instead.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NoReturn

from sabir.diagnostics.limits import over_limit
from sabir.errors import Overrun
from sabir.session import Limits

_AGAIN: Final = 1.0
_GRACE: Final = 30
"""Seconds after which the system ends the process, should nothing in it listen."""


@contextmanager
def enforce_limits(limits: Limits, name: str) -> Generator[None]:
    """Limit the work in the context; raise `Overrun` if it exceeds a limit. `name` is the subject of the
    finding.
    """
    with ExitStack() as guards:
        if limits.cpu is not None:
            guards.enter_context(_limit_time(limits.cpu, name))
        if limits.memory is not None:
            guards.enter_context(_limit_memory(limits.memory, name))
        yield


@contextmanager
def _limit_time(seconds: float, name: str) -> Generator[None]:
    try:
        import resource
        import signal

        def stop(*_: object) -> NoReturn:
            message = f"stopped after {seconds:g} seconds of processor time"
            raise Overrun(over_limit(name, message, f"--limits cpu={seconds * 10:g}"))

        before = signal.signal(signal.SIGPROF, stop)
    except (ImportError, AttributeError, ValueError):  # no such system, or not the main thread
        yield
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = resource.getrlimit(resource.RLIMIT_CPU)
    end = int(used.ru_utime + used.ru_stime + seconds) + _GRACE
    _lower_limit(resource.RLIMIT_CPU, end)
    # Again, because code that lets nothing out may have caught it.
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_CPU, most)


@contextmanager
def _limit_memory(size: int, name: str) -> Generator[None]:
    base = _address_space()
    if base is None:
        yield
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)
    _lower_limit(resource.RLIMIT_AS, base + size)
    try:
        yield
    except MemoryError:
        resource.setrlimit(resource.RLIMIT_AS, most)
        message = f"stopped at {size >> 20:,} MB of memory"
        raise Overrun(over_limit(name, message, f"--limits memory={(size >> 20) * 4}M")) from None
    finally:
        resource.setrlimit(resource.RLIMIT_AS, most)


def _address_space() -> int | None:
    """Return the current size of the address space in bytes; None if the system does not report it."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return pages * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return None


def _lower_limit(which: int, bound: int) -> None:
    import resource

    soft, hard = resource.getrlimit(which)
    bounds = [bound, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(which, (min(bounds), hard))
