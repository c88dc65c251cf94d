"""Renders and writes what came of it: the end of every command that writes for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sabir.cli.terminal import write_bytes

if TYPE_CHECKING:
    from sabir.operations.render import RenderPathRequest

__all__ = ["is_directory", "write_rendered"]


def is_directory(output: str | None) -> bool:
    """Whether `-o` names a folder, for one file each."""
    return output is not None and (output.endswith("/") or Path(output).is_dir())


def write_rendered(request: RenderPathRequest, output: str | None, *, quiet: bool) -> int:
    """To stdout, a file or a folder; findings go to stderr, and with an error nothing is written."""
    from msgspec.structs import replace

    from sabir.cli.findings import show_findings
    from sabir.cli.progress import watched
    from sabir.operations.files import write_atomically
    from sabir.operations.render import render_path, write_rendering

    with watched(request.evaluation, quiet=quiet) as evaluation:
        rendered = render_path(replace(request, evaluation=evaluation))
    show_findings(rendered.findings, quiet=quiet)
    if rendered.failed:
        return 1
    if output is None:
        write_bytes(rendered.single())
    elif request.directory:
        write_rendering(rendered, Path(output))
    else:
        write_atomically(Path(output), rendered.single(), private=rendered.is_private)
    return 0
