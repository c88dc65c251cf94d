"""`sabir lsp`: the language server."""

from __future__ import annotations

import os

from sabir.cli.declare import option, sabir_command
from sabir.cli.parameter_types import Number
from sabir.extras import missing_extra


@sabir_command(
    "lsp",
    examples=[
        ("sabir lsp", "speak to the editor that started it"),
        ("sabir lsp --port 4389", "wait for an editor on the loopback address"),
    ],
    notes="""
    Editors start it; nothing is to be typed here. It needs the extra: pip install 'sabir[lsp]'. docs/editors.md has the
    set-up for VS Code, Neovim and others. Nothing of a package runs unless `sabir trust` allowed it.
    """,
)
@option("--port", type=Number(int, least=1), metavar="PORT", help="Listen on this port of 127.0.0.1 instead.")
def command(*, port: int | None) -> int:
    """Serve an editor: findings while typing, fixes, values and where they came from, names across files and languages."""
    try:
        from sabir.lsp.requests import serve_editor
    except ImportError as error:
        raise missing_extra("lsp", "the language server", error) from error
    serve_editor(dict(os.environ), port=port)
    return 0
