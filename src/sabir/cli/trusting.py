"""`--trust`, and what was allowed once by `sabir trust`: the session of a run of the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sabir.cli.declare import option
from sabir.cli.kinds import Choice
from sabir.cli.terminal import say
from sabir.session import TRUST_WORDS

if TYPE_CHECKING:
    import click

    from sabir.session import Session, Trust

__all__ = ["TRUST_WORD", "command_session", "trust_option"]

F = TypeVar("F", bound=Callable[..., Any])

_VARIABLE: Final = "env:"


class _TrustWord(Choice):
    """A word of `Trust`; `env:` is followed by the name of a variable."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value.startswith(_VARIABLE):
            if value == _VARIABLE:
                self.fail("write the name of the variable: env:NAME", param, ctx)
            return value
        return super().convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return super().get_metavar(param, ctx).replace("env|", "env[:NAME]|")


TRUST_WORD: Final = _TrustWord(*TRUST_WORDS)


def trust_option(*, section: str) -> Callable[[F], F]:
    return option(
        "--trust",
        multiple=True,
        type=TRUST_WORD,
        section=section,
        help="What the package may do beyond being read; may be repeated. `sabir trust` remembers it.",
    )


def command_session(words: Iterable[str] = (), paths: Sequence[Path] = ()) -> Session:
    """The session of one run: the variables of the process, and what is allowed now or was allowed once for all paths."""
    from sabir.session import Session, Trust

    session = Session(trust=Trust.of(words), environment=dict(os.environ))
    remembered = [_remembered(path, session) for path in paths]
    if not remembered:
        return session
    common = set.intersection(*(set(trust.words) for trust in remembered))
    if not common:
        return session
    return Session(trust=session.trust.with_words(common), environment=session.environment)


def _remembered(path: Path, session: Session) -> Trust:
    from sabir.operations.consent import find_leave
    from sabir.session import Trust

    leave = find_leave(path, session)
    if leave is None:
        return Trust()
    if leave.changes:
        again = " ".join(("sabir trust", str(path), *leave.trust.words))
        say(
            f"sabir: {path} is not trusted any more, its code has changed: {leave.changes}; look at it, then `{again}`"
        )
        return Trust()
    return leave.trust
