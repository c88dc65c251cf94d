"""The writer of a deployment: holds the lock of the environment, groups writes, and waits for an unavailable
database.

All writes go through one thread. Whatever arrives while a transaction is on its way to the disk forms the
next one, so a busy deployment pays for one disk synchronization for many steps.

Two mechanisms keep other writers out. The lock belongs to the operating system (`flock`) or to the database
session (an advisory lock of PostgreSQL), so it never outlives its holder. A lost session loses its lock
without notice. Therefore each transaction first checks the epoch of the environment, which every new holder
increases: a former holder cannot commit.

A transaction may have been committed although the connection broke before it was confirmed. It is then
written again, so every statement must have the same result when it is repeated.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, select, text
from sqlalchemy.exc import SQLAlchemyError

from sabir.deployments.store import schema
from sabir.deployments.store.database import IMMEDIATE, Database, database_reason, is_full, is_unavailable
from sabir.deployments.store.row_checks import raise_damaged
from sabir.deployments.store.state_file import StateFileLostError, save_copy
from sabir.errors import DeployError
from sabir.graph.address import digest_text
from sabir.source.private import open_private, tighten

_PAUSE: Final = 0.05


class EnvironmentLockedError(DeployError):
    """Another process holds the lock of the environment."""


def describe_holder(session_clock: str) -> str:
    """Return the text that other processes see about the holder of a lock: user, host, process and start
    time."""
    import getpass
    import socket

    try:
        who = getpass.getuser()
    except (KeyError, OSError):
        who = str(os.getuid())
    return f"{who} on {socket.gethostname()}, process {os.getpid()}, since {session_clock}"


def wait_until(attempt: Callable[[], bool], seconds: float) -> bool:
    """Call `attempt` until it returns true; return false when the time is over. It is called at least once."""
    end = time.monotonic() + seconds
    while not attempt():
        if time.monotonic() >= end:
            return False
        time.sleep(_PAUSE)
    return True


class FileLock:
    """A `flock` on a file next to the database; the kernel releases it when the process ends."""

    def __init__(self, database: Path, environment: str) -> None:
        self._path = database.with_name(f"{database.name}.{digest_text(environment)}.lock")
        self._handle: int | None = None

    def acquire(self, seconds: float) -> bool:
        """Try to take the lock for so many seconds; return whether it was taken."""
        # Not inherited by processes that a step starts: one that outlives sabir must not hold the lock.
        self._handle = open_private(self._path, os.O_RDWR | os.O_CREAT)
        tighten(self._path)
        if wait_until(self._try, seconds):
            return True
        os.close(self._handle)
        self._handle = None
        return False

    def _try(self) -> bool:
        assert self._handle is not None
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Release the lock. The file stays: deleting it could separate a waiting process from the next
        holder."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def advisory_key(environment: str) -> int:
    """Return the number of an environment's advisory lock in PostgreSQL: a signed 64-bit integer."""
    return int(digest_text("sabir", environment, size=8), 16) - 2**63


_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 2.0


class LockLostError(DeployError):
    """Another process took over the environment."""


class StoreError(DeployError):
    """The state cannot be written."""


class Write(NamedTuple):
    """A statement and one row of parameters. Writes with the same statement object are executed together."""

    statement: Any
    row: dict[str, Any]


class Batch(NamedTuple):
    """Writes that are committed together."""

    writes: Sequence[Write]
    written: Callable[[], object]
    """Called in the writer's thread after the commit."""


