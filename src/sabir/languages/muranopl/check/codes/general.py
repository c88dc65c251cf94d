"""General codes that the validators of a Murano package share."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.check.codes.examples import LIBRARY, code, with_class, with_manifest

__all__ = ["CODES"]

_WITHOUT_MANIFEST: Final = {name: text for name, text in LIBRARY.items() if name != "manifest.yaml"}

CODES: Final[tuple[Rule, ...]] = (
    code(
        "E001",
        "the package has no manifest",
        "manifest.yaml in the root says what the package is and which classes it has; without it nothing else can be "
        "checked or loaded. An archive that wraps the package in a folder of its own has no manifest in its root.",
        _WITHOUT_MANIFEST,
    ),
    code(
        "E005",
        "more than one document where one is allowed",
        "A manifest and a UI definition are one YAML document; what follows a second --- is never read.",
        with_manifest("Name: Tools\n", "Name: Tools\n---\nAuthor: Example\n"),
    ),
    code(
        "E007",
        "the file is empty or no mapping",
        "Manifests, class files and UI definitions are mappings of keys. An empty file or a list says nothing.",
        {**LIBRARY, "Classes/Counter.yaml": "- Name: Counter\n"},
    ),
    code(
        "E020",
        "a required key is missing",
        "A manifest needs Type and FullName, a UI definition Application and Forms, a class in a file of several classes "
        "its Name.",
        with_manifest("Type: Library\n", ""),
    ),
    code(
        "E021",
        "an unknown key",
        "Keys that the language does not know are ignored by the engine, most often because of a typing error: what was "
        "meant is silently not done.",
        with_class("    Usage: Out\n", "    Usge: Out\n"),
        fixable=True,
    ),
    code(
        "E040",
        "the value must be a text",
        "YAML reads an unquoted 1.10 as a number and yes as a boolean. Where a text is needed, put it in quotes.",
        with_manifest("Name: Tools", "Name: 1.10"),
        fixable=True,
    ),
    code(
        "W010",
        "an unknown section",
        "A top-level key of a manifest, class or UI definition that nobody reads, most often a typing error.",
        with_manifest("Name: Tools", "Nmae: Tools"),
        fixable=True,
    ),
)
