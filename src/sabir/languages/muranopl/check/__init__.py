"""Checks of a Murano package: the four validators of spec 001."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.diagnostics.rules import Rule, collect_rules, parse_code

if TYPE_CHECKING:
    from sabir.checks.validator import BaseValidator

__all__ = ["package_rules", "package_validators", "rules_of"]


def package_validators() -> tuple[type[BaseValidator], ...]:
    """Return the validators of a Murano package, in the order of their reports."""
    from sabir.languages.muranopl.check.classes import ClassValidator
    from sabir.languages.muranopl.check.manifest import ManifestValidator, PackageValidator
    from sabir.languages.muranopl.check.ui import UiValidator

    return PackageValidator, ManifestValidator, ClassValidator, UiValidator


def package_rules() -> tuple[Rule, ...]:
    """Return all rules that a check of a Murano package can report."""
    rules = collect_rules("sabir.languages.muranopl")
    return tuple(rule for rule in rules if rule.when == "check" and rule.language == "muranopl")


def rules_of(prefix: str) -> tuple[Rule, ...]:
    """Return the rules of one validator: those whose codes have its prefix, in whichever module they are
    defined.
    """
    rules = collect_rules("sabir.languages.muranopl")
    return tuple(rule for rule in rules if parse_code(rule.code).prefix == prefix)
