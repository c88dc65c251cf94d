"""`sabir check`: all findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from sabir.cli.terminal import ColorChoice

__all__ = ["command"]

EPILOG: Final = """\b
CODES are separated by commas: MPL:E042 one code, E042 the same under any prefix, W all warnings, MPL all
codes of a validator. A line of a file is excused by a comment: # sabir: ignore[CODE] reason.

\b
Settings: [tool.sabir] in pyproject.toml, or sabir.toml, nearest above PATH. The command line wins.
Exit status: 0 fine, 1 errors found (with --strict: anything found), 2 wrong usage or unusable input.
"""


def _complete_formats(_context: click.Context, _parameter: click.Parameter, word: str) -> list[str]:
    from sabir.check.formatters.formatter import formatter_names

    return [name for name in formatter_names() if name.startswith(word)]


def _complete_languages(_context: click.Context, _parameter: click.Parameter, word: str) -> list[str]:
    from sabir.plugins import LANGUAGES, plugin_names

    return [name for name in plugin_names(LANGUAGES) if name.startswith(word)]


def _complete_codes(_context: click.Context, _parameter: click.Parameter, word: str) -> list[str]:
    from sabir.operations.check import list_codes

    return [code.code for code in list_codes() if code.code.startswith(word.upper())]


@click.command("check", epilog=EPILOG)
@click.argument("paths", nargs=-1, metavar="PATH...", type=click.Path(path_type=Path))
@click.option(
    "--select", multiple=True, metavar="CODES", shell_complete=_complete_codes, help="Report these only."
)
@click.option(
    "--ignore", multiple=True, metavar="CODES", shell_complete=_complete_codes, help="Do not report these."
)
@click.option(
    "--extend-select",
    multiple=True,
    metavar="CODES",
    shell_complete=_complete_codes,
    help="Report these, too: those that are off by default.",
)
@click.option(
    "--scope", multiple=True, metavar="VALIDATORS", help="Run these validators only, by short or long name."
)
@click.option(
    "--rules",
    multiple=True,
    metavar="FILE",
    help="Ask the rules of a policy file of the evaluated graph, too.",
)
@click.option("--strict", is_flag=True, default=None, help="Warnings fail the run, too.")
@click.option(
    "--language",
    metavar="NAME",
    shell_complete=_complete_languages,
    help="Take PATH as written in this language instead of finding out.",
)
@click.option(
    "-f",
    "--format",
    "form",
    metavar="FORMAT",
    shell_complete=_complete_formats,
    help="text, concise, json, yaml, sarif, github, gitlab, junit, or one of a plug-in.  [default: text]",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="[FORMAT=]FILE",
    help="Write a report to a file, too; may be repeated.",
)
@click.option("--statistics", is_flag=True, help="How often each code was found, instead of the findings.")
@click.option("--fix", is_flag=True, help="Mend what can be mended without changing the meaning.")
@click.option("--diff", is_flag=True, help="Show what --fix would change; write nothing.")
@click.option(
    "--unsafe-fixes", is_flag=True, help="With --fix or --diff: also fixes that may change the meaning."
)
@click.option(
    "--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Hide the findings that FILE knows."
)
@click.option("--update-baseline", is_flag=True, help="Write all findings to the baseline file.")
@click.option("--no-suppressions", is_flag=True, help="Report also what comments in the files excuse.")
@click.option(
    "--require-reason", is_flag=True, default=None, help="Report comments that excuse without a reason."
)
@click.option("--watch", is_flag=True, help="Stay, and check again whenever a file changes.")
@click.option(
    "-j", "--jobs", type=click.IntRange(min=0), metavar="N", help="Processes for many paths; 0: one a core."
)
@click.option(
    "--config", type=click.Path(path_type=Path), metavar="FILE", help="Read settings from this file."
)
@click.option("--no-config", is_flag=True, help="Read no settings file.")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Paint the report."
)
@click.option("-q", "--quiet", is_flag=True, help="Findings only: one line each, no summary.")
@click.option(
    "--explain", metavar="CODE", shell_complete=_complete_codes, help="Say what a code means, and stop."
)
@click.option("--list-codes", is_flag=True, help="List everything that can be reported, and stop.")
@click.pass_context
def command(
    context: click.Context,
    /,
    paths: tuple[Path, ...],
    explain: str | None,
    list_codes: bool,
    color: ColorChoice,
    quiet: bool,
    **given: Any,
) -> None:
    """Say what is wrong with packages, models and templates.

    PATH is a folder, a zip archive or a single file.
    """
    from sabir.cli.views.codes import show_code, show_codes

    if explain is not None:
        show_code(explain)
        return
    if list_codes:
        show_codes(given["select"], given["form"])
        return
    if not paths:
        raise click.UsageError("name a PATH: a folder, a zip archive or a file", context)

    from sabir.cli.views.check import CheckRun

    run = CheckRun.prepare(paths, given, color=color, quiet=quiet)
    context.exit(run.execute())
