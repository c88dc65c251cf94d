"""The functions of spec 004; importing this package registers them."""

from sabir.expressions.query.functions import (
    environment,
    files,
    folders,
    logic,
    lookups,
    programs,
    secrets,
    template,
    text,
    topology,
)
from sabir.expressions.query.functions.call import Call, Matches
from sabir.expressions.query.functions.registry import Function, find, function, load_plugins, names

__all__ = [
    "Call",
    "Function",
    "Matches",
    "environment",
    "files",
    "find",
    "folders",
    "function",
    "load_plugins",
    "logic",
    "lookups",
    "names",
    "programs",
    "secrets",
    "template",
    "text",
    "topology",
]
