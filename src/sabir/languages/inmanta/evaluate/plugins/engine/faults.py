"""`inmanta.ast`: the exceptions of the compiler that modules catch or raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from sabir.languages.inmanta.evaluate.interrupts import Wait
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance

__all__ = [
    "AttributeException",
    "CompilerException",
    "ExternalException",
    "Location",
    "MultiUnsetException",
    "NotFoundException",
    "OptionalValueException",
    "Range",
    "RuntimeException",
    "TypingException",
    "UnsetException",
]

UnsetException = Wait
"""A value is not there yet: let through, the call is made again when it is."""


class MultiUnsetException(Wait):
    """Raised if several values are missing. If it propagates, the call is repeated when the first is set."""

    def __init__(self, msg: str, result_variables: Sequence[Wait]) -> None:
        BaseException.__init__(self, msg)
        self.result_variables = list(result_variables)

    @property
    def slots(self) -> Frame:  # type: ignore[override]  # those of the first value, which may be told after it is made
        return self.result_variables[0].slots

    @property
    def slot(self) -> int:  # type: ignore[override]
        return self.result_variables[0].slot

    @property
    def owner(self) -> ModelInstance | None:  # type: ignore[override]
        return self.result_variables[0].owner


class Location(Struct, frozen=True):
    """A line of a file."""

    file: str
    lnr: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.lnr}"


class Range(Struct, frozen=True):
    """A part of a file, from one line and column to another."""

    file: str
    lnr: int = 0
    start_char: int = 0
    end_lnr: int = 0
    end_char: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.lnr}:{self.start_char}"


class CompilerException(Exception):
    """The base class of errors in a model."""

    def __init__(self, msg: str = "") -> None:
        super().__init__(msg)
        self.msg = msg


class RuntimeException(CompilerException):
    """An error in a model, with the statement that raised it."""

    def __init__(self, stmt: Any = None, msg: str = "") -> None:
        super().__init__(msg)
        self.stmt = stmt


class ExternalException(RuntimeException):
    """An error in the Python of a module."""


class NotFoundException(RuntimeException):
    """An undefined name or a missing value."""

    def __init__(self, stmt: Any = None, name: str = "", msg: str | None = None) -> None:
        super().__init__(stmt, msg or f"could not find {name}")
        self.name = name


class TypingException(RuntimeException):
    """A value of the wrong type."""


class AttributeException(RuntimeException):
    """An attribute that cannot be set."""


class OptionalValueException(RuntimeException):
    """A read of an optional relation without a value."""
