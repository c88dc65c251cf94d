"""Values that are written on the command line: `NAME=VALUE`, or a file of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sabir.errors import UsageError

if TYPE_CHECKING:
    from sabir.graph.values import Value
    from sabir.source.yaml.nodes import Data

__all__ = ["named_values", "pairs"]


def named_values(words: Iterable[str], option: str) -> dict[str, Value]:
    """`NAME=VALUE` words, and files that hold a mapping of names to values; later ones win."""
    values: dict[str, Value] = {}
    for word in words:
        values |= pairs([word], option) if "=" in word else _file_values(Path(word), option)
    return values


def _file_values(file: Path, option: str) -> dict[str, Value]:
    where = f"{option} {str(file)!r}"
    from sabir.source.packages.file import read_given
    from sabir.source.packages.limits import ReadProblem

    try:
        text = read_given(file).decode("utf-8-sig")
    except ReadProblem as error:
        raise UsageError(f"{where}: write it as NAME=VALUE, or name a file: {error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{where}: it is not UTF-8 text") from error
    data = _yaml_value(text, where)
    if not isinstance(data, Mapping):
        raise UsageError(f"{where}: the file must hold a mapping of values by name")
    return dict(data)


def pairs(words: Iterable[str], option: str) -> dict[str, Value]:
    """`NAME=VALUE` words as a mapping; VALUE is read as YAML, so that `3` is a number and `[a, b]` a list."""
    values: dict[str, Value] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{option} {word!r}: write it as NAME=VALUE")
        values[name.strip()] = _yaml_value(text, f"{option} {word!r}")
    return values


def _yaml_value(text: str, where: str) -> Value:
    from sabir.source.yaml import compose, plain_data
    from sabir.text import Source

    stream = compose(Source("<command line>", text))
    if stream.findings:
        raise UsageError(f"{where}: {stream.findings[0].message}")
    if len(stream.documents) > 1:
        raise UsageError(f"{where}: one value is wanted, not several documents")
    node = stream.documents[0] if stream.documents else None
    return None if node is None else _as_value(plain_data(node))


def _as_value(data: Data) -> Value:
    """Plain data as a value of the graph, whose mappings have texts as keys."""
    if isinstance(data, Mapping):
        return {str(key): _as_value(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_as_value(value) for value in data]
    return data
