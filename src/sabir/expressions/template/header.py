"""The first line with which a template of Ansible chooses its own signs: `#jinja2: variable_start_string: '<%', …`."""

from __future__ import annotations

import ast
import re
from typing import Any, Final

from jinja2 import TemplateSyntaxError

from sabir.diagnostics.suggestions import did_you_mean

__all__ = ["HEADER", "split_header"]

HEADER: Final = "#jinja2:"
_SIGNS: Final = tuple(
    f"{kind}_{end}_string" for kind in ("variable", "block", "comment") for end in ("start", "end")
)
_FLAGS: Final = ("trim_blocks", "lstrip_blocks", "keep_trailing_newline")
_OPTION: Final = re.compile(r"\s*(\w+)\s*:\s*('[^']{1,20}'|\"[^\"]{1,20}\"|True|False)\s*(?:,|$)")


def split_header(text: str) -> tuple[dict[str, Any], str]:
    """The options of the first line, and the text after it. TemplateSyntaxError for a line that cannot be read."""
    if not text.startswith(HEADER):
        return {}, text
    line, _, rest = text.partition("\n")
    options: dict[str, Any] = {}
    at = len(HEADER)
    while line[at:].strip():
        match = _OPTION.match(line, at)
        if match is None or match[1] not in (*_SIGNS, *_FLAGS):
            name = match[1] if match is not None else line[at:].strip()
            hint = did_you_mean(name, (*_SIGNS, *_FLAGS))
            raise TemplateSyntaxError(f"{HEADER} knows no {name!r}" + (f": {hint}" if hint else ""), 1)
        options[match[1]] = ast.literal_eval(match[2])
        at = match.end()
    return options, rest
