"""Formatters of reports: text for people, and the formats that other tools read."""

from sabir.checks.formatters.formatter import BaseFormatter, FormatterOptions

__all__ = ["BaseFormatter", "FormatterOptions"]
