"""Points in time read by a form that the user wrote."""

from __future__ import annotations

import re
from datetime import datetime

__all__ = ["read_moment"]


def read_moment(text: str, form: str) -> datetime:
    """`datetime.strptime`, whose pattern does not compile where a directive stands twice; ValueError then, too."""
    try:
        return datetime.strptime(text, form)
    except re.error:
        raise ValueError(f"{form!r} is no form of a date: a directive stands in it twice") from None
