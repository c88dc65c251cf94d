"""Recorded jobs: the request, its owner, and the outcome."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

import msgspec
from msgspec import Struct, structs
from sqlalchemy import Engine, RowMapping, select

from sabir.deployments.store.seal import Sealer
from sabir.server.store.rows import Rows, json_text, new_id, utc_now
from sabir.server.store.tables import job as table

_MOST: Final = 200
_SEALED: Final = "sealed:"
_NOT_SHOWN: Final = "(not shown)"


class JobState(Enum):
    """The state of a job; see `is_final`."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """A step failed, is unknown or was refused; `message` says more."""
    INTERRUPTED = "interrupted"
    """Somebody stopped it; the next deployment goes on."""
    LOST = "lost"
    """Its process is gone and said nothing; the next deployment finds out what was done."""

    @property
    def is_final(self) -> bool:
        return self not in (JobState.WAITING, JobState.RUNNING)


class JobInfo(Struct, frozen=True, kw_only=True):
    """A recorded job."""

    id: str
    environment: str
    verb: str
    arguments: dict[str, Any]
    owner: str
    state: JobState
    status: int | None = None
    """Exit status of its process."""
    process: int | None = None
    session: str | None = None
    created: str
    started: str | None = None
    ended: str | None = None
    result: Any = None
    """The last event, or the document that it answered with."""
    message: str | None = None
    """What it said when it failed."""

    @property
    def shown(self) -> JobInfo:
        """Return the job for readers: names of inputs and arguments without their values."""
        hidden = {
            key: dict.fromkeys(values, _NOT_SHOWN)
            for key in ("inputs", "arguments")
            if isinstance(values := self.arguments.get(key), dict)
        }
        return structs.replace(self, arguments={**self.arguments, **hidden})


class JobStore:
    """Jobs in the database. Requests are encrypted: inputs and arguments may be secrets."""

    def __init__(self, engine: Engine, sealer: Sealer) -> None:
        self._rows = Rows(engine, table, self._info)
        self._sealer = sealer

    def add(
        self,
        environment: str,
        verb: str,
        arguments: dict[str, Any],
        *,
        owner: str,
        session: str | None = None,
    ) -> JobInfo:
        info = JobInfo(
            id=new_id(),
            environment=environment,
            verb=verb,
            arguments=arguments,
            owner=owner,
            state=JobState.WAITING,
            session=session,
            created=utc_now(),
        )
        sealed = _SEALED + self._sealer.seal_bytes(msgspec.json.encode(arguments)).decode()
        self._rows.add(
            {
                "id": info.id,
                "environment": environment,
                "verb": verb,
                "arguments": sealed,
                "owner": owner,
                "state": info.state.value,
                "session": session,
                "created": info.created,
            }
        )
        return info

    def get(self, id_: str) -> JobInfo | None:
        return self._rows.get(id_)

    def of(self, environment: str) -> list[JobInfo]:
        """Return the last jobs of an environment, newest first."""
        asked = select(table).where(table.c.environment == environment)
        asked = asked.order_by(table.c.created.desc(), table.c.id).limit(_MOST)
        return self._rows.all(asked)

    def open(self) -> list[JobInfo]:
        """Return queued and running jobs, oldest first."""
        states = [state.value for state in JobState if not state.is_final]
        asked = select(table).where(table.c.state.in_(states)).order_by(table.c.created, table.c.id)
        return self._rows.all(asked)

    def start(self, id_: str, process: int) -> None:
        self._rows.change(id_, {"state": JobState.RUNNING.value, "process": process, "started": utc_now()})

    def end(
        self,
        id_: str,
        state: JobState,
        *,
        status: int | None = None,
        result: Any = None,
        message: str | None = None,
    ) -> None:
        told = json_text({"result": result, "message": message})
        values = {"state": state.value, "status": status, "ended": utc_now(), "result": told}
        self._rows.change(id_, values)

    def remove_of(self, environment: str) -> None:
        self._rows.remove(table.c.environment == environment)

    def _info(self, row: RowMapping) -> JobInfo:
        told = msgspec.json.decode(row["result"] or "{}")
        values = {str(name): value for name, value in row.items()}
        arguments = msgspec.json.decode(self._decrypt_arguments(row["arguments"]))
        return msgspec.convert({**values, "arguments": arguments, "result": None, **told}, JobInfo)

    def _decrypt_arguments(self, text: str) -> bytes:
        """Return the arguments; rows of older servers are not encrypted."""
        if not text.startswith(_SEALED):
            return text.encode()
        return self._sealer.open_bytes(text.removeprefix(_SEALED).encode())
