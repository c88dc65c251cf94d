"""Calls of functions, compiled: arguments are bound and checked once where the source allows it.

What is left for run time is one Python call. Keyword arguments, `**` and variadic functions take the
general path, which binds and checks the arguments at each call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import RelatedLocation
from sabir.diagnostics.reasons import explain_error
from sabir.graph.values import Unknown, no_data_within
from sabir.languages.inmanta.evaluate.functions import CASTS, PluginFunction, PluginParameter, is_blocked_by
from sabir.languages.inmanta.evaluate.interrupts import Stop
from sabir.languages.inmanta.evaluate.plugins.api import NotAllowed
from sabir.languages.inmanta.evaluate.reads import memo_reader
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.values import Frame, Read
from sabir.languages.inmanta.evaluate.writes import of_constraint, stop
from sabir.languages.inmanta.model.names import CALL
from sabir.languages.inmanta.model.types import TYPE, ConstrainedType, Late, constraint_of, format_value
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.text import Place, Source, Span

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler
    from sabir.languages.inmanta.evaluate.plugins.dataclasses import DataclassConverter


PLUGIN: Final = inmanta_rule(
    "INM:E021",
    "a plug-in or template failed",
    "A Python function of a module, or a template, raised an error. The finding stands at the call; the line of the "
    "plug-in stands beside it.",
    when="evaluate",
)
REFUSED: Final = inmanta_rule(
    "INM:E023",
    "something that the model is not trusted with",
    "The model calls Python of one of its modules, or reads an environment variable, and that was not allowed. Allow it "
    "only to models whose authors you trust: --trust python, --trust env:NAME, or once for a project with sabir trust.",
    when="evaluate",
    withheld=True,
)


class CallCompiler:
    """Compiles calls of plugins, casts and `std` functions."""

    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler
        self._objects: DataclassConverter | None = None

    def convert_objects(self, result: Any, place: Place) -> Any:
        """Return a result in which dataclass objects are replaced by instances."""
        if self._objects is None:
            from sabir.languages.inmanta.evaluate.plugins.dataclasses import DataclassConverter

            self._objects = DataclassConverter(self.compiler)
        return self._objects.convert(result, place)

    def call_once(self, node: nodes.Call, scope: BlockScope) -> Read:
        """Compile a call inside a larger statement, so that it runs once even if the statement waits and reruns."""
        return memo_reader(self.call(node, scope), scope.layout.slot())

    def function(self, node: nodes.Call, scope: BlockScope) -> PluginFunction | None:
        """Return the function that a call names."""
        names = self.compiler.definitions.full_names(node.function, scope.space)
        return next(filter(None, map(self.compiler.functions.get, names)), None)

    def call(self, node: nodes.Call, scope: BlockScope) -> Read:
        place = nodes.place_of(scope.space.source, node)
        if node.function in CASTS:
            return self._cast(node, scope, place)
        function = self.function(node, scope)
        if function is None:
            raise AssertionError(node.function)  # reported before anything runs
        if function.refused:
            return _refuse_call(function, place)
        plain = all(argument.name is None and not argument.unpack for argument in node.arguments)
        if plain and not function.variadic and not function.keywords:
            return self._positional(function, node, scope, place)
        return self._general(function, node, scope, place)

    def _cast(self, node: nodes.Call, scope: BlockScope, place: Place) -> Read:
        convert = CASTS[node.function]
        if len(node.arguments) != 1 or node.arguments[0].unpack or node.arguments[0].name:
            return _raise_on_read(stop(CALL, f"{node.function}(…) takes one value", place))
        argument = self.compiler.read(node.arguments[0].value, scope)

        def read(frame: Frame) -> Any:
            value = argument(frame)
            if isinstance(value, Unknown):
                return value
            try:
                return convert(value)
            except (TypeError, ValueError, OverflowError):
                raise stop(TYPE, f"{format_value(value)} cannot be made a {node.function}", place) from None

        return read

    def _positional(
        self, function: PluginFunction, node: nodes.Call, scope: BlockScope, place: Place
    ) -> Read:
        """Compile the common case: positional arguments whose checks are all known in advance."""
        parameters = function.positional
        count = len(node.arguments)
        if count > len(parameters):
            return _raise_on_read(_too_many(function, count, place))
        missing = [parameter.name for parameter in function.parameters[count:] if parameter.required]
        if missing:
            return _raise_on_read(_missing_arguments_error(function, missing, place))
        reads = [self.compiler.read(argument.value, scope) for argument in node.arguments]
        checked = [
            (read, parameter.type.accepts, parameter)
            for read, parameter in zip(reads, parameters, strict=False)
        ]
        python, returns = function.call, function.returns
        sources = self.compiler.functions.sources
        accepts = returns.accepts if returns is not None else None
        gives_objects, adopted = function.gives_objects, self.convert_objects
        context = self.compiler.functions_context(scope, place) if function.context else None

        def read(frame: Frame) -> Any:
            values = []
            for argument, fits, parameter in checked:
                value = argument(frame)
                if not fits(value):
                    raise _wrong_type(function, parameter, value, place)
                if type(value) is not str:
                    if not parameter.references:
                        _check_known_here(function, parameter, value, place)
                    if is_blocked_by(function, value):
                        return Unknown()
                values.append(value)
            try:
                result = python(*values) if context is None else python(context(frame), *values)
            except (Exception, SystemExit) as error:  # noqa: BLE001  # a plug-in may raise anything; it becomes a finding
                raise _explain_plugin_error(function, error, place, sources) from None
            if gives_objects:
                result = adopted(result, place)
            if accepts is not None and not accepts(result):
                raise _wrong_result(function, result, place)
            _check_data(function, result, place)
            return result

        return read

    def _general(self, function: PluginFunction, node: nodes.Call, scope: BlockScope, place: Place) -> Read:
        reads = [
            (argument.name, argument.unpack, self.compiler.read(argument.value, scope))
            for argument in node.arguments
        ]
        sources = self.compiler.functions.sources
        context = self.compiler.functions_context(scope, place) if function.context else None

        def read(frame: Frame) -> Any:
            positional: list[Any] = []
            named: dict[str, Any] = {}
            for name, unpack, argument in reads:
                value = argument(frame)
                if unpack:
                    _unpack_arguments(function, value, named, place)
                elif name is None:
                    positional.append(value)
                elif name in named:
                    raise stop(CALL, f"{function.name}(…) gets {name!r} twice", place)
                else:
                    named[name] = value
            _check_arguments(function, positional, named, place)
            if any(is_blocked_by(function, value) for value in (*positional, *named.values())):
                return Unknown()
            try:
                if context is not None:
                    result = function.call(context(frame), *positional, **named)
                else:
                    result = function.call(*positional, **named)
            except Stop:
                raise
            except (Exception, SystemExit) as error:  # noqa: BLE001  # a plug-in may raise anything; it becomes a finding
                raise _explain_plugin_error(function, error, place, sources) from None
            if function.gives_objects:
                result = self.convert_objects(result, place)
            if function.returns is not None and not function.returns.accepts(result):
                raise _wrong_result(function, result, place)
            _check_data(function, result, place)
            return result

        return read


def _unpack_arguments(function: PluginFunction, value: Any, named: dict[str, Any], place: Place) -> None:
    if not isinstance(value, dict):
        raise stop(TYPE, f"'**' takes a dict, not {format_value(value)}", place)
    for key, item in value.items():
        if key in named:
            raise stop(CALL, f"{function.name}(…) gets {key!r} twice", place)
        named[key] = item


def _check_arguments(
    function: PluginFunction, positional: list[Any], named: dict[str, Any], place: Place
) -> None:
    parameters = function.positional
    if len(positional) > len(parameters) and not function.variadic:
        raise _too_many(function, len(positional), place)
    by_name = {parameter.name: parameter for parameter in function.parameters}
    for parameter, value in zip(parameters, positional, strict=False):
        if parameter.name in named:
            raise stop(CALL, f"{function.name}(…) gets {parameter.name!r} twice", place)
        _check_argument_value(function, parameter, value, place)
    if function.variadic is not None:
        for value in positional[len(parameters) :]:
            _check_argument_value(function, function.variadic, value, place)
    for name, value in named.items():
        declared = by_name.get(name) or function.keywords
        if declared is None:
            from sabir.diagnostics.suggestions import did_you_mean, join_names

            raise stop(
                CALL,
                f"{function.name}(…) has no parameter {name!r}",
                place,
                hint=did_you_mean(name, by_name) or f"it has: {join_names(by_name) or 'none'}",
            )
        _check_argument_value(function, declared, value, place)
    bound = {parameter.name for parameter in parameters[: len(positional)]} | set(named)
    missing = [
        parameter.name
        for parameter in function.parameters
        if parameter.required and parameter.name not in bound
    ]
    if missing:
        raise _missing_arguments_error(function, missing, place)


def _check_argument_value(
    function: PluginFunction, parameter: PluginParameter, value: Any, place: Place
) -> None:
    if not parameter.type.accepts(value):
        raise _wrong_type(function, parameter, value, place)
    if not parameter.references:
        _check_known_here(function, parameter, value, place)


def _check_known_here(function: PluginFunction, parameter: PluginParameter, value: Any, place: Place) -> None:
    """Reject a reference for a parameter that does not declare that it accepts references.

    A reference has no value before deployment. Lists without an item type accept anything.
    """
    holds = (
        isinstance(value, list)
        and parameter.type.inner is not None
        and any(isinstance(item, Late) for item in value)
    )
    if holds or isinstance(value, Late):
        raise stop(
            TYPE,
            f"{parameter.name!r} of {function.name}(…) {'holds' if holds else 'is'} a reference, which has no value before deployment",
            place,
            hint="a plug-in that takes references says so in its annotation: `str | Reference[str]`",
        )


def _too_many(function: PluginFunction, count: int, place: Place) -> Stop:
    most = len(function.positional)
    plural = "s" if most != 1 else ""
    return stop(CALL, f"{function.name}(…) takes {most} value{plural}, and {count} are given", place)


def _missing_arguments_error(function: PluginFunction, names: list[str], place: Place) -> Stop:
    shown = ", ".join(repr(name) for name in names)
    return stop(CALL, f"{function.name}(…) needs {shown}", place)


def _wrong_type(function: PluginFunction, parameter: PluginParameter, value: Any, place: Place) -> Stop:
    constraint = constraint_of(parameter.type, value)
    hint, related = (None, ()) if constraint is None else _describe_constraint(constraint)
    return stop(
        TYPE,
        f"{parameter.name!r} of {function.name}(…) takes {parameter.type.name}, and {format_value(value)} is none",
        place,
        hint=hint,
        related=related,
    )


def _describe_constraint(constraint: ConstrainedType) -> tuple[str, tuple[RelatedLocation, ...]]:
    hint, where = of_constraint(constraint)
    return hint, (where,)


def _wrong_result(function: PluginFunction, value: Any, place: Place) -> Stop:
    assert function.returns is not None
    return stop(
        TYPE,
        f"{function.name}(…) says it returns {function.returns.name}, and returned {format_value(value)}",
        place,
    )


def _refuse_call(function: PluginFunction, place: Place) -> Read:
    return _raise_on_read(
        stop(
            REFUSED,
            f"{function.name}(…) is Python of the model and is not run: the model is not trusted",
            place,
            hint="allow it with --trust python, or once for this project with `sabir trust`, if you trust its authors",
        )
    )


def _explain_plugin_error(
    function: PluginFunction, error: BaseException, place: Place, sources: Mapping[str, Source]
) -> Stop:
    """Return the finding for an exception of a plugin, at the call, with the line of the plugin as a note."""
    if isinstance(error, Stop):
        return error
    if isinstance(error, NotAllowed):
        return stop(REFUSED, str(error), place, hint=error.hint)
    import traceback

    where: tuple[RelatedLocation, ...] = ()
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith("<plug-in ")
    ]
    if frames:
        last = frames[-1]
        file = last.filename.removeprefix("<plug-in ").removesuffix(">")
        source = sources.get(file) or Source(file, "")
        line = last.lineno or 1
        start = source.offset(line)
        text = source.line_text(line)
        span = Span(start + len(text) - len(text.lstrip()), start + len(text))
        where = (RelatedLocation(place=Place(source, span), message="raised here"),)
    name, reason = type(error).__name__, explain_error(error)
    # Whoever wrote the plug-in knows its exceptions by their names; `std` has nothing to look up there.
    is_named = reason.startswith(name) or function.name.startswith("std::")
    message = f"{function.name}(…) failed: {reason if is_named else f'{name}: {reason}'}"
    return Stop(PLUGIN.at(message=message, place=place, related=where))


def _check_data(function: PluginFunction, result: Any, place: Place) -> None:
    kind = no_data_within(result)
    if kind is not None:
        raise stop(TYPE, f"{function.name}(…) returns {kind}, which is no data", place)


def _raise_on_read(failure: Stop) -> Read:
    def read(_: Frame) -> Any:
        raise failure

    return read
