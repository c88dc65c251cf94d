"""`sabir check`: all findings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sabir.cli.declare import argument, flag, option, sabir_command
from sabir.cli.options import language_option
from sabir.cli.parameter_types import (
    PATH,
    PATH_TEXT,
    Number,
    SuggestedText,
    WordChoice,
    parse_pairs,
    parse_values,
)
from sabir.cli.session_options import limits_option, trust_option

_FIXES: Final = "Fixes"
_SHOWING: Final = "Reports"
_SETTINGS: Final = "Settings"
_CODES: Final = "Codes"
_EVALUATION: Final = "Where the check evaluates"


def _list_formats() -> Iterable[str]:
    from sabir.checks.formatters.formatter import formatter_names

    return formatter_names()


def _list_rule_codes() -> Iterable[str]:
    from sabir.operations.check import list_codes

    return [rule.code for rule in list_codes()]


@sabir_command(
    "check",
    examples=[
        ("sabir check", "everything in this folder: a package, or all packages of a repository"),
        ("sabir check my-package/ other.zip", "all findings, with their places"),
        ("sabir check - < main.cf", "what comes through a pipe"),
        ("sabir check --select E,MPL:W012 my-package/", "errors and one kind of warning"),
        ("sabir check --fix my-package/", "fix what can be fixed safely"),
        ("sabir check --format sarif -o report.sarif *.zip", "a report for other tools"),
        ("sabir check --explain MPL:E042", "what a code means"),
    ],
    notes="""
    CODES are separated by commas: MPL:E042 one code, E042 the same under any prefix, W all warnings, MPL all codes of a
    validator. A comment suppresses the findings of its line: # sabir: ignore[CODE] reason.

    Settings: [tool.sabir] in pyproject.toml, or sabir.toml, nearest above PATH. The command line wins.

    Exit status: 0 fine, 1 errors found (with --strict: anything found), 2 wrong usage or unusable input.
    """,
)
@argument("paths", metavar="[PATH…]", type=PATH, nargs=-1)
@option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="In a folder of packages: leave out what has this name, or this path from there; may be repeated.",
)
@option(
    "--select",
    multiple=True,
    metavar="CODES",
    type=SuggestedText(_list_rule_codes),
    help="Report these only.",
)
@option(
    "--ignore",
    multiple=True,
    metavar="CODES",
    type=SuggestedText(_list_rule_codes),
    help="Do not report these.",
)
@option(
    "--extend-select",
    multiple=True,
    metavar="CODES",
    type=SuggestedText(_list_rule_codes),
    help="Report these, too: those that are off by default.",
)
@option(
    "--scope",
    multiple=True,
    metavar="VALIDATORS",
    help="Run these validators only, by short or long name.",
)
@option(
    "--rules",
    multiple=True,
    metavar="FILE",
    type=PATH_TEXT,
    help="Ask the rules of a policy file of the evaluated graph, too.",
)
@flag("--strict", help="Warnings fail the run, too.")
@language_option
@option(
    "--search-path",
    multiple=True,
    metavar="DIR",
    type=PATH_TEXT,
    section=_EVALUATION,
    help="A further folder with packages, modules or components; may be repeated.",
)
@option(
    "--import",
    "imports",
    multiple=True,
    metavar="URL=PATH",
    section=_EVALUATION,
    help="The copy on this machine of what TOSCA imports from URL; folders when both end in /.",
)
@option(
    "--deployment",
    metavar="FILE",
    type=PATH_TEXT,
    section=_EVALUATION,
    help="The configuration of the deployment that the package is a part of.",
)
@option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=VALUE|FILE",
    section=_EVALUATION,
    help="An input, VALUE read as YAML; or a YAML file of inputs.",
)
@option(
    "--set",
    "overrides",
    multiple=True,
    metavar="INSTANCE.ATTRIBUTE=VALUE",
    section=_EVALUATION,
    help="Check with this value instead of the described one.",
)
@flag("--watch", help="Stay, and check again whenever a file changes.")
@option(
    "-j",
    "--jobs",
    type=Number(int, least=0),
    help="Processes for many paths; 0: one a core.",
)
@option(
    "--executor",
    metavar="URL",
    help="Workers for many paths, which see the same files: dask://HOST:PORT, or dask+tls://HOST:PORT.",
)
@option(
    "-f",
    "--format",
    "form",
    metavar="FORMAT",
    type=SuggestedText(_list_formats),
    section=_SHOWING,
    help="text, concise, json, yaml, sarif, github, gitlab, junit, or one of a plug-in. [default: text]",
)
@option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="[FORMAT=]FILE",
    section=_SHOWING,
    help="Write a report to a file, too; may be repeated.",
)
@flag(
    "--statistics",
    section=_SHOWING,
    help="How often each code was found, instead of the findings.",
)
@option(
    "--color",
    type=WordChoice("auto", "always", "never"),
    default="auto",
    section=_SHOWING,
    help="Paint the report.",
)
@flag("-q", "--quiet", section=_SHOWING, help="Findings only: one line each, no summary.")
@flag("--fix", section=_FIXES, help="Fix what can be fixed without changing the meaning.")
@flag("--diff", section=_FIXES, help="Show what --fix would change; write nothing.")
@flag(
    "--unsafe-fixes",
    section=_FIXES,
    help="With --fix or --diff: also fixes that may change the meaning.",
)
@option(
    "--baseline",
    type=PATH,
    metavar="FILE",
    section=_SETTINGS,
    help="Hide the findings that FILE knows.",
)
@flag("--update-baseline", section=_SETTINGS, help="Write all findings to the baseline file.")
@flag("--no-suppressions", section=_SETTINGS, help="Report also what comments in the files suppress.")
@flag("--require-reason", section=_SETTINGS, help="Report comments that suppress without a reason.")
@option("--config", type=PATH, metavar="FILE", section=_SETTINGS, help="Read settings from this file.")
@flag("--no-config", section=_SETTINGS, help="Read no settings file.")
@trust_option(section=_SETTINGS)
@limits_option(section=_SETTINGS)
@option(
    "--explain",
    metavar="CODE",
    type=SuggestedText(_list_rule_codes),
    section=_CODES,
    help="Say what a code means, and stop.",
)
@flag("--list-codes", section=_CODES, help="List everything that can be reported, and stop.")
def command(*, explain: str | None, list_codes: bool, **words: Any) -> int:
    """Say what is wrong with packages, models and templates.

    PATH is a folder, a zip archive, a single file, or - for what comes through a pipe; without one, this folder. In a
    folder that is no package itself every package below it is checked.
    """
    if explain is not None:
        from sabir.cli.views.codes import show_code

        show_code(explain)
        return 0
    if list_codes:
        from sabir.cli.views.codes import show_codes

        show_codes(words["select"], words["form"])
        return 0
    from sabir.cli.check_run import CheckArguments, CheckRun

    words["inputs"] = parse_values(words["inputs"], "--input")
    words["overrides"] = parse_pairs(words["overrides"], "--set")
    return CheckRun.prepare(CheckArguments(**words)).execute()
