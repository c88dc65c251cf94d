"""`inmanta.const`: enumerations of states and changes."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = [
    "ENVIRON_FORCE_TTY",
    "Change",
    "HandlerResourceState",
    "LogLevel",
    "ParameterSource",
    "ResourceState",
]

ENVIRON_FORCE_TTY: Final = "FORCE_TTY"


class Change(StrEnum):
    """The change that a handler made to a resource."""

    nochange = "nochange"
    created = "created"
    purged = "purged"
    updated = "updated"


class ResourceState(StrEnum):
    """The state of a resource as the server of the original engine names it."""

    unavailable = "unavailable"
    skipped = "skipped"
    dry = "dry"
    deployed = "deployed"
    failed = "failed"
    deploying = "deploying"
    available = "available"
    cancelled = "cancelled"
    undefined = "undefined"
    skipped_for_undefined = "skipped_for_undefined"
    non_compliant = "non_compliant"


class HandlerResourceState(StrEnum):
    """The states that a handler may report at the end of a run."""

    skipped = "skipped"
    deployed = "deployed"
    failed = "failed"
    dry = "dry"
    skipped_for_dependency = "skipped_for_dependency"
    unavailable = "unavailable"
    non_compliant = "non_compliant"


class ParameterSource(StrEnum):
    """The source of a parameter or fact."""

    fact = "fact"
    plugin = "plugin"
    user = "user"
    report = "report"


class LogLevel(StrEnum):
    """The level of a log line."""

    CRITICAL = "CRITICAL"
    ERROR = "ERROR"
    WARNING = "WARNING"
    INFO = "INFO"
    DEBUG = "DEBUG"
    TRACE = "TRACE"
