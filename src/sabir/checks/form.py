"""The form of files: readable, UTF-8, YAML, no key twice. What every language asks of its files before it reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from sabir.checks.files import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule, collect_rules
from sabir.source.packages import LoadedPackage, PackageFile

__all__ = ["FormValidator", "container_findings", "text_findings", "yaml_findings"]


def container_findings(package: LoadedPackage) -> Iterator[Finding]:
    """What is wrong with the package as a container: hostile names, duplicates, broken limits."""
    return iter(package.findings)


def text_findings(file: PackageFile) -> Iterator[Finding]:
    """What keeps a file from being read as text."""
    if file.defect is not None:
        yield file.defect


def yaml_findings(file: PackageFile) -> Iterator[Finding]:
    """What is wrong with the form of a YAML file. `file.yaml.broken` tells whether it can be used all the same."""
    if not file.yaml.findings:
        return
    from sabir.checks.yaml_repairs import YamlRepairs  # most files need none

    repairs = YamlRepairs(file)
    yield from map(repairs.added, file.yaml.findings)


class FormValidator(BaseValidator):
    """Looks at the form of YAML files only. A language that has no more to say about its files can use it as it is."""

    short_name: ClassVar[str] = "FORM"
    long_name: ClassVar[str] = "form"
    suffixes: ClassVar[tuple[str, ...]] = (".yaml", ".yml")

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return collect_rules("sabir.source")

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        selection = FileSelection.of(files)
        for name in self.package.list():
            if name.endswith(self.suffixes) and name in selection:
                file = self.package.get_file(name)
                if file is not None:
                    yield from yaml_findings(file)
