"""The description of a package, or the one that an environment holds for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.diagnostics.finding import Finding
from sabir.languages.resources.syntax.nodes import Description
from sabir.languages.resources.syntax.read import NOT_RESOURCES, read_description
from sabir.languages.resources.syntax.recognition import FILE_NAME, description
from sabir.source.packages import LoadedPackage

if TYPE_CHECKING:
    from sabir.languages.language import Document

__all__ = ["load_description"]


def load_description(
    package: LoadedPackage, document: Document | None = None
) -> tuple[Description | None, tuple[Finding, ...]]:
    if document is not None:
        return read_description(document.node, document.source)
    file = description(package)
    if file is None:
        return None, (NOT_RESOURCES.about_file(FILE_NAME, f"there is no {FILE_NAME} here"),)
    if file.yaml.broken or file.defect is not None:
        return None, (*file.yaml.findings, *((file.defect,) if file.defect else ()))
    root = file.yaml.documents[0] if file.yaml.documents else None
    read, findings = read_description(root, file.source)
    return read, (*file.yaml.findings, *findings)
