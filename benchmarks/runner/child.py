"""One run of one side, in a process of its own: `python child.py SIDE FOLDER SIZE MEASURE` prints one line of JSON.

It also runs under the interpreter of an existing tool, which may be old: no import beside the standard library, and nothing
newer than Python 3.7.
"""

import importlib
import importlib.util
import json
import resource
import sys


def cpu_seconds():
    # type: () -> float
    own = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def peak_bytes():
    # type: () -> int
    # A side that runs whole commands holds nothing itself: what they held counts.
    return max(_own_peak_bytes(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)


def _own_peak_bytes():
    # type: () -> int
    # ru_maxrss also counts what the parent held before exec; the kernel's own mark does not.
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def load_side(side):  # type: ignore[no-untyped-def]  # a function of any form, named by the workload
    where, _, name = side.rpartition(":")
    if not where.endswith(".py"):
        return getattr(importlib.import_module(where), name)
    spec = importlib.util.spec_from_file_location("peer_side", where)
    if spec is None or spec.loader is None:
        raise ImportError(where)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def main(side, folder, size, measure):
    # type: (str, str, str, str) -> None
    hot = load_side(side)(folder, int(size))  # type: ignore[no-untyped-call]  # see load_side
    before = cpu_seconds() if measure == "hot" else 0.0
    result = hot()
    used = cpu_seconds() - before
    print(json.dumps({"cpu": used, "peak": peak_bytes(), "result": result}))


if __name__ == "__main__":
    main(*sys.argv[1:])
