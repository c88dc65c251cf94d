"""Access tokens, and the audit trail.

A token is shown once, when it is created; only its digest is stored. Audit entries are only added.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import Enum
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any, Final

import msgspec
from msgspec import Struct
from sqlalchemy import Engine, RowMapping, select

from sabir.deployments.store.row_checks import convert_row
from sabir.server.store.rows import RowCache, Rows, json_text, new_id, utc_now
from sabir.server.store.tables import audit as audit_table
from sabir.server.store.tables import token as token_table

_PREFIX: Final = "sabir_"


class Verb(Enum):
    """The permissions that a token may have."""

    READ = "read"
    """See packages, environments, graphs, plans, histories; without file contents, object models and secret values."""
    UPLOAD = "upload"
    """Add, change and delete packages."""
    EDIT = "edit"
    """Create, change and delete environments."""
    DEPLOY = "deploy"
    """Deploy, destroy, call, resolve; see file contents and object models as they are."""
    ADMIN = "admin"
    """Give out tokens and leave, read the audit."""


class Role(Enum):
    """A named set of permissions."""

    READER = "reader"
    OPERATOR = "operator"
    ADMIN = "admin"

    @property
    def verbs(self) -> frozenset[Verb]:
        return _VERBS[self]


_VERBS: Final = {
    Role.READER: frozenset({Verb.READ}),
    Role.OPERATOR: frozenset({Verb.READ, Verb.UPLOAD, Verb.EDIT, Verb.DEPLOY}),
    Role.ADMIN: frozenset(Verb),
}


class TokenInfo(Struct, frozen=True, kw_only=True):
    """A token without its secret."""

    id: str
    name: str
    role: Role
    environments: tuple[str, ...] = ()
    """Ids; empty: all."""
    verbs: tuple[Verb, ...] = ()
    """Empty: all of the role."""
    created: str
    expires: str | None = None
    used: str | None = None

    def may(self, verb: Verb, environment: str | None = None) -> bool:
        if verb not in self.role.verbs or (self.verbs and verb not in self.verbs):
            return False
        return environment is None or not self.environments or environment in self.environments

    @property
    def is_expired(self) -> bool:
        return self.expires is not None and self.expires <= utc_now()


class TokenStore:
    """Creates, finds and revokes tokens."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._rows = Rows(engine, token_table, _decode_token)
        self._by_digest: RowCache[str, TokenInfo] = RowCache()
        self._used: dict[str, str] = {}
        """The minute in which the use of a token was last written down."""

    def create(
        self,
        name: str,
        role: Role,
        *,
        environments: tuple[str, ...] = (),
        verbs: tuple[Verb, ...] = (),
        lifetime: timedelta | None = None,
    ) -> tuple[TokenInfo, str]:
        """Create a token; return it with its secret text, which cannot be read again."""
        secret = _PREFIX + token_urlsafe(32)
        expires = (
            None if lifetime is None else (datetime.now(UTC) + lifetime).isoformat().replace("+00:00", "Z")
        )
        info = TokenInfo(
            id=new_id(),
            name=name,
            role=role,
            environments=environments,
            verbs=verbs,
            created=utc_now(),
            expires=expires,
        )
        self._rows.add(
            {
                **msgspec.structs.asdict(info),
                "digest": _token_digest(secret),
                "role": role.value,
                "environments": json_text(environments),
                "verbs": json_text(verbs),
            }
        )
        return info, secret

    def recall(self, secret: str) -> TokenInfo | None:
        """Return the cached token of a secret without a database query; None if it is not cached."""
        info = self._by_digest.recall(_token_digest(secret))
        return (
            None if info is None or info.is_expired or self._used.get(info.id) != _current_minute() else info
        )

    def find(self, secret: str) -> TokenInfo | None:
        """Return the token of a secret; None if it is unknown or expired."""
        digest = _token_digest(secret)
        info = self._by_digest.get(digest, lambda: self._rows.first(token_table.c.digest == digest))
        if info is None or info.is_expired:
            return None
        self._note_use(info)
        return info

    def _note_use(self, info: TokenInfo) -> None:
        """Record the time of use, at most once a minute: enough to find unused tokens."""
        minute = _current_minute()
        if self._used.get(info.id) != minute:
            self._rows.change(info.id, {"used": utc_now()})
            self._used[info.id] = minute

    def all(self) -> list[TokenInfo]:
        return self._rows.all(select(token_table).order_by(token_table.c.created))

    def revoke(self, id_: str) -> bool:
        revoked = self._rows.remove(token_table.c.id == id_)
        self._by_digest.forget()
        return revoked

    @property
    def is_empty(self) -> bool:
        with self._engine.connect() as connection:
            return connection.execute(select(token_table.c.id).limit(1)).first() is None


def _current_minute() -> str:
    return utc_now()[: len("2026-01-01T00:00")]


def _token_digest(secret: str) -> str:
    # The secret has 256 random bits, which cannot be found by guessing, so one round of hashing is enough.
    return sha256(secret.encode()).hexdigest()


def _decode_token(row: RowMapping) -> TokenInfo:
    lists = {name: msgspec.json.decode(row[name]) for name in ("environments", "verbs")}
    return convert_row(row, TokenInfo, f"token {row['name']!r}", **lists)


class AuditLine(Struct, frozen=True, kw_only=True):
    """One audit entry: who did what, when, with which outcome."""

    number: int
    at: str
    who: str
    verb: str
    subject: str
    outcome: str
    data: dict[str, Any]


class Audit:
    """Adds and lists audit entries."""

    def __init__(self, engine: Engine) -> None:
        self._rows = Rows(engine, audit_table, _decode_audit_line)

    def note(self, who: str, verb: str, subject: str, outcome: str = "done", **data: Any) -> None:
        self._rows.add(
            {
                "at": utc_now(),
                "who": who,
                "verb": verb,
                "subject": subject,
                "outcome": outcome,
                "data": json_text(data),
            }
        )

    def lines(self, *, after: int = 0, limit: int = 100) -> list[AuditLine]:
        asked = (
            select(audit_table)
            .where(audit_table.c.number > after)
            .order_by(audit_table.c.number)
            .limit(limit)
        )
        return self._rows.all(asked)


def _decode_audit_line(row: RowMapping) -> AuditLine:
    return convert_row(row, AuditLine, "the audit log", data=msgspec.json.decode(row["data"] or "{}"))
