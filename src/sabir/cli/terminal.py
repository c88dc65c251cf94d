"""What is known about the terminal: colour, and where prose goes."""

from __future__ import annotations

import os
import sys
from typing import IO, Literal

import click

__all__ = ["ColorChoice", "say", "wants_color"]

ColorChoice = Literal["auto", "always", "never"]


def wants_color(choice: ColorChoice = "auto", stream: IO[str] | None = None) -> bool:
    """Whether to paint: on a terminal, unless NO_COLOR is set (https://no-color.org) or the terminal is dumb."""
    if choice != "auto":
        return choice == "always"
    out = stream or sys.stdout
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(text: str, *, quiet: bool = False) -> None:
    """Prose for people; it goes to stderr, so that stdout holds the result alone."""
    if not quiet:
        click.echo(text, err=True)
