"""Paths at a git revision: `git:REV[:PATH]` is PATH as it was in a revision of its repository.

The whole tree of the revision is written to a temporary directory. So neither the work tree nor the index is
touched, and files next to PATH are available.

A repository may be untrusted, and its configuration can name programs: filters, monitors, hooks, remotes from
which missing objects are fetched. So objects are read through a scratch repository without configuration,
which borrows them. The original one only resolves names of revisions, which runs no program.
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

from sabir.errors import InputError, UsageError

PREFIX: Final = "git:"
_QUIET: Final = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_ALONE: Final = {"GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}
"""Nothing is written to the repository at hand, and objects that it misses are fetched from nowhere."""
_SECONDS: Final = 300
_MOST_FILES: Final = 200_000
_MOST_BYTES: Final = 2 << 30


def is_revision(path: Path) -> bool:
    """Tell whether a path has the form `git:REV[:PATH]`."""
    return str(path).startswith(PREFIX)


def revision_path(path: Path) -> str:
    """Return the PATH of `git:REV:PATH`, empty if there is none."""
    return str(path).removeprefix(PREFIX).partition(":")[2]


class GitRepository(Struct, frozen=True):
    """The repository that contains a directory."""

    root: Path

    @staticmethod
    def around(folder: Path) -> GitRepository:
        inside = folder if folder.is_dir() else folder.parent
        return GitRepository(Path(_run_git(["rev-parse", "--show-toplevel"], inside).strip()))

    def tree(self, revision: str) -> str:
        """Return the object name of a revision's tree; raise `UsageError` for an unknown revision."""
        try:
            words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}"]
            return _run_git(words, self.root).strip()
        except InputError as error:
            raise UsageError(f"no revision {revision!r} in {self.root}") from error

    def list_changes(self, revision: str) -> list[Path]:
        """Return the paths that differ between a revision and the work tree, including new files."""
        tree = self.tree(revision)
        with self._open_scratch_repository() as borrowed:
            _check_size(tree, self.root, borrowed)
            index = self._path("index")
            if os.path.exists(index):
                shutil.copyfile(index, borrowed["GIT_INDEX_FILE"])
            # Of a submodule only the revision counts: whether it is clean, it would have to say itself.
            words = ["diff", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=dirty"]
            changed = _run_git([*words, tree], self.root, borrowed)
            ignored = f"--exclude-from={self._path('info/exclude')}"
            excludes = [ignored] if os.path.exists(self._path("info/exclude")) else []
            new = _run_git(
                ["ls-files", "--others", "--exclude-standard", *excludes, "-z"], self.root, borrowed
            )
        root = self.root.resolve()
        return [root / name for name in dict.fromkeys((changed + new).split("\0")) if name]

    def write(self, revision: str, folder: Path) -> None:
        """Write all files of a revision to a directory."""
        tree = self.tree(revision)
        with self._open_scratch_repository() as borrowed:
            _check_size(tree, self.root, borrowed)
            _run_git(["read-tree", tree], self.root, borrowed)
            _run_git(["checkout-index", "--all", f"--prefix={folder}{os.sep}"], self.root, borrowed)

    def _path(self, name: str) -> str:
        """Return the path of a file in the git directory."""
        return os.path.join(self.root, _run_git(["rev-parse", "--git-path", name], self.root).rstrip("\n"))

    @contextmanager
    def _open_scratch_repository(self) -> Generator[dict[str, str]]:
        """Yield the variables of a repository without configuration that borrows the objects of this one."""
        kind = _run_git(["rev-parse", "--show-object-format"], self.root).strip()
        with tempfile.TemporaryDirectory(prefix="sabir-git-") as folder:
            _run_git(
                ["init", "--quiet", "--bare", "--template=", f"--object-format={kind}", folder], self.root
            )
            alternates = Path(folder, "objects", "info", "alternates")
            alternates.parent.mkdir(exist_ok=True)
            alternates.write_text(f"{os.path.abspath(self._path('objects'))}\n", encoding="utf-8")
            yield {
                "GIT_DIR": folder,
                "GIT_WORK_TREE": str(self.root),
                "GIT_INDEX_FILE": str(Path(folder, "index")),
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_ATTR_NOSYSTEM": "1",
            }


def _check_size(tree: str, root: Path, borrowed: dict[str, str]) -> None:
    """Raise an error for a tree that is too large: a few objects can nest into very many files."""
    command = ["git", "-C", str(root), "ls-tree", "-r", "-z", "--long", tree]
    files = size = 0
    rest = b""
    with subprocess.Popen(
        command, env={**os.environ, **borrowed, **_ALONE}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        while piece := process.stdout.read(1 << 16):
            *entries, rest = (rest + piece).split(b"\0")
            files += len(entries)
            sizes = (entry.partition(b"\t")[0].split()[-1] for entry in entries)
            size += sum(int(number) for number in sizes if number.isdigit())
            if files > _MOST_FILES or size > _MOST_BYTES:
                process.kill()
                raise InputError(
                    f"the revision holds more than {_MOST_FILES:,} files, or more than {_MOST_BYTES >> 30} GB"
                )


@contextmanager
def at_revision(path: Path, revision: str) -> Generator[Path]:
    """Yield a readable copy of a path at a revision; it exists until the context ends."""
    repository = GitRepository.around(_find_existing(path.absolute()))
    below = os.path.relpath(os.path.realpath(path), os.path.realpath(repository.root))
    with make_named_folder(repository.root, "sabir-revision-") as folder:
        repository.write(revision, folder)
        place = folder / below
        if not place.exists():
            raise UsageError(f"there is no {below!r} in the revision {revision!r}")
        yield place


@contextmanager
def make_named_folder(original: Path, prefix: str) -> Generator[Path]:
    """Yield a temporary directory with the name of another: CCP names components after their directory,
    for example.
    """
    parent = tempfile.mkdtemp(prefix=prefix)
    folder = Path(parent, Path(os.path.abspath(original)).name)
    try:
        folder.mkdir(exist_ok=True)
        yield folder
    finally:
        shutil.rmtree(parent, ignore_errors=True)


@contextmanager
def open_path(path: Path, otherwise: Path) -> Generator[Path]:
    """Yield a path, or for `git:REV[:PATH]` its copy; PATH defaults to `otherwise`."""
    if not is_revision(path):
        yield path
        return
    revision, _, below = str(path).removeprefix(PREFIX).partition(":")
    if not revision:
        raise UsageError(f"{str(path)!r}: write it as git:REVISION or git:REVISION:PATH")
    with at_revision(Path(below) if below else otherwise, revision) as place:
        yield place


def _find_existing(path: Path) -> Path:
    """Return the path, or its nearest existing parent: the path may be deleted by now."""
    return next(place for place in (path, *path.parents) if place.exists())


def _run_git(words: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    command = ["git", *_QUIET, "-C", str(folder), *words]
    variables = {**os.environ, **(environment or {}), **_ALONE}
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
        raise InputError("git is not installed, which revisions are read with") from error
    except subprocess.TimeoutExpired as error:
        raise InputError(f"git took longer than {_SECONDS} seconds") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise InputError(f"git: {said or f'ended with {done.returncode}'}")
    return done.stdout.decode("utf-8", "surrogateescape")
