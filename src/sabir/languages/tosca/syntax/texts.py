"""From a file to the document in it: its YAML, and the dialect that it says it is written in."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.syntax.dialects import DIALECTS, Dialect, dialect_hint, dialect_of
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.source.packages import PackageFile
from sabir.source.yaml import Limits, YamlStream, compose
from sabir.source.yaml.defects import NOT_YAML
from sabir.source.yaml.nodes import YamlMapping, YamlScalar, text_of
from sabir.source.yaml.recovery import compose_readable
from sabir.text import Place

__all__ = ["UNKNOWN_DIALECT", "dialect_of_document", "document_of", "readable_document"]

UNKNOWN_DIALECT: Final = tosca_rule(
    code="TOSCA:E001",
    title="unknown dialect of TOSCA",
    why="The version says how a file is to be read; one that is not known cannot be read at all. Known are "
    "tosca_simple_yaml_1_0 to 1_3, the NFV profile, tosca_2_0 and Unfurl's own.",
)


_VERSION_KEY: Final = "tosca_definitions_version"
_LONG_TEXT: Final = 1_000_000


_MOST_NODES: Final = 2_000_000


def _limits(file: PackageFile) -> Limits:
    """A long text may have as many nodes as it can hold, but not more through aliases."""
    size = len(file.raw())
    return Limits() if size < _LONG_TEXT else Limits(nodes=min(size // 4, _MOST_NODES))


def _stream(file: PackageFile) -> YamlStream:
    is_short = len(file.raw()) < _LONG_TEXT or file.defect is not None
    stream = file.yaml if is_short else compose(file.source, limits=_limits(file))
    if not any(finding.code == NOT_YAML.code for finding in stream.findings):
        return stream
    # `{eval: ::n}` is YAML 1.2, and written in templates; the parser stops at it.
    again = compose(file.source, limits=_limits(file), paths=True)
    return stream if again.broken else again


def document_of(file: PackageFile, findings: list[Finding]) -> YamlMapping | None:
    stream = _stream(file)
    findings.extend(stream.findings)
    if stream.broken:
        return None
    node = stream.documents[0] if stream.documents else None
    if isinstance(node, YamlMapping):
        return node
    findings.append(UNKNOWN_DIALECT.about_file(file.source, "not a TOSCA document: it is no map"))
    return None


def dialect_of_document(root: YamlMapping, file: PackageFile, findings: list[Finding]) -> Dialect | None:
    node = root.get(_VERSION_KEY)
    if node is None:
        findings.append(_without_version(root, file))
        return None
    version = node.text if isinstance(node, YamlScalar) else ""
    dialect = dialect_of(version)
    if dialect is None:
        hint = dialect_hint(version)
        findings.append(
            UNKNOWN_DIALECT.at(
                Place(file.source, node.span), f"the dialect {version!r} is not known", hint=hint
            )
        )
    return dialect


def _without_version(root: YamlMapping, file: PackageFile) -> Finding:
    misspelt = next((entry for entry in root.entries if _is_nearly(text_of(entry.key))), None)
    if misspelt is not None:
        message = f"there is no key {text_of(misspelt.key)!r}"
        return UNKNOWN_DIALECT.at(
            Place(file.source, misspelt.key.span), message, hint=f"did you mean '{_VERSION_KEY}'?"
        )
    message = f"missing required key '{_VERSION_KEY}'"
    version = DIALECTS[-1] if root.get("service_template") is not None else DIALECTS[3]
    hint = f"begin the file with '{_VERSION_KEY}: {version}'"
    if not root.entries:
        return UNKNOWN_DIALECT.about_file(file.source, message, hint=hint)
    return UNKNOWN_DIALECT.at(Place(file.source, root.entries[0].key.span), message, hint=hint)


def _is_nearly(key: str | None) -> bool:
    return key is not None and did_you_mean(key, [_VERSION_KEY]) is not None


def readable_document(file: PackageFile) -> YamlMapping | None:
    """What can still be read of a file that is no YAML as a whole."""
    stream: YamlStream | None = _stream(file)
    if stream is not None and stream.broken:
        stream = compose_readable(file.source, limits=_limits(file))
    root = stream.documents[0] if stream is not None and stream.documents else None
    return root if isinstance(root, YamlMapping) else None
