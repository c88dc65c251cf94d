"""Findings as diagnostics, and their fixes as code actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from lsprotocol import types

from sabir.diagnostics.finding import Finding, Fix, Severity
from sabir.lsp.positions import START, PositionConverter
from sabir.text import Source

_SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}
UriOf = Callable[[str], str]


def build_diagnostic(finding: Finding, positions: PositionConverter, uri_of: UriOf) -> types.Diagnostic:
    """`uri_of` knows the files of the project by name."""
    related = [
        types.DiagnosticRelatedInformation(
            location=types.Location(
                uri_of(related.place.source.name), positions.range(related.place.source, related.place.span)
            ),
            message=related.message,
        )
        for related in finding.related
    ]
    return types.Diagnostic(
        range=_finding_range(finding, positions),
        message=finding.message + (f"\n{finding.hint}" if finding.hint else ""),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        source="sabir",
        related_information=related or None,
    )


def _finding_range(finding: Finding, positions: PositionConverter) -> types.Range:
    if finding.whole_file:
        return START
    return positions.range(finding.place.source, finding.place.span)


def code_actions(
    findings: Iterable[Finding],
    source: Source,
    asked: types.Range,
    positions: PositionConverter,
    uri_of: UriOf,
) -> Iterator[types.CodeAction]:
    """What can be done about the findings in a range: fix them, or suppress them with a comment."""
    for finding in findings:
        if not _has_overlap(_finding_range(finding, positions), asked):
            continue
        shown = build_diagnostic(finding, positions, uri_of)
        if finding.fix is not None and _is_current(finding.fix, source):
            yield types.CodeAction(
                title=_fix_title(finding.fix),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[shown],
                is_preferred=finding.fix.safe or None,
                edit=_build_edit(finding.fix, positions, uri_of),
            )
        if not finding.whole_file:
            yield _build_suppression(finding, source, shown, positions, uri_of)


def _fix_title(fix: Fix) -> str:
    return fix.title if fix.safe else f"{fix.title} (may change the meaning)"


def _is_current(fix: Fix, source: Source) -> bool:
    """Whether the file is still the text that the fix was made for."""
    here = [edit for edit in fix.edits if edit.place.source.name == source.name]
    return all(edit.place.source.text == source.text for edit in here)


def _build_edit(fix: Fix, positions: PositionConverter, uri_of: UriOf) -> types.WorkspaceEdit:
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in fix.edits:
        place = edit.place
        text_edit = types.TextEdit(positions.range(place.source, place.span), edit.text)
        changes.setdefault(uri_of(place.source.name), []).append(text_edit)
    return types.WorkspaceEdit(changes=dict(changes))


def _build_suppression(
    finding: Finding, source: Source, shown: types.Diagnostic, positions: PositionConverter, uri_of: UriOf
) -> types.CodeAction:
    end = source.line_span(finding.location.line).end
    at = positions.position(source, end)
    comment = types.TextEdit(types.Range(at, at), f"  # sabir: ignore[{finding.code}] ")
    return types.CodeAction(
        title=f"Suppress {finding.code} in this line",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[shown],
        edit=types.WorkspaceEdit(changes={uri_of(finding.filename): [comment]}),
    )


def _has_overlap(first: types.Range, second: types.Range) -> bool:
    return first.start <= second.end and second.start <= first.end
