"""The expression parser: precedence climbing over the tokens.

From loosest to tightest: `? :`, `or`, `and`, `not`, comparisons (with `in` and `is defined`), `+ -`, `*
/ %`, `-x`, `**`. `not` applies to a whole comparison, as in the grammar of spec 002 (decision S-55).
"""

from __future__ import annotations

from typing import Final

from sabir.languages.inmanta.syntax.lexer import split_format, split_interpolations, unescape
from sabir.languages.inmanta.syntax.nodes import (
    Argument,
    AttributeRef,
    Binary,
    Call,
    Comprehension,
    Conditional,
    Construct,
    DictLiteral,
    Expression,
    FormatText,
    IndexLookup,
    Interpolation,
    IsDefined,
    ListLiteral,
    Literal,
    Logic,
    Lookup,
    Name,
    Not,
    SelectorLookup,
    Text,
    Unary,
)
from sabir.languages.inmanta.syntax.stream import TokenStream

_CONDITIONAL, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _NEGATE, _POWER = range(1, 10)
_POWERS: Final = {
    "?": _CONDITIONAL,
    "or": _OR,
    "and": _AND,
    "==": _COMPARE,
    "!=": _COMPARE,
    "<": _COMPARE,
    ">": _COMPARE,
    "<=": _COMPARE,
    ">=": _COMPARE,
    "in": _COMPARE,
    "not": _COMPARE,
    "is": _COMPARE,
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
    "%": _PRODUCT,
    "**": _POWER,
}
_MAX_CHAIN: Final = 100
_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_OTHER_SPELLINGS: Final = {"True": "true", "False": "false", "None": "null"}


