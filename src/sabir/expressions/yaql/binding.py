"""Which overloads a call can mean, found once when it is compiled.

From the shape of a call (how many arguments, which are left out, which keywords) follows, for each overload, where every
argument goes. What remains for run time is to compare the kinds of the values with those of the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sabir.expressions.yaql.functions import MISSING, Lazy, Overload, Parameter
from sabir.expressions.yaql.kinds import KINDS, NULL
from sabir.expressions.yaql.nodes import Literal, Node, Rule, Skipped, Word

__all__ = ["Binding", "CallShape", "Slot", "bind", "order_by_specificity"]


class CallShape(Struct, frozen=True, eq=False):
    """Arguments as written. The receiver of a method call is the first of them; it has no node (None)."""

    positional: tuple[Node | None, ...]
    named: tuple[tuple[str, Node], ...]


class Slot(Struct, frozen=True, eq=False):
    """Where one Python argument comes from."""

    source: int | None  # index of the argument (named ones after positional ones); None: the default
    parameter: Parameter


class Binding(Struct, frozen=True, eq=False):
    overload: Overload
    slots: tuple[Slot, ...]  # for the parameters, then for *args
    keywords: tuple[tuple[str, Slot], ...]  # for keyword-only parameters and **kwargs

    def lazy(self) -> frozenset[int]:
        """The arguments this overload wants unevaluated."""
        every = (*self.slots, *(slot for _, slot in self.keywords))
        return frozenset(
            slot.source for slot in every if slot.source is not None and isinstance(slot.parameter.kind, Lazy)
        )


def bind(overload: Overload, shape: CallShape) -> Binding | None:
    """How the arguments fall on the parameters of an overload, or None when they cannot."""
    named = {name: len(shape.positional) + index for index, (name, _) in enumerate(shape.named)}
    nodes = (*shape.positional, *(node for _, node in shape.named))
    slots: list[Slot] = []
    keywords: list[tuple[str, Slot]] = []
    given = len(shape.positional)
    count = _positional_count(overload)
    for index, parameter in enumerate(overload.parameters):
        source: int | None = None
        if index < given and index < count and type(shape.positional[index]) is not Skipped:
            if parameter.name in named:
                return None
            source = index
        elif parameter.name in named:
            source = named.pop(parameter.name)
        elif parameter.default is MISSING:
            return None
        if index < count:
            slots.append(Slot(source, parameter))
        else:
            keywords.append((_python_name(overload, index), Slot(source, parameter)))
    if given > count:
        if overload.rest is None or any(type(node) is Skipped for node in shape.positional[count:]):
            return None
        slots += [Slot(index, overload.rest) for index in range(count, given)]
    if named:
        if overload.keywords is None:
            return None
        keywords += [(name, Slot(source, overload.keywords)) for name, source in named.items()]
    binding = Binding(overload, tuple(slots), tuple(keywords))
    every = (*slots, *(slot for _, slot in keywords))
    if all(slot.source is None or _may_take(slot.parameter, nodes[slot.source]) for slot in every):
        return binding
    return None


def _positional_count(overload: Overload) -> int:
    return overload.function.__code__.co_argcount - len(overload.hidden)


def _python_name(overload: Overload, index: int) -> str:
    return overload.function.__code__.co_varnames[index + len(overload.hidden)]


def _may_take(parameter: Parameter, node: Node | None) -> bool:
    """Whether a parameter can take an argument, as far as its text tells."""
    kind = parameter.kind
    if kind is Lazy.KEYWORD:
        return type(node) is Word
    if kind is Lazy.LAZY_RULE:
        return type(node) is Rule
    if type(node) in (Literal, Word) and isinstance(kind, int):
        assert isinstance(node, Literal | Word)
        return bool(KINDS[type(node.value)] & kind)
    return True


def order_by_specificity(bindings: Sequence[Binding]) -> tuple[Binding, ...]:
    """Most specific first, so that the first one that matches is the one to take."""
    result: list[Binding] = []
    for binding in bindings:
        at = next(
            (index for index, other in enumerate(result) if _is_more_specific(binding, other)), len(result)
        )
        result.insert(at, binding)
    return tuple(result)


def _is_more_specific(one: Binding, other: Binding) -> bool:
    kinds = {slot.source: slot.parameter.kind for slot in other.slots if slot.source is not None}
    better = False
    for slot in one.slots:
        if slot.source is None or slot.source not in kinds:
            continue
        mine, theirs = slot.parameter.kind, kinds[slot.source]
        if not isinstance(mine, int) or not isinstance(theirs, int):
            continue
        mine, theirs = mine & ~NULL, theirs & ~NULL
        if mine != theirs and mine & theirs == theirs:
            return False
        better = better or (mine != theirs and mine & theirs == mine)
    return better
