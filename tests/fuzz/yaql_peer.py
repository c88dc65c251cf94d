"""Every function and operator of YAQL on every kind of argument, put to the `yaql` library, too.

Needs an interpreter that has it: `SABIR_YAQL_PYTHON=… python -m tests.fuzz yaql_peer`; without one nothing is compared.
"""

from __future__ import annotations

import datetime
import json
import os
import random
import subprocess
from typing import Any

from sabir.expressions.yaql import STANDARD, Dialect, Engine, YaqlRuntimeError, YaqlSyntaxError
from tests.fuzz.yaql import DATA

__all__ = ["expressions", "run"]

_VALUES = (
    *("null", "true", "false", "0", "1", "-1", "7", "123456789012345678901234567890", "3.5", "0.0", "float(nan)"),
    *("''", "abc", "'a b c'", "'a,b'", "'12'", "'Ünï€'", "'%Y-%m-%d'", "'[a-z]+'", "'('", "'2020-02-03T04:05:06'"),
    *("[]", "[1,2,3]", "[3,1,2,1]", "[[1,2],[3,4]]", "[[a,1],[b,2]]", "[a,b,c]", "[null,1]", "['a',1,true,null]"),
    *("[1,[2,[3]]]", "[{a=>1},{a=>2}]", "range(4)", "range(0)", "[1,2,3].where($ > 1)", "list(1,[2,3])", "[1,2].memorize()"),
    *("{}", "{a=>1}", "{a=>1,b=>2}", "{a=>{b=>{c=>1}}}", "{1=>a}", "{null=>1}", "set(1,2)", "set()", "{a=>1}.values()"),
    *("datetime(2020,2,3)", "datetime(2020,2,3,4,5,6,7,offset=>timespan(hours=>2))", "timespan(1)", "timespan(hours=>-3)"),
    *("regex(a)", "regex('(b)(c)?')", "$", "$1", "$x", "$.n", "$.l", "$.d", "$.o", "$.s", "$.z"),
)  # fmt: skip
_LAMBDAS = (
    *("$", "$ > 1", "$1", "$ + 1", "[$,1]", "$1 + $2", "$1 > $2", "true", "false", "null", "$ = 1", "$.a", "$.len()"),
    *("{a=>$}", "$.toUpper()", "[1,2]", "$2", "str($)", "let(q=>$) -> $q", "$[0]", "$1[0]", "$ mod 2", "$.sum()"),
)  # fmt: skip
_OPERATORS = (
    *("+", "-", "*", "/", "mod", "=", "!=", "<", "<=", ">", ">=", "in", "and", "or", "=~", "!~", ".", "?.", "->"),
)  # fmt: skip
_KEYWORDS = ("x", "default", "selector", "predicate", "count", "start", "stop", "step", "initial", "seed")
# The time, chance, what has no end, and what shows where it lies in memory.
_LEFT_OUT = frozenset({"now", "random", "localtz", "sequence", "cycle", "generate", "generateMany", "str", "let", "with", "def", "unpack"})  # fmt: skip

_PEER = """
import collections.abc, datetime, json, signal, sys
import yaql
from yaql.language import exceptions, factory
made = yaql.YaqlFactory()
made.insert_operator(">", True, "is", factory.OperatorType.BINARY_LEFT_ASSOCIATIVE, False)
made.insert_operator(None, True, ":", factory.OperatorType.BINARY_LEFT_ASSOCIATIVE, True)
made.insert_operator(":", True, ":", factory.OperatorType.PREFIX_UNARY, False)
engine = made.create({"yaql.limitIterators": 2000, "yaql.memoryQuota": 512 * 1024,
                      "yaql.convertSetsToLists": True, "yaql.convertTuplesToLists": True})
context = yaql.create_context()
def shown(value):
    if value is None or isinstance(value, (bool, int, float, str)): return value
    if isinstance(value, (list, tuple)): return [shown(one) for one in value]
    if isinstance(value, dict): return {"map": sorted(([shown(k), shown(v)] for k, v in value.items()), key=repr)}
    if isinstance(value, datetime.datetime): return {"date": value.isoformat()}
    if isinstance(value, datetime.timedelta): return {"span": value.total_seconds()}
    return {"object": True}
class Late(BaseException): pass
def late(*_): raise Late
signal.signal(signal.SIGALRM, late)
given = json.load(sys.stdin)
answers = []
for text in given["texts"]:
    signal.alarm(5)
    try:
        try: query = engine(text)
        except Exception: answers.append({"error": "parse"}); continue
        try: answers.append({"result": shown(query.evaluate(data=given["data"], context=context.create_child_context()))})
        except Exception: answers.append({"error": "eval"})
    except Late: answers.append(None)
    finally: signal.alarm(0)
json.dump(answers, sys.stdout)
"""


def expressions(count: int, source: random.Random) -> list[str]:
    """Calls of every function, as a function and as a method, and every operator."""
    functions = sorted(STANDARD.names(methods=False) - _LEFT_OUT)
    methods = sorted(STANDARD.names(methods=True) - _LEFT_OUT)
    named = [("", name) for name in functions] + [(".", name) for name in methods]
    made: dict[str, None] = {}
    while len(made) < count:
        kind, name = source.choice(named)
        if not name.isidentifier() or source.random() < 0.3:
            made[f"{_value(source)} {source.choice(_OPERATORS)} {_value(source)}"] = None
            continue
        arguments = [_value(source) for _ in range(source.choice((0, 1, 1, 2, 2, 3)))]
        if source.random() < 0.1:
            arguments.append(f"{source.choice(_KEYWORDS)} => {_value(source)}")
        receiver = f"({_value(source)})." if kind else ""
        made[f"{receiver}{name}({', '.join(arguments)})"] = None
    return list(made)


def _value(source: random.Random) -> str:
    return source.choice(_VALUES if source.random() < 0.7 else _LAMBDAS)


def run(count: int, seed: int) -> list[str]:
    interpreter = os.environ.get("SABIR_YAQL_PYTHON")
    if not interpreter:
        return []
    texts = expressions(count, random.Random(seed))
    given = json.dumps({"data": DATA, "texts": texts})
    done = subprocess.run([interpreter, "-c", _PEER], input=given, capture_output=True, text=True, check=True)
    engine = Engine(dialect=Dialect.MURANO)
    found: list[str] = []
    for text, theirs in zip(texts, json.loads(done.stdout), strict=True):
        if theirs is None:
            continue
        ours = json.loads(json.dumps(_answer(engine, text)))
        if not _same(ours, theirs):
            found.append(f"{text}: ours {ours}, theirs {theirs}")
    return found


def _answer(engine: Engine, text: str) -> Any:
    try:
        return {"result": _shown(engine.evaluate(text, DATA))}
    except YaqlSyntaxError:
        return {"error": "parse"}
    except YaqlRuntimeError:
        return {"error": "eval"}


def _shown(value: Any) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [_shown(one) for one in value]
        case dict():
            return {"map": sorted(([_shown(key), _shown(one)] for key, one in value.items()), key=repr)}
        case datetime.datetime():
            return {"date": value.isoformat()}
        case datetime.timedelta():
            return {"span": value.total_seconds()}
        case _:
            return {"object": True}


def _same(ours: Any, theirs: Any) -> bool:
    """By kind of error and by value; the order of sets is nobody's, so lists are compared sorted."""
    return repr(_sorted(ours)) == repr(_sorted(theirs))


def _sorted(value: Any) -> Any:
    if isinstance(value, list):
        return sorted((_sorted(one) for one in value), key=repr)
    return {key: _sorted(one) for key, one in value.items()} if isinstance(value, dict) else value
