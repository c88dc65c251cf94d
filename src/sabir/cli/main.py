"""The command `sabir`. Only click is imported here: a command's module is loaded when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final, NamedTuple

import click

from sabir import __version__

__all__ = ["COMMANDS", "cli", "main"]


class Entry(NamedTuple):
    """One command: the section of the help it stands in, and its line there. Its module is `commands.<name>`."""

    section: str
    summary: str


# One line makes a command: `sabir/cli/commands/<name>.py` holds it under the name `command`.
COMMANDS: Final = {
    "check": Entry("Look", "Say what is wrong with packages, models and templates."),
    "compile": Entry("Evaluate", "Evaluate to the instance graph: JSON, YAML, text, DOT, Mermaid, SVG."),
    "query": Entry("Evaluate", "Ask the graph: an Unfurl expression over the instances of any language."),
    "why": Entry("Evaluate", "Say where a value came from, as a chain of places."),
    "run": Entry("Evaluate", "Run a MuranoPL method; print its result and the object model."),
    "render": Entry("Evaluate", "Write what other tools read: Kubernetes objects, object models …"),
    "impact": Entry("Evaluate", "Say what depends on a line."),
    "diff": Entry("Evaluate", "Compare two graphs by what they mean."),
    "completion": Entry("Set up", "Print the shell completion script for bash, zsh or fish."),
}

EPILOG: Final = """\b
Examples:
  sabir check my-package/                 all findings, with their places
  sabir check --explain MPL:E042          what a code means, and how to mend it
  sabir check --format sarif app.zip      a report for other tools
  sabir compile model/ --format svg -o model.svg
  sabir query model/ '::*::.name'         the names of all instances
  sabir why model/ web-1.url              where this value came from

\b
Exit status: 0 fine, 1 errors found (with --strict: anything found), 2 wrong usage or unusable input.
"""


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads the module of the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # the name is click's
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # the name is click's
        if cmd_name not in COMMANDS:
            return None
        module = import_module("sabir.cli.commands." + cmd_name.replace("-", "_"))
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from sabir.diagnostics.near import did_you_mean

            hint = did_you_mean(args[0], COMMANDS) or "sabir --help lists them"
            ctx.fail(f"no such command {args[0]!r}: {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # the name is click's
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, entry in COMMANDS.items():
            sections.setdefault(entry.section, []).append((name, entry.summary))
        for section, rows in sections.items():
            with formatter.section(section):
                formatter.write_dl(rows)


@click.group(
    cls=LazyGroup,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, "-V", "--version", prog_name="sabir", message="%(prog)s %(version)s")
def cli() -> None:
    """Read, check, evaluate and explain system descriptions: MuranoPL, Inmanta, CCP and TOSCA."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and answer with the exit status; never lets an exception out."""
    words = [*(sys.argv[1:] if args is None else args)]
    instruction = os.environ.get("_SABIR_COMPLETE")
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "sabir", "_SABIR_COMPLETE", instruction)
    try:
        with cli.make_context("sabir", words) as context:
            cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  the boundary turns everything into a line
        from sabir.cli.boundary import explain_failure

        return explain_failure(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
