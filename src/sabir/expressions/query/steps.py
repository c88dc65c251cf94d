"""A segment becomes a step: a function from the values so far to the values behind it.

A step never raises to say "no match"; it gives fewer values. Which branch a value takes is decided by its type, with the
plain cases first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.query.comparison import equals_literal, is_equal
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import QueryError, expression_rule
from sabir.expressions.query.resource import SPECIAL_KEYS, Artifact, QueryResource
from sabir.expressions.query.syntax import Empty, Filter, Index, Name, Path, Segment, Star, Variable
from sabir.expressions.query.values import MISSING, External, mark_sensitive
from sabir.graph.values import Sensitive, Unknown
from sabir.text import Place

UNDEFINED_VARIABLE: Final = expression_rule(
    "EXPR:E002",
    title="a variable that is not defined",
    why="Variables are given under 'vars:' beside 'eval:'; true, false, null and start are always there.",
)

UNKNOWN_SPECIAL_KEY: Final = expression_rule(
    "EXPR:E003",
    title="a special key that does not exist",
    why="Keys of instances that begin with a dot are built in; an attribute has no dot.",
)

Select = Callable[[list[Any], QueryContext], list[Any]]
Predicate = Callable[[Any, QueryContext], bool]


class QueryStep(Struct, frozen=True, eq=False):
    """One segment, ready to run."""

    select: Select
    first: bool
    segment: Segment


def run_steps(
    steps: tuple[QueryStep, ...], values: list[Any], context: QueryContext, at: int = 0
) -> list[Any]:
    """All matches of the steps from `at` on."""
    for position in range(at, len(steps)):
        step = steps[position]
        values = step.select(values, context)
        if not values:
            return values
        if step.first:
            # S-90: the first match of the segment for which the rest of the path holds.
            for candidate in values:
                matches = run_steps(steps, [candidate], context, position + 1)
                if matches:
                    return matches
            return []
    return values


def compile_segment(segment: Segment, path: Path) -> QueryStep:
    return _with_filters(segment, _key_select(segment, path))


def filters_only(segment: Segment) -> QueryStep:
    """The filters and `?` of a segment whose value is there already."""
    return _with_filters(segment, lambda values, _context: values)


def _with_filters(segment: Segment, select: Select) -> QueryStep:
    compiled = (compile_filter(one) for one in segment.filters)
    predicates = tuple(one for one in compiled if one is not None)
    if len(predicates) == 1:
        select = _filter_by_one(select, predicates[0])
    elif predicates:
        select = _filter_by_all(select, predicates)
    return QueryStep(select, segment.first, segment)


def fuse_steps(path: Path, start: int = 0) -> tuple[QueryStep, ...]:
    """The steps from a segment on, with plain keys that follow one another made one step.

    The first segment of a path stays by itself, as it has rules of its own.
    """
    steps: list[QueryStep] = []
    run: list[Segment] = []
    for position, segment in enumerate(path.segments[start:], start):
        if position and _is_plain(segment):
            run.append(segment)
            continue
        steps += _run_of_keys(run, path)
        run = []
        steps.append(compile_segment(segment, path))
    return (*steps, *_run_of_keys(run, path))


def _run_of_keys(run: list[Segment], path: Path) -> list[QueryStep]:
    if len(run) < 2:
        return [compile_segment(segment, path) for segment in run]
    names = tuple(segment.key.text for segment in run if isinstance(segment.key, Name))
    return [QueryStep(_chain_select(names), False, run[-1])]


def _is_plain(segment: Segment) -> bool:
    key = segment.key
    is_name = isinstance(key, Name) and not key.text.startswith(".")
    return is_name and not segment.filters and not segment.first


def _chain_select(names: tuple[str, ...]) -> Select:
    """Several plain keys: a single value is followed without a list for each of them."""
    singles = tuple(_name_select(name) for name in names)

    def select(values: list[Any], context: QueryContext) -> list[Any]:
        if len(values) != 1 or context.session.computing is not None:
            return general(values, context, 0)
        value = values[0]
        for position, name in enumerate(names):
            if type(value) is dict:
                value = value.get(name, MISSING)
            elif isinstance(value, QueryResource):
                value = value.get(name)
            else:
                return general([value], context, position)
            if value is MISSING:
                return []
        return [value]

    def general(values: list[Any], context: QueryContext, position: int) -> list[Any]:
        for single in singles[position:]:
            values = single(values, context)
        return values

    return select


def _key_select(segment: Segment, path: Path) -> Select:
    key = segment.key
    match key:
        case Empty():
            return _select_items
        case Star():
            return _select_star
        case Index(number=number):
            return _index_select(number)
        case Name(text=text) if text.startswith("."):
            return _special_select(text, Place(path.source, key.span))
        case Name(text=text):
            return _name_select(text)
        case Variable():
            return _variable_select(key, path)


def _filter_by_one(select: Select, keep: Predicate) -> Select:
    if isinstance(keep, _NameEquals):
        return lambda values, context: keep.filter_values(select(values, context), context)
    if select is _select_items:

        def filter_items(values: list[Any], context: QueryContext) -> list[Any]:
            return [value for value in _select_items(values, context) if keep(value, context)]

        return filter_items

    def filter_one(values: list[Any], context: QueryContext) -> list[Any]:
        return [value for value in select(values, context) if keep(value, context)]

    return filter_one


def _filter_by_all(select: Select, predicates: tuple[Predicate, ...]) -> Select:
    def filter_all(values: list[Any], context: QueryContext) -> list[Any]:
        return [
            value for value in select(values, context) if all(keep(value, context) for keep in predicates)
        ]

    return filter_all


# Keys

_NESTED: Final = (list, tuple, Sensitive)


def _select_items(values: list[Any], context: QueryContext) -> list[Any]:
    """An empty key: the items of a list, and those of the lists in it; anything else itself."""
    matches: list[Any] = []
    for value in values:
        if isinstance(value, list | tuple):
            # There are few types among many items.
            nested = any(issubclass(kind, _NESTED) for kind in set(map(type, value)))
            matches.extend(_select_items(list(value), context) if nested else value)
        elif type(value) is Sensitive and isinstance(value.value, list | tuple):
            matches.extend(map(mark_sensitive, _select_items([value.value], context)))
        else:
            matches.append(value)
    return matches


def _select_star(values: list[Any], context: QueryContext) -> list[Any]:
    """All values of a dictionary; on a list those of each item that is one (S-98)."""
    matches: list[Any] = []
    for value in values:
        if isinstance(value, Mapping):
            matches.extend(value.values())
        elif isinstance(value, list | tuple):
            matches.extend(_select_star(list(value), context))
        elif isinstance(value, Sensitive):
            matches.extend(map(Sensitive, _select_star([value.value], context)))
    return matches


def _index_select(number: int) -> Select:
    def select(values: list[Any], context: QueryContext) -> list[Any]:
        matches: list[Any] = []
        for value in values:
            if isinstance(value, list | tuple | str):
                if -len(value) <= number < len(value):
                    matches.append(value[number])
            elif isinstance(value, Sensitive):
                matches.extend(map(Sensitive, select([value.value], context)))
            elif isinstance(value, Mapping) and number in value:
                matches.append(value[number])
        return matches

    return select


def _name_select(name: str) -> Select:
    def select(values: list[Any], context: QueryContext) -> list[Any]:
        matches: list[Any] = []
        session = context.session
        for value in values:
            if type(value) is dict:
                item = value.get(name, MISSING)
                if item is not MISSING:
                    matches.append(item)
            elif isinstance(value, QueryResource):
                item = value.get(name)
                if item is not MISSING:
                    matches.append(item)
                    if session.computing is not None:
                        session.record(value, name)
            elif isinstance(value, list | tuple):
                matches.extend(select(value, context))  # type: ignore[arg-type]  # a tuple is only iterated
            else:
                matches.extend(_select_other(value, name, select, context))
        return matches

    return select


def _select_other(value: Any, name: Any, select: Select, context: QueryContext) -> list[Any]:
    """A name on something that is neither plain data nor a resource."""
    if isinstance(value, Sensitive):
        return [
            one if isinstance(one, Sensitive) else Sensitive(one) for one in select([value.value], context)
        ]
    if isinstance(value, Mapping):
        return [value[name]] if name in value else []
    if isinstance(value, External | Artifact):
        item = value.get(name)
        return [] if item is MISSING else [item]
    return [value] if isinstance(value, Unknown) else []


def _special_select(name: str, place: Place) -> Select:
    reader = SPECIAL_KEYS.get(name)

    def select(values: list[Any], context: QueryContext) -> list[Any]:
        matches: list[Any] = []
        for value in values:
            if isinstance(value, QueryResource):
                if reader is None:
                    raise _special_key_error(name, value, place)
                item = reader(value)
                if item is not MISSING:
                    matches.append(item)
            elif isinstance(value, list | tuple):
                matches.extend(select(list(value), context))
            elif isinstance(value, Artifact) and name == ".name":
                matches.append(value.name)
            elif isinstance(value, Mapping):
                if name in value:
                    matches.append(value[name])
            elif isinstance(value, Sensitive):
                matches.extend(map(Sensitive, select([value.value], context)))
        return matches

    return select


def _special_key_error(name: str, value: QueryResource, place: Place) -> QueryError:
    hint = did_you_mean(name, SPECIAL_KEYS) or "the special keys are " + ", ".join(SPECIAL_KEYS)
    return QueryError.of(
        UNKNOWN_SPECIAL_KEY,
        f"{value.kind} {value.name!r} has no special key {name!r}",
        place=place,
        hint=hint,
    )


def variable_error(variable: Variable, path: Path, context: QueryContext) -> QueryError:
    defined = [*context.scope, "start"]
    hint = did_you_mean(variable.name, defined) or "give it under 'vars:' beside 'eval:'"
    return QueryError.of(
        UNDEFINED_VARIABLE,
        f"variable ${variable.name} is not defined",
        place=Place(path.source, variable.span),
        hint=hint,
    )


def _variable_select(variable: Variable, path: Path) -> Select:
    place = Place(path.source, variable.span)

    def select(values: list[Any], context: QueryContext) -> list[Any]:
        key = context.variable(variable.name)
        if key is MISSING:
            raise variable_error(variable, path, context)
        if isinstance(key, Sensitive):
            key = key.value
        if isinstance(key, int) and not isinstance(key, bool):
            return _index_select(key)(values, context)
        if isinstance(key, str):
            chosen = _special_select(key, place) if key.startswith(".") else _name_select(key)
            return chosen(values, context)
        return [
            value[key]
            for value in values
            if isinstance(value, Mapping) and isinstance(key, bool | float | None) and key in value
        ]

    return select


# Filters


def compile_filter(one: Filter) -> Predicate | None:
    """The predicate of a filter; None for an empty one, which keeps everything."""
    if one.path is None and one.test is None:
        return (lambda _value, _context: False) if one.negated else None
    left = _compile_left(one)
    if one.test is None:
        holds: Predicate = lambda value, context: bool(left(value, context))  # noqa: E731
    else:
        holds = _compile_test(one, left)
    if one.negated:
        return lambda value, context: not holds(value, context)
    return holds


def _compile_left(one: Filter) -> Callable[[Any, QueryContext], list[Any]]:
    if one.path is None:
        # Spec 004: the value of the segment's key; of a list its items are tested.
        return lambda value, _context: value if isinstance(value, list) else [value]
    path = one.path
    steps = tuple(compile_segment(segment, path) for segment in path.segments)
    if len(steps) == 1 and not steps[0].first:
        select = steps[0].select
        return lambda value, context: select([value], context)
    return lambda value, context: run_steps(steps, [value], context)


def _compile_test(one: Filter, left: Callable[[Any, QueryContext], list[Any]]) -> Predicate:
    test = one.test
    assert test is not None
    if isinstance(test.right, Variable):
        return _against_variable(test.right.name, left, negated=test.negated, of_value=one.path is None)
    equals = equals_literal(test.right)
    if not test.negated and one.path is not None and (name := _plain_name(one.path)) is not None:
        return _NameEquals(name, test.right, equals, left)
    if test.negated:
        if one.path is None:
            # Of the value itself no part may be equal; of a path's matches one that differs is enough.
            return lambda value, context: not any(equals(item) for item in left(value, context))
        return lambda value, context: any(not equals(item) for item in left(value, context))

    def against_literal(value: Any, context: QueryContext) -> bool:
        # A generator inside any() costs more than the comparison itself.
        for item in left(value, context):  # noqa: SIM110
            if equals(item):
                return True
        return False

    return against_literal


def _against_variable(
    name: str, left: Callable[[Any, QueryContext], list[Any]], *, negated: bool, of_value: bool
) -> Predicate:
    """An unknown variable equals nothing (peers' rule)."""
    if negated and of_value:
        return lambda value, context: (
            not any(is_equal(item, context.variable(name)) for item in left(value, context))
        )

    def holds(value: Any, context: QueryContext) -> bool:
        right = context.variable(name)
        return any(is_equal(item, right) is not negated for item in left(value, context))

    return holds


def _plain_name(path: Path) -> str | None:
    """The name of a path that is one plain key and nothing else."""
    first = path.segments[0]
    key = first.key
    if len(path.segments) > 1 or first.filters or first.first or not isinstance(key, Name):
        return None
    return None if key.text.startswith(".") else key.text


class _NameEquals:
    """`[role=db]`, the filter that is asked of every instance, without the lists of the general way."""

    __slots__ = ("_equals", "_left", "_name", "_text")

    def __init__(
        self,
        name: str,
        text: str,
        equals: Callable[[Any], bool],
        left: Callable[[Any, QueryContext], list[Any]],
    ) -> None:
        self._name = name
        self._text = text
        self._equals = equals
        self._left = left

    def __call__(self, value: Any, context: QueryContext) -> bool:
        return bool(self.filter_values([value], context))

    def filter_values(self, values: Iterable[Any], context: QueryContext) -> list[Any]:
        name, text, session = self._name, self._text, context.session
        chosen: list[Any] = []
        for value in values:
            if isinstance(value, QueryResource):
                item = value.get(name)
                if session.computing is not None and item is not MISSING:
                    session.record(value, name)
            elif type(value) is dict:
                item = value.get(name, MISSING)
            else:
                if any(self._equals(part) for part in self._left(value, context)):
                    chosen.append(value)
                continue
            if item == text if type(item) is str else item is not MISSING and self._equals(item):
                chosen.append(value)
        return chosen
