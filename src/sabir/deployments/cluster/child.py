"""Work that does not act, in a process of its own on a worker: `python -m sabir.deployments.cluster.child`.

A worker does its calls in threads of one process, whose memory, time and working directory are everybody's. What limits them, or
runs Python of a package, gets a process of its own; when it dies, so does nothing else. Tasks and answers are pickled: both ends
are ours, and they meet through a pipe.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from msgspec import Struct

from sabir import __version__
from sabir.errors import DeployError


class BatchJob(Struct, frozen=True, kw_only=True, eq=False):
    """The same work for each of some items, which may be done again when a worker dies."""

    work: Callable[[Any], Any]
    items: Sequence[Any]
    folder: str
    """Where it is done: relative paths are from here."""
    version: str = __version__


class ProcessExit(Struct, frozen=True):
    """In place of a result: the process ended before it had one."""

    reason: str


class RaisedError(Struct, frozen=True, eq=False):
    """In place of a result: an error, which whoever asked is to meet."""

    error: BaseException


def run_batch_job(errand: BatchJob) -> list[Any]:
    """What comes of each item; on a worker."""
    if errand.version != __version__:
        raise DeployError(
            f"the workers have sabir {__version__}, and this is {errand.version}: give both the same"
        )
    if not os.path.isdir(errand.folder):
        raise DeployError(
            f"a worker has no folder {errand.folder!r}: what is to be read must be at the same place for all workers"
        )
    results: list[Any] = []
    left = list(errand.items)
    while left:
        got, status = _run_child(errand.work, left, errand.folder)
        results += got
        left = left[len(got) :]
        if left:
            # It died of the first one without a result; the others get another process.
            results.append(ProcessExit(f"the process on the worker ended with status {status}"))
            left = left[1:]
    return results


def _run_child(work: Callable[[Any], Any], items: list[Any], folder: str) -> tuple[list[Any], int]:
    # -P: what lies in the folder is to be looked at, never to be imported.
    command = [sys.executable, "-P", "-m", __name__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder) as process:
        # All at once: the child reads everything before it answers.
        output, _ = process.communicate(pickle.dumps((work, items)))
    results = [*_read_results(output)]
    return results[: len(items)], process.returncode


def _read_results(output: bytes) -> list[Any]:
    """Those that were written whole."""
    from io import BytesIO

    stream, answers = BytesIO(output), list[Any]()
    while True:
        try:
            answers.append(pickle.load(stream))
        except (EOFError, pickle.UnpicklingError):
            return answers


def main(source: BinaryIO, sink: BinaryIO) -> None:
    from sabir.interpreter import deepen_stack

    deepen_stack()
    work, items = pickle.load(source)
    for item in items:
        try:
            result = work(item)
        except Exception as error:  # noqa: BLE001  whatever it is, whoever asked is to meet it
            result = RaisedError(error)
        sink.write(pickle.dumps(result))
        sink.flush()


if __name__ == "__main__":
    from sabir.deployments.cluster import child

    # Prints of what is run must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    child.main(sys.stdin.buffer, answers)
