"""Reading back what was written: rows and texts of a state that something has damaged are refused in a sentence.

SQLite keeps whatever it is given in any column, and a state is a file that tools, disks and people get at; so what comes out of it is
taken for nothing before it fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

import msgspec

from sabir.diagnostics.decoding import UNDECODED, explain_decode_error
from sabir.errors import DeployError

T = TypeVar("T", bound=msgspec.Struct)


def convert_row(row: Mapping[Any, Any], type_: type[T], subject: str, **read: Any) -> T:
    """A row as a struct; `subject` is what people call it, `read` are columns that were read already."""
    try:
        fields = {name: read[name] if name in read else row[name] for name in type_.__struct_fields__}
        return msgspec.convert(fields, type_)
    except UNDECODED as error:
        raise_damaged(subject, explain_decode_error(error))
    except KeyError as error:
        raise_damaged(subject, f"{error} is missing")


def decode_column(text: Any, type_: Any, subject: str) -> Any:
    """The JSON of a column."""
    if not isinstance(text, str):
        raise_damaged(subject, "a text is wanted here")
    try:
        return msgspec.json.decode(text, type=type_)
    except UNDECODED as error:
        raise_damaged(subject, explain_decode_error(error, text))


def raise_damaged(subject: str, reason: str) -> NoReturn:
    raise DeployError(f"the state is damaged: {subject}: {reason}; bring back a copy of the state")
