"""The codes and their documentation in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from sabir.cli.terminal import write
from sabir.diagnostics.near import did_you_mean
from sabir.errors import UsageError

__all__ = ["show_code", "show_codes"]


def show_code(name: str) -> None:
    """`--explain`: a bare code that several validators use is explained for each of them."""
    from sabir.check.selection import CodePattern
    from sabir.diagnostics.page import plain_explanation
    from sabir.operations.check import list_codes

    pattern = CodePattern.parse(name)
    codes = list_codes()
    found = [code for code in codes if pattern.is_exact and pattern.matches(code.code)]
    if not found:
        hint = did_you_mean(name, [code.code for code in codes]) or "--list-codes lists all"
        raise UsageError(f"no code {name!r}: {hint}")
    write("\n".join(plain_explanation(code) for code in found))


def show_codes(select: Sequence[str], form: str | None) -> None:
    """`--list-codes`: a line each, or as JSON with all their texts."""
    from sabir.operations.check import list_codes

    codes = list_codes(select)
    if form == "json":
        import json

        data = [
            {
                "code": code.code,
                "severity": code.severity.value,
                "title": code.title,
                "why": code.why,
                "fixable": code.fixable,
                "off_by_default": code.off_by_default,
                "reported_by": code.when,
            }
            for code in codes
        ]
        write(json.dumps({"format": "sabir.codes/1", "codes": data}, indent=2, ensure_ascii=False) + "\n")
        return
    if form not in (None, "text", "concise"):
        raise UsageError(f"--list-codes can be written as text or json, not as {form!r}")
    width = max((len(code.code) for code in codes), default=0)
    for code in codes:
        marks = [
            text for text, on in (("off by default", code.off_by_default), ("--fix", code.fixable)) if on
        ]
        write(f"{code.code:<{width}}  {code.title}" + (f"  ({', '.join(marks)})\n" if marks else "\n"))
