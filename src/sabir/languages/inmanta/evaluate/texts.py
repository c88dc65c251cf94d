"""Strings with interpolations: `{{name}}` and f-strings, split at compile time."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.reasons import explain_error
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.budget import LARGE_TEXT, LIMIT
from sabir.languages.inmanta.evaluate.functions import is_unknown
from sabir.languages.inmanta.evaluate.operators import format_interpolated
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.values import Frame, Read
from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.model.types import TYPE, Late, format_value
from sabir.languages.inmanta.syntax import nodes
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.expressions import ExpressionCompiler


_CONVERSIONS: Final[dict[str, Callable[[Any], str]]] = {"r": repr, "s": str, "a": ascii}


class TextCompiler:
    """Compiles interpolated strings and f-strings to a join of their parts."""

    def __init__(self, expressions: ExpressionCompiler) -> None:
        self.expressions = expressions
        self.budget = expressions.budget

    def text(self, node: nodes.Text, scope: BlockScope) -> Read:
        parts = node.parts
        if len(parts) <= 3 and sum(not isinstance(part, str) for part in parts) == 1:
            return self._text_of_one(node, scope)
        pieces = "".join(part.replace("%", "%%") if isinstance(part, str) else "%s" for part in parts)
        reads = tuple(self.expressions.read(part.value, scope) for part in parts if not isinstance(part, str))
        budget, place = self.budget, self.expressions.place(node, scope)

        def read(frame: Frame) -> Any:
            values = [part(frame) for part in reads]
            for position, value in enumerate(values):
                if type(value) is not str:
                    if is_unknown(value):
                        return Unknown()
                    values[position] = _insert_value(value, place)
            size = sum(map(len, values))
            if size > LARGE_TEXT:
                budget.text(size, place)
            return pieces % tuple(values)

        return read

    def _text_of_one(self, node: nodes.Text, scope: BlockScope) -> Read:
        before = after = ""
        inner: Read | None = None
        for part in node.parts:
            if not isinstance(part, str):
                inner = self.expressions.read(part.value, scope)
            elif inner is None:
                before = part
            else:
                after = part
        assert inner is not None
        only = inner
        budget, place = self.budget, self.expressions.place(node, scope)

        def read(frame: Frame) -> Any:
            value = only(frame)
            if type(value) is not str:
                if is_unknown(value):
                    return Unknown()
                value = _insert_value(value, place)
            if len(value) > LARGE_TEXT:
                budget.text(len(value), place)
            return before + value + after

        return read

    def format_text(self, node: nodes.FormatText, scope: BlockScope) -> Read:
        place = self.expressions.place(node, scope)
        parts = [
            part if isinstance(part, str) else self._format_reader(part, scope, place) for part in node.parts
        ]
        budget = self.budget

        def read(frame: Frame) -> Any:
            out: list[str] = []
            size = 0
            for part in parts:
                if isinstance(part, str):
                    out.append(part)
                    continue
                value = part(frame)
                if isinstance(value, Unknown):
                    return value
                out.append(value)
                size += len(value)
                if size > LARGE_TEXT:
                    budget.text(size, place)
            return "".join(out)

        return read

    def _format_reader(self, part: nodes.Interpolation, scope: BlockScope, place: Place) -> Read:
        inner = self.expressions.read(part.value, scope)
        spec = _constant_read(part.spec) if isinstance(part.spec, str) else self.format_text(part.spec, scope)
        convert = _CONVERSIONS.get(part.conversion)

        def read(frame: Frame) -> Any:
            value = inner(frame)
            wanted = spec(frame)
            if isinstance(value, Unknown) or isinstance(wanted, Unknown):
                return value if isinstance(value, Unknown) else wanted
            _check_known(value, place)
            if convert is not None:
                value = convert(value)
            return _apply_format(_drop_zero_fraction(value), wanted, place)

        return read


def _constant_read(value: str) -> Read:
    return lambda _: value


def _drop_zero_fraction(value: Any) -> Any:
    """Return a float without decimals as an integer (recorded behavior of the original engine)."""
    return int(value) if type(value) is float and value.is_integer() else value


def _check_known(value: Any, place: Place) -> None:
    if isinstance(value, Late):
        raise stop(
            TYPE,
            f"{value!r} is a reference, which cannot be part of a string: its value is looked up when it is deployed",
            place,
            hint="set the attribute to the reference itself",
        )


def _insert_value(value: Any, place: Place) -> str:
    if type(value) is int:  # the usual case: the number of a loop
        return str(value)
    _check_known(value, place)
    return format_interpolated(_drop_zero_fraction(value))


def _apply_format(value: Any, spec: str, place: Place) -> str:
    if not spec:
        return format_interpolated(value)
    if len(spec) > 20 or any(int(digits) > 1000 for digits in re.findall("[0-9]+", spec)):
        raise stop(LIMIT, f"the format {spec!r} asks for too much", place)
    try:
        return format(value, spec)
    except (ValueError, TypeError, OverflowError) as error:
        raise stop(
            TYPE, f"{format_value(value)} cannot be written as {spec!r}: {explain_error(error)}", place
        ) from None
