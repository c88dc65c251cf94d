"""Checks that are ready to be called, isolated from each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.reasons import error_text
from sabir.diagnostics.rules import Rule

_MOST_OF_A_KIND: Final = 1000

CHECK_FAILED: Final = Rule(
    code="E000",
    title="a check itself failed",
    why="This is a fault of the check that is named, not of what you wrote; the other checks have run. Please report it. "
    "`SABIR_DEBUG=1` shows where it happened; `--ignore E000` lets the run pass meanwhile.",
    examples="sabir.checks",
)


class CheckTask(Struct, frozen=True, kw_only=True):
    """A checker with its data bound (spec 001, `prepare_check_suit`).

    Calling it yields findings and never raises.

    With `debugging` the exceptions of the checker are not caught.
    """

    validator: str
    """Short name of the validator that owns the check."""
    name: str
    call: Callable[[], Iterable[Finding]]
    file: str = "<check>"
    """The file that is checked, if it is a single one."""
    debugging: bool = False
    """Whether an exception of the check is raised instead of reported, to show its traceback."""

    def __call__(self) -> Iterator[Finding]:
        return _limit_findings(
            run_guarded(self.call, name=self.name, file=self.file, debugging=self.debugging)
        )


CheckRunner = Callable[[Sequence[CheckTask]], Iterable[Finding]]
"""Calls checks and returns their findings, in any order; reports sort them."""


def run_in_turn(checks: Sequence[CheckTask]) -> Iterator[Finding]:
    """Run the checks one after the other in this process; the default `CheckRunner`."""
    for check in checks:
        yield from check()


def run_guarded(
    call: Callable[[], Iterable[Finding]], *, name: str, file: str, debugging: bool = False
) -> Iterator[Finding]:
    """Yield the findings of a check and, if the check raises, the finding E000 that names it.

    One check that fails must not hide the findings of the others. With `debugging` the exception is raised.
    """
    try:
        yield from call()
    except Exception as error:
        if debugging:
            raise
        yield CHECK_FAILED.about_file(
            file,
            f"check {name} failed: {type(error).__name__}: {error_text(error)}".split("\n", 1)[0],
            hint="this is a fault of the check, not of the package; SABIR_DEBUG=1 shows where it happened",
        )


def _limit_findings(findings: Iterator[Finding]) -> Iterator[Finding]:
    """Limit the findings of one code in one file, which would otherwise only fill memory."""
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        key = (finding.filename, finding.code)
        seen[key] += 1
        if seen[key] < _MOST_OF_A_KIND:
            yield finding
        elif seen[key] == _MOST_OF_A_KIND:
            yield replace(finding, hint="there are more of this kind in this file; they are not shown")
