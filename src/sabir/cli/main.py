"""The command `sabir`.

A group that knows its commands by name only: the module of one is loaded when it is called.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from sabir import __version__
from sabir.cli.boundary import run_command
from sabir.cli.declare import CONTEXT, HelpCommand, Option, Row

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class CommandEntry(NamedTuple):
    """A command that is not loaded: the section of the help it stands in, and its line there."""

    section: str
    summary: str


class LazyGroup(HelpCommand, click.Group):
    """Its commands are in modules of their names below `package`, each under the name `command`."""

    def __init__(
        self, *args: Any, package: str, entries: Mapping[str, CommandEntry], **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.package = package
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's
        return [*self.entries]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's
        if cmd_name not in self.entries:
            return None
        command: click.Command = import_module(f"{self.package}.{cmd_name}").command
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        HelpCommand.format_options(self, ctx, formatter)  # that of click's groups would load every command

    def sections(self, ctx: click.Context) -> dict[str, list[Row]]:
        tables = super().sections(ctx)
        for name, entry in self.entries.items():
            tables.setdefault(entry.section, []).append((name, entry.summary))
        return tables

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=entry.summary)
            for name, entry in self.entries.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]


# One line makes a command: `sabir/cli/commands/<name>.py` holds it under the name `command`.
COMMANDS: Final = {
    "check": CommandEntry("Look", "Say what is wrong with packages, models and templates."),
    "compile": CommandEntry(
        "Evaluate", "Evaluate to the instance graph: JSON, YAML, text, DOT, Mermaid, SVG, HTML."
    ),
    "query": CommandEntry(
        "Evaluate", "Ask the graph: an Unfurl expression over the instances of any language."
    ),
    "why": CommandEntry("Evaluate", "Say where a value came from, as a chain of places."),
    "model": CommandEntry("Evaluate", "Make a MuranoPL object model from forms or contracts."),
    "test": CommandEntry("Evaluate", "Run the tests of a MuranoPL package."),
    "run": CommandEntry("Evaluate", "Run a MuranoPL method; print its result and the object model."),
    "export": CommandEntry("Evaluate", "Write what would be deployed, for other tools."),
    "render": CommandEntry("Evaluate", "Write what other tools read: Kubernetes objects, object models …"),
    "impact": CommandEntry("Evaluate", "Say what depends on a line."),
    "diff": CommandEntry("Evaluate", "Compare two graphs by what they mean."),
    "plan": CommandEntry("Deploy", "Show every step that a deployment would take, and why."),
    "deploy": CommandEntry("Deploy", "Bring the world to what is described."),
    "destroy": CommandEntry("Deploy", "Take away everything that was deployed."),
    "adopt": CommandEntry("Deploy", "Take over what already exists; nothing is changed."),
    "call": CommandEntry("Deploy", "Run an operation on what is deployed."),
    "notify": CommandEntry("Deploy", "Tell an environment of an event: what waits for it is called."),
    "status": CommandEntry("Deploy", "Compare what is wanted, recorded and there; name the drift."),
    "history": CommandEntry("Deploy", "List the deployments, or the events of one."),
    "bisect": CommandEntry("Deploy", "Say when an expression became true: deployment, step, line."),
    "facts": CommandEntry("Deploy", "List what was observed: values that steps gave back."),
    "resolve": CommandEntry("Deploy", "Settle a step whose outcome is unknown."),
    "state": CommandEntry("Deploy", "Look at what is recorded, and put it right."),
    "trust": CommandEntry("Set up", "Remember what a project may do beyond being read."),
    "serve": CommandEntry("Set up", "Serve packages, environments and deployments over HTTP."),
    "lsp": CommandEntry("Set up", "Serve an editor: findings, fixes, values and names while you type."),
    "new": CommandEntry("Set up", "Write a small project in one of the languages, to begin with."),
    "completion": CommandEntry("Set up", "Print the shell completion script for bash, zsh or fish."),
}


@click.group(
    cls=LazyGroup,
    package="sabir.cli.commands",
    entries=COMMANDS,
    subcommand_metavar="COMMAND …",
    context_settings=CONTEXT,
    examples=[
        ("sabir check my-package/", "all findings, with their places"),
        ("sabir check --explain MPL:E042", "what a code means, and how to fix it"),
        ("sabir compile model/ --format svg -o model.svg", "a picture of the graph"),
        ("sabir query model/ '::*::.name'", "the names of all instances"),
        ("sabir why model/ web-1.url", "where this value came from"),
        ("sabir plan shop/", "what a deployment would change, and why"),
        ("sabir deploy shop/", "do it, once you have said yes"),
    ],
    epilog="""
    `sabir COMMAND --help` says what a command takes.

    Exit status: 0 fine, 1 errors found (with --strict: anything found) or a failed deployment, 2 wrong usage or
    unusable input, 3 something to do (plan) or drift (status), 70 a fault of
    sabir itself, 130 interrupted.
    """,
)
@click.version_option(
    __version__, "-V", "--version", cls=Option, prog_name="sabir", message="%(prog)s %(version)s"
)
def command() -> None:
    """Check, evaluate, explain and deploy system descriptions: MuranoPL, Inmanta, CCP and TOSCA."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and answer with the exit status; never lets an exception out."""
    return run_command(command, "sabir", args)


if __name__ == "__main__":
    sys.exit(main())
