"""Exceptions (`Try`, `Throw`, `Rethrow`) and loops (`While`, `For`, `Repeat`).

Code sees an exception as an object of `io.murano.Exception`. Every iteration of a loop counts towards the
step limit of the run, so that an endless loop ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.scope import Closure
from sabir.languages.muranopl.evaluate.methods import BREAK, MISPLACED_JUMP, RETURN, Signal
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, ThrownException, format_value
from sabir.languages.muranopl.model.objects import CONTEXT, MADE_FOR, MAKING, MuranoObject
from sabir.languages.muranopl.syntax.defects import UNKNOWN_CLASS
from sabir.languages.muranopl.syntax.names import Namespaces, UnknownPrefixError
from sabir.languages.muranopl.syntax.nodes import Constant, Expr, ListValue, NameNode, Throw, Try, Value
from sabir.lazy import lazy_pattern
from sabir.text import Place, Span

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.limits import RunMeter
    from sabir.languages.muranopl.evaluate.runtime import Runtime
    from sabir.languages.muranopl.evaluate.statements import MethodCompiler


CAUGHT: Final = "!"  # the exception of the active `Catch`


class _Clause(Struct, frozen=True):
    names: frozenset[str] | None  # None: catches everything
    variable: str | None
    body: Run


def compile_try(compiler: MethodCompiler, node: Try) -> Run:
    """Compile `Try`: the first matching `Catch` handles a failure, `Else` runs without one, `Finally` always
    runs.

    No clause matches an exceeded limit of the run (`Unstoppable`). A signal from `Finally`, such as `Return`,
    replaces the failure or the result of the body.
    """
    body, otherwise, final = (compiler.block(block) for block in (node.body, node.otherwise, node.final))
    clauses = [
        _Clause(
            None if clause.names is None else _clause_names(clause.names, compiler),
            clause.variable,
            compiler.block(clause.body),
        )
        for clause in node.catches
    ]
    runtime = compiler.runtime

    def guarded(variables: Variables) -> Signal | None:
        try:
            signal = body(variables)
        except MuranoError as error:
            clause = _find_clause(error, clauses)
            if clause is None:
                raise
            _leave_assignment(variables)
            return _run_clause(error, clause, variables, runtime)
        return otherwise(variables) if signal is None else signal

    if not node.final:
        return guarded

    def run(variables: Variables) -> Signal | None:
        try:
            signal = guarded(variables)
        except MuranoError:
            _leave_assignment(variables)
            replaced = final(variables)
            if replaced is not None:  # a Return in Finally replaces the exception
                return replaced
            raise
        result = variables.get("^")
        replaced = final(variables)
        if replaced is not None:
            return replaced
        if signal is not None:
            variables["^"] = result
        return signal

    return run


def _leave_assignment(variables: Variables) -> None:
    """Reset the assignment context: objects created by a handler do not belong to the assignment that failed."""
    variables[MAKING] = variables.get(MADE_FOR)


def _clause_names(names: tuple[NameNode, ...], compiler: MethodCompiler) -> frozenset[str]:
    """Return the names of a `With`, qualified and as written: errors of the engine can be caught by their bare
    names.
    """
    return frozenset(
        spelling for name in names for spelling in (name.text, _qualify_name(name.text, compiler, name.span))
    )


def _find_clause(error: MuranoError, clauses: list[_Clause]) -> _Clause | None:
    if not error.can_be_caught:
        return None
    names = set(error.names)
    return next((clause for clause in clauses if clause.names is None or clause.names & names), None)


def _run_clause(error: MuranoError, clause: _Clause, variables: Variables, runtime: Runtime) -> Signal | None:
    if clause.variable is not None:
        matched = next((name for name in error.names if name in (clause.names or ())), error.names[0])
        variables[clause.variable] = exception_object(error, runtime, variables, matched)
    outer = variables.get(CAUGHT)
    variables[CAUGHT] = error
    try:
        return clause.body(variables)
    finally:
        variables[CAUGHT] = outer


def exception_object(error: MuranoError, runtime: Runtime, variables: Variables, name: str) -> MuranoObject:
    """Return the exception as code sees it; its name is the one it was caught by."""
    cls = runtime.core_class("io.murano.Exception")
    object_ = MuranoObject(cls, "", None)
    object_.native = error
    message = error.thrown_message if isinstance(error, ThrownException) else str(error)
    cause = error.cause if isinstance(error, ThrownException) else None
    object_.properties.update(
        name=name,
        names=list(error.names),
        message=message,
        extra=error.extra,
        cause=cause,
        stackTrace=_stack_trace(error, runtime, variables),
    )
    return object_


def _stack_trace(error: MuranoError, runtime: Runtime, variables: Variables) -> MuranoObject:
    frames: list[dict[str, Any]] = []
    for frame in reversed(error.frames):
        location = frame.place.location if frame.place else None
        frames.append(
            {
                "method": frame.name,
                "file": location.file if location else None,
                "line": location.line if location else None,
                "column": location.column if location else None,
            }
        )
    context = variables.get(CONTEXT)
    if context is not None and context.method is not None:
        at = error.at.location if error.at else None
        thrown = {"method": context.method.full_name, "file": at.file if at else None}
        frames.insert(0, {**thrown, "line": at.line if at else None, "column": at.column if at else None})
    trace = MuranoObject(runtime.core_class("io.murano.StackTrace"), "", None)
    trace.properties["frames"] = frames
    return trace


# -- Throw -----------------------------------------------------------------------------------------------------------


def compile_throw(compiler: MethodCompiler, node: Throw) -> Run:
    """Compile `Throw`. Names that are literals are resolved by the namespaces of the class, without evaluation."""
    engine = compiler.engine
    message, extra, cause = (
        None if value is None else engine.value(value) for value in (node.message, node.extra, node.cause)
    )
    names = _constant_names(node.names)
    dynamic = engine.value(node.names) if names is None else None
    namespaces = engine.cls.node.namespaces

    def run(variables: Variables) -> None:
        if dynamic is None:
            thrown = _resolve_thrown_names(list(names or ()), namespaces)
        else:
            value = dynamic(variables)
            if isinstance(value, MuranoObject) and isinstance(value.native, MuranoError):
                raise value.native
            thrown = _resolve_thrown_names(value, namespaces)
        text = _evaluate_optional(message, variables)
        raise ThrownException(
            thrown,
            None if text is None else str(text),
            _evaluate_optional(extra, variables) or {},
            _evaluate_optional(cause, variables),
        )

    return run


def _evaluate_optional(closure: Closure | None, variables: Variables) -> Any:
    return None if closure is None else closure(variables)


def _constant_names(value: Value) -> tuple[str, ...] | None:
    """Return the names of a `Throw` that are literals; None if they are computed."""
    names: list[str] = []
    for part in value.items if isinstance(value, ListValue) else (value,):
        if isinstance(part, Constant) and isinstance(part.value, str):
            names.append(part.value)
        elif isinstance(part, Expr) and _prefixed_name().fullmatch(part.text):
            names.append(part.text)
        else:
            return None
    return tuple(names)


def _resolve_thrown_names(value: Any, namespaces: Namespaces) -> tuple[str, ...]:
    names = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(name, str) for name in names):
        raise MuranoError(
            UNUSABLE_VALUE, f"'Throw' needs the name of an exception, not {format_value(value)}"
        )
    try:
        return tuple(namespaces.resolve(name) for name in names)
    except UnknownPrefixError as error:
        raise MuranoError(UNKNOWN_CLASS, str(error)) from None


def _qualify_name(name: str, compiler: MethodCompiler, span: Span) -> str:
    try:
        return compiler.engine.cls.node.namespaces.resolve(name)
    except UnknownPrefixError as error:
        raise MuranoError(UNKNOWN_CLASS, str(error), place=Place(compiler.source, span)) from None


def rethrow(variables: Variables) -> None:
    """Raise the exception of the enclosing `Catch` again; fail outside of one."""
    error = variables.get(CAUGHT)
    if error is None:
        raise MuranoError(MISPLACED_JUMP, "'Rethrow' stands outside of a 'Catch' block")
    raise error


_prefixed_name: Final = lazy_pattern(r"\w*:[\w.]+")


_ROUND: Final = "*"
"""The variable for the iteration number of loops that do not bind one; no user variable can have this name."""
Run = Callable[[Variables], Signal | None]


def run_while(condition: Closure, body: Run, meter: RunMeter) -> Run:
    """Return the closure of a `While` loop; the condition is evaluated before each iteration."""
    return _run_over(lambda variables: _repeat_while(condition, variables), _ROUND, body, meter)


def run_for(name: str, collection: Closure, body: Run, meter: RunMeter) -> Run:
    """Return the closure of a `For` loop that binds each item of the collection to the variable."""
    return _run_over(lambda variables: _check_collection(collection(variables)), name, body, meter)


def run_repeat(count: Closure, body: Run, meter: RunMeter) -> Run:
    """Return the closure of a `Repeat` loop; the count is evaluated once."""
    return _run_over(lambda variables: range(whole_number(count(variables), "Repeat")), _ROUND, body, meter)


def _run_over(items: Closure, name: str, body: Run, meter: RunMeter) -> Run:
    def run(variables: Variables) -> Signal | None:
        for item in items(variables):
            variables[name] = item
            meter.left -= 1
            if meter.left < meter.until_clock:
                meter.refill()
            signal = body(variables)
            if signal is not None:
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
        return None

    return run


def _repeat_while(condition: Closure, variables: Variables) -> Iterator[None]:
    """Yield one item for each time that the condition holds; it is evaluated again after each iteration."""
    while condition(variables):
        yield None


def _check_collection(value: Any) -> Any:
    if isinstance(value, list | tuple | set | frozenset | dict | str):  # a string is iterated by character
        return value
    raise MuranoError(UNUSABLE_VALUE, f"'For' needs a collection to go through, not {format_value(value)}")


def whole_number(value: Any, keyword: str) -> int:
    """Return the value as an integer; raise `MuranoError` for anything but an integer or boolean."""
    if isinstance(value, int):  # a boolean is 0 or 1, as in the original engine
        return int(value)
    raise MuranoError(UNUSABLE_VALUE, f"{keyword!r} needs an integer, not {format_value(value)}")
