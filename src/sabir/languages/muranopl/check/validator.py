"""The base class of the four package validators: their shared view, and rules that load on demand."""

from __future__ import annotations

from collections.abc import Generator, Set
from pathlib import Path
from typing import ClassVar

from sabir.checks.form import yaml_findings
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.check import rules_of
from sabir.languages.muranopl.check.view import PackageView
from sabir.source.packages import PackageFile


class ViewValidator(BaseValidator):
    """A validator of a Murano package; all validators of one package share one view."""

    quiet: ClassVar[Set[str]] = frozenset()
    """Codes that are off by default, named here because finding them among the rules would import every module."""

    @property
    def _view(self) -> PackageView:
        view = PackageView.of(self.package)
        view.search_path = tuple(map(Path, self.options.search_path))
        view.session = self.options.session
        return view

    def _readable(self, path: str) -> Generator[Finding, None, PackageFile | None]:
        """Report the defects in the form of a YAML file; return the file if it can be used nevertheless."""
        file = self.package.get_file(path)
        if file is None:
            return None
        yield from yaml_findings(file)
        return None if file.yaml.broken else file

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return rules_of(cls.short_name)

    @classmethod
    def off_by_default(cls) -> Set[str]:
        return cls.quiet
