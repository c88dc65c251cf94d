"""Commands as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from sabir.cli.words.kinds import TEXT, Kind
from sabir.dataclasses import dataclass

__all__ = ["HELP", "VERSION", "Argument", "Command", "Option", "argument", "flag", "option"]

_SECTION: Final = "Options"


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A word that is known by where it stands."""

    into: str
    """The name under which the command gets it."""
    metavar: str
    kind: Kind
    required: bool
    many: bool
    """It takes all words that are left, and arrives as a tuple."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A word that is known by its name; without a kind it is a flag."""

    names: tuple[str, ...]
    into: str
    help: str
    kind: Kind | None = None
    metavar: str = ""
    default: object = None
    many: bool = False
    """It may be repeated, and arrives as a tuple."""
    section: str = _SECTION


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command: what it takes, what its help says, and what it does."""

    path: str
    """Its whole name: `sabir check`."""
    about: str
    """Paragraphs; the first one is the summary."""
    run: Callable[..., int | None]
    """Gets every argument and option by name; answers with the exit status, None being 0."""
    arguments: tuple[Argument, ...] = ()
    explained: tuple[tuple[str, str], ...] = ()
    """Words of the usage that want a line of their own in the help."""
    options: tuple[Option, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    """What to type, and what it does."""
    notes: str = ""
    """Paragraphs after everything else."""
    version: str | None = None
    """With one, the command knows `--version`."""
    options_metavar: str = "[OPTIONS]"

    @property
    def usage(self) -> str:
        """One line: what it takes, in which order."""
        names = (one.metavar if one.required else f"[{one.metavar}]" for one in self.arguments)
        many = any(one.many for one in self.arguments)
        return " ".join((self.path, self.options_metavar, *names)) + ("…" if many else "")

    def known(self) -> dict[str, Option]:
        """Every name of every option."""
        return {name: one for one in self.all_options() for name in one.names}

    def all_options(self) -> tuple[Option, ...]:
        """The options, and those that need no declaration."""
        return (*self.options, *(() if self.version is None else (VERSION,)), HELP)


HELP: Final = Option(names=("-h", "--help"), into="", help="Show this and exit.")
VERSION: Final = Option(names=("--version",), into="", help="Show the version and exit.")


def argument(
    into: str,
    metavar: str = "",
    *,
    kind: Kind = TEXT,
    required: bool = True,
    many: bool = False,
) -> Argument:
    return Argument(into=into, metavar=metavar or into.upper(), kind=kind, required=required, many=many)


def option(
    *names: str,
    help: str,  # noqa: A002  as every command line calls it
    into: str = "",
    kind: Kind = TEXT,
    metavar: str = "",
    default: object = None,
    many: bool = False,
    proposals: Callable[[], Iterable[str]] | None = None,
    section: str = _SECTION,
) -> Option:
    """An option with a value. `proposals` lists what a shell may complete where the kind does not know it."""
    if proposals is not None:
        kind = Kind(metavar=kind.metavar, read=kind.read, proposals=proposals)
    return Option(
        names=names,
        into=into or _keyword(names),
        help=help,
        kind=kind,
        metavar=metavar or kind.metavar,
        default=() if many else default,
        many=many,
        section=section,
    )


def flag(*names: str, help: str, into: str = "", section: str = _SECTION) -> Option:  # noqa: A002  as above
    """An option that is there or not."""
    return Option(names=names, into=into or _keyword(names), help=help, default=False, section=section)


def _keyword(names: tuple[str, ...]) -> str:
    return names[-1].lstrip("-").replace("-", "_")
