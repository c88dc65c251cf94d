"""`sabir.report/1` written as JSON and as YAML."""

from __future__ import annotations

from sabir.checks.formatters.data import report_data
from sabir.checks.formatters.formatter import BaseFormatter
from sabir.checks.report import Report

__all__ = ["JsonFormatter", "YamlFormatter"]


class JsonFormatter(BaseFormatter):
    def format(self, report: Report) -> str:
        import json

        data = report_data(report, statistics=self.options.statistics)
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


class YamlFormatter(BaseFormatter):
    def format(self, report: Report) -> str:
        import yaml

        data = report_data(report, statistics=self.options.statistics)
        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        written: str = yaml.dump(data, Dumper=dumper, sort_keys=False, allow_unicode=True, width=110)
        return written
