"""Checked decoding of rows and columns: a damaged state is refused with a clear message.

SQLite stores any value in any column, and tools, disks and people can change the file. So nothing read from
it is used before its type is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

import msgspec

from sabir.diagnostics.decoding import UNDECODED, explain_decode_error
from sabir.errors import DeployError

T = TypeVar("T", bound=msgspec.Struct)


def convert_row(row: Mapping[Any, Any], type_: type[T], subject: str, **read: Any) -> T:
    """Convert a row to a struct. `subject` names it in errors; `read` holds columns that are already decoded."""
    try:
        fields = {name: read[name] if name in read else row[name] for name in type_.__struct_fields__}
        return msgspec.convert(fields, type_)
    except UNDECODED as error:
        raise_damaged(subject, explain_decode_error(error))
    except KeyError as error:
        raise_damaged(subject, f"{error} is missing")


def decode_column(text: Any, type_: Any, subject: str) -> Any:
    """Decode the JSON of a column as a type. Raises `DeployError` that names the `subject`."""
    if not isinstance(text, str):
        raise_damaged(subject, "a text is wanted here")
    try:
        return msgspec.json.decode(text, type=type_)
    except UNDECODED as error:
        raise_damaged(subject, explain_decode_error(error, text))


def raise_damaged(subject: str, reason: str) -> NoReturn:
    """Raise the `DeployError` for a damaged state."""
    raise DeployError(f"the state is damaged: {subject}: {reason}; bring back a copy of the state")
