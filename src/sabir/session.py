"""The context of a task: limits, trust, environment variables, clocks and caches.

Several evaluations run in one process (a service, an editor, a test), so nothing of this is global. An interface
creates one `Session`, operations pass it on in their requests, and code that depends on the time, on a variable or on
a permission asks the session that it received. A session created without arguments has no variables and no
permissions.
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
"""Accepted values of `--trust`; `env:NAME` allows a single variable."""

_VARIABLE: Final = "env:"


class Trust(Struct, frozen=True, kw_only=True):
    """What the operator allows beyond reading a package: nothing by default.

    Only the operator grants it: no file of a project can add to it.
    """

    python: bool = False
    """Run Python of the package: plugins of a model, functions that an expression names."""
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
    """Let expressions write files inside the project."""
    outside: bool = False
    """Follow paths that refer to files outside the project."""

    @classmethod
    def of(cls, words: Iterable[str]) -> Trust:
        """Parse the values of `--trust`; raise ValueError for any other value."""
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
        """The values that `--trust` accepts for this object."""
        flags = (word for word in TRUST_WORDS if getattr(self, word.replace("-", "_")))
        return (*flags, *(_VARIABLE + name for name in self.variables))

    def with_words(self, words: Iterable[str]) -> Trust:
        """Return this trust plus the given values of `--trust`."""
        return Trust.of((*self.words, *words))

    def allows_variable(self, name: str) -> bool:
        """Return whether expressions may read an environment variable."""
        return self.env or name in self.variables


class Limits(Struct, frozen=True, kw_only=True):
    """How much a task may cost. None means the limit of the language.

    The operating system enforces CPU time and memory: for the process of an interface that requests it, or for a
    worker.
    """

    steps: int | None = None
    """Loop iterations and calls of one run."""
    seconds: float | None = None
    """Wall-clock seconds of one run, including sleep."""
    cpu: float | None = None
    """Seconds of CPU time for the whole task."""
    memory: int | None = None
    """Bytes that a worker process may use, or that a process may use in addition to what it has at the start."""
    instances: int = 2_000_000
    """Instances of one evaluation."""
    package: PackageLimits = DEFAULT_LIMITS


PROFILES: Final[Mapping[str, Limits]] = {
    "default": Limits(cpu=60.0, memory=2 << 30),
    "strict": Limits(
        steps=1_000_000, seconds=20.0, cpu=2.0, memory=200 << 20, instances=100_000, package=STRICT_LIMITS
    ),
}
"""Profiles of `--limits`: for everyday work, and for untrusted files."""


def wall_clock() -> datetime:
    """Return the current time of this machine in UTC."""
    from datetime import UTC, datetime

    return datetime.now(UTC)


class Session(Struct, frozen=True, kw_only=True, eq=False):
    """The context that an interface creates once and shares with everything it starts."""

    trust: Trust = Trust()
    limits: Limits = Limits()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """All environment variables, for sabir's own settings. Packages see only `visible_environment`."""
    clock: Callable[[], datetime] = wall_clock
    """Returns the current time with its time zone."""
    monotonic: Callable[[], float] = monotonic
    """Returns seconds that never decrease, for budgets and deadlines."""
    workers: WorkerPool | None = None
    """Processes that run third-party Python; None: it runs in this process, as in a single run of the command line."""
    caches: dict[Callable[[], object], object] = field(default_factory=dict[Callable[[], object], object])
    """By the callable that creates them; read through `cache`. `structs.replace` keeps them shared."""

    def cache(self, kind: Callable[[], Cache]) -> Cache:
        """Return the one `kind()` of this session: it replaces a global of a module.

            class ParsedTexts(dict[str, Expression]): ...

            parsed = session.cache(ParsedTexts)

        The content of a cache must not depend on trust or limits unless its keys do.
        """
        cache = self.caches.get(kind)
        if cache is None:
            cache = self.caches.setdefault(kind, kind())
        return cache  # type: ignore[return-value]  # the key made it

    @property
    def visible_environment(self) -> Mapping[str, str]:
        """The environment variables that a package may read."""
        return {name: value for name, value in self.environment.items() if self.trust.allows_variable(name)}

    @property
    def debugging(self) -> bool:
        """Whether internal errors are shown with their stack trace."""
        return bool(self.environment.get("SABIR_DEBUG"))
