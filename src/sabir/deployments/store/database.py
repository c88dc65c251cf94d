"""Databases of the store: SQLite in WAL mode with full synchronization, or PostgreSQL."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from sabir.deployments.store.schema import STATE
from sabir.deployments.store.state_file import OpenStateFile, create_state_file, refuse_lost_state
from sabir.deployments.store.versions import VersionedTables
from sabir.errors import DeployError, UsageError
from sabir.source.private import make_private_directory, tighten

_BUSY_MILLISECONDS: Final = 30_000
_PREPARING: Final = 0x7361626972
_OWN_DIRECTORY: Final = ".sabir"
"""A directory of this name is sabir's own; a state file elsewhere may be in a directory that others share."""
_SQLITE: Final = {
    "file is not a database": "it is no state: no SQLite database",
    "database disk image is malformed": "it is damaged or cut off; bring back a copy of it",
    "unable to open database file": "there is no folder for it, or it may not be read and written by this user",
    "attempt to write a readonly database": "it may not be written by this user",
    "disk I/O error": "the disk or the system does not let it be read and written",
    "database or disk is full": "the disk is full",
    "database is locked": "another process has held it for too long",
    "no such table": "its table {} is missing; bring back a copy of it",
    "no such column": "its column {} is missing; bring back a copy of it",
}
IMMEDIATE: Final = "sabir_immediate"
"""Execution option of a connection that is going to write: SQLite then takes its lock at the start."""


class Database:
    """An SQLAlchemy engine, and what depends on its dialect."""

    def __init__(self, engine: Engine, state_file: OpenStateFile | None = None) -> None:
        self.engine = engine
        self.file = None if state_file is None else state_file.path
        """The file of an SQLite database; None for PostgreSQL and in memory."""
        self._state_file = state_file

    @property
    def is_postgresql(self) -> bool:
        return self.engine.dialect.name == "postgresql"

    @staticmethod
    def open(where: str, *, create: bool) -> Database:
        """Open `postgresql://…`, `sqlite:///FILE` or a file. Without `create`, a missing file reads as an
        empty state."""
        url = _parse_url(where)
        if url.get_backend_name() == "postgresql":
            return Database._prepare_database(Database(create_engine(url, pool_pre_ping=True)), where)
        if url.database in (None, "", ":memory:"):
            return Database._prepare_database(Database(_memory()), where)
        file = Path(str(url.database))
        if create:
            _make_folder(file.parent)
        refuse_lost_state(file)
        if not file.exists():
            if not create:
                return Database._prepare_database(Database(_memory()), where)
            _create(file, where)
        return Database._prepare_database(_open_file(file), where)

    @staticmethod
    def _prepare_database(database: Database, where: str) -> Database:
        try:
            database.prepare(STATE)
        except BaseException as error:
            database.close()
            if not isinstance(error, DBAPIError):
                raise
            reason = _cannot_open(database.file) or database_reason(error)
            raise DeployError(f"the state {_display_location(where)} cannot be opened: {reason}") from error
        return database

    def prepare(self, tables: VersionedTables) -> None:
        """Create the tables, or upgrade them to this version of sabir.

        Two processes that open a new database at once must not both do it, so it runs under a lock.
        """
        with self.engine.begin() as connection:
            if tables.are_current(connection):
                return
        with self.engine.connect().execution_options(**{IMMEDIATE: True}) as connection, connection.begin():
            if self.is_postgresql:
                connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": _PREPARING})
            tables.prepare(connection)

    def check_file(self) -> None:
        """Raise `StateFileLost` if the path no longer names the file that is open."""
        if self._state_file is not None:
            self._state_file.check()

    def upsert(self, table: Any) -> Any:
        """Return an insert statement that can handle conflicts."""
        if self.is_postgresql:
            from sqlalchemy.dialects.postgresql import insert as postgresql_insert

            return postgresql_insert(table)
        from sqlalchemy.dialects.sqlite import insert

        return insert(table)

    def overwrite(self, table: Any, *, keys: Collection[str]) -> Any:
        """Return an insert statement that overwrites the row with the same keys."""
        insert = self.upsert(table)
        rest = {column.name: insert.excluded[column.name] for column in table.c if column.name not in keys}
        return insert.on_conflict_do_update(index_elements=list(keys), set_=rest)

    def close(self) -> None:
        self.engine.dispose()


