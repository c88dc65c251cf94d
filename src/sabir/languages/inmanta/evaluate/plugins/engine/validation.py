"""`inmanta.validation_type`: strings that match a regular expression, as pydantic takes them."""

from __future__ import annotations

import re
from typing import Annotated, Any

__all__ = ["Regex", "regex_string"]


class Regex:
    """`Annotated[str, Regex("^[a-z]+$")]`."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._compiled = re.compile(pattern)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema  # type: ignore[import-not-found]  # the module that asks brings pydantic

        return core_schema.no_info_after_validator_function(self.checked, handler(source))

    def checked(self, value: str) -> str:
        if self._compiled.match(value) is None:
            raise ValueError(f"{value!r} does not match {self.pattern}")
        return value


def regex_string(regex: str) -> Any:
    """The type of strings that match."""
    return Annotated[str, Regex(regex)]
