"""Evaluation of third-party Python code in separate processes, for long-running interfaces.

Plugins of a model and `python:` functions can do anything: change `sys.modules`, the environment or the
working directory, loop forever, use all memory, end the process. A single run of the command line can accept
that. A server or an editor sends the whole evaluation to a worker instead, one process for each project and
digest of its Python code.

    with WorkerPool() as workers:
        session = Session(trust=Trust(python=True), workers=workers)
"""

from sabir.operations.worker.pool import WorkerPool

__all__ = ["WorkerPool"]
