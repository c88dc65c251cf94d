"""The versions of TOSCA that are read, by the names that files give them.

From a file to the document in it: its YAML, and the dialect that it says it is written in.

Versions of TOSCA: `major.minor[.fix[.qualifier[-build]]]`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.query.comparison import VersionOrder, version_order
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.source.packages import PackageFile
from sabir.source.yaml import YamlLimits, YamlStream, compose
from sabir.source.yaml.defects import NOT_YAML
from sabir.source.yaml.nodes import YamlMapping, YamlScalar, text_of
from sabir.source.yaml.recovery import compose_readable
from sabir.text import Place


class ToscaDialect(Struct, frozen=True):
    """How a file is read: `grammar` 1 or 2, and the sets of types that are there without an import."""

    name: str
    grammar: int
    profiles: tuple[str, ...] = ("simple",)


DIALECTS: Final = (
    "tosca_simple_yaml_1_0",
    "tosca_simple_yaml_1_1",
    "tosca_simple_yaml_1_2",
    "tosca_simple_yaml_1_3",
    "tosca_simple_profile_for_nfv_1_0",
    "tosca_simple_unfurl_1_0_0",
    "tosca_2_0",
)
# Version, grammar, profiles; the usual ones first. Working drafts as 1_0_0_wd03 name what became 1.0.
_FAMILIES: Final[tuple[tuple[str, int, tuple[str, ...]], ...]] = (
    (r"tosca_simple_yaml_1_[0-3](?:_[0-9])?(?:_wd[0-9]+)?", 1, ("simple",)),
    (r"tosca_simple_unfurl_1_[0-9](?:_[0-9])?|unfurl/v[0-9a-z.]+", 1, ("simple", "unfurl")),
    (r"tosca_2_0(?:_[0-9])?", 2, ()),
    (r"tosca_simple_profile_for_nfv_1_0(?:_[0-9])?", 1, ("simple", "nfv")),
    (r"https?://docs\.oasis-open\.org/tosca/ns/simple/yaml/1\.[0-3](?:\.[0-9])?", 1, ("simple",)),
    (r"tosca_simple_profile_for_mec_1_0(?:_[0-9])?", 1, ("simple",)),
)


@lru_cache(maxsize=64)
def dialect_of(version: str) -> ToscaDialect | None:
    """The dialect of a `tosca_definitions_version`; None when it is not known."""
    for pattern, grammar, profiles in _FAMILIES:
        if re.fullmatch(pattern, version):
            return ToscaDialect(version, grammar, profiles)
    return None


def dialect_hint(version: str) -> str:
    """What to write instead. Of a version that is no version all of its family are said: the nearest number means nothing."""
    family = [name for name in DIALECTS if _version_stem(name) == _version_stem(version)]
    if family:
        return f"known are {', '.join(family)}"
    return did_you_mean(version, DIALECTS) or f"known are {', '.join(DIALECTS)}"


def _version_stem(version: str) -> str:
    return version.rstrip("0123456789_.")


UNKNOWN_DIALECT: Final = tosca_rule(
    code="TOSCA:E001",
    title="unknown dialect of TOSCA",
    why="The version says how a file is to be read; one that is not known cannot be read at all. Known are "
    "tosca_simple_yaml_1_0 to 1_3, the NFV profile, tosca_2_0 and Unfurl's own.",
)


_VERSION_KEY: Final = "tosca_definitions_version"
_LONG_TEXT: Final = 1_000_000


_MOST_NODES: Final = 2_000_000


def _compute_limits(file: PackageFile) -> YamlLimits:
    """A long text may have as many nodes as it can hold, but not more through aliases."""
    size = len(file.raw())
    return YamlLimits() if size < _LONG_TEXT else YamlLimits(nodes=min(size // 4, _MOST_NODES))


def _read_stream(file: PackageFile) -> YamlStream:
    is_short = len(file.raw()) < _LONG_TEXT or file.defect is not None
    stream = file.yaml if is_short else compose(file.source, limits=_compute_limits(file))
    if not any(finding.code == NOT_YAML.code for finding in stream.findings):
        return stream
    # `{eval: ::n}` is YAML 1.2, and written in templates; the parser stops at it.
    again = compose(file.source, limits=_compute_limits(file), paths=True)
    return stream if again.broken else again


def document_of(file: PackageFile, findings: list[Finding]) -> YamlMapping | None:
    stream = _read_stream(file)
    findings.extend(stream.findings)
    if stream.broken:
        return None
    node = stream.documents[0] if stream.documents else None
    if isinstance(node, YamlMapping):
        return node
    findings.append(UNKNOWN_DIALECT.about_file(file.source, "not a TOSCA document: it is no map"))
    return None


def dialect_of_document(root: YamlMapping, file: PackageFile, findings: list[Finding]) -> ToscaDialect | None:
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
    stream: YamlStream | None = _read_stream(file)
    if stream is not None and stream.broken:
        stream = compose_readable(file.source, limits=_compute_limits(file))
    root = stream.documents[0] if stream is not None and stream.documents else None
    return root if isinstance(root, YamlMapping) else None


_VERSION: Final = (
    r"([0-9]+)(?:\.([0-9]+)(?:\.([0-9]+)(?:\.([A-Za-z0-9_]+)(?:-([0-9]+))?)?)?)?(?:[-+.][A-Za-z0-9_.+-]+)?"
)
_STRICT: Final = r"[0-9]+\.[0-9]+(?:\.[0-9]+(?:\.[A-Za-z0-9_]+(?:-[0-9]+)?)?)?"


def is_version(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return value >= 0
    return isinstance(value, str) and re.fullmatch(_VERSION, value) is not None


def version_key(value: Any) -> VersionOrder:
    """By what versions are compared; of one that is merely used as one its first numbers count."""
    order = version_order(str(value))
    if order is not None:
        return order
    numbers = [int(part) for part in re.findall(r"[0-9]{1,18}", str(value))[:3]]
    major, minor, fix = (*numbers, -1, -1, -1)[:3]
    return major, minor, fix, 1, "", 0


def is_strict_version(text: str) -> bool:
    """Whether a text is a version as the grammar has it, and nothing that is merely used as one."""
    return re.fullmatch(_STRICT, text.strip()) is not None
