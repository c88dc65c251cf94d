"""Paths of the past: `git:REV[:PATH]` is what PATH was in a revision of the repository it lies in.

The whole tree of the revision is written to a temporary folder through an index of its own, so that neither the work tree nor
the index of the user is touched, and parts that lie beside PATH are there, too. Hooks and monitors of the repository stay out
of it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from sabir.errors import UnusableInput, UsageError

__all__ = ["PREFIX", "Repository", "at_revision", "folder_called", "is_revision", "readable", "revision_path"]

PREFIX: Final = "git:"
_QUIET: Final = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_SECONDS: Final = 300


def is_revision(path: Path) -> bool:
    return str(path).startswith(PREFIX)


def revision_path(path: Path) -> str:
    """The PATH of `git:REV:PATH`, empty when there is none."""
    return str(path).removeprefix(PREFIX).partition(":")[2]


class Repository(Struct, frozen=True):
    """The repository that a folder lies in."""

    root: Path

    @staticmethod
    def around(folder: Path) -> Repository:
        inside = folder if folder.is_dir() else folder.parent
        return Repository(Path(_git(["rev-parse", "--show-toplevel"], inside).strip()))

    def tree(self, revision: str) -> str:
        """The tree of a revision, by its name in the repository; `UsageError` when there is none."""
        try:
            words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}"]
            return _git(words, self.root).strip()
        except UnusableInput as error:
            raise UsageError(f"no revision {revision!r} in {self.root}") from error

    def changed_files(self, revision: str) -> list[Path]:
        """What differs between a revision and the work tree, new files included."""
        changed = _git(["diff", "--name-only", "-z", self.tree(revision)], self.root)
        new = _git(["ls-files", "--others", "--exclude-standard", "-z"], self.root)
        root = self.root.resolve()
        return [root / name for name in dict.fromkeys((changed + new).split("\0")) if name]

    def write(self, revision: str, folder: Path) -> None:
        """Write all files of a revision below a folder."""
        index = {"GIT_INDEX_FILE": str(folder / ".git-index")}
        _git(["read-tree", self.tree(revision)], self.root, index)
        _git(["checkout-index", "--all", f"--prefix={folder}{os.sep}"], self.root, index)
        (folder / ".git-index").unlink(missing_ok=True)


@contextmanager
def at_revision(path: Path, revision: str) -> Generator[Path]:
    """What a path of the work tree was in a revision, as a path that can be read as long as the context lasts."""
    repository = Repository.around(_existing(path.absolute()))
    below = os.path.relpath(os.path.realpath(path), os.path.realpath(repository.root))
    with folder_called(repository.root, "sabir-revision-") as folder:
        repository.write(revision, folder)
        place = folder / below
        if not place.exists():
            raise UsageError(f"there is no {below!r} in the revision {revision!r}")
        yield place


@contextmanager
def folder_called(original: Path, prefix: str) -> Generator[Path]:
    """A temporary folder with the name of another one: what is in it may be called after its folder, as components of CCP are."""
    parent = tempfile.mkdtemp(prefix=prefix)
    folder = Path(parent, Path(os.path.abspath(original)).name)
    try:
        folder.mkdir(exist_ok=True)
        yield folder
    finally:
        shutil.rmtree(parent, ignore_errors=True)


@contextmanager
def readable(path: Path, otherwise: Path) -> Generator[Path]:
    """A path as it is, or, for `git:REV[:PATH]`, what it was; without PATH it is the other path of the command."""
    if not is_revision(path):
        yield path
        return
    revision, _, below = str(path).removeprefix(PREFIX).partition(":")
    if not revision:
        raise UsageError(f"{str(path)!r}: write it as git:REVISION or git:REVISION:PATH")
    with at_revision(Path(below) if below else otherwise, revision) as place:
        yield place


def _existing(path: Path) -> Path:
    """The path, or the nearest folder above it that is there: what is asked for may be gone by now."""
    return next(place for place in (path, *path.parents) if place.exists())


def _git(words: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    command = ["git", *_QUIET, "-C", str(folder), *words]
    variables = {**os.environ, **(environment or {}), "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            command,
            env=variables,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise UnusableInput("git is not installed, which revisions are read with") from error
    except subprocess.TimeoutExpired as error:
        raise UnusableInput(f"git took longer than {_SECONDS} seconds") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise UnusableInput(f"git: {said or f'ended with {done.returncode}'}")
    return done.stdout.decode("utf-8", "surrogateescape")
