"""YAQL 3: parse, compile once, run many times.

evaluate("$.items.where($.price > 10).select($.name)", data)

engine = Engine(options=Options(limit_iterators=10_000))
compiled = engine.compile("$a + $b")
compiled({"a": 1, "b": 2})
"""

from sabir.expressions.yaql.engine import Compiled, Engine, Objects, evaluate
from sabir.expressions.yaql.errors import (
    LimitExceeded,
    NoMatch,
    UnknownName,
    YaqlError,
    YaqlRuntimeError,
    YaqlSyntaxError,
)
from sabir.expressions.yaql.expression import Expression, is_expression, parse
from sabir.expressions.yaql.functions import EXPRESSION, KEYWORD, LAMBDA, LAZY_RULE, Library
from sabir.expressions.yaql.library import STANDARD
from sabir.expressions.yaql.limits import Options
from sabir.expressions.yaql.parser import Dialect
from sabir.expressions.yaql.scope import Lambda, Rule, Scope, Variables

__all__ = [
    "EXPRESSION",
    "KEYWORD",
    "LAMBDA",
    "LAZY_RULE",
    "STANDARD",
    "Compiled",
    "Dialect",
    "Engine",
    "Expression",
    "Lambda",
    "Library",
    "LimitExceeded",
    "NoMatch",
    "Objects",
    "Options",
    "Rule",
    "Scope",
    "UnknownName",
    "Variables",
    "YaqlError",
    "YaqlRuntimeError",
    "YaqlSyntaxError",
    "evaluate",
    "is_expression",
    "parse",
]
