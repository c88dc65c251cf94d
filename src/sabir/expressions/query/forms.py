"""Expressions as data: the `eval` form, calls of functions, and values with expressions in them.

List mode is `compile_expression`, map mode `compile_value`. Both answer with a callable of a context; a value without any
expression in it compiles to None and costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import BAD_ARGUMENTS, TOO_MUCH, QueryError, expression_rule
from sabir.expressions.query.functions.call import FunctionCall, Matches
from sabir.expressions.query.functions.registry import find_function, hint_for, is_standalone
from sabir.expressions.query.iteration import compile_foreach, compile_select
from sabir.expressions.query.paths import compile_path, format_values, trace_message
from sabir.expressions.query.values import MISSING, LazyList, LazyMap, plain_value, single_value

UNKNOWN_FUNCTION: Final = expression_rule(
    "EXPR:E004",
    title="a function that does not exist",
    why="The map under 'eval:' must name a function; a plug-in may add more of them.",
)

NO_RESULT: Final = expression_rule(
    "EXPR:E011",
    title="an expression without a result",
    why="It says 'strict: required' and matches nothing.",
)

NULL_RESULT: Final = expression_rule(
    "EXPR:E012",
    title="an expression whose result is null",
    why="It says 'strict: notnull' and gives null.",
)

Expression = Callable[[QueryContext], list[Any]]
Mapped = Callable[[QueryContext], Any]

_BESIDE_EVAL: Final = frozenset({"vars", "trace", "foreach", "select", "strict"})
_FORM: Final = _BESIDE_EVAL | {"eval", "ref"}
_DEEPEST: Final = 100


def is_template(text: str) -> bool:
    # A comment alone makes no template, as in Ansible.
    return "{" in text and ("{{" in text or "{%" in text)


def is_expression(value: Mapping[Any, Any]) -> bool:
    """Whether a map in a value stands for an expression and not for itself (spec 004; peers' rule 13)."""
    if len(value) == 1:
        (key,) = value
        return key == "eval" or key == "ref" or is_standalone(key)
    return ("eval" in value or "ref" in value) and all(key in _FORM for key in value)


# Map mode


def compile_value(raw: Any) -> Mapped | None:
    """The value with the expressions and templates in it replaced; None when there are none."""
    if type(raw) is str:
        return _template_value(raw) if is_template(raw) else None
    if isinstance(raw, Mapping):
        if is_expression(raw):
            return _compile_embedded(raw)
        parts = {key: compiled for key, item in raw.items() if (compiled := compile_value(item)) is not None}
        return _lazy_map(raw, parts) if parts else None
    if isinstance(raw, list | tuple):
        compiled_items = [compile_value(item) for item in raw]
        if any(compiled_item is not None for compiled_item in compiled_items):
            return _lazy_list(raw, compiled_items)
    return None


def compile_argument(raw: Any) -> Mapped | None:
    """The same for an argument of a function, which nobody else sees: it is computed at once, lists and maps are plain."""
    if isinstance(raw, Mapping) and not is_expression(raw):
        parts = {key: compile_argument(item) for key, item in raw.items()}
        if all(part is None for part in parts.values()):
            return None
        return lambda context: {
            key: raw[key] if part is None else part(context) for key, part in parts.items()
        }
    if isinstance(raw, list | tuple):
        pairs = [(item, compile_argument(item)) for item in raw]
        if all(part is None for _, part in pairs):
            return None
        return lambda context: [item if part is None else part(context) for item, part in pairs]
    mapped = compile_value(raw)
    return None if mapped is None else lambda context: _compute_argument(mapped(context), context)


def _compute_argument(value: Any, context: QueryContext) -> Any:
    try:
        return plain_value(value)
    except RecursionError:  # an input whose value reads that input has no end
        return context.resource.circle("an argument", context.place)


def _lazy_map(raw: Mapping[Any, Any], parts: Mapping[Any, Mapped]) -> Mapped:
    def build(context: QueryContext) -> LazyMap:
        ready = {key: item for key, item in raw.items() if key not in parts}
        thunks = {key: context.later(parts[key]) if key in parts else _reject_constant for key in raw}
        return LazyMap(thunks, ready, lambda key: context.resource.circle(f"{key!r} in a map", context.place))

    return build


def _lazy_list(raw: Sequence[Any], parts: Sequence[Mapped | None]) -> Mapped:
    def build(context: QueryContext) -> LazyList:
        thunks = {at: context.later(part) for at, part in enumerate(parts) if part is not None}
        return LazyList(
            raw, thunks, lambda at: context.resource.circle(f"item {at} of a list", context.place)
        )

    return build


def _reject_constant() -> Any:
    raise AssertionError("a constant item is always ready")


def _compile_embedded(raw: Mapping[str, Any]) -> Mapped:
    expression = compile_expression(raw)
    if "foreach" in raw and not _gives_map(raw["foreach"]):
        return expression
    strict = raw.get("strict") if "eval" in raw or "ref" in raw else None
    if strict is None or isinstance(strict, bool):
        return lambda context: single_value(expression(context))
    return _require_result(expression, str(strict), raw)


def _gives_map(foreach: Any) -> bool:
    return isinstance(foreach, Mapping) and "key" in foreach and not is_expression(foreach)


def _require_result(expression: Expression, mode: str, raw: Mapping[str, Any]) -> Mapped:
    def run(context: QueryContext) -> Any:
        found = expression(context)
        if not found:
            raise QueryError.of(
                NO_RESULT,
                f"{_describe_form(raw)} has no result, and 'strict: {mode}' asks for one",
                place=context.place,
            )
        value = single_value(found)
        if mode == "notnull" and value is None:
            raise QueryError.of(
                NULL_RESULT,
                f"{_describe_form(raw)} is null, and 'strict: notnull' forbids it",
                place=context.place,
            )
        return value

    return run


def _describe_form(raw: Mapping[str, Any]) -> str:
    return format_values([raw.get("eval", raw.get("ref"))])[1:-1]


# List mode


def compile_expression(raw: Any) -> Expression:
    """An expression where one is expected: texts are paths (or templates), maps are forms or calls."""
    if isinstance(raw, str):
        return _compile_text(raw)
    if isinstance(raw, Mapping):
        return _compile_form(raw) if "eval" in raw or "ref" in raw else _compile_call(raw)
    if isinstance(raw, list | tuple):
        mapped = compile_value(raw)
        return lambda context: list(raw) if mapped is None else list(mapped(context))
    if raw is None:
        return lambda _context: []
    return lambda _context: [raw]


def compile_each(raw: Any) -> Expression:
    """What `foreach` and `select` make of an item: an expression, or a map with expressions in it."""
    if (
        not isinstance(raw, Mapping)
        or is_expression(raw)
        or any(find_function(name) is not None for name in raw)
    ):
        return compile_expression(raw)
    mapped = compile_value(raw)
    return lambda context: [raw if mapped is None else plain_value(mapped(context))]


def _compile_text(text: str) -> Expression:
    if is_template(text):
        template = _template_value(text)
        return lambda context: [template(context)]
    # A syntax error shows when the expression is run, at the place that the context knows.
    try:
        return compile_path(text).matches
    except QueryError as error:
        failure = error

        def fail(context: QueryContext) -> list[Any]:
            raise failure.with_location(context.place)

        return fail


def _template_value(text: str) -> Mapped:
    from sabir.expressions.template.ansible import render_template

    def render(context: QueryContext) -> Any:
        return render_template(text, context)

    return render


def _compile_form(raw: Mapping[str, Any]) -> Expression:
    extra = [key for key in raw if key not in _FORM]
    if extra:
        message = f"{extra[0]!r} cannot stand beside 'eval'"
        return _compile_failure(
            BAD_ARGUMENTS, message, "beside it can stand " + ", ".join(sorted(_BESIDE_EVAL))
        )
    run = _compile_inner(raw["eval"] if "eval" in raw else raw["ref"])
    if "select" in raw:
        run = compile_select(raw["select"], run)
    if "foreach" in raw:
        run = compile_foreach(raw["foreach"], run)
    if raw.get("trace"):
        run = _trace_run(run, raw)
    if raw.get("vars"):
        run = _with_vars(raw["vars"], run)
    return _limit_depth(run)


def _compile_inner(raw: Any) -> Expression:
    return compile_expression(raw)


def _trace_run(run: Expression, raw: Mapping[str, Any]) -> Expression:
    def traced(context: QueryContext) -> list[Any]:
        context = context.with_trace(int(raw["trace"]) if isinstance(raw["trace"], int) else 1)
        trace_message(context, f"eval {format_values([raw.get('eval', raw.get('ref'))])[1:-1]}")
        found = run(context)
        trace_message(context, f"eval gives {format_values(found)}")
        return found

    return traced


def _with_vars(variables: Any, run: Expression) -> Expression:
    if not isinstance(variables, Mapping):
        return _compile_failure(
            BAD_ARGUMENTS, f"'vars' must be a map of names and values, not {type(variables).__name__}"
        )
    constants: dict[str, Any] = {}
    thunks: dict[str, Mapped] = {}
    for name, raw in variables.items():
        compiled = compile_value(raw)
        if compiled is None:
            constants[str(name)] = raw
        else:
            thunks[str(name)] = compiled
    if not thunks:
        return lambda context: run(context.with_names(constants))
    return lambda context: run(context.with_names(constants).with_lazy(thunks))


def _limit_depth(run: Expression) -> Expression:
    """An expression that leads to itself through others ends as a finding, not as a full stack."""

    def bounded(context: QueryContext) -> list[Any]:
        session = context.session
        if session.depth >= _DEEPEST:
            raise QueryError.of(
                TOO_MUCH,
                f"expressions lead to one another more than {_DEEPEST} times",
                place=context.place,
            )
        session.depth += 1
        try:
            return run(context)
        finally:
            session.depth -= 1

    return bounded


def _compile_call(raw: Mapping[str, Any]) -> Expression:
    for name in raw:
        function = find_function(name)
        if function is not None:
            break
    else:
        words = [str(name) for name in raw]
        if not words:
            return lambda _context: [{}]
        return _compile_failure(UNKNOWN_FUNCTION, f"there is no function {words[0]!r}", hint_for(words))
    keywords = {key: value for key, value in raw.items() if key != function.name}
    unknown = [] if function.keywords is None else [key for key in keywords if key not in function.keywords]
    if unknown:
        hint = f"'{unknown[0]}' belongs beside 'eval'" if unknown[0] in _FORM else None
        message = f"{function.name} takes no {unknown[0]!r}"
        return _compile_failure(BAD_ARGUMENTS, message, hint or _keyword_hint(function.keywords))
    call = FunctionCall(function, raw[function.name], keywords)
    implementation = function.run if function.is_steady else function.invoke
    return _limit_depth(lambda context: spread_matches(implementation(call, context)))


def _keyword_hint(keywords: Collection[str] | None) -> str:
    return "it takes " + ", ".join(sorted(keywords)) if keywords else "it takes nothing beside its argument"


def _compile_failure(rule: Rule, message: str, hint: str | None = None) -> Expression:
    def fail(context: QueryContext) -> list[Any]:
        raise QueryError.of(rule, message, place=context.place, hint=hint)

    return fail


def spread_matches(result: Any) -> list[Any]:
    """The result of a function as matches: null is none, a list is its items."""
    if result is None or result is MISSING:
        return []
    if isinstance(result, Matches):
        return list(result)
    return list(result) if isinstance(result, list) else [result]
