"""A report for those who only want to know how much there is to do."""

from __future__ import annotations

from sabir.checks.formatters import BaseFormatter
from sabir.checks.report import Report


class CountFormatter(BaseFormatter):
    def format(self, report: Report) -> str:
        return f"{report.errors} errors, {report.warnings} warnings\n"
