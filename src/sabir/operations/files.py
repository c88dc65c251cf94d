"""Writing of files and directories, completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePath

from sabir.errors import UsageError
from sabir.source.packages.file_access import folder_below, name_defect
from sabir.source.private import FILE_MODE, open_private


def write_atomically(
    path: Path, content: bytes | Iterable[bytes], *, private: bool | Callable[[bytes], bool] = False
) -> None:
    """Replace the content of a path, completely or not at all. A link is followed; the mode of the file is
    kept.

    Pieces are written as they arrive, so that a large result is never in memory at once. A file with a
    `private` piece gets permissions for its owner only before that piece is written.
    """
    pieces = (content,) if isinstance(content, bytes) else content
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # A device or pipe, such as /dev/stdout, cannot be replaced; it is written to.
        if target.is_dir():
            raise UsageError(f"cannot write {str(path)!r}: it is a folder")
        with target.open("wb") as device:
            device.writelines(pieces)
        return
    # Named before it is made, so that no interrupt can come between the two and leave it behind.
    temporary = _temporary_sibling(target)
    try:
        with temporary.open("xb") as file:
            is_private = False
            for piece in pieces:
                if not is_private and (private(piece) if callable(private) else private):
                    is_private = True
                    os.fchmod(file.fileno(), FILE_MODE)
                file.write(piece)
        if target.exists():
            temporary.chmod(target.stat().st_mode & (0o700 if is_private else 0o7777))
        os.replace(temporary, target)
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_folder(
    directory: Path, files: Mapping[str, bytes], *, private: Callable[[bytes], bool] = lambda _: False
) -> list[Path]:
    """Write files to a directory, by names with `/`, and return their paths.

    A new directory appears completely or not at all. In an existing one, files are moved into place after all
    are written; only a crash or a killed process can interrupt that. A subdirectory that is a link is not
    written to. Files with `private` content get permissions for their owner only.
    """
    for name in files:
        if (defect := name_defect(name)) is not None:
            raise UsageError(f"cannot write {name!r} below {str(directory)!r}: the name {defect}")
    is_new = not os.path.lexists(directory)
    beside = (
        _temporary_sibling(directory.absolute()) if is_new else directory / _temporary_sibling(directory).name
    )
    try:
        for name, content in files.items():
            ready = beside / name
            ready.parent.mkdir(parents=True, exist_ok=True)
            if private(content):
                os.close(open_private(ready, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            ready.write_bytes(content)
        if is_new:
            beside.mkdir(parents=True, exist_ok=True)  # there may be no file at all
            os.rename(beside, directory)
        else:
            _move_in(beside, directory, files)
    except OSError as error:
        raise UsageError(f"cannot write to {str(directory)!r}: {error.strerror or error}") from error
    finally:
        _remove_folder(beside)
    return [directory / name for name in files]


def _move_in(beside: Path, directory: Path, names: Iterable[str]) -> None:
    with _defer_interrupts():
        for name in names:
            target = PurePath(name)
            with folder_below(directory, target.parent, make=True) as folder:
                place = directory / target if folder is None else target.name
                os.replace(beside / name, place, dst_dir_fd=folder)


@contextmanager
def _defer_interrupts() -> Generator[None]:
    """Deliver interrupts after the context ends."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _temporary_sibling(target: Path) -> Path:
    return target.with_name(f".{target.name[:200]}.{os.urandom(6).hex()}")


def _remove_folder(folder: Path) -> None:
    if folder.exists():
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
