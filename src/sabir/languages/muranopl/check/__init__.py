"""Package checks: the validators of spec 001."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sabir.checks.validator import BaseValidator
    from sabir.diagnostics.rules import Rule

__all__ = ["package_codes", "package_validators"]


def package_validators() -> tuple[type[BaseValidator], ...]:
    """The validators of a Murano package, in the order of their reports."""
    from sabir.languages.muranopl.check.classes import ClassValidator
    from sabir.languages.muranopl.check.manifest import ManifestValidator
    from sabir.languages.muranopl.check.package import PackageValidator
    from sabir.languages.muranopl.check.ui import UiValidator

    return PackageValidator, ManifestValidator, ClassValidator, UiValidator


def package_codes() -> tuple[Rule, ...]:
    """Everything these validators report, with its documentation."""
    from sabir.languages.muranopl.check.codes.general import CODES

    return (*CODES, *(code for validator in package_validators() for code in validator.rules()))
