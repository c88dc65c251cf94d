"""Foreign Python in processes of its own, for interfaces that live long.

Plug-ins of a model and `python:` functions may do whatever Python can: change `sys.modules`, the environment or the working
directory, loop for ever, take all memory, end the process. A single run of the command line lives with that; a service or
an editor hands the whole evaluation to a worker instead: one process for each project and digest of its Python code.

    with Workers() as workers:
        session = Session(trust=Trust(python=True), workers=workers)
"""

from sabir.operations.worker.pool import WorkerPool

__all__ = ["WorkerPool"]
