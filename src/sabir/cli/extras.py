"""Commands that need libraries which not everybody installs."""

from __future__ import annotations

from sabir.errors import SabirError, UsageError

__all__ = ["missing_extra"]


def missing_extra(extra: str, what_needs_it: str, error: ImportError) -> SabirError:
    """What to tell somebody who called a command without its extra. A module of sabir itself that is missing is a fault."""
    if error.name is None or error.name.partition(".")[0] == "sabir":
        raise error
    return UsageError(
        f"{what_needs_it} needs libraries that are not installed, {error.name} for one: pip install 'sabir[{extra}]'"
    )
