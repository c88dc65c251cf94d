"""`--trust`, `--limits`, and what was allowed once by `sabir trust`: the session of a run of the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from msgspec.structs import replace

from sabir.cli.declare import option
from sabir.cli.parameter_types import WordChoice
from sabir.cli.terminal import print_status
from sabir.diagnostics.suggestions import did_you_mean
from sabir.session import PROFILES, TRUST_WORDS

if TYPE_CHECKING:
    from sabir.session import Limits, Session, Trust

    _Words = click.ParamType[tuple[str, str]]
else:
    _Words = click.ParamType  # without a parameter before release 8.4


F = TypeVar("F", bound=Callable[..., Any])

_VARIABLE: Final = "env:"


class _TrustWord(WordChoice):
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


def limits_option(*, section: str) -> Callable[[F], F]:
    return option(
        "--limits",
        multiple=True,
        type=_LimitWords(),
        metavar="default|strict|cpu=S|memory=SIZE|instances=N",
        section=section,
        help="How much it may cost: a profile, or one limit; may be repeated. strict is for what strangers send.",
    )


class _LimitWords(_Words):
    """A profile, or one of its limits by name."""

    name = "limits"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        name, equals, amount = value.partition("=")
        if not equals:
            if name not in PROFILES:
                hint = (
                    did_you_mean(name, PROFILES)
                    or f"there are {', '.join(PROFILES)}, cpu=S, memory=SIZE and instances=N"
                )
                self.fail(f"{value!r} is no profile of limits: {hint}", param, ctx)
            return "profile", name
        if name in _AMOUNTS and _AMOUNTS[name](amount):
            return name, amount
        return self.fail(
            f"{value!r}: write cpu=SECONDS, memory=SIZE as 500M or 4G, or instances=NUMBER", param, ctx
        )


def _parse_seconds(written: str) -> float | None:
    return float(written) if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", written) and float(written) else None


def _parse_bytes(written: str) -> int | None:
    match = re.fullmatch(r"([0-9]{1,6})([MG])i?B?", written, re.IGNORECASE)
    return int(match[1]) << (30 if match[2] in "gG" else 20) if match and int(match[1]) else None


def _parse_number(written: str) -> int | None:
    return int(written) if re.fullmatch(r"[0-9]{1,9}", written) else None


_AMOUNTS: Final[Mapping[str, Callable[[str], float | None]]] = {
    "cpu": _parse_seconds,
    "memory": _parse_bytes,
    "instances": _parse_number,
}


def _parse_limits(words: Iterable[tuple[str, str]]) -> Limits:
    limits = PROFILES["default"]
    for name, word in words:
        if name == "profile":
            limits = PROFILES[word]
        else:
            limits = replace(limits, **{name: _AMOUNTS[name](word)})
    return limits


def command_session(
    words: Iterable[str] = (), paths: Sequence[Path] = (), limits: Iterable[tuple[str, str]] = ()
) -> Session:
    """The session of one run: the variables of the process, and what is allowed now or was allowed once for all paths."""
    from sabir.session import Session, Trust

    session = Session(trust=Trust.of(words), environment=dict(os.environ), limits=_parse_limits(limits))
    remembered = [_load_trust(path, session) for path in paths]
    if not remembered:
        return session
    common = set.intersection(*(set(trust.words) for trust in remembered))
    if not common:
        return session
    return replace(session, trust=session.trust.with_words(common))


def _load_trust(path: Path, session: Session) -> Trust:
    from sabir.operations.trust import find_grant
    from sabir.session import Trust

    leave = find_grant(path, session)
    if leave is None:
        return Trust()
    if leave.changes:
        again = " ".join(("sabir trust", str(path), *leave.trust.words))
        print_status(
            f"sabir: {path} is not trusted any more, its code has changed: {leave.changes}; look at it, then `{again}`"
        )
        return Trust()
    return leave.trust
