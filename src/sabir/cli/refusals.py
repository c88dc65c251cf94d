"""What is said of words that a command does not take: one line that names the word, and the near one."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.exceptions import NoSuchCommand

from sabir.cli.declare import usage_line
from sabir.diagnostics.suggestions import did_you_mean


def usage_message(error: click.UsageError) -> str:
    """The line for an error of click's parser, or of a command that called `fail`."""
    ctx = error.ctx
    if ctx is None:
        return error.format_message()
    match error:
        case click.NoSuchOption():
            return f"no such option {error.option_name!r}: {_suggest_word(error.option_name, _option_names(ctx), ctx)}"
        case NoSuchCommand() if isinstance(ctx.command, click.Group):
            commands = ctx.command.list_commands(ctx)
            return (
                f"no such command {error.command_name!r}: {_suggest_word(error.command_name, commands, ctx)}"
            )
        case click.MissingParameter(param=click.Parameter() as parameter):
            return f"{parameter.human_readable_name} is missing: {usage_line(ctx)}"
        case click.BadParameter(param=click.Parameter() as parameter):
            return f"{_parameter_name(parameter)}: {error.message}"
        case click.BadOptionUsage():
            return _bad_use(error.option_name, ctx)
        case _:
            return error.format_message()


def _suggest_word(word: str, candidates: Iterable[str], ctx: click.Context) -> str:
    return did_you_mean(word, candidates) or f"{ctx.command_path} --help lists them"


def _option_names(ctx: click.Context) -> list[str]:
    return [name for option in ctx.command.get_params(ctx) for name in option.opts if name.startswith("-")]


def _parameter_name(parameter: click.Parameter) -> str:
    return parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.human_readable_name


def _bad_use(name: str, ctx: click.Context) -> str:
    """An option without its value, or a flag with one."""
    option = next(option for option in ctx.command.get_params(ctx) if name in option.opts)
    if isinstance(option, click.Option) and option.is_flag:
        return f"{name} takes no value"
    return f"{name} needs a value: {name} {option.make_metavar(ctx)}"