def _parse_url(where: str) -> URL:
    if "://" not in where:
        return URL.create("sqlite", database=where)
    try:
        url = make_url(where)
    except ArgumentError as error:
        raise UsageError(
            f"{where!r} is no place for a state: a file, or postgresql://USER@HOST/DATABASE"
        ) from error
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise UsageError(f"a state is kept in SQLite or PostgreSQL, not in {url.get_backend_name()}")
    return url


def _make_folder(folder: Path) -> None:
    try:
        make_private_directory(folder)
    except OSError as error:
        raise DeployError(f"the folder {str(folder)!r} cannot be made: {error.strerror or error}") from error


def _memory() -> Engine:
    from sqlalchemy.pool import StaticPool

    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    return _configured(engine, "WAL")


def _create(file: Path, where: str) -> None:
    def prepare(temporary: Path) -> None:
        # Without a write-ahead log everything is in the file itself once it is committed.
        engine = create_engine(URL.create("sqlite", database=str(temporary)))
        database = Database(_configured(engine, "DELETE"))
        try:
            database.prepare(STATE)
        finally:
            database.close()

    try:
        create_state_file(file, prepare)
    except DBAPIError as error:
        raise DeployError(
            f"the state {_display_location(where)} cannot be opened: {database_reason(error)}"
        ) from error
    except OSError as error:
        raise DeployError(
            f"the state {_display_location(where)} cannot be opened: {error.strerror or error}"
        ) from error


def _open_file(file: Path) -> Database:
    state_file = OpenStateFile(file)
    # SQLite must not create a file where the state was deleted.
    address = f"file:{quote(os.path.abspath(file))}?mode=rw"
    _refuse_other_database(file, address)
    if file.absolute().parent.name == _OWN_DIRECTORY:
        tighten(file.parent)
    state_file.tighten()

    def connect() -> sqlite3.Connection:
        state_file.check()
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        try:
            state_file.check()
        except BaseException:
            connection.close()
            raise
        return connection

    engine = create_engine(URL.create("sqlite", database=str(file)), creator=connect)
    return Database(_configured(engine, "WAL"), state_file)


def _refuse_other_database(file: Path, address: str) -> None:
    """Refuse a database of another program before anything of it is changed. A state has its tables from the start."""
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            tables = [
                name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
            ]
    except sqlite3.Error:
        return  # reported when the state is read
    if not any(name.startswith("sabir_") for name in tables):
        raise DeployError(
            f"not a state file: {str(file)!r} has no tables of sabir; restore it from a backup, or use another file"
        )


def _configured(engine: Engine, journal: str) -> Engine:
    def configure(connection: Any, _record: Any) -> None:
        # `_begin_transaction` starts transactions. The sqlite3 module would start them only at the first write.
        connection.isolation_level = None
        try:
            for pragma in (
                f"journal_mode={journal}",
                "synchronous=FULL",
                f"busy_timeout={_BUSY_MILLISECONDS}",
                "foreign_keys=ON",
            ):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()  # not every version of SQLAlchemy does
            raise

    event.listen(engine, "connect", configure)
    event.listen(engine, "begin", _begin_transaction)
    return engine


def _begin_transaction(connection: Connection) -> None:
    immediate = connection.get_execution_options().get(IMMEDIATE, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def is_unavailable(error: SQLAlchemyError) -> bool:
    """Tell whether the server is unreachable and may come back, as opposed to rejecting a statement."""
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    words = str(error.orig).lower()
    starting = ("connection", "starting up", "shutting down", "terminating", "recovery")
    return isinstance(error, OperationalError) and any(word in words for word in starting)


def is_full(error: SQLAlchemyError) -> bool:
    """Tell whether an error means that the disk is full."""
    words = str(getattr(error, "orig", error)).lower()
    return "disk is full" in words or "no space left" in words or "disk full" in words


def _display_location(where: str) -> str:
    return repr(make_url(where).render_as_string(hide_password=True) if "://" in where else where)


def _cannot_open(file: Path | None) -> str | None:
    """Return what is wrong with the file itself, where the database only reports that it cannot open it."""
    if file is None or not file.exists():
        return None
    if file.is_dir():
        return "it is a folder"
    if not file.is_file():
        return "it is no file"
    wanted = ((os.R_OK, "read"), (os.W_OK, "written"))
    denied = [word for mode, word in wanted if not os.access(file, mode)]
    return f"it may not be {denied[0]} by this user" if denied else None


def database_reason(error: SQLAlchemyError) -> str:
    """Return the reason of a database error; common SQLite messages in plain words."""
    said = " ".join(str(getattr(error, "orig", error)).split())
    for words, ours in _SQLITE.items():
        if said.startswith(words):
            return ours.format(said.removeprefix(words).strip(" :"))
    return said
