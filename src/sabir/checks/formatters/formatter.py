"""What a formatter is, and how one is found by name."""

from __future__ import annotations

from abc import ABC, abstractmethod

from msgspec import Struct

from sabir.checks.report import Report
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import PluginError, UsageError
from sabir.plugins import FORMATTERS, load_plugin, plugin_names


class FormatterOptions(Struct, frozen=True, kw_only=True):
    """How a report is to look, for formatters that leave a choice."""

    color: bool = False
    concise: bool = False
    """One line for each finding, nothing below it."""
    statistics: bool = False
    """How often each code was found."""


class BaseFormatter(ABC):
    """Writes a report as a text. A plug-in offers a subclass under the entry point group `sabir.formatters`."""

    def __init__(self, options: FormatterOptions | None = None) -> None:
        self.options = options or FormatterOptions()

    @abstractmethod
    def format(self, report: Report) -> str:
        """The whole report; empty when there is nothing to write, else it ends with a line break."""


def formatter_names() -> tuple[str, ...]:
    """The names that `--format` takes."""
    return plugin_names(FORMATTERS)


def find_formatter(name: str) -> type[BaseFormatter]:
    """The formatter of a name; `UsageError` when there is none, `PluginError` when it does not work."""
    names = formatter_names()
    if name not in names:
        hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
        raise UsageError(f"no format {name!r}: {hint}")
    plugin = load_plugin(FORMATTERS, name)
    if not (isinstance(plugin, type) and issubclass(plugin, BaseFormatter)):
        raise PluginError(f"plug-in {name!r} of {FORMATTERS} is no BaseFormatter class")
    return plugin
