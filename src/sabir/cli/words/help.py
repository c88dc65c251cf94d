"""The help of a command, made from its declaration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shutil import get_terminal_size
from textwrap import dedent, wrap
from typing import Final

from sabir.cli.words.declare import Command, Option

__all__ = ["group_help", "help_text"]

_WIDEST: Final = 110
_WIDEST_NAMES: Final = 32

Row = tuple[str, str]


def help_text(command: Command) -> str:
    """Usage, what it does, examples, options in their sections, notes."""
    sections: dict[str, list[Row]] = {"Arguments": [*command.explained]} if command.explained else {}
    for option in command.all_options():
        sections.setdefault(option.section, []).append((_names(option), _explained(option)))
    return "\n".join(_page(command.usage, command.about, command.examples, sections, command.notes)) + "\n"


def group_help(
    name: str, about: str, sections: Mapping[str, Sequence[Row]], examples: Iterable[Row], notes: str
) -> str:
    """The help of a command that only has others below it."""
    return "\n".join(_page(f"{name} [OPTIONS] COMMAND …", about, [*examples], sections, notes)) + "\n"


def _page(
    usage: str, about: str, examples: Sequence[Row], sections: Mapping[str, Sequence[Row]], notes: str
) -> Iterator[str]:
    width = max(min(get_terminal_size().columns, _WIDEST), 50)
    yield f"Usage: {usage}"
    yield from _paragraphs(about, width)
    if examples:
        yield from ("", "Examples:", *_examples(examples))
    column = min(max(len(names) for rows in sections.values() for names, _ in rows), _WIDEST_NAMES)
    for title, rows in sections.items():
        yield from ("", f"{title}:", *_table(rows, column, width))
    yield from _paragraphs(notes, width)


def _names(one: Option) -> str:
    # A lone long name stands below the other long ones.
    names = ", ".join(one.names) if one.names[0][:2] != "--" else "    " + ", ".join(one.names)
    return f"{names} {one.metavar}" if one.kind is not None else names


def _explained(one: Option) -> str:
    return one.help if not isinstance(one.default, str) else f"{one.help} [default: {one.default}]"


def _paragraphs(text: str, width: int) -> Iterator[str]:
    for paragraph in dedent(text).strip().split("\n\n"):
        if paragraph:
            yield ""
            yield from wrap(paragraph, width - 2, initial_indent="  ", subsequent_indent="  ")


def _examples(examples: Sequence[Row]) -> Iterator[str]:
    column = max((len(typed) for typed, what in examples if what), default=0)
    for typed, what in examples:
        yield f"  {typed:<{column}}  {what}".rstrip()


def _table(rows: Sequence[Row], column: int, width: int) -> Iterator[str]:
    for names, what in rows:
        lines = wrap(what, width - column - 4) or [""]
        if len(names) > column:
            yield f"  {names}"
        else:
            yield f"  {names:<{column}}  {lines.pop(0)}".rstrip()
        yield from (f"{'':{column + 4}}{line}" for line in lines)
