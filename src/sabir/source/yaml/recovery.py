"""Partial reading of a text that is not valid YAML as a whole.

The entry in which the parser stops is overwritten with spaces, and the text is read again, so that everything else
keeps its location. An entry is the line where the invalid part starts, with the deeper indented lines below it when
the line continues there.
"""

from __future__ import annotations

from typing import Any, Final

import yaml
from yaml.scanner import ScannerError

from sabir.source.yaml.compose import YamlLimits, YamlStream, compose
from sabir.source.yaml.defects import DUPLICATE_KEY, NOT_YAML
from sabir.text import Source

_PARSER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MOST_DEFECTS: Final = 30
_OPENING: Final = frozenset("[{\"'")
_GOES_ON: Final = (":", ",", "[", "{", "|", ">", "-")


def compose_readable(source: Source, *, limits: YamlLimits | None = None) -> YamlStream | None:
    """The text without the entries that cannot be read; None when what is wrong is no matter of single entries."""
    text = source.text
    for _ in range(_MOST_DEFECTS):
        stream = compose(Source(source.name, text), limits=limits)
        defect = next((finding for finding in stream.findings if finding.code != DUPLICATE_KEY.code), None)
        if defect is None:
            return stream
        if defect.code != NOT_YAML.code:
            return None
        blanked = _without_entry(text, _find_start(text, defect.place.span.start))
        if blanked == text:
            return None
        text = blanked
    return None


def _find_start(text: str, stop: int) -> int:
    """Where what stopped the parser begins: an open bracket or quote is noticed only lines below it."""
    parser = _PARSER(text)
    try:
        while parser.check_event():
            parser.get_event()
    except yaml.MarkedYAMLError as error:
        context = error.context_mark
        if context is not None and context.index < len(text):
            # The context of the scanner is the token it is in, that of the parser any container around it.
            is_token = isinstance(error, ScannerError)
            if is_token or text[context.index] in _OPENING:
                return int(context.index)
    except yaml.YAMLError:
        pass
    finally:
        parser.dispose()
    return stop


def _without_entry(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    if not text[start:].strip():
        # Nothing is left below: the last line that says something is the one that was not finished.
        start = text.rfind("\n", 0, len(text[:start].rstrip())) + 1
    depth = _indent_width(text, start)
    end = _line_end(text, start)
    goes_on = text[start:end].rstrip().endswith(_GOES_ON) or text[offset : offset + 1] in _OPENING
    while goes_on and end < len(text) and (_is_blank(text, end) or _indent_width(text, end) > depth):
        end = _line_end(text, end)
    blank = "".join(character if character in "\r\n" else " " for character in text[start:end])
    return text[:start] + blank + text[end:]


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1


def _is_blank(text: str, start: int) -> bool:
    return not text[start : _line_end(text, start)].strip()


def _indent_width(text: str, start: int) -> int:
    line = text[start : _line_end(text, start)]
    return len(line) - len(line.lstrip(" \t"))
