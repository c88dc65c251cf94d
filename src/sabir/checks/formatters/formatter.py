"""The interface of formatters, and their lookup by name."""

from __future__ import annotations

from abc import ABC, abstractmethod

from msgspec import Struct

from sabir.checks.report import Report
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import PluginError, UsageError
from sabir.plugins import FORMATTERS, load_plugin, plugin_names


class FormatterOptions(Struct, frozen=True, kw_only=True):
    """Options of the output, for formatters that support them."""

    color: bool = False
    concise: bool = False
    """Write only the first line of each finding."""
    statistics: bool = False
    """Write how often each code was found."""


class BaseFormatter(ABC):
    """Formats a report as text.

    Plugins register subclasses in the entry point group `sabir.formatters`.
    """

    def __init__(self, options: FormatterOptions | None = None) -> None:
        self.options = options or FormatterOptions()

    @abstractmethod
    def format(self, report: Report) -> str:
        """Return the complete text.

        Empty if there is nothing to write, otherwise it ends with a line break.
        """


def formatter_names() -> tuple[str, ...]:
    """Return the names that `--format` accepts."""
    return plugin_names(FORMATTERS)


def find_formatter(name: str) -> type[BaseFormatter]:
    """Load the formatter of a name.

    Raises `UsageError` if it is unknown, `PluginError` if it is invalid.
    """
    names = formatter_names()
    if name not in names:
        hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
        raise UsageError(f"no format {name!r}: {hint}")
    plugin = load_plugin(FORMATTERS, name)
    if not (isinstance(plugin, type) and issubclass(plugin, BaseFormatter)):
        raise PluginError(f"plug-in {name!r} of {FORMATTERS} is no BaseFormatter class")
    return plugin
