"""`inmanta.const`: the words for states and changes."""

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
    nochange = "nochange"
    created = "created"
    purged = "purged"
    updated = "updated"


class ResourceState(StrEnum):
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
    """What a handler may say at the end of a run."""

    skipped = "skipped"
    deployed = "deployed"
    failed = "failed"
    dry = "dry"
    skipped_for_dependency = "skipped_for_dependency"
    unavailable = "unavailable"
    non_compliant = "non_compliant"


class ParameterSource(StrEnum):
    fact = "fact"
    plugin = "plugin"
    user = "user"
    report = "report"


class LogLevel(StrEnum):
    CRITICAL = "CRITICAL"
    ERROR = "ERROR"
    WARNING = "WARNING"
    INFO = "INFO"
    DEBUG = "DEBUG"
    TRACE = "TRACE"
