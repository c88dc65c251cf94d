"""`sabir check`: all findings."""

from __future__ import annotations

from pathlib import Path

import click

from sabir.cli.options import language_option

__all__ = ["command"]


@click.command("check")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", type=click.Path(path_type=Path))
@language_option
@click.pass_context
def command(context: click.Context, paths: tuple[Path, ...], language: str | None) -> None:
    """Say what is wrong with packages, models and templates."""
    from sabir.cli.options import load_with_language

    found = 0
    for path in paths:
        package, spoken = load_with_language(path, language)
        for validator in spoken.validators():
            for finding in validator(package).run():
                click.echo(f"{finding.location}: {finding.code} {finding.message}")
                found += 1
    if found:
        context.exit(1)
