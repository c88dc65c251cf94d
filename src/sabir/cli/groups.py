"""A group that knows its commands by name only: the module of one is loaded when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from sabir.cli.declare import Page, Row

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["Entry", "LazyGroup"]


class Entry(NamedTuple):
    """A command that is not loaded: the section of the help it stands in, and its line there."""

    section: str
    summary: str


class LazyGroup(Page, click.Group):
    """Its commands are in modules of their names below `package`, each under the name `command`."""

    def __init__(self, *args: Any, package: str, entries: Mapping[str, Entry], **attributes: Any) -> None:
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
        Page.format_options(self, ctx, formatter)  # that of click's groups would load every command

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
