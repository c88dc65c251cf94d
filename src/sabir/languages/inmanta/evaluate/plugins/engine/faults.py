"""`inmanta.ast`: the exceptions of the compiler that modules catch or raise."""

from __future__ import annotations

from typing import Any

from sabir.languages.inmanta.evaluate.values import Wait

__all__ = [
    "AttributeException",
    "CompilerException",
    "ExternalException",
    "MultiUnsetException",
    "NotFoundException",
    "OptionalValueException",
    "RuntimeException",
    "TypingException",
    "UnsetException",
]

UnsetException = Wait
"""A value is not there yet: let through, the call is made again when it is."""
MultiUnsetException = Wait


class CompilerException(Exception):
    """Something is wrong with the model."""

    def __init__(self, msg: str = "") -> None:
        super().__init__(msg)
        self.msg = msg


class RuntimeException(CompilerException):
    """The same, with the statement it was found in."""

    def __init__(self, stmt: Any = None, msg: str = "") -> None:
        super().__init__(msg)
        self.stmt = stmt


class ExternalException(RuntimeException):
    """Python of a module failed."""


class NotFoundException(RuntimeException):
    """A name or value was not found."""

    def __init__(self, stmt: Any = None, name: str = "", msg: str | None = None) -> None:
        super().__init__(stmt, msg or f"could not find {name}")
        self.name = name


class TypingException(RuntimeException):
    """A value does not fit."""


class AttributeException(RuntimeException):
    """An attribute cannot be set."""


class OptionalValueException(RuntimeException):
    """An optional relation without a value was read."""
