"""Who did what, when, with what outcome. Lines are only added."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Engine, RowMapping, select

from sabir.deployments.store.row_checks import stored
from sabir.server.store.clock import now
from sabir.server.store.rows import Rows, json_text
from sabir.server.store.tables import audit as table

__all__ = ["Audit", "AuditLine"]


class AuditLine(Struct, frozen=True, kw_only=True):
    number: int
    at: str
    who: str
    verb: str
    subject: str
    outcome: str
    data: dict[str, Any]


class Audit:
    def __init__(self, engine: Engine) -> None:
        self._rows = Rows(engine, table, _line)

    def note(self, who: str, verb: str, subject: str, outcome: str = "done", **data: Any) -> None:
        self._rows.add(
            {
                "at": now(),
                "who": who,
                "verb": verb,
                "subject": subject,
                "outcome": outcome,
                "data": json_text(data),
            }
        )

    def lines(self, *, after: int = 0, limit: int = 100) -> list[AuditLine]:
        asked = select(table).where(table.c.number > after).order_by(table.c.number).limit(limit)
        return self._rows.all(asked)


def _line(row: RowMapping) -> AuditLine:
    return stored(row, AuditLine, "the audit log", data=msgspec.json.decode(row["data"] or "{}"))
