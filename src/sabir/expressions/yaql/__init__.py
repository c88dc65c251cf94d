"""YAQL 3: parse, compile once, run many times.

evaluate("$.items.where($.price > 10).select($.name)", data)

engine = Engine(options=Options(limit_iterators=10_000))
compiled = engine.compile("$a + $b")
compiled({"a": 1, "b": 2})
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sabir.expressions.yaql.engine import CompiledExpression, EmbedderObjects, Engine, evaluate
    from sabir.expressions.yaql.errors import (
        LimitExceeded,
        NoMatch,
        UnknownName,
        YaqlError,
        YaqlRuntimeError,
        YaqlSyntaxError,
    )
    from sabir.expressions.yaql.functions import EXPRESSION, KEYWORD, LAMBDA, LAZY_RULE, Library
    from sabir.expressions.yaql.library import STANDARD
    from sabir.expressions.yaql.limits import Options
    from sabir.expressions.yaql.parser import Dialect, YaqlExpression, is_expression, parse
    from sabir.expressions.yaql.scope import Lambda, Variables, YaqlRule, YaqlScope

__all__ = [
    "EXPRESSION",
    "KEYWORD",
    "LAMBDA",
    "LAZY_RULE",
    "STANDARD",
    "CompiledExpression",
    "Dialect",
    "EmbedderObjects",
    "Engine",
    "Lambda",
    "Library",
    "LimitExceeded",
    "NoMatch",
    "Options",
    "UnknownName",
    "Variables",
    "YaqlError",
    "YaqlExpression",
    "YaqlRule",
    "YaqlRuntimeError",
    "YaqlScope",
    "YaqlSyntaxError",
    "evaluate",
    "is_expression",
    "parse",
]

# Where each name comes from. Whoever only parses, as a checker does, must not pay for loading the engine.
_HOMES = {
    "CompiledExpression": "engine",
    "Dialect": "parser",
    "EXPRESSION": "functions",
    "Engine": "engine",
    "YaqlExpression": "parser",
    "KEYWORD": "functions",
    "LAMBDA": "functions",
    "LAZY_RULE": "functions",
    "Lambda": "scope",
    "Library": "functions",
    "LimitExceeded": "errors",
    "NoMatch": "errors",
    "EmbedderObjects": "engine",
    "Options": "limits",
    "YaqlRule": "scope",
    "STANDARD": "library",
    "YaqlScope": "scope",
    "UnknownName": "errors",
    "Variables": "scope",
    "YaqlError": "errors",
    "YaqlRuntimeError": "errors",
    "YaqlSyntaxError": "errors",
    "evaluate": "engine",
    "is_expression": "parser",
    "parse": "parser",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
