"""What is wrong with a deployment, in the words of the rendering contract; `check` gives each kind its code."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from sabir.text import Place

__all__ = ["Kind", "Violation"]


class Kind(Enum):
    """Kinds of violations. Those below `NEWER_FEATURE` are warnings and never stop anything."""

    YAML_SYNTAX = "yaml-syntax"
    TEMPLATE_SYNTAX = "template-syntax"
    UNDEFINED_VARIABLE = "undefined-variable"
    TEMPLATE_FAILED = "template-failed"
    TEMPLATE_UNSAFE = "template-unsafe"
    TEMPLATE_LIMIT = "template-limit"
    MISSING_KEY = "missing-key"
    UNKNOWN_KEY = "unknown-key"
    WRONG_TYPE = "wrong-type"
    EMPTY = "empty"
    BAD_ENUM = "bad-enum"
    BAD_FORMAT = "bad-format"
    OUT_OF_RANGE = "out-of-range"
    CONFLICT = "conflict"
    DUPLICATE_NAME = "duplicate-name"
    BAD_VERSION = "bad-version"
    VERSION_NEWER = "version-newer"
    VERSION_MAJOR = "version-major"
    UNKNOWN_FILE = "unknown-file"
    UNKNOWN_SECRET = "unknown-secret"
    MISSING_CONTENT = "missing-content"
    UNKNOWN_DEPENDENCY = "unknown-dependency"
    DEPENDENCY_CYCLE = "dependency-cycle"
    UNKNOWN_SERVICE = "unknown-service"
    TOO_MANY_REPLICAS = "too-many-replicas"
    NEWER_FEATURE = "newer-feature"
    DUPLICATE_KEY = "duplicate-key"
    LIVENESS_TIMEOUT = "liveness-timeout"
    SENSITIVE_HOST_PATH = "sensitive-host-path"
    PRIVILEGED = "privileged"
    NO_READINESS = "no-readiness"
    LATEST_TAG = "latest-tag"
    HOST_NAMESPACE = "host-namespace"
    NOT_DEPLOYED = "not-deployed"
    UNMATCHED_TOPOLOGY = "unmatched-topology"
    UNKNOWN_SECTION = "unknown-section"
    FILE_TEMPLATE = "file-template"
    UNUSED_FILE = "unused-file"
    FILE_CLASH = "file-clash"
    TOO_LARGE = "too-large"

    @property
    def is_warning(self) -> bool:
        return self in _WARNINGS


_ORDER = tuple(Kind)
_WARNINGS = frozenset(_ORDER[_ORDER.index(Kind.NEWER_FEATURE) :])


class Violation(Struct, frozen=True, kw_only=True):
    """`path` is dotted with `[i]` for list items, relative to the definition or the configuration; empty for a file."""

    kind: Kind
    path: str
    message: str
    place: Place
    hint: str | None = None
    units: tuple[str, ...] = ()
    related: tuple[tuple[Place, str], ...] = ()
