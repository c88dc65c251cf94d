"""How a word becomes a value, and what a shell may propose for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from sabir.dataclasses import dataclass

__all__ = ["PATH", "PATH_TEXT", "TEXT", "Kind", "choice", "number"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A sort of word."""

    metavar: str
    """What stands for it in the help, unless the option says otherwise."""
    read: Callable[[str], Any]
    """The value, or a ValueError that says what is wrong with the word."""
    proposals: Callable[[], Iterable[str]] = tuple
    """All words there are, when they can be listed."""
    files: bool = False
    """Whether a shell should complete it as a path."""


def _path(word: str) -> Any:
    from pathlib import Path

    return Path(word)


TEXT: Final = Kind(metavar="TEXT", read=str)
PATH: Final = Kind(metavar="PATH", read=_path, files=True)
PATH_TEXT: Final = Kind(metavar="FILE", read=str, files=True)
"""A path that stays as it was written."""


def choice(*names: str) -> Kind:
    """One of a few words."""

    def read(word: str) -> str:
        if word in names:
            return word
        from sabir.diagnostics.near import did_you_mean

        hint = did_you_mean(word, names)
        raise ValueError(f"{word!r} is not one of {', '.join(names)}" + (f": {hint}" if hint else ""))

    return Kind(metavar="|".join(names), read=read, proposals=lambda: names)


def number(of: type[int] | type[float], *, least: float | None = None, above: float | None = None) -> Kind:
    """A whole or a broken number, within bounds."""
    bound = f" of at least {least}" if least is not None else f" above {above}" if above is not None else ""
    what = ("a whole number" if of is int else "a number") + bound

    def read(word: str) -> float:
        try:
            value = of(word)
        except ValueError:
            raise ValueError(f"{word!r} is not {what}") from None
        if not (least is None or value >= least) or not (above is None or value > above):
            raise ValueError(f"{word!r} is not {what}")
        return value

    return Kind(metavar="N", read=read)
