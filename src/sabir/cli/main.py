"""The command `sabir`. It knows its commands by name only: the module of one is loaded when it is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

from sabir import __version__
from sabir.cli.boundary import UNUSABLE, start
from sabir.cli.terminal import say, write
from sabir.namedtuples import NamedTuple

if TYPE_CHECKING:
    from sabir.cli.words import Command
    from sabir.cli.words.complete import Proposals

__all__ = ["COMMANDS", "find_command", "main", "run"]


class Entry(NamedTuple):
    """One command: the section of the help it stands in, and its line there. Its module is `commands.<name>`."""

    section: str
    summary: str


# One line makes a command: `sabir/cli/commands/<name>.py` holds it under the name `command`.
COMMANDS: Final = {
    "check": Entry("Look", "Say what is wrong with packages, models and templates."),
    "compile": Entry(
        "Evaluate", "Evaluate to the instance graph: JSON, YAML, text, DOT, Mermaid, SVG, HTML."
    ),
    "query": Entry("Evaluate", "Ask the graph: an Unfurl expression over the instances of any language."),
    "why": Entry("Evaluate", "Say where a value came from, as a chain of places."),
    "run": Entry("Evaluate", "Run a MuranoPL method; print its result and the object model."),
    "render": Entry("Evaluate", "Write what other tools read: Kubernetes objects, object models …"),
    "impact": Entry("Evaluate", "Say what depends on a line."),
    "diff": Entry("Evaluate", "Compare two graphs by what they mean."),
    "completion": Entry("Set up", "Print the shell completion script for bash, zsh or fish."),
}

ABOUT: Final = "Read, check, evaluate and explain system descriptions: MuranoPL, Inmanta, CCP and TOSCA."
OPTIONS: Final = {
    "-V": "Show the version and exit.",
    "--version": "Show the version and exit.",
    "-h": "Show this and exit.",
    "--help": "Show this and exit.",
}
EXAMPLES: Final = (
    ("sabir check my-package/", "all findings, with their places"),
    ("sabir check --explain MPL:E042", "what a code means, and how to mend it"),
    ("sabir check --format sarif app.zip", "a report for other tools"),
    ("sabir compile model/ --format svg -o model.svg", "a picture of the graph"),
    ("sabir query model/ '::*::.name'", "the names of all instances"),
    ("sabir why model/ web-1.url", "where this value came from"),
)
NOTES: Final = """
`sabir COMMAND --help` says what a command takes.

Exit status: 0 fine, 1 errors found (with --strict: anything found), 2 wrong usage or unusable input.
"""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and answer with the exit status; never lets an exception out."""
    return start(args, run, _proposals)


def run(words: Sequence[str]) -> int:
    """Do what the words ask for."""
    first, *rest = words or ("",)
    if first in COMMANDS:
        from sabir.cli.words.read import run_command

        return run_command(find_command(first), rest)
    if first in ("-V", "--version"):
        write(f"sabir {__version__}\n")
        return 0
    if first in ("-h", "--help"):
        write(_help())
        return 0
    if not words:
        say(_help().rstrip("\n"))
        return UNUSABLE
    raise _unknown(first)


def find_command(name: str) -> Command:
    """Load a command that is among COMMANDS."""
    command: Command = import_module("sabir.cli.commands." + name).command
    return command


def _unknown(word: str) -> Exception:
    from sabir.diagnostics.near import did_you_mean
    from sabir.errors import WrongWords

    what, known = ("option", [*OPTIONS]) if word.startswith("-") else ("command", [*COMMANDS])
    hint = did_you_mean(word, known) or "sabir --help lists them"
    return WrongWords("sabir", f"no such {what} {word!r}: {hint}")


def _help() -> str:
    from sabir.cli.words.help import group_help

    sections = {"Options": [("-V, --version", OPTIONS["-V"]), ("-h, --help", OPTIONS["-h"])]}
    for name, entry in COMMANDS.items():
        sections.setdefault(entry.section, []).append((name, entry.summary))
    return group_help("sabir", ABOUT, sections, EXAMPLES, NOTES)


def _proposals(before: Sequence[str], word: str) -> Proposals:
    from sabir.cli.words.complete import Proposals, proposals, starting

    if not before:
        commands = ((name, entry.summary) for name, entry in COMMANDS.items())
        return starting(word, OPTIONS.items() if word.startswith("-") else commands)
    name, *rest = before
    return proposals(find_command(name), rest, word) if name in COMMANDS else Proposals()


if __name__ == "__main__":
    sys.exit(main())
