"""DSL versioning: the format, the three rules, and keys newer than the version a definition claims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.examples import ccp_rule
from sabir.languages.ccp.syntax.fault import Fault, build_fault
from sabir.languages.ccp.syntax.nodes import Definition
from sabir.lazy import lazy_pattern

__all__ = ["check_versions", "newer_features", "parse_version"]

BAD_VERSION: Final = ccp_rule(
    code="CCP:E020",
    title="dsl_version is not MAJOR.MINOR.PATCH",
    why="Versions are compared part by part, as numbers; there are always three of them.",
)

VERSION_NEWER: Final = ccp_rule(
    code="CCP:E021",
    title="definition needs a newer framework",
    why="Rule 1 of the document: when the framework is older than the definition they are incompatible.",
)

VERSION_MAJOR: Final = ccp_rule(
    code="CCP:E022",
    title="definition is of another major version",
    why="Rule 2 of the document: when the MAJOR parts differ they are incompatible.",
)

NEWER_FEATURE: Final = ccp_rule(
    code="CCP:W001",
    title="key is newer than the dsl_version",
    why="A framework of the version claimed would not know the key. Claim the least version that has it.",
)

_version_pattern: Final = lazy_pattern(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")

Version = tuple[int, int, int]


def parse_version(text: str) -> Version | None:
    match = _version_pattern().fullmatch(text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def check_versions(deployment: Deployment) -> Iterator[Fault]:
    framework = parse_version(deployment.dsl_version)
    if framework is None:
        raise ValueError(f"{deployment.dsl_version!r} is no DSL version")
    for definition in deployment.definitions:
        version = parse_version(definition.version)
        service = definition.service.name
        if version is None:
            message = f"dsl_version {definition.version!r} is not MAJOR.MINOR.PATCH"
            yield _wrong_version(BAD_VERSION, definition, message, "as in 0.4.0")
        elif framework < version:
            message = f"service {service!r} needs DSL {definition.version}; this framework speaks {deployment.dsl_version}"
            yield _wrong_version(VERSION_NEWER, definition, message, "use a newer framework")
        elif framework[0] != version[0]:
            message = f"service {service!r} is written for DSL {definition.version}; another MAJOR than {deployment.dsl_version}"
            yield _wrong_version(VERSION_MAJOR, definition, message, "bring the definition up to date")


def _wrong_version(rule: Rule, definition: Definition, message: str, hint: str) -> Fault:
    return build_fault(rule, "dsl_version", definition.version_place, message, hint=hint)


def newer_features(deployment: Deployment) -> Iterator[Fault]:
    """A service that uses what came later should claim the least version that has it."""
    for definition in deployment.definitions:
        version = parse_version(definition.version)
        for feature in definition.features:
            if version is not None and version < feature.since:
                since = ".".join(map(str, feature.since))
                message = (
                    f"{feature.path} came with DSL {since}, but the definition claims {definition.version}"
                )
                yield build_fault(
                    NEWER_FEATURE, feature.path, feature.place, message, hint=f"set dsl_version: {since}"
                )
