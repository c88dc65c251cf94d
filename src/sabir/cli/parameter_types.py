"""What an option or argument may hold: how a word becomes a value, what is said of a wrong one, what a shell proposes.

click has types of the same names; these say what they take in our words and know near names.

Values that are written on the command line: `NAME=VALUE`, or a file of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError

if TYPE_CHECKING:
    from sabir.graph.values import Value
    from sabir.source.yaml.nodes import Data


if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _Text = click.ParamType[str]
    _Real = click.ParamType[float]
else:
    # Before release 8.4, which others in the same environment may not take yet, the class has no parameter.
    _Text = _Real = click.ParamType


class _PathWord(click.Path):
    """A path as somebody wrote it; the system itself cannot even ask for one with a NUL in it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "\0" in os.fsdecode(value):
            self.fail("a path cannot hold a NUL character", param, ctx)
        return super().convert(value, param, ctx)


PATH: Final = _PathWord(path_type=Path)
"""That it exists is for the loader to say, in its own words."""

PATH_TEXT: Final = _PathWord()
"""A path that stays as it was written: a `/` at its end matters."""


class SuggestedText(_Text):
    """Text, of which shells can propose some. Lists are separated by commas, so the last item is completed."""

    name = "text"

    def __init__(self, proposals: Callable[[], Iterable[str]]) -> None:
        self.proposals = proposals

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002  click's
        param: click.Parameter,  # noqa: ARG002  click's
        incomplete: str,
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        items, comma, typed = incomplete.rpartition(",")
        return [
            CompletionItem(items + comma + proposal)
            for proposal in self.proposals()
            if proposal.lower().startswith(typed.lower())
        ]


class WordChoice(SuggestedText):
    """One of a few words."""

    name = "choice"

    def __init__(self, *words: str) -> None:
        super().__init__(lambda: words)
        self.words = words

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002  click's
        return "|".join(self.words)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in self.words:
            return value
        hint = did_you_mean(value, self.words)
        wrong = f"{value!r} is not one of {', '.join(self.words)}" + (f": {hint}" if hint else "")
        return self.fail(wrong, param, ctx)


class Number(_Real):
    """A number within bounds."""

    name = "number"

    def __init__(
        self, of: type[int] | type[float], *, least: float | None = None, above: float | None = None
    ) -> None:
        self.of = of
        self.least = least
        self.above = above

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002  click's
        return "N"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = self.of(value)
        except ValueError:
            self.fail(self._refusal(value), param, ctx)
        # Said so that not-a-number, for which every comparison is false, is refused.
        within = (self.least is None or number >= self.least) and (self.above is None or number > self.above)
        return number if within else self.fail(self._refusal(value), param, ctx)

    def _refusal(self, word: str) -> str:
        bound = ""
        if self.least is not None:
            bound = f" of at least {self.least}"
        elif self.above is not None:
            bound = f" above {self.above}"
        return f"{word!r} is not {'a whole number' if self.of is int else 'a number'}{bound}"


def parse_values(words: Iterable[str], option: str) -> dict[str, Value]:
    """`NAME=VALUE` words, and files that hold a mapping of names to values; later ones win."""
    values: dict[str, Value] = {}
    for word in words:
        values |= parse_pairs([word], option) if "=" in word else _file_values(Path(word), option)
    return values


def _file_values(file: Path, option: str) -> dict[str, Value]:
    where = f"{option} {str(file)!r}"
    from sabir.source.packages.file import read_input
    from sabir.source.packages.limits import PackageReadError

    try:
        text = read_input(file).decode("utf-8-sig")
    except PackageReadError as error:
        raise UsageError(f"{where}: write it as NAME=VALUE, or name a file: {error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{where}: it is not UTF-8 text") from error
    data = _yaml_value(text, where)
    if not isinstance(data, Mapping):
        raise UsageError(f"{where}: the file must hold a mapping of values by name")
    return dict(data)


def parse_pairs(words: Iterable[str], option: str) -> dict[str, Value]:
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
