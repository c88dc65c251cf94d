"""Formatters: a report as text for people and in the forms that other tools read."""

from sabir.checks.formatters.formatter import BaseFormatter, FormatterOptions

__all__ = ["BaseFormatter", "FormatterOptions"]
