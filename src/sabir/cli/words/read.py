"""From words to values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sabir.cli.words.declare import HELP, VERSION, Command, Option
from sabir.cli.words.kinds import Kind
from sabir.errors import WrongWords

__all__ = ["read_words", "run_command"]


def run_command(command: Command, words: Sequence[str]) -> int:
    """Read the words, do what they ask for, and answer with the exit status."""
    given = read_words(command, words)
    if given is HELP or given is VERSION:
        from sabir.cli.terminal import write
        from sabir.cli.words.help import help_text

        name = command.path.rpartition(" ")[2]
        write(help_text(command) if given is HELP else f"{name} {command.version}\n")
        return 0
    assert isinstance(given, dict)
    return command.run(**given) or 0


def read_words(command: Command, words: Sequence[str]) -> dict[str, Any] | Option:
    """The values by name; or the option that asks for something else: the help, the version."""
    reader = _Reader(command)
    return reader.asked_by(list(words)) or reader.values()


class _Reader:
    """Options may stand anywhere: `--name value`, `--name=value`, `-n value`, `-nvalue`, flags together as in `-qf json`;
    after `--` all words are arguments."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.known = command.known()
        self.given: dict[str, Any] = {one.into: one.default for one in command.options}
        self.loose: list[str] = []

    def asked_by(self, words: list[str]) -> Option | None:
        """Read all words; stops at one that asks for the help or the version, whatever else is wrong."""
        words.reverse()
        while words:
            word = words.pop()
            if word == "--":
                self.loose += reversed(words)
                break
            if word[:2] == "--":
                asked = self.long(word, words)
            elif word[:1] == "-" and word != "-":
                asked = self.short(word, words)
            else:
                self.loose.append(word)
                continue
            if asked is not None:
                return asked
        return None

    def long(self, word: str, words: list[str]) -> Option | None:
        name, equals, value = word.partition("=")
        one = self.option(name)
        if one.kind is None:
            if equals:
                raise self.wrong(f"{name} takes no value")
            return self.flag(one)
        self.take(one, name, value if equals else self.next(name, words))
        return None

    def short(self, word: str, words: list[str]) -> Option | None:
        for at in range(1, len(word)):
            name = "-" + word[at]
            one = self.option(name, word)
            if one.kind is not None:
                self.take(one, name, word[at + 1 :] or self.next(name, words))
                return None
            asked = self.flag(one)
            if asked is not None:
                return asked
        return None

    def option(self, name: str, word: str = "") -> Option:
        found = self.known.get(name)
        if found is None:
            from sabir.diagnostics.near import did_you_mean

            name = name if len(word) == 2 else word or name
            hint = did_you_mean(name, self.known) or f"{self.command.path} --help lists them"
            raise self.wrong(f"no such option {name!r}: {hint}")
        return found

    def next(self, name: str, words: list[str]) -> str:
        if not words:
            raise self.wrong(f"{name} needs a value: {name} {self.known[name].metavar}")
        return words.pop()

    def flag(self, one: Option) -> Option | None:
        if one is HELP or one is VERSION:
            return one
        self.given[one.into] = True
        return None

    def take(self, one: Option, name: str, word: str) -> None:
        assert one.kind is not None
        value = self.read(one.kind, name, word)
        self.given[one.into] = (*self.given[one.into], value) if one.many else value

    def read(self, kind: Kind, name: str, word: str) -> Any:
        try:
            return kind.read(word)
        except ValueError as error:
            raise self.wrong(f"{name}: {error}") from None

    def values(self) -> dict[str, Any]:
        """Everything that was said, the arguments in their places."""
        rest = self.loose
        for one in self.command.arguments:
            if one.many:
                self.given[one.into] = tuple(self.read(one.kind, one.metavar, word) for word in rest)
                rest = []
            elif rest:
                self.given[one.into] = self.read(one.kind, one.metavar, rest[0])
                rest = rest[1:]
            elif one.required:
                raise self.wrong(f"{one.metavar} is missing: {self.command.usage}")
            else:
                self.given[one.into] = None
        if rest:
            raise self.wrong(f"{rest[0]!r} is a word too many: {self.command.usage}")
        return self.given

    def wrong(self, message: str) -> WrongWords:
        return WrongWords(self.command.path, message)