class ExpressionParser(TokenStream):
    """Parses expressions, strings and argument lists."""

    def expression(self, power: int = 0) -> Expression:
        left = self._prefix()
        kinds = self.kinds
        chain = 0
        while True:
            kind = kinds[self.pos]
            binding = _POWERS.get(kind)
            if binding is None or binding <= power:
                return left
            chain += 1
            if chain > _MAX_CHAIN:
                self.fail(
                    f"this expression is a chain of more than {_MAX_CHAIN} operators",
                    hint="give a part of it a name",
                )
            if kind == "?":
                left = self._conditional(left)
            elif binding <= _AND:
                left = self._logic(left, kind, binding)
            elif kind == "is":
                self.pos += 1
                self.expect("defined", "after 'is'")
                left = IsDefined(left.start, self.previous_end(), left)
            else:
                if kind == "not":
                    if kinds[self.pos + 1] != "in":
                        return left
                    self.pos += 1
                    kind = "not in"
                self.pos += 1
                right = self._parse_nested(
                    binding
                )  # all group to the left, `**` too, as the existing engine has it
                left = Binary(left.start, right.end, kind, left, right)

    def _parse_nested(self, power: int) -> Expression:
        self.deeper()
        value = self.expression(power)
        self.depth -= 1
        return value

    def _conditional(self, condition: Expression) -> Expression:
        self.pos += 1
        self.deeper()
        then = self.expression()
        self.expect(":", "between the two values of 'condition ? a : b'")
        otherwise = self.expression()
        self.depth -= 1
        return Conditional(condition.start, otherwise.end, condition, then, otherwise)

    def _logic(self, first: Expression, operator: str, binding: int) -> Expression:
        operands = [first]
        while self.kinds[self.pos] == operator:
            self.pos += 1
            operands.append(self._parse_nested(binding))
        return Logic(first.start, operands[-1].end, operator, tuple(operands))

    def _prefix(self) -> Expression:
        pos = self.pos
        kind = self.kinds[pos]
        start = self.starts[pos]
        if kind == "not":
            self.pos = pos + 1
            operand = self._parse_nested(_NOT)
            return Not(start, operand.end, operand)
        if kind == "-":
            self.pos = pos + 1
            # The sign of a number belongs to it: -2 ** 2 is 4.
            operand = self._parse_nested(
                _POWER if self.kinds[self.pos] in ("int", "float", "number") else _NEGATE
            )
            if isinstance(operand, Literal) and type(operand.value) in (int, float):
                return Literal(start, operand.end, -operand.value)  # type: ignore[operator]  # a number, just tested
            return Unary(start, operand.end, operand)
        value = self._atom(kind, pos, start)
        while True:
            kind = self.kinds[self.pos]
            if kind == ".":
                self.pos += 1
                name = self.expect("id", "after '.'")
                value = AttributeRef(start, self.previous_end(), value, name)
                if self.kinds[self.pos] == "(":
                    self.fail(
                        "only a function can be called",
                        hint=f"a function of a module is written with '::', as in {self._to_qualified_name(value)}(…)",
                    )
            elif kind == "[" and not isinstance(value, Literal):
                value = self._subscript(value, start)
            else:
                return value

    def _to_qualified_name(self, value: Expression) -> str:
        return self.text[value.start - self.offset : value.end - self.offset].replace(".", "::")

    def _subscript(self, base: Expression, start: int) -> Expression:
        self.pos += 1
        self.deeper()
        if self.kinds[self.pos] == "**" or (self.kinds[self.pos] == "id" and self.kinds[self.pos + 1] == "="):
            if not isinstance(base, AttributeRef):
                self.fail(
                    "a selector needs a relation before its brackets",
                    hint="as in host.files[path='/etc/motd']",
                )
            arguments = self._arguments("]")
            self.depth -= 1
            return SelectorLookup(start, self.previous_end(), base.base, base.name, arguments)
        key = self.expression()
        self.expect("]", "after the key")
        self.depth -= 1
        return Lookup(start, self.previous_end(), base, key)

    def _atom(self, kind: str, pos: int, start: int) -> Expression:
        text = self.texts[pos]
        self.pos = pos + 1
        if kind == "id":
            if self.kinds[pos + 1] == "(":
                self.pos = pos + 2
                arguments = self._call_arguments()
                return Call(start, self.previous_end(), text, arguments)
            return Name(start, start + len(text), text)
        if kind == "string":
            return self._string(text, start, 1)
        if kind == "int":
            return self._integer(text, start)
        if kind == "cid":
            return self._of_entity(text, start)
        if kind in _CONSTANTS:
            return Literal(start, start + len(text), _CONSTANTS[kind])
        if kind == "[":
            return self._list(start)
        if kind == "{":
            return self._dict(start)
        if kind == "(":
            self.deeper()
            inner = self.expression()
            self.depth -= 1
            self.expect(")", "to close the bracket")
            return inner
        return self._rare_atom(kind, pos, start)

    def _rare_atom(self, kind: str, pos: int, start: int) -> Expression:
        text = self.texts[pos]
        end = start + len(text)
        if kind == "multi":
            return self._string(text, start, 3)
        if kind == "float":
            return Literal(start, end, float(text))
        if kind == "raw":
            return Literal(start, end, text[2:-1])
        if kind == "format":
            return self._format(text, start)
        if kind == "regex":
            self.fail("a regular expression stands only in a typedef", at=pos)
        self.pos = pos
        return self.fail(f"expected a value, found {self.describe_token(pos)}")

    def _integer(self, text: str, start: int) -> Literal:
        if len(text) > 1000:
            self.fail_span(start, start + len(text), f"a number of {len(text)} digits is too long")
        return Literal(start, start + len(text), int(text))

    def _of_entity(self, text: str, start: int) -> Expression:
        kind = self.kinds[self.pos]
        if kind == "(":
            self.pos += 1
            arguments = self._call_arguments()
            return Construct(start, self.previous_end(), text, arguments)
        if kind == "[":
            self.pos += 1
            arguments = self._arguments("]")
            return IndexLookup(start, self.previous_end(), text, arguments)
        self.pos -= 1
        constant = _OTHER_SPELLINGS.get(text)
        if constant is not None:
            self.fail(f"{text!r} is no value", hint=f"it is written {constant}")
        return self.fail(
            f"{text!r} is the name of an entity and no value",
            hint=f"{text}(…) makes an instance, {text}[…] looks one up; names of variables begin with a lower-case letter",
        )

    def _call_arguments(self) -> tuple[Argument, ...]:
        self.deeper()
        arguments = self._arguments(")")
        self.depth -= 1
        return arguments

    def _arguments(self, close: str) -> tuple[Argument, ...]:
        kinds, starts = self.kinds, self.starts
        arguments: list[Argument] = []
        while kinds[self.pos] != close:
            pos = self.pos
            start = starts[pos]
            kind = kinds[pos]
            if kind == "**":
                self.pos = pos + 1
                value = self.expression()
                arguments.append(Argument(start, value.end, None, value, True))
            elif kind == "id" and kinds[pos + 1] == "=":
                self.pos = pos + 2
                value = self.expression()
                arguments.append(Argument(start, value.end, self.texts[pos], value, False))
            else:
                value = self.expression()
                if kinds[self.pos] == "=":
                    self.fail(
                        "a keyword argument needs a plain name before '='", at=pos, hint=self._hint("id")
                    )
                arguments.append(Argument(start, value.end, None, value, False))
            if not self.accept(","):
                break
        self.expect(close, "or ',' after an argument")
        return tuple(arguments)

    def _list(self, start: int) -> Expression:
        self.deeper()
        items: list[Expression] = []
        while self.kinds[self.pos] != "]":
            items.append(self.expression())
            if len(items) == 1 and self.kinds[self.pos] == "for":
                return self._comprehension(items[0], start)
            if not self.accept(","):
                break
        self.expect("]", "or ',' in the list")
        self.depth -= 1
        return ListLiteral(start, self.previous_end(), tuple(items))

    def _comprehension(self, element: Expression, start: int) -> Expression:
        loops: list[tuple[str, Expression]] = []
        guards: list[Expression] = []
        while self.accept("for"):
            variable = self.expect("id", "after 'for'")
            self.expect("in", "after the variable of the loop")
            loops.append((variable, self.expression()))
        while self.accept("if"):
            guards.append(self.expression())
        self.expect("]", "at the end of the list")
        self.depth -= 1
        return Comprehension(start, self.previous_end(), element, tuple(loops), tuple(guards))

    def _dict(self, start: int) -> Expression:
        self.deeper()
        items: list[tuple[Expression, Expression]] = []
        while self.kinds[self.pos] != "}":
            if self.kinds[self.pos] not in ("string", "raw", "multi", "format"):
                self.fail(f"a key of a dict is a string, found {self.describe_token()}")
            key = self._prefix()
            if not isinstance(key, Literal):
                self.fail_span(
                    key.start,
                    key.end,
                    "a key of a dict is a plain string, without values in it",
                    hint='a raw string, r"{{…}}", keeps its braces',
                )
            self.expect(":", "after the key")
            items.append((key, self.expression()))
            if not self.accept(","):
                break
        self.expect("}", "or ',' in the dict")
        self.depth -= 1
        return DictLiteral(start, self.previous_end(), tuple(items))

    def _string(self, text: str, start: int, quotes: int) -> Expression:
        inner = text[quotes:-quotes]
        end = start + len(text)
        if "{{" not in inner:
            return Literal(start, end, unescape(inner))
        parts: list[str | Interpolation] = []
        for part in split_interpolations(inner):
            if len(part) == 2:
                parts.append(part[0])
            else:
                at = start + quotes + part[1]
                parts.append(Interpolation(at, at + len(part[0]), _build_path(part[0], at), "", ""))
        if len(parts) == 1 and isinstance(parts[0], str):
            return Literal(start, end, parts[0])
        return Text(start, end, tuple(parts))

    def _format(self, text: str, start: int) -> Expression:
        return self._format_parts(text[2:-1], start + 2, start, start + len(text))

    def _format_parts(self, text: str, at: int, start: int, end: int) -> FormatText:
        """Parse the text of an f-string, or of a format spec in one, that starts at `at`."""
        try:
            pieces = split_format(text)
        except ValueError as error:
            self.fail_span(start, end, str(error))
        parts: list[str | Interpolation] = []
        for piece in pieces:
            if piece.spec is None:
                parts.append(piece.text)
                continue
            begin = at + piece.offset
            inner = ExpressionParser(self.source, piece.text, begin)
            inner.depth = self.depth + 1
            value = inner.expression()
            if inner.pos != len(inner.kinds) - 1:
                inner.fail(f"expected '}}' in the f-string, found {inner.describe_token()}")
            spec: str | FormatText = piece.spec
            if "{" in piece.spec:
                inside = at + piece.spec_offset
                spec = inner._format_parts(piece.spec, inside, inside, inside + len(piece.spec))
            parts.append(Interpolation(begin, begin + len(piece.text), value, spec, piece.conversion))
        return FormatText(start, end, tuple(parts))


def _build_path(text: str, at: int) -> Expression:
    first, *rest = text.split(".")
    end = at + len(first)
    value: Expression = Name(at, end, first)
    for name in rest:
        end += 1 + len(name)
        value = AttributeRef(at, end, value, name)
    return value
