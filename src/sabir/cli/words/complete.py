"""What a shell may propose for the word that is being typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sabir.cli.words.declare import Command, Option
from sabir.cli.words.kinds import Kind
from sabir.dataclasses import dataclass

__all__ = ["Proposals", "proposals", "starting"]


@dataclass(frozen=True, slots=True)
class Proposals:
    """Words, each with a line of help; or paths, which the shell knows best."""

    words: tuple[tuple[str, str], ...] = ()
    files: bool = False


def starting(word: str, rows: Iterable[tuple[str, str]]) -> Proposals:
    """Those rows that begin with what was typed so far."""
    typed = word.lower()
    return Proposals(tuple(row for row in rows if row[0].lower().startswith(typed)))


def proposals(command: Command, before: Sequence[str], word: str) -> Proposals:
    """What may stand for `word` after the words `before` it."""
    known = command.known()
    pending: Option | None = None
    given: set[str] = set()
    loose, ended = 0, False
    for one in before:
        if pending is not None:
            pending = None
        elif ended or not one.startswith("-") or one == "-":
            loose += 1
        elif one == "--":
            ended = True
        else:
            name, equals, _ = one.partition("=")
            found = known.get(name)
            if found is not None:
                given.add(found.into)
                pending = found if found.kind is not None and not equals else None
    if pending is not None and pending.kind is not None:
        return _values(pending.kind, word)
    if word.startswith("-") and not ended:
        return _options(command, given, word)
    arguments = command.arguments
    if not arguments or (loose >= len(arguments) and not arguments[-1].many):
        return _options(command, given, word) if not word else Proposals()
    return _values(arguments[min(loose, len(arguments) - 1)].kind, word)


def _options(command: Command, given: set[str], word: str) -> Proposals:
    name, equals, value = word.partition("=")
    if equals:
        found = command.known().get(name)
        return Proposals() if found is None or found.kind is None else _values(found.kind, value, name + "=")
    return starting(
        word,
        (
            (name, one.help)
            for one in command.all_options()
            if one.many or one.into not in given
            for name in one.names
        ),
    )


def _values(kind: Kind, word: str, prefix: str = "") -> Proposals:
    if kind.files:
        return Proposals(files=True)
    head, comma, last = word.rpartition(",")  # lists are separated by commas
    prefix += head + comma
    return starting(prefix + last, ((prefix + value, "") for value in kind.proposals()))
