"""A check that only needs to be called."""

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
    """A checker with its data bound (spec 001, `prepare_check_suit`). Calling it yields findings and never raises."""

    validator: str
    """Short name of the validator it belongs to."""
    name: str
    call: Callable[[], Iterable[Finding]]
    file: str = "<check>"
    """The file it looks at, when it is one."""
    debugging: bool = False
    """Whether a fault of the check itself is to be seen with its stack."""

    def __call__(self) -> Iterator[Finding]:
        return _limit_findings(
            run_guarded(self.call, name=self.name, file=self.file, debugging=self.debugging)
        )


CheckRunner = Callable[[Sequence[CheckTask]], Iterable[Finding]]
"""Calls checks and hands on what they find; the order of findings does not matter, reports sort them."""


def run_in_turn(checks: Sequence[CheckTask]) -> Iterator[Finding]:
    for check in checks:
        yield from check()


def run_guarded(
    call: Callable[[], Iterable[Finding]], *, name: str, file: str, debugging: bool = False
) -> Iterator[Finding]:
    """The findings of a check; should the check itself fail, the finding E000 that names it.

    One check that fails must not hide what the others have to say.
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
    """Findings of one code in one file, as many as anybody can read: the rest would only fill memory."""
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        key = (finding.filename, finding.code)
        seen[key] += 1
        if seen[key] < _MOST_OF_A_KIND:
            yield finding
        elif seen[key] == _MOST_OF_A_KIND:
            yield replace(finding, hint="there are more of this kind in this file; they are not shown")
