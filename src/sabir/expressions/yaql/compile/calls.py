"""Calls of functions and methods, bound to their overloads when compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from sys import getsizeof
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql.binding import Binding, CallShape, Slot, bind_overload, order_by_specificity
from sabir.expressions.yaql.compile import arguments as take
from sabir.expressions.yaql.compile.arguments import Getter, Mismatch, accepts_value, find_converter
from sabir.expressions.yaql.errors import CAUGHT, NodeSite
from sabir.expressions.yaql.functions import MISSING, LazyKind, Overload, call_title
from sabir.expressions.yaql.kinds import KINDS, OBJECT, describe_kind
from sabir.expressions.yaql.nodes import Call, Node, OmittedArgument, Rule, Word
from sabir.expressions.yaql.scope import Variables, function_key

if TYPE_CHECKING:
    from sabir.expressions.yaql.compile.compiler import YaqlCompiler


_SMALL = 256  # bytes that are not worth counting
Step = Callable[[Any, Variables], Any]  # receiver (None in a plain call) and variables to value


def method_step(compiler: YaqlCompiler, node: Call) -> Step:
    """`.name(…)` as a function of its receiver."""
    site = compiler.site(node)
    library = _library_step(compiler, node.name, node.arguments, site, is_method=True)
    objects = compiler.objects
    if objects is None:
        return library
    name = node.name
    find = objects.method
    compiled: list[tuple[list[Any], list[tuple[str, Any]]]] = []

    def step(receiver: Any, scope: Variables) -> Any:
        if not KINDS[type(receiver)] & OBJECT:
            return library(receiver, scope)
        function = find(receiver, name, scope)
        if function is None:
            return library(receiver, scope)
        if not compiled:
            compiled.append(_eager_arguments(compiler, node.arguments, site))
        positional, named = compiled[0]
        try:
            if named:
                return function(
                    *[get(scope) for get in positional], **{key: get(scope) for key, get in named}
                )
            return function(*[get(scope) for get in positional])
        except CAUGHT as problem:
            site.fail(problem)

    return step


def compile_named(
    compiler: YaqlCompiler, name: str, arguments: tuple[Node, ...], site: NodeSite
) -> Callable[[Variables], Any]:
    """`name(…)`, and whatever else is a function underneath: operators of the embedder, the index."""
    step = _library_step(compiler, name, arguments, site, is_method=False)
    if not compiler.has_definitions:
        return lambda scope: step(None, scope)
    key = function_key(name)
    positional, named = _eager_arguments(compiler, arguments, site)

    def run(scope: Variables) -> Any:
        function = scope.get(key)
        if function is None:
            return step(None, scope)
        try:
            return function.call_nested(
                [get(scope) for get in positional], {key: get(scope) for key, get in named}
            )
        except CAUGHT as problem:
            site.fail(problem)

    return run


def _eager_arguments(
    compiler: YaqlCompiler, arguments: tuple[Node, ...], site: NodeSite
) -> tuple[list[Any], list[tuple[str, Any]]]:
    positional, named = [], []
    for node in arguments:
        if isinstance(node, Rule) and isinstance(node.source, Word):
            named.append((node.source.value, compiler.argument(node.target)))
        elif isinstance(node, OmittedArgument):
            positional.append(
                _argument_failure(site, "an argument is left out, but this call needs all of them")
            )
        else:
            positional.append(compiler.argument(node))
    return positional, named


def _argument_failure(site: NodeSite, message: str) -> Callable[[Variables], Any]:
    def fail(_scope: Variables) -> Any:
        raise site.no_match(message)

    return fail


def _library_step(
    compiler: YaqlCompiler, name: str, arguments: tuple[Node, ...], site: NodeSite, *, is_method: bool
) -> Step:
    levels = [
        [item for item in level if (item.is_method if is_method else item.is_function)]
        for level in compiler.library.levels(name)
    ]
    levels = [level for level in levels if level]
    title = call_title(name, is_method=is_method)
    if not levels and name.startswith("#"):
        return _failure_step(lambda: site.no_match(f"{title} has no meaning here"))
    if not levels:
        what = "method" if is_method else "function"
        known = compiler.library.names(methods=is_method)

        def unknown(receiver: Any, _scope: Variables) -> Any:
            raise site.name_error(what, name, known, receiver)

        return unknown
    rules = levels[0][0].rules
    if any(item.rules != rules for level in levels for item in level):
        return _failure_step(lambda: site.no_match(f"{title} is ambiguous here"))
    shape = _call_shape(arguments, rules=rules, is_method=is_method)
    if shape is None:
        return _failure_step(lambda: site.no_match("the left side of `=>` must be a name here"))
    bound = [
        order_by_specificity([found for item in level if (found := bind_overload(item, shape))])
        for level in levels
    ]
    bindings = [binding for level in bound for binding in level]
    if not bindings:
        return _failure_step(lambda: site.no_match(_explain_mismatch(title, levels, is_method=is_method)))
    if len({binding.lazy() for binding in bindings}) > 1 or _is_ambiguous(bound, shape):
        return _failure_step(lambda: site.no_match(f"{title} is ambiguous with these arguments"))
    builder = _Builder(compiler, title, shape, site)
    return builder.single(bindings[0]) if len(bindings) == 1 else builder.several(bindings)


def _is_ambiguous(bound: list[tuple[Binding, ...]], shape: CallShape) -> bool:
    """Without any argument nothing can tell the overloads of a level apart."""
    return not shape.positional and not shape.named and any(len(level) > 1 for level in bound)


def _failure_step(make: Callable[[], Exception]) -> Step:
    def step(_receiver: Any, _scope: Variables) -> Any:
        raise make()

    return step


def _call_shape(arguments: tuple[Node, ...], *, rules: bool, is_method: bool) -> CallShape | None:
    positional: list[Node | None] = [None] if is_method else []
    named: dict[str, Node] = {}
    for node in arguments:
        if rules or not isinstance(node, Rule):
            positional.append(node)
        elif isinstance(node.source, Word):
            named[node.source.value] = node.target
        else:
            return None
    return CallShape(tuple(positional), tuple(named.items()))


def _explain_mismatch(title: str, levels: Iterable[Iterable[Overload]], *, is_method: bool) -> str:
    if "`" not in title:
        return f"{title} does not take these arguments"
    forms = [_format_signature(item, is_method=is_method) for level in levels for item in level]
    return f"{title} does not take these arguments; there is {', '.join(sorted(set(forms)))}"


def _format_signature(overload: Overload, *, is_method: bool) -> str:
    names = [item.name if item.default is MISSING else f"{item.name}?" for item in overload.parameters]
    if overload.rest:
        names.append(f"{overload.rest.name}…")
    if is_method and names:
        return f"`{names[0]}.{overload.name}({', '.join(names[1:])})`"
    return f"`{overload.name}({', '.join(names)})`"


class _Builder:
    """Makes the step of one call."""

    def __init__(self, compiler: YaqlCompiler, title: str, shape: CallShape, site: NodeSite) -> None:
        self.compiler = compiler
        self.title = title
        self.site = site
        self.nodes = (*shape.positional, *(node for _, node in shape.named))
        self.limits = compiler.limits

    def single(self, binding: Binding) -> Step:
        """The usual case: one overload fits the shape, only kinds remain to be checked."""
        getters = [self.getter(slot) for slot in binding.slots]
        keywords = [(name, self.getter(slot)) for name, slot in binding.keywords]
        function, leading = self.bind_hidden(binding.overload)
        return self.build_step(function, leading + getters, keywords)

    def bind_hidden(self, overload: Overload) -> tuple[Callable[..., Any], list[Getter]]:
        """The function with its hidden parameters filled as far as they are known."""
        known: dict[str, Any] = {"limits": self.limits, "engine": self.compiler.engine}
        if "variables" in overload.hidden:
            return overload.function, [
                take.constant_getter(known[name]) if name in known else take.get_variables
                for name in overload.hidden
            ]
        hidden = [known[name] for name in overload.hidden]
        return (partial(overload.function, *hidden) if hidden else overload.function), []

    def getter(self, slot: Slot) -> Getter:
        parameter = slot.parameter
        if slot.source is None:
            return take.constant_getter(parameter.default)
        node = self.nodes[slot.source]
        if node is None:
            return take.receiver_getter(parameter, self.limits)
        if parameter.kind is LazyKind.LAMBDA:
            return take.lambda_getter(self.compiler.compile(node), self.limits)
        if parameter.kind is LazyKind.KEYWORD:
            assert isinstance(node, Word)
            return take.constant_getter(node.value)
        if parameter.kind is LazyKind.LAZY_RULE:
            assert isinstance(node, Rule)
            source, target = self.compiler.compile(node.source), self.compiler.compile(node.target)
            return take.lazy_rule(source, target, self.limits)
        if parameter.kind is LazyKind.EXPRESSION:
            return take.constant_getter(node)
        return take.eager_getter(self.compiler.compile(node), parameter, self.limits)

    def build_step(
        self, function: Callable[..., Any], getters: list[Getter], keywords: list[tuple[str, Getter]]
    ) -> Step:
        invoke = _build_invoker(function, getters, keywords)
        site, made = self.site, self.limits.charge_value
        title = self.title

        def step(receiver: Any, scope: Variables) -> Any:
            try:
                result = invoke(receiver, scope)
                return made(result) if getsizeof(result, 0) > _SMALL else result
            except Mismatch as mismatch:
                raise site.no_match(f"{title} does not take these arguments: {mismatch.reason}") from None
            except CAUGHT as problem:
                site.fail(problem)

        return step

    def several(self, bindings: list[Binding]) -> Step:
        """Overloads that only the kinds of the values tell apart: arguments are evaluated once, then compared."""
        lazy = bindings[0].lazy()
        getters = [self.argument(index, lazy, bindings) for index in range(len(self.nodes))]
        choices = [self.choice(binding, lazy) for binding in bindings]
        site, made = self.site, self.limits.charge_value
        title = self.title

        def step(receiver: Any, scope: Variables) -> Any:
            try:
                values = [get(receiver, scope) for get in getters]
                for checks, invoke in choices:
                    for index, kind in checks:
                        if not accepts_value(kind, values[index]):
                            break
                    else:
                        result = invoke(values, scope)
                        return made(result) if getsizeof(result, 0) > _SMALL else result
                kinds = ", ".join(
                    describe_kind(value) for index, value in enumerate(values) if index not in lazy
                )
                raise site.no_match(f"{title} does not take {kinds or 'no arguments'}")
            except CAUGHT as problem:
                site.fail(problem)

        return step

    def argument(self, index: int, lazy: frozenset[int], bindings: list[Binding]) -> Getter:
        node = self.nodes[index]
        if node is None:
            return lambda receiver, _scope: receiver
        if isinstance(node, OmittedArgument):
            return take.constant_getter(None)
        if index in lazy:
            slots = (
                slot
                for binding in bindings
                for slot in (*binding.slots, *(item for _, item in binding.keywords))
            )
            return self.getter(next(slot for slot in slots if slot.source == index))
        closure = self.compiler.compile(node)
        return lambda _receiver, scope: closure(scope)

    def choice(self, binding: Binding, lazy: frozenset[int]) -> tuple[tuple[tuple[int, Any], ...], Step]:
        every = (*binding.slots, *(slot for _, slot in binding.keywords))
        checks = tuple(
            (slot.source, slot.parameter.kind)
            for slot in every
            if slot.source is not None and slot.source not in lazy
        )
        getters = [self.from_values(slot) for slot in binding.slots]
        keywords = [(name, self.from_values(slot)) for name, slot in binding.keywords]
        function, leading = self.bind_hidden(binding.overload)
        return checks, _build_invoker(function, leading + getters, keywords)

    def from_values(self, slot: Slot) -> Getter:
        """A getter whose receiver is the list of evaluated arguments."""
        source = slot.source
        if source is None:
            return take.constant_getter(slot.parameter.default)
        convert = find_converter(slot.parameter, self.limits)
        if convert is None:
            return lambda values, _scope: values[source]
        return lambda values, _scope: convert(values[source])


def _build_invoker(
    function: Callable[..., Any], getters: list[Getter], keywords: list[tuple[str, Getter]]
) -> Step:
    if keywords:
        return lambda receiver, scope: function(
            *[get(receiver, scope) for get in getters],
            **{name: get(receiver, scope) for name, get in keywords},
        )
    match getters:
        case []:
            return lambda _receiver, _scope: function()
        case [one]:
            return lambda receiver, scope: function(one(receiver, scope))
        case [one, two]:
            return lambda receiver, scope: function(one(receiver, scope), two(receiver, scope))
        case [one, two, three]:
            return lambda receiver, scope: function(
                one(receiver, scope), two(receiver, scope), three(receiver, scope)
            )
        case _:
            return lambda receiver, scope: function(*[get(receiver, scope) for get in getters])
