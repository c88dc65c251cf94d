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

from sabir.source.packages.limits import DEFAULT_LIMITS, STRICT_LIMITS, PackageLimits

if TYPE_CHECKING:
    from datetime import datetime

    from sabir.operations.worker import WorkerPool


Cache = TypeVar("Cache")

TRUST_WORDS: Final = ("python", "scripts", "env", "network", "private-network", "write-files", "outside")
"""What `--trust` takes; `env:NAME` stands for a single variable."""

_VARIABLE: Final = "env:"


class Trust(Struct, frozen=True, kw_only=True):
    """What the operator allows beyond reading a package. Nothing, unless said; no file that is read can add to it."""

    python: bool = False
    """Run Python of the package: plug-ins of a model, functions that an expression names."""
    scripts: bool = False
    """Run scripts and programs of the package."""
    env: bool = False
    """Let expressions see all environment variables."""
    variables: tuple[str, ...] = ()
    """Environment variables that expressions may see, without `env`."""
    network: bool = False
    """Fetch URLs; private and link-local addresses stay refused unless `private_network`."""
    private_network: bool = False
    write_files: bool = False
    """Let expressions write files below the project."""
    outside: bool = False
    """Follow paths that lead out of the project."""

    @classmethod
    def of(cls, words: Iterable[str]) -> Trust:
        """Trust in the words of `--trust`; ValueError for any other word."""
        allowed: dict[str, bool] = {}
        variables: set[str] = set()
        for word in words:
            if word.startswith(_VARIABLE) and len(word) > len(_VARIABLE):
                variables.add(word.removeprefix(_VARIABLE))
            elif word in TRUST_WORDS:
                allowed[word.replace("-", "_")] = True
            else:
                raise ValueError(f"{word!r} is nothing that can be allowed: {', '.join(TRUST_WORDS)}")
        return cls(variables=tuple(sorted(variables)), **allowed)

    @property
    def words(self) -> tuple[str, ...]:
        """As `--trust` takes them."""
        flags = (word for word in TRUST_WORDS if getattr(self, word.replace("-", "_")))
        return (*flags, *(_VARIABLE + name for name in self.variables))

    def with_words(self, words: Iterable[str]) -> Trust:
        return Trust.of((*self.words, *words))

    def allows_variable(self, name: str) -> bool:
        return self.env or name in self.variables


class Limits(Struct, frozen=True, kw_only=True):
    """How much the work may cost. None leaves it to the language, which has bounds of its own.

    Processor time and memory are kept by the system, for the process of an interface that asks for it or for a worker.
    """

    steps: int | None = None
    """Rounds of loops and calls of one run."""
    seconds: float | None = None
    """Time on the clock of one run, sleeping included."""
    cpu: float | None = None
    """Seconds of processor time for all of the work."""
    memory: int | None = None
    """Bytes that a worker process may take, or a process beyond what it has when the work begins."""
    instances: int = 2_000_000
    """Instances of one evaluation."""
    package: PackageLimits = DEFAULT_LIMITS


PROFILES: Final[Mapping[str, Limits]] = {
    "default": Limits(cpu=60.0, memory=2 << 30),
    "strict": Limits(
        steps=1_000_000, seconds=20.0, cpu=2.0, memory=200 << 20, instances=100_000, package=STRICT_LIMITS
    ),
}
"""`--limits`: what people work with, and what fits the files of strangers."""


def wall_clock() -> datetime:
    """The time of day of this machine, in UTC."""
    from datetime import UTC, datetime

    return datetime.now(UTC)


class Session(Struct, frozen=True, kw_only=True, eq=False):
    """Made once by an interface and shared by everything that it starts."""

    trust: Trust = Trust()
    limits: Limits = Limits()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """All environment variables, for sabir's own settings. What a package may see of them: `visible_environment`."""
    clock: Callable[[], datetime] = wall_clock
    """The time of day, with its time zone."""
    monotonic: Callable[[], float] = monotonic
    """Seconds that only grow, for budgets and deadlines."""
    workers: WorkerPool | None = None
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
    def visible_environment(self) -> Mapping[str, str]:
        """The environment variables that a package may see."""
        return {name: value for name, value in self.environment.items() if self.trust.allows_variable(name)}

    @property
    def debugging(self) -> bool:
        """Whether faults of sabir itself are to be seen with their stack."""
        return bool(self.environment.get("SABIR_DEBUG"))
