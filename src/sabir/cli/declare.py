"""The parts from which every command is declared: click's, with examples and sections in the help.

@sabir_command("check", examples=[("sabir check shop/", "all findings")])
@argument("paths", metavar="PATH…", nargs=-1, type=PATH)
@flag("--strict", help="Warnings fail the run, too.")
def check(*, paths: tuple[Path, ...], strict: bool) -> int: ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
Row = tuple[str, str]

CONTEXT: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 112, "show_default": True}

_OPTIONS: Final = "Options"
_NARROW: Final = 70


class Option(click.Option):
    """An option that stands in a section of the help."""

    def __init__(self, *args: Any, section: str = _OPTIONS, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.section = section


class HelpCommand(click.Command):
    """A command whose help shows examples, and options in their sections."""

    def __init__(
        self,
        *args: Any,
        examples: Sequence[Row] = (),
        explained: Sequence[Row] = (),
        **attributes: Any,
    ) -> None:
        """`examples`: what to type, and what it does. `explained`: words of the usage that want a line of their own."""
        super().__init__(*args, **attributes)
        self.examples = examples
        self.explained = explained

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # click's parser does not say whose option lacks its value
            raise

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        if self.examples:
            _write_examples(self.examples, formatter)
        self.format_options(ctx, formatter)
        self.format_epilog(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_sections(self.sections(ctx), formatter)

    def sections(self, ctx: click.Context) -> dict[str, list[Row]]:
        """The tables of the help by their titles."""
        tables: dict[str, list[Row]] = {"Arguments": [*self.explained]} if self.explained else {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                section = parameter.section if isinstance(parameter, Option) else _OPTIONS
                tables.setdefault(section, []).append((_align_names(record[0]), record[1]))
        return tables


class SabirCommand(HelpCommand):
    """A command that does something. It takes no more words than it declares, and says so in our words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        surplus = super().parse_args(ctx, args)
        if surplus and not ctx.resilient_parsing:
            ctx.fail(f"{surplus[0]!r} is a word too many: {usage_line(ctx)}")
        return surplus


def usage_line(ctx: click.Context) -> str:
    """`sabir check [OPTIONS] PATH…`"""
    return " ".join((ctx.command_path, *ctx.command.collect_usage_pieces(ctx)))


def sabir_command(
    name: str,
    *,
    examples: Sequence[Row] = (),
    explained: Sequence[Row] = (),
    notes: str | None = None,
    options_metavar: str = "[OPTIONS]",
) -> Callable[[Callable[..., int]], SabirCommand]:
    """Make a function a command. Its docstring is the help, what it returns the exit status."""
    return click.command(
        name,
        cls=SabirCommand,
        examples=examples,
        explained=explained,
        epilog=notes,
        options_metavar=options_metavar,
        context_settings=CONTEXT,
    )


def argument(name: str, **attributes: Any) -> Callable[[F], F]:
    """A word that is known by where it stands."""
    return click.argument(name, **attributes)


def option(*names: str, help: str, section: str = _OPTIONS, **attributes: Any) -> Callable[[F], F]:  # noqa: A002  as click calls it
    """An option with a value; `multiple=True`: may be repeated, and arrives as a tuple."""
    return click.option(*names, cls=Option, help=help, section=section, **attributes)


def flag(*names: str, help: str, section: str = _OPTIONS) -> Callable[[F], F]:  # noqa: A002  as above
    """An option that is there or not."""
    return option(*names, help=help, section=section, is_flag=True)


def _align_names(names: str) -> str:
    """A lone long name stands below the other long ones."""
    return f"    {names}" if names.startswith("--") else names


def _write_sections(tables: Mapping[str, Sequence[Row]], formatter: click.HelpFormatter) -> None:
    """All tables with one column of names; in a narrow terminal long names get a line of their own."""
    widest = 32 if formatter.width >= _NARROW else 18
    column = min(max(len(names) for rows in tables.values() for names, _ in rows), widest)
    for title, rows in tables.items():
        with formatter.section(title):
            formatter.write_dl(((names.ljust(column), text) for names, text in rows), col_max=column)


def _write_examples(examples: Sequence[Row], formatter: click.HelpFormatter) -> None:
    column = max((len(typed) for typed, comment in examples if comment), default=0)
    longest = max(len(comment) for _, comment in examples)
    with formatter.section("Examples"):
        if column + longest + 4 <= formatter.width:
            formatter.write_dl(examples, col_max=column)
        else:
            formatter.write("".join(f"  {line}\n" for line in _stack_examples(examples)))


def _stack_examples(examples: Iterable[Row]) -> Iterator[str]:
    """Each example below its comment, where there is no room beside it."""
    for typed, comment in examples:
        if comment:
            yield f"# {comment}"
        yield typed
