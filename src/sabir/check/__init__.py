"""The checking framework of spec 001: validators, checkers, the application, formatters. It knows no language."""

from sabir.check.application import Application
from sabir.check.checker import FilteredChecker, format_between, only_for, package_type
from sabir.check.form import FormValidator, container_findings, text_findings, yaml_findings
from sabir.check.options import CheckOptions
from sabir.check.prepared import PreparedCheck, guarded
from sabir.check.report import PackageReport, Report
from sabir.check.validator import BaseValidator

__all__ = [
    "Application",
    "BaseValidator",
    "CheckOptions",
    "FilteredChecker",
    "FormValidator",
    "PackageReport",
    "PreparedCheck",
    "Report",
    "container_findings",
    "format_between",
    "guarded",
    "only_for",
    "package_type",
    "text_findings",
    "yaml_findings",
]
