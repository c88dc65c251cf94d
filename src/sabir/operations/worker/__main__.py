"""`python -m sabir.operations.worker`: evaluates what its standard input asks for. Started by `process`, never by people."""

from sabir.operations.worker.child import serve_tasks

serve_tasks()
