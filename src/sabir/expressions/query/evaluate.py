"""The way in: an expression or a value, evaluated from a resource."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.forms import compile_expression, compile_value
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import MISSING, plain_value, single_value

_MOST: Final = 4096
_LARGEST: Final = 4096
_WITHOUT_REFERENCES: Final = 2
"""The version of marshal whose bytes say nothing of which objects are the same."""
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


class _CompileCache:
    """Maps and lists that were compiled before, known by what is in them: who evaluates the same one again and again need not
    keep it. Its bytes are the quickest thing that tells two of them apart; what they are not for is compiled each time."""

    def __init__(self, compile_raw: Callable[[Any], Any]) -> None:
        self._compile = compile_raw
        self._ready: dict[bytes, Any] = {}

    def of(self, raw: Any) -> Any:
        if type(raw) is not dict and type(raw) is not list:
            return self._compile(raw)
        try:
            key = marshal.dumps(raw, _WITHOUT_REFERENCES)
        except ValueError:  # instances, texts that know their place …
            return self._compile(raw)
        compiled = self._ready.get(key, MISSING)
        if compiled is MISSING:
            if len(key) > _LARGEST:
                return self._compile(raw)
            if len(self._ready) >= _MOST:
                self._ready.clear()
            # Of a copy: the caller's may change before its parts are compiled.
            compiled = self._ready[key] = self._compile(marshal.loads(key))
        return compiled


class _Expressions(_CompileCache):
    """A cache of a session."""

    def __init__(self) -> None:
        super().__init__(compile_expression)


class _Values(_CompileCache):
    """Another."""

    def __init__(self) -> None:
        super().__init__(compile_value)


class QueryResult(Struct, eq=False):
    """List mode and single mode of one evaluation."""

    values: list[Any]
    is_list: bool = False
    """True when a `foreach` makes single mode a list always."""

    @property
    def value(self) -> Any:
        return self.values if self.is_list else single_value(self.values)


def evaluate(
    expression: Any,
    start: QueryResource | Sequence[QueryResource],
    variables: Mapping[str, Any] | None = None,
    *,
    directory: Path | None = None,
) -> QueryResult:
    """Evaluate a path, an `eval` form or a call of a function. With several resources all are searched, in order."""
    if (
        type(expression) is str
        and variables is None
        and directory is None
        and isinstance(start, QueryResource)
    ):
        return QueryResult(_plain_all(compile_expression(expression)(QueryContext(start))))
    resources = [start] if isinstance(start, QueryResource) else start
    if not resources:
        return QueryResult([], _forces_list(expression))
    compiled = resources[0].session.work.cache(_Expressions).of(expression)
    found: list[Any] = []
    for resource in resources:
        context = _build_context(resource, variables, directory)
        found += [
            value if isinstance(value, QueryResource) else plain_value(value) for value in compiled(context)
        ]
    return QueryResult(found, _forces_list(expression))


def _plain_all(values: list[Any]) -> list[Any]:
    for value in values:
        if type(value) not in _SCALARS:
            return [plain_value(one) for one in values]
    return values


def find_all(path: str, start: QueryResource) -> list[Any]:
    """All matches of a path: the quick way for those who hold a resource and need no variables."""
    return compile_expression(path)(QueryContext(start))


def map_value(
    value: Any,
    start: QueryResource,
    variables: Mapping[str, Any] | None = None,
    *,
    directory: Path | None = None,
) -> Any:
    """A value with the expressions and templates in it replaced."""
    compiled = start.session.work.cache(_Values).of(value)
    return value if compiled is None else plain_value(compiled(_build_context(start, variables, directory)))


def _build_context(
    start: QueryResource, variables: Mapping[str, Any] | None, directory: Path | None
) -> QueryContext:
    context = QueryContext(start, directory=directory)
    if not variables:
        return context
    thunks = {
        name: compiled for name, raw in variables.items() if (compiled := compile_value(raw)) is not None
    }
    constants = {name: raw for name, raw in variables.items() if name not in thunks}
    return context.with_names(constants).with_lazy(thunks) if thunks else context.with_names(constants)


def _forces_list(expression: Any) -> bool:
    if not isinstance(expression, Mapping) or "foreach" not in expression:
        return False
    foreach = expression["foreach"]
    return not (isinstance(foreach, Mapping) and "key" in foreach)


def parse_expression(text: str) -> Any:
    """An expression as people type it: a path, or a map in YAML's flow form that begins with `{`."""
    if not text.lstrip().startswith("{") or text.lstrip().startswith(("{{", "{%")):
        return text
    from sabir.errors import UsageError
    from sabir.source.yaml import compose, plain_data
    from sabir.text import Source

    stream = compose(Source("<expression>", text))
    if stream.findings or not stream.documents or stream.documents[0] is None:
        message = stream.findings[0].message if stream.findings else "it is empty"
        raise UsageError(f"the expression cannot be read as YAML: {message}")
    return plain_data(stream.documents[0])
