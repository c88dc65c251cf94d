"""Who has a machine: a file on the machine itself, so that two environments with one pool never take the same.

A hard link is made or is not: of two that come at the same moment one has the machine. The file lies beside the marks of operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sabir.graph.values import Value

__all__ = ["claim_command", "owner_command", "release_command"]

_BEGIN: Final = """\
set -eu
umask 077
place=$(dirname "$(dirname "$SABIR_MARK")")
"""
_TAKE: Final = """\
printf '%s' "$OWNER" > "$place/claim.$$"
ln "$place/claim.$$" "$place/claim" 2>/dev/null || true
rm -f "$place/claim.$$"
"""
_TELL: Final = """\
owner=
[ ! -e "$place/claim" ] || owner=$(cat "$place/claim")
printf 'owner=%s\\nhostname=%s\\n' "$owner" "$(hostname)" > "$SABIR_OUTPUTS"
"""
_GIVE_BACK: Final = """\
[ "$(cat "$place/claim" 2>/dev/null || true)" != "$OWNER" ] || rm -f "$place/claim"
"""


def owner_command() -> dict[str, Value]:
    """Tells who has the machine."""
    return _command(_TELL, "")


def claim_command(owner: str) -> dict[str, Value]:
    """Takes the machine if nobody has it, and tells who has it then."""
    return _command(_TAKE + _TELL, owner)


def release_command(owner: str, farewell: Sequence[str]) -> dict[str, Value]:
    """Gives the machine back after `farewell`, commands that leave it as the next one wants it."""
    return _command("".join(f"{line}\n" for line in farewell) + _GIVE_BACK + _TELL, owner)


def _command(text: str, owner: str) -> dict[str, Value]:
    return {
        "script": _BEGIN + text,
        "interpreter": ["/bin/sh"],
        "environment": {"OWNER": owner},
        "outputs": ["owner", "hostname"],
    }
