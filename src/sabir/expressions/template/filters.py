"""The filters of Ansible that templates commonly use, written anew, and those of expressions (`eval`, `abspath`, `get_dir`).

Jinja2's own filters stay as they are.

Filters between data and text: JSON, YAML, sizes, times.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from jinja2 import pass_context
from jinja2.exceptions import FilterArgumentError

from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.forms import compile_expression, compile_value
from sabir.expressions.query.functions.call import FunctionCall
from sabir.expressions.query.functions.registry import find_function
from sabir.expressions.query.values import plain_value, single_value
from sabir.expressions.template.containers import COLLECTION_FILTERS
from sabir.expressions.template.exposure import ResourceView
from sabir.expressions.template.texts import TEXT_FILTERS
from sabir.expressions.vocabulary import read_moment
from sabir.lazy import lazy_pattern
from sabir.source.yaml.write import pyyaml_text
from sabir.text import Source

_UNITS: Final = "BKMGTPEZY"
_size: Final = lazy_pattern(r"\s*(?P<number>[0-9]*\.?[0-9]+)\s*(?P<unit>[A-Za-z]*)\s*")


def _plain_data(value: Any) -> Any:
    """Mappings and sequences of any kind as the plain ones that writers know."""
    if isinstance(value, Mapping):
        return {key: _plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_data(item) for item in value]
    return value


def to_json(value: Any, **options: Any) -> str:
    options.pop("vault_to_text", None)
    options.pop("preprocess_unsafe", None)
    return json.dumps(_plain_data(value), default=str, **options)


def to_nice_json(value: Any, indent: int = 4, sort_keys: bool = True, **options: Any) -> str:  # noqa: FBT001, FBT002
    return to_json(value, indent=indent, sort_keys=sort_keys, separators=(",", ": "), **options)


def from_json(value: Any) -> Any:
    return json.loads(value)


def to_yaml(value: Any, indent: int | None = None, **options: Any) -> str:
    return pyyaml_text(_plain_data(value), indent=indent, **{"default_flow_style": None, **options})


def to_nice_yaml(value: Any, indent: int = 4, **options: Any) -> str:
    return to_yaml(value, indent=indent, default_flow_style=False, **options)


def from_yaml(value: Any) -> Any:
    found = from_yaml_all(value) if isinstance(value, str) else [value]
    return found[0] if found else None


def from_yaml_all(value: Any) -> list[Any]:
    from sabir.source.yaml import compose, plain_data

    stream = compose(Source("<text>", str(value)))
    if stream.broken:
        raise FilterArgumentError(stream.findings[-1].message)
    return [None if node is None else plain_data(node) for node in stream.documents]


def human_readable(size: Any, isbits: bool = False, unit: str | None = None) -> str:  # noqa: FBT001, FBT002
    number = float(size)
    base = "bits" if isbits else "Bytes"
    for power in range(len(_UNITS) - 1, -1, -1):
        letter = _UNITS[power]
        if number >= 1 << (10 * power) if unit is None else unit.upper() == letter:
            shown = number / (1 << (10 * power))
            suffix = base if power == 0 else letter + ("b" if isbits else "B")
            return f"{shown:.2f} {suffix}"
    return f"{number:.2f} {base}"


def human_to_bytes(size: Any, default_unit: str | None = None, isbits: bool = False) -> int:  # noqa: FBT001, FBT002
    del isbits
    match = _size().fullmatch(str(size))
    if match is None:
        raise FilterArgumentError(f"{size!r} is not a size")
    letter = (match["unit"] or default_unit or "B")[0].upper()
    if letter not in _UNITS:
        raise FilterArgumentError(f"{match['unit']!r} is not a unit of size")
    return round(float(match["number"]) * (1 << (10 * _UNITS.index(letter))))


def to_datetime(value: Any, fmt: str = "%Y-%m-%d %H:%M:%S") -> datetime:
    return read_moment(str(value), fmt)


@pass_context
def strftime(names: Any, fmt: str, second: float | None = None, utc: bool = False) -> str:  # noqa: FBT001, FBT002
    zone = UTC if utc else None
    if second is not None:
        return datetime.fromtimestamp(float(second), zone).strftime(fmt)
    session = names.rendering.context.session
    session.rests_outside()
    moment: datetime = session.work.clock().astimezone(zone)
    return (moment if utc else moment.replace(tzinfo=None)).strftime(fmt)


def compute_log(value: float, base: float = math.e) -> float:
    return math.log10(value) if base == 10 else math.log(value, base)


def compute_power(value: float, exponent: float) -> float:
    result: float = math.pow(value, exponent)
    return result


def compute_root(value: float, base: float = 2) -> float:
    return math.sqrt(value) if base == 2 else math.pow(value, 1.0 / float(base))


FORMAT_FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "from_json": from_json,
    "from_yaml": from_yaml,
    "from_yaml_all": from_yaml_all,
    "human_readable": human_readable,
    "human_to_bytes": human_to_bytes,
    "log": compute_log,
    "pow": compute_power,
    "root": compute_root,
    "strftime": strftime,
    "to_datetime": to_datetime,
    "to_json": to_json,
    "to_nice_json": to_nice_json,
    "to_nice_yaml": to_nice_yaml,
    "to_yaml": to_yaml,
}


def _query_context(names: Any) -> QueryContext:
    context: QueryContext = names.rendering.context
    return context


@pass_context
def evaluate_expression(names: Any, expression: Any) -> Any:
    """`'::web::port' | eval`: an expression in single mode; an instance, a number … is itself."""
    if not isinstance(expression, str | Mapping | list) or isinstance(expression, ResourceView):
        return expression
    return names.rendering.expose(single_value(compile_expression(expression)(_query_context(names))))


@pass_context
def map_value(names: Any, value: Any) -> Any:
    compiled = compile_value(value)
    return names.rendering.expose(value if compiled is None else plain_value(compiled(_query_context(names))))


@pass_context
def sensitive(names: Any, value: Any) -> Any:
    names.rendering.sensitive = True
    return value


def _as_filter(name: str) -> Callable[..., Any]:
    @pass_context
    def run(names: Any, value: Any, *arguments: Any, **keywords: Any) -> Any:
        function = find_function(name)
        assert function is not None
        items = [value, *arguments, *keywords.values()]
        call = FunctionCall(function, items if len(items) > 1 else value, {})
        return names.rendering.expose(function.invoke(call, _query_context(names)))

    return run


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    **TEXT_FILTERS,
    **FORMAT_FILTERS,
    **COLLECTION_FILTERS,
    "eval": evaluate_expression,
    "ref": evaluate_expression,
    "map_value": map_value,
    "mapValue": map_value,
    "sensitive": sensitive,
    "abspath": _as_filter("abspath"),
    "get_dir": _as_filter("get_dir"),
}
