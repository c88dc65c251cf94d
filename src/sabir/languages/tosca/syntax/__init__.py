"""TOSCA documents, read into typed nodes with their places."""

from sabir.languages.tosca.syntax.documents import Loaded, load, load_file
from sabir.languages.tosca.syntax.files import DiskFiles, Files, PackageFiles, files_of
from sabir.languages.tosca.syntax.nodes import Kind, Topology

__all__ = [
    "DiskFiles",
    "Files",
    "Kind",
    "Loaded",
    "PackageFiles",
    "Topology",
    "files_of",
    "load",
    "load_file",
]
