"""Findings of an evaluation on stderr, where they do not mix with the result."""

from __future__ import annotations

from collections.abc import Iterable

import click

from sabir.diagnostics.finding import Finding, Severity

__all__ = ["show_findings"]


def show_findings(findings: Iterable[Finding], *, quiet: bool = False) -> None:
    """All findings, or only errors when `quiet`, each with its line of source."""
    for finding in sorted(findings, key=lambda one: one.sort_key):
        if quiet and finding.severity is not Severity.ERROR:
            continue
        click.echo(
            f"{finding.location}: {finding.severity.value} {finding.code}: {finding.message}", err=True
        )
        for line in (finding.source or "").splitlines():
            click.echo(f"    {line}", err=True)
        for related in finding.related:
            click.echo(f"    {related.place.location}: {related.message}", err=True)
        if finding.hint:
            click.echo(f"    {finding.hint}", err=True)
