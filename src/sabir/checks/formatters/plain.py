"""`sabir.report/1` written as JSON and as YAML."""

from __future__ import annotations

from sabir.checks.formatters.data import report_data
from sabir.checks.formatters.formatter import BaseFormatter
from sabir.checks.report import Report
from sabir.text import format_json

__all__ = ["JsonFormatter", "YamlFormatter"]


class JsonFormatter(BaseFormatter):
    def format(self, report: Report) -> str:

        data = report_data(report, statistics=self.options.statistics)
        return format_json(data, indent=2) + "\n"


class YamlFormatter(BaseFormatter):
    def format(self, report: Report) -> str:
        from sabir.source.yaml.write import yaml_text

        return yaml_text(report_data(report, statistics=self.options.statistics))