class StateWriter:
    """Writes the state of one environment, with its lock held from `begin` to `close`."""

    def __init__(
        self,
        database: Database,
        environment: str,
        *,
        holder: str,
        patience: float = 3600.0,
        notice: Callable[[str], None] = lambda _: None,
        restore_key: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare a writer that holds no lock yet.

        `patience` is how many seconds the database may be unavailable. `notice` is called with messages for
        the user. `restore_key` is called after a copy of a lost state was saved.
        """
        self.database = database
        self.environment = environment
        self.epoch = 0
        self.failure: DeployError | None = None
        self._holder = holder
        self._patience = patience
        self._notice = notice
        self._restore_key = restore_key
        self._lost: StoreError | None = None
        self._file_lock = None if database.file is None else FileLock(database.file, environment)
        self._connection: Connection | None = None
        self._queue: deque[Batch] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self._failed: Callable[[DeployError], object] = lambda _: None
        self._thread: threading.Thread | None = None

    # The lock

    def begin(self, wait: float = 0.0) -> None:
        """Take the lock, waiting up to `wait` seconds. Raises `EnvironmentLockedError` or `StoreError`."""
        if self._file_lock is not None and not self._file_lock.acquire(wait):
            raise EnvironmentLockedError(self._describe_lock())
        try:
            self._connect(wait)
            self.epoch = self._next_epoch()
        except SQLAlchemyError as error:
            self.close()
            raise StoreError(f"the state cannot be written: {database_reason(error)}") from error
        except BaseException:
            self.close()
            raise

    def _connect(self, wait: float) -> None:
        self._connection = self.database.engine.connect().execution_options(**{IMMEDIATE: True})
        if self.database.is_postgresql and not wait_until(self._try_advisory, wait):
            raise EnvironmentLockedError(self._describe_lock())

    def _try_advisory(self) -> bool:
        assert self._connection is not None
        with self._connection.begin():
            key = advisory_key(self.environment)
            return bool(self._connection.scalar(text("select pg_try_advisory_lock(:key)"), {"key": key}))

    def _next_epoch(self) -> int:
        """Increase the epoch of the environment: from now on a former holder cannot commit."""
        table, connection = schema.environment, self._connection
        assert connection is not None
        with connection.begin():
            epoch = connection.scalar(select(table.c.epoch).where(table.c.name == self.environment))
            if epoch is None:
                connection.execute(
                    table.insert().values(name=self.environment, epoch=1, serial=0, holder=self._holder)
                )
                return 1
            if not isinstance(epoch, int):
                raise_damaged("the count of its locks", "a whole number is wanted here")
            connection.execute(
                table.update()
                .where(table.c.name == self.environment)
                .values(epoch=epoch + 1, holder=self._holder)
            )
            return epoch + 1

    def _describe_lock(self) -> str:
        table = schema.environment
        with self.database.engine.connect() as connection:
            holder = connection.scalar(select(table.c.holder).where(table.c.name == self.environment))
        by = f" by {holder}" if holder else ""
        return f"{self.environment!r} is being deployed{by}: wait for it, or give --wait SECONDS"

    # Writing

    def run_now(self, work: Callable[[Connection], Any]) -> Any:
        """Run one transaction in the caller's thread, before `start` or after `stop`, and return the result
        of `work`."""
        assert self._thread is None
        result: list[Any] = []
        self._persist(lambda connection: result.append(work(connection)))
        # A repeated transaction appends a result each time; the last one was committed.
        return result[-1]

    def verify(self) -> None:
        """Raise `StoreError` if the state file was lost since the last transaction. A loss is reported once."""
        if self._lost is None:
            self._check_file()

    def start(self, failed: Callable[[DeployError], object]) -> None:
        """Start writing in a thread; `failed` is called in it if writing becomes impossible."""
        self._failed = failed
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="sabir-writer", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> None:
        """Queue a batch. Batches are committed in the order in which they are submitted."""
        with self._wake:
            self._queue.append(batch)
            self._wake.notify()

    def stop(self) -> None:
        """Write all queued batches and end the thread."""
        if self._thread is None:
            return
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()
        self._thread = None

    def close(self) -> None:
        """Stop writing and release the lock. It may be called more than once."""
        self.stop()
        if self._connection is not None:
            self._unlock(self._connection)
            # Not back to the pool: its session may still own the advisory lock.
            self._connection.invalidate()
            self._connection.close()
            self._connection = None
        if self._file_lock is not None:
            self._file_lock.release()

    def _unlock(self, connection: Connection) -> None:
        """Release the advisory lock now, instead of when the server notices that the session is gone."""
        if not self.database.is_postgresql or connection.invalidated or connection.closed:
            return
        with suppress(SQLAlchemyError), connection.begin():
            connection.execute(text("select pg_advisory_unlock_all()"))

    def _work(self) -> None:
        while (batches := self._next()) is not None:
            # After a failure nothing is written any more, and no batch is reported as written: a gap would be
            # worse.
            if self.failure is not None:
                continue
            try:
                self._persist(partial(_write_batches, batches))
            except DeployError as error:
                self.failure = error
                self._failed(error)
                continue
            for batch in batches:
                batch.written()

    def _next(self) -> list[Batch] | None:
        """Wait for batches and return all of them; None when the writer stops and the queue is empty."""
        with self._wake:
            while not self._queue and not self._closing:
                self._wake.wait()
            if not self._queue:
                return None
            batches = [*self._queue]
            self._queue.clear()
            return batches

    def _persist(self, work: Callable[[Connection], None]) -> None:
        """Run one transaction, repeated while the database is unavailable, with growing pauses."""
        if self._lost is not None:
            raise self._lost
        end: float | None = None
        pause = _FIRST_PAUSE
        while True:
            try:
                self._transaction(work)
            except SQLAlchemyError as error:
                self._check_file()
                # Waiting would not help, and the transaction left nothing behind.
                if is_full(error):
                    raise StoreError(
                        "the disk of the state is full: nothing more is begun; make room and deploy again"
                    ) from error
                if not (self.database.is_postgresql and is_unavailable(error)):
                    raise StoreError(f"the state cannot be written: {database_reason(error)}") from error
                now = time.monotonic()
                if end is None:
                    end = now + self._patience
                    self._notice("the database is away; waiting for it")
                if now >= end:
                    raise StoreError(f"the database was away for {self._patience:g} seconds") from error
                time.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                if end is not None:
                    self._notice("the database is back")
                return

    def _transaction(self, work: Callable[[Connection], None]) -> None:
        """Run `work` in a transaction that starts with the check of the epoch."""
        if self._connection is None or self._connection.invalidated:
            self._reconnect()
        connection = self._connection
        assert connection is not None
        with connection.begin():
            self._check_epoch(connection)
            work(connection)
        # After the commit, not before: the ends of steps belong into the copy that is saved of a lost file. An
        # intent that went there is not reported as saved, so no step starts on it.
        self._check_file()

    def _check_file(self) -> None:
        try:
            self.database.check_file()
        except StateFileLostError as error:
            self._lost = StoreError(f"{error}; no further step was started; {self._save_copy()}")
            raise self._lost from error

    def _save_copy(self) -> str:
        """Save what the connection still reads of a lost state, and return what the user has to do."""
        file, connection = self.database.file, self._connection
        assert file is not None
        raw = None if connection is None or connection.closed else connection.connection.driver_connection
        copy = None if raw is None else save_copy(raw, file)
        if copy is None:
            return "what it recorded could not be saved: restore the file from a backup before the next deployment"
        with suppress(OSError):
            self._restore_key()
        return (
            f"what it recorded was saved to {str(copy)!r}: rename that file to {file.name!r} and deploy again"
        )

    def _reconnect(self) -> None:
        """Connect and take the lock again. Whether another process had it in between shows in the epoch."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        try:
            self._connect(self._patience)
        except EnvironmentLockedError as error:
            raise LockLostError(
                f"the lock of {self.environment!r} was taken over while the database was away"
            ) from error

    def _check_epoch(self, connection: Connection) -> None:
        """Raise `LockLostError` if another process holds the environment.

        It is an update, not a select: it locks the row until the commit, so no other process can increase the
        epoch in between.
        """
        table = schema.environment
        mine = connection.execute(
            table.update()
            .where(table.c.name == self.environment, table.c.epoch == self.epoch)
            .values(epoch=self.epoch)
        )
        if mine.rowcount != 1:
            raise LockLostError(f"another process took {self.environment!r} over: this one stops")


def _write_batches(batches: Sequence[Batch], connection: Connection) -> None:
    """Execute the writes of all batches, with one `execute` for many writes of a statement.

    Writes of one table keep their order, because a later one may be about the same row: a write joins the writes of its
    statement only if no other statement has touched the table since.
    """
    groups: list[tuple[Any, list[dict[str, Any]]]] = []
    by_statement: dict[int, int] = {}
    by_table: dict[object, int] = {}
    for batch in batches:
        for write in batch.writes:
            key, table = id(write.statement), getattr(write.statement, "table", None)
            index = by_statement.get(key)
            if index is None or by_table[table] != index:
                index = by_statement[key] = len(groups)
                groups.append((write.statement, []))
            by_table[table] = index
            groups[index][1].append(write.row)
    for statement, rows in groups:
        connection.execute(statement, rows)
