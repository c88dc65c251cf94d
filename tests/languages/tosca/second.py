"""Small TOSCA 2.0 documents and what is said about them."""

from __future__ import annotations

from sabir.checks import Application
from sabir.diagnostics import Finding
from sabir.languages.tosca import LANGUAGE
from sabir.source.packages import MemoryPackage

HEAD = "tosca_definitions_version: tosca_2_0\n"

__all__ = ["HEAD", "findings", "said"]


def findings(text: str, **files: str) -> list[Finding]:
    """Of a document; `files` are further ones, by their names without the extension."""
    documents = {"t.yaml": HEAD + text, **{f"{name}.yaml": HEAD + body for name, body in files.items()}}
    return list(Application().run(MemoryPackage(documents), LANGUAGE.validators()))


def said(text: str, **files: str) -> list[tuple[str, str]]:
    return [(finding.code, finding.message) for finding in findings(text, **files)]
