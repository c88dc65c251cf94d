"""sabir reads, checks, evaluates, explains and deploys the languages in which systems are described.

What is listed in `__all__` is public and stays: a name, a parameter or a meaning changes only with a new major version, after
a release in which the old one still works and warns. Everything else below `sabir` is internal and may change at any time.
"""

from __future__ import annotations

from importlib import import_module

# Not from typing: `python -m sabir` imports this module before it stops looking for modules in the working directory.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sabir.acting import call, deploy, destroy, history, plan, status
    from sabir.api import (
        Finding,
        Graph,
        Instance,
        Session,
        check,
        compile,  # noqa: A004  the command has this name
        compile_many,
        diff,
        impact,
        load,
        query,
        render,
        run,
        why,
    )

__all__ = [
    "Finding",
    "Graph",
    "Instance",
    "Session",
    "__version__",
    "call",
    "check",
    "compile",
    "compile_many",
    "deploy",
    "destroy",
    "diff",
    "history",
    "impact",
    "load",
    "plan",
    "query",
    "render",
    "run",
    "status",
    "why",
]

__version__ = "0.1.0"


_ACTING = frozenset({"call", "deploy", "destroy", "history", "plan", "status"})


def __getattr__(name: str) -> Any:
    """Public names are loaded when they are first asked for: the command line starts without them."""
    if name not in __all__:
        raise AttributeError(f"module 'sabir' has no attribute {name!r}")
    # Those that change the world bring a database along.
    value = getattr(import_module("sabir.acting" if name in _ACTING else "sabir.api"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
