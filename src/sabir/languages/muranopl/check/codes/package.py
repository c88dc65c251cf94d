"""Codes of the package as a whole."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.check.codes.examples import LIBRARY, code

__all__ = ["CODES"]

CODES: Final[tuple[Rule, ...]] = (
    code(
        "PKG:W120",
        "a file in the root that is no part of a package",
        "The root of a package holds manifest.yaml, LICENSE, README.rst, images.lst and the logo. Files that the "
        "application uses belong to Resources/; others only make the archive larger.",
        {**LIBRARY, "notes.txt": "to do\n"},
    ),
    code(
        "PKG:W121",
        "no licence file",
        "Without a file LICENSE nobody who finds the package knows what may be done with it.",
        {name: text for name, text in LIBRARY.items() if name != "LICENSE"},
    ),
)
