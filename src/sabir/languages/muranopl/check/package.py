"""The package as a whole (spec 001, "Package structure reference")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from sabir.checks.selection import FileSelection
from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.check.names import HEAT
from sabir.languages.muranopl.check.validator import ViewValidator
from sabir.languages.muranopl.check.view import MANIFEST
from sabir.languages.muranopl.examples.packages import package_rule

__all__ = ["PackageValidator"]

# A model in the root is the one that `sabir run` and `sabir compile` take when none is named.
_MODELS: Final = ("model.yaml", "model.yml", "model.json")
_ROOT_FILES: Final = frozenset({MANIFEST, "LICENSE", "README.rst", "images.lst", *_MODELS})

STRAY_FILE: Final = package_rule(
    "PKG:W120",
    "a file in the root that is no part of a package",
    "The root of a package holds manifest.yaml, LICENSE, README.rst, images.lst and the logo. Files that the "
    "application uses belong to Resources/; others only make the archive larger.",
)
NO_LICENCE: Final = package_rule(
    "PKG:W121",
    "no licence file",
    "Without a file LICENSE nobody who finds the package knows what may be done with it.",
)


class PackageValidator(ViewValidator):
    """What lies in the root of the package."""

    short_name: ClassVar[str] = "PKG"
    long_name: ClassVar[str] = "package"

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        yield from FileSelection.of(files).only(self._findings())

    def _findings(self) -> Iterator[Finding]:
        # Without a usable manifest that is the only finding of the run (E001, E002, E007 come from its validator).
        if self.package.single_file or self._view.manifest is None:
            return
        if not self._view.is_checked_language:
            return
        names = [name for name in self.package.list() if "/" not in name]
        if "LICENSE" not in names:
            hint = "add a file LICENSE, so that users know what they may do with the package"
            yield NO_LICENCE.about_file("LICENSE", "the package has no LICENSE file", hint=hint)
        view = self._view
        expected = {*_ROOT_FILES, view.logo_file or "logo.png", view.supplier_logo, view.ui_file}
        if self._view.format_name == HEAT:
            from sabir.languages.muranopl.model.heat_templates import TEMPLATE, read_template

            expected.add(TEMPLATE)
            template = read_template(self.package)
            if isinstance(template, Finding):
                yield template
        for name in names:
            if name not in expected:
                hint = "move it to Resources/ when the application uses it, else remove it"
                yield STRAY_FILE.about_file(name, f"{name!r} is no part of a package", hint=hint)
