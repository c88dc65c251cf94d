"""Findings about work that had to be stopped: a lost worker, or an exceeded limit."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule

WORKER_LOST: Final = Rule(
    code="E920",
    title="foreign Python had to be stopped",
    why="Where sabir lives long (a service, an editor) plug-ins and Python functions of a project run in a worker process. It "
    "took too much time or memory, ended itself, or was asked to stop, so there is no result. Other projects go on.",
    examples="sabir.diagnostics",
    when="evaluate",
)
OVER_LIMIT: Final = Rule(
    code="E921",
    title="more work than is allowed",
    why="Reading or evaluating it took more processor time or memory than the limits allow, so that nobody's machine is kept busy "
    "by a file. --limits strict is for what strangers send; the limits can be raised one by one.",
    examples="sabir.diagnostics",
    when="evaluate",
)


def worker_lost(name: str, how: str) -> Finding:
    """Return the finding for a worker process that ended while it ran third-party Python."""
    return WORKER_LOST.about_file(
        name,
        f"the evaluation was not finished: the worker that ran its Python {how}",
        hint="see what its plug-ins and Python functions do; sabir itself and other projects are not affected",
    )


def over_limit(name: str, message: str, option: str) -> Finding:
    """Return the finding for an exceeded limit; `option` is the option that raises the limit."""
    return OVER_LIMIT.about_file(
        name, message, hint=f"look for what grows without end, or raise the limit: {option}"
    )
