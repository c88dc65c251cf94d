"""What surrounds a piece of work: limits, trust, environment variables, clocks and caches.

Several evaluations run in one process (a service, an editor, a test), so nothing of this is global: an interface makes one
`Session`, operations hand it down in their requests, and whatever needs to know the time, a variable or what is allowed asks
the session it was given. One that is made without arguments knows no variable and allows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct, field

from sabir.source.packages.limits import DEFAULT_LIMITS, PackageLimits

if TYPE_CHECKING:
    from datetime import datetime

    from sabir.operations.worker import Workers

__all__ = ["TRUST_WORDS", "Limits", "Session", "Trust", "wall_clock"]

Cache = TypeVar("Cache")

TRUST_WORDS: Final = ("python", "network", "private-network", "write-files")
"""What `--trust` takes."""


class Trust(Struct, frozen=True, kw_only=True):
    """What the owner of a package allows beyond reading it. Nothing, unless said."""

    plugins: bool = False
    """Run the Python plug-ins that a model brings."""
    python: bool = False
    """Call Python functions that an expression names."""
    network: bool = False
    """Fetch URLs; private and link-local addresses stay refused unless `private_network`."""
    private_network: bool = False
    write_files: bool = False
    """Let expressions write files below the project."""

    @classmethod
    def of(cls, words: Iterable[str], *, plugins: bool = False) -> Trust:
        """Trust in the words of `--trust`."""
        return cls(plugins=plugins, **{word.replace("-", "_"): True for word in words})


class Limits(Struct, frozen=True, kw_only=True):
    """How much the work may cost. None leaves it to the language, which has bounds of its own."""

    steps: int | None = None
    """Rounds of loops and calls of one run."""
    seconds: float | None = None
    """Time on the clock of one run, sleeping included."""
    memory: int | None = None
    """Bytes that a worker process may take."""
    package: PackageLimits = DEFAULT_LIMITS


def wall_clock() -> datetime:
    """The time of day of this machine, in UTC."""
    from datetime import UTC, datetime

    return datetime.now(UTC)


class Session(Struct, frozen=True, kw_only=True, eq=False):
    """Made once by an interface and shared by everything that it starts."""

    trust: Trust = Trust()
    limits: Limits = Limits()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment variables. The command line hands over its own; who else may see them is for `trust` to say."""
    clock: Callable[[], datetime] = wall_clock
    """The time of day, with its time zone."""
    monotonic: Callable[[], float] = monotonic
    """Seconds that only grow, for budgets and deadlines."""
    workers: Workers | None = None
    """Who runs foreign Python in processes of its own; None: it runs in this one, as in a single run of the command line."""
    caches: dict[Callable[[], object], object] = field(default_factory=dict[Callable[[], object], object])
    """By what makes them; asked through `cache`. A session that `structs.replace` makes from another shares them."""

    def cache(self, kind: Callable[[], Cache]) -> Cache:
        """The one `kind()` of this session: what would otherwise be a global of a module.

            class ParsedTexts(dict[str, Expression]): ...

            parsed = session.cache(ParsedTexts)

        What a cache holds must not depend on trust or limits, unless its keys do.
        """
        cache = self.caches.get(kind)
        if cache is None:
            cache = self.caches.setdefault(kind, kind())
        return cache  # type: ignore[return-value]  # the key made it

    @property
    def debugging(self) -> bool:
        """Whether faults of sabir itself are to be seen with their stack."""
        return bool(self.environment.get("SABIR_DEBUG"))
