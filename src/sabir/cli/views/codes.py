"""The codes and their documentation in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from sabir.cli.terminal import write_text
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.text import format_json


def show_code(name: str) -> None:
    """`--explain`: a bare code that several validators use is explained for each of them."""
    from sabir.checks.selection import CodePattern
    from sabir.diagnostics.page import plain_explanation
    from sabir.operations.check import list_codes

    pattern = CodePattern.parse(name)
    rules = list_codes()
    matching = [rule for rule in rules if pattern.is_exact and pattern.matches(rule.code)]
    if not matching:
        hint = did_you_mean(name, [rule.code for rule in rules]) or "--list-codes lists all"
        raise UsageError(f"no code {name!r}: {hint}")
    write_text("\n".join(plain_explanation(rule) for rule in matching))


def show_codes(select: Sequence[str], form: str | None) -> None:
    """`--list-codes`: a line each, or as JSON with all their texts."""
    from sabir.operations.check import list_codes

    rules = list_codes(select)
    if form == "json":
        data = [
            {
                "code": rule.code,
                "severity": rule.severity.value,
                "title": rule.title,
                "why": rule.why,
                "fixable": rule.fixable,
                "off_by_default": rule.off_by_default,
                "reported_by": rule.when,
            }
            for rule in rules
        ]
        write_text(format_json({"format": "sabir.codes/1", "codes": data}, indent=2) + "\n")
        return
    if form not in (None, "text", "concise"):
        raise UsageError(f"--list-codes can be written as text or json, not as {form!r}")
    width = max((len(rule.code) for rule in rules), default=0)
    for rule in rules:
        marks = [
            text for text, on in (("off by default", rule.off_by_default), ("--fix", rule.fixable)) if on
        ]
        write_text(f"{rule.code:<{width}}  {rule.title}" + (f"  ({', '.join(marks)})\n" if marks else "\n"))
