"""Language-independent checking framework (spec 001).

It consists of validators, checkers, the application that runs them, and formatters of reports.
"""

from sabir.checks.application import Application
from sabir.checks.check_task import CheckTask, run_guarded
from sabir.checks.form import FormValidator, container_findings, text_findings, yaml_findings
from sabir.checks.options import CheckOptions
from sabir.checks.report import PackageReport, Report
from sabir.checks.validator import BaseValidator, FilteredChecker, format_between, only_for, package_type

__all__ = [
    "Application",
    "BaseValidator",
    "CheckOptions",
    "CheckTask",
    "FilteredChecker",
    "FormValidator",
    "PackageReport",
    "Report",
    "container_findings",
    "format_between",
    "only_for",
    "package_type",
    "run_guarded",
    "text_findings",
    "yaml_findings",
]
