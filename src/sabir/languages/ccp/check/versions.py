"""DSL versioning: the format, the three rules, and keys newer than the version a definition claims."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.nodes import Definition
from sabir.languages.ccp.syntax.violation import Kind, Violation

__all__ = ["check_versions", "newer_features", "parse_version"]


@cache
def _version_pattern() -> re.Pattern[str]:
    return re.compile(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")


Version = tuple[int, int, int]


def parse_version(text: str) -> Version | None:
    match = _version_pattern().fullmatch(text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def check_versions(deployment: Deployment) -> Iterator[Violation]:
    framework = parse_version(deployment.dsl_version)
    if framework is None:
        raise ValueError(f"{deployment.dsl_version!r} is no DSL version")
    for definition in deployment.definitions:
        version = parse_version(definition.version)
        service = definition.service.name
        if version is None:
            message = f"dsl_version {definition.version!r} is not MAJOR.MINOR.PATCH"
            yield _violation(Kind.BAD_VERSION, definition, message, "as in 0.4.0")
        elif framework < version:
            message = f"service {service!r} needs DSL {definition.version}; this framework speaks {deployment.dsl_version}"
            yield _violation(Kind.VERSION_NEWER, definition, message, "use a newer framework")
        elif framework[0] != version[0]:
            message = f"service {service!r} is written for DSL {definition.version}; another MAJOR than {deployment.dsl_version}"
            yield _violation(Kind.VERSION_MAJOR, definition, message, "bring the definition up to date")


def _violation(kind: Kind, definition: Definition, message: str, hint: str) -> Violation:
    return Violation(
        kind=kind, path="dsl_version", message=message, place=definition.version_place, hint=hint
    )


def newer_features(deployment: Deployment) -> Iterator[Violation]:
    """A service that uses what came later should claim the least version that has it."""
    for definition in deployment.definitions:
        version = parse_version(definition.version)
        for feature in definition.features:
            if version is not None and version < feature.since:
                since = ".".join(map(str, feature.since))
                message = (
                    f"{feature.path} came with DSL {since}, but the definition claims {definition.version}"
                )
                yield Violation(
                    kind=Kind.NEWER_FEATURE,
                    path=feature.path,
                    message=message,
                    place=feature.place,
                    hint=f"set dsl_version: {since}",
                )
