"""Application of the fixes that findings carry."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from sabir.diagnostics.finding import Edit, Finding, Fix
from sabir.text import Source


class FixedText(Struct, frozen=True, kw_only=True):
    """A source with fixes applied. Fixes that overlap an earlier one wait for the next round."""

    source: Source
    text: str
    applied: tuple[Fix, ...]


def apply_fixes(findings: Iterable[Finding], *, unsafe: bool = False) -> list[FixedText]:
    """Apply the fixes of findings and return the changed texts, one for each changed source.

    A fix may edit several files and is applied completely or not at all. Without `unsafe`, only fixes that keep the meaning are
    applied. Nothing is written to disk.
    """
    sources: dict[str, Source] = {}
    chosen: dict[str, list[Edit]] = {}
    applied: dict[str, list[Fix]] = {}
    for finding in findings:
        fix = finding.fix
        if fix is None or not fix.edits or not (fix.safe or unsafe):
            continue
        if any(_overlaps_any(edit, chosen.get(edit.place.source.name, ())) for edit in fix.edits):
            continue
        for edit in fix.edits:
            name = edit.place.source.name
            sources.setdefault(name, edit.place.source)
            chosen.setdefault(name, []).append(edit)
        applied.setdefault(fix.edits[0].place.source.name, []).append(fix)
    return [
        FixedText(
            source=sources[name],
            text=_apply_edits(sources[name].text, edits),
            applied=tuple(applied.get(name, ())),
        )
        for name, edits in sorted(chosen.items())
    ]


def _overlaps_any(edit: Edit, others: Iterable[Edit]) -> bool:
    span = edit.place.span
    return any(span.start <= other.place.span.end and other.place.span.start <= span.end for other in others)


def _apply_edits(text: str, edits: list[Edit]) -> str:
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.place.span.start):
        parts += [text[at : edit.place.span.start], edit.text]
        at = edit.place.span.end
    return "".join([*parts, text[at:]])
