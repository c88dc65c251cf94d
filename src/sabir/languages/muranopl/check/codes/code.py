"""Codes of class files: method bodies."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Example, Rule
from sabir.languages.muranopl.check.codes.examples import code, with_class

__all__ = ["CODES"]

_LAST: Final = "      - Return: $first + $.next(step => 1)\n"


def _body(*lines: str) -> Example:
    """The library with other last statements in its method `twice`."""
    return with_class(_LAST, "".join(f"      {line}\n" for line in lines))


CODES: Final[tuple[Rule, ...]] = (
    code(
        "MPL:E200",
        "Break, Continue or Rethrow with a value",
        "These statements stand alone; a value would be lost.",
        _body("- While: $first > 0", "  Do:", "    - Break: now"),
        good=_body("- While: $first > 0", "  Do:", "    - Break:"),
        fixable=True,
    ),
    code(
        "MPL:E201",
        "neither a target of an assignment nor a keyword",
        "A statement with one key is an assignment ($x, $.x, $x[0] …) or a block construct; a block construct has only "
        "its own keywords.",
        _body("- Retrun: $first"),
        fixable=True,
    ),
    code(
        "MPL:W202",
        "an expression that does not parse",
        "Text that does not parse is no expression: the engine takes it for a plain string, and what was meant never "
        "happens.",
        _body("- Return: $first + $.next(1"),
    ),
    code(
        "MPL:E203",
        "a keyword that needs a name",
        "For and As name a variable, Throw and With an exception.",
        _body("- For: 5", "  In: [1, 2]", "  Do:", "    - $.next($first)"),
        good=_body("- For: item", "  In: [1, 2]", "  Do:", "    - $.next($item + $first)"),
    ),
    code(
        "MPL:E204",
        "a malformed statement",
        "A block construct lacks a required keyword, several keys form no construct, or the statement is neither text "
        "nor mapping.",
        _body("- If: $first > 0", "  Else:", "    - $.next(1)"),
        good=_body("- If: $first > 0", "  Then:", "    - $.next(1)"),
    ),
    code(
        "MPL:E205",
        "Break or Continue outside of a loop",
        "Only While, For and Repeat can be left or continued.",
        _body("- If: $first > 0", "  Then:", "    - Break:"),
        good=_body("- While: $first > 0", "  Do:", "    - Break:"),
    ),
    code(
        "MPL:W206",
        "code that is never reached",
        "The statement before it leaves the block: Return, Throw, Break or Continue.",
        _body("- Return: $first", "- $.next(2)"),
    ),
    code(
        "MPL:W207",
        "a variable that is never read",
        "Either the assignment is left over, or the place that should read it has another name.",
        _body("- $second: $.next(2)", "- Return: $first"),
        fixable=True,
    ),
    code(
        "MPL:E208",
        "a variable that nothing assigns",
        "It is no argument, no loop variable, and no statement of the method assigns it, so it is always null.",
        _body("- Return: $first + $frist"),
        fixable=True,
    ),
    code(
        "MPL:W209",
        "an assignment to an input",
        "Properties with Usage In or Const belong to whoever made the object; the engine refuses the write, except "
        "while .init makes the object.",
        _body("- $.start: $first", "- Return: $first"),
    ),
)
