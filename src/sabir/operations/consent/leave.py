"""Leave by project, in the operator's own configuration: `sabir/trust.json` in `XDG_CONFIG_HOME`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from sabir.diagnostics.decoding import UNDECODED, decoding_reason
from sabir.errors import UnusableInput, UsageError
from sabir.operations.consent.code import Changes, changes, code_digests
from sabir.operations.files import write_atomically
from sabir.session import Session, Trust
from sabir.source.private import make_private_directory

__all__ = ["Leave", "find_leave", "give_leave", "listed_leave", "revoke_leave"]

_FORMAT: Final = "sabir.trust/1"


class _Remembered(Struct, frozen=True):
    trust: tuple[str, ...]
    code: dict[str, str]


class _File(Struct, frozen=True):
    format: Literal["sabir.trust/1"]
    projects: dict[str, _Remembered]


class Leave(Struct, frozen=True, kw_only=True):
    """What a project may do, and how its code differs from what that was said of."""

    project: Path
    trust: Trust
    changes: Changes = Changes()
    files: int = 0
    """How many files the code is."""


def give_leave(path: Path, trust: Trust, session: Session) -> Leave:
    """Remember leave for a project as its code is now."""
    if not path.exists():
        raise UnusableInput(f"no such path {str(path)!r}")
    project, code = path.resolve(), code_digests(path.resolve())
    _write({**_read(session), str(project): _Remembered(trust.words, code)}, session)
    return Leave(project=project, trust=trust, files=len(code))


def revoke_leave(path: Path, session: Session) -> bool:
    """Forget the leave of a project; False when there was none."""
    projects = _read(session)
    if projects.pop(str(path.resolve()), None) is None:
        return False
    _write(projects, session)
    return True


def listed_leave(session: Session) -> list[Leave]:
    return [_leave(Path(project), remembered) for project, remembered in sorted(_read(session).items())]


def find_leave(path: Path, session: Session) -> Leave | None:
    """The leave of the project that a path is or lies in; the nearest when there are several."""
    projects = _read(session)
    if not projects or "\0" in str(path):
        return None
    real = path.resolve()
    for folder in (real, *real.parents):
        remembered = projects.get(str(folder))
        if remembered is not None:
            return _leave(folder, remembered)
    return None


def _leave(project: Path, remembered: _Remembered) -> Leave:
    now = code_digests(project) if project.exists() else {}
    return Leave(
        project=project,
        trust=Trust.of(remembered.trust),
        changes=changes(remembered.code, now),
        files=len(remembered.code),
    )


def _place(environment: Mapping[str, str]) -> Path | None:
    chosen = environment.get("XDG_CONFIG_HOME")
    if chosen and os.path.isabs(chosen):
        return Path(chosen, "sabir", "trust.json")
    home = environment.get("HOME") or environment.get("USERPROFILE")
    return Path(home, ".config", "sabir", "trust.json") if home else None


def _read(session: Session) -> dict[str, _Remembered]:
    place = _place(session.environment)
    if place is None or not place.is_file():
        return {}
    try:
        data = place.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read what is trusted, {str(place)!r}: {error.strerror or error}") from error
    try:
        return msgspec.json.decode(data, type=_File).projects
    except UNDECODED as error:
        raise UsageError(
            f"cannot read what is trusted, {str(place)!r}: {decoding_reason(error, data)}; remove it to begin anew"
        ) from error


def _write(projects: Mapping[str, _Remembered], session: Session) -> None:
    place = _place(session.environment)
    if place is None:
        raise UsageError("there is no folder to remember this in: set HOME or XDG_CONFIG_HOME")
    try:
        make_private_directory(place.parent)
    except OSError as error:
        raise UsageError(f"cannot write {str(place)!r}: {error.strerror or error}") from error
    content = msgspec.json.encode(_File(_FORMAT, dict(projects)))
    write_atomically(place, msgspec.json.format(content, indent=1) + b"\n", private=True)
