"""`python -m sabir.operations.worker`: the worker process, started by `process` only."""

from sabir.operations.worker.child import serve_tasks

serve_tasks()
