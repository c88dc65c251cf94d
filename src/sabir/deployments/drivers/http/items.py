"""A resource of a service as it is wanted: where it is, what it holds, and what differs from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from msgspec import Struct

from sabir.errors import DeployError
from sabir.graph.values import Sensitive, Value, reveal_all, reveal_value
from sabir.resources.outcome import FieldChange
from sabir.text import REDACTED

_MISSING: Final = object()
_PLACES: Final = ("path", "collection")
_READY_SECONDS: Final = 300.0
_LONGEST_ID: Final = 1000


class DesiredItem(Struct, frozen=True, kw_only=True, eq=False):
    path: str
    body: Mapping[str, Any]
    """With secrets in clear: it goes to the service and nowhere else."""
    hidden: frozenset[str]
    """Fields of the body with something sensitive in them."""
    collection: str | None
    id_field: str
    find_by: tuple[str, ...]
    update: str
    ignored: frozenset[str]
    outputs: Mapping[str, str]
    ready: Mapping[str, Any]
    ready_within: float

    def at(self, id: str | None) -> str:  # noqa: A002  what the service calls it
        """Where it is; `DeployError` when only the service could tell."""
        if "{id}" not in self.path:
            return self.path
        if id is None:
            raise DeployError(f"{self.path}: the service has not told its id yet")
        return self.path.replace("{id}", quote(id, safe=""))

    @property
    def is_named_by_service(self) -> bool:
        return "{id}" in self.path

    def changes(self, seen: Any) -> Iterator[FieldChange]:
        """Fields that are wanted and not so. What the service adds of its own is its own affair."""
        there: Mapping[str, Any] = seen if isinstance(seen, Mapping) else {}
        for name, value in self.body.items():
            before = there.get(name, _MISSING)
            if name in self.ignored or before == value:
                continue
            if before is _MISSING and name in self.hidden:
                continue  # services take secrets, and do not give them back
            if isinstance(value, Mapping) and isinstance(before, Mapping) and _contains_fields(before, value):
                continue
            yield FieldChange(
                field=f"body.{name}",
                before=self._mark_hidden(name, before),
                after=self._mark_hidden(name, value),
            )

    def _mark_hidden(self, name: str, value: Any) -> Value:
        plain: Value = None if value is _MISSING else value
        return Sensitive(plain) if name in self.hidden and plain is not None else plain

    def is_listed_as(self, item: Any) -> bool:
        """Whether an item of the collection is this one."""
        return isinstance(item, Mapping) and all(
            item.get(name, _MISSING) == self.body.get(name) for name in self.find_by
        )

    def id_in(self, data: Any) -> str | None:
        return usable_id(look_up(data, self.id_field))


def usable_id(value: Any) -> str | None:
    """An id as the service tells it; None when there is none, `DeployError` when it would lead to something else."""
    if value is None:
        return None
    text = str(value) if isinstance(value, str | int) else ""
    if text in ("", ".", "..") or len(text) > _LONGEST_ID:
        raise DeployError(f"the service calls it {str(value)[:80]!r}, which can be no part of its path")
    return text


def _contains_fields(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(
        (
            isinstance(value, Mapping)
            and isinstance(there.get(name), Mapping)
            and _contains_fields(there[name], value)
        )
        or there.get(name, _MISSING) == value
        for name, value in wanted.items()
    )


def look_up(data: Any, path: str) -> Any:
    """A value by the names that lead to it, with points between them; numbers count items of lists."""
    for name in path.split("."):
        if isinstance(data, Mapping):
            data = data.get(name)
        elif isinstance(data, list) and name.isdigit() and int(name) < len(data):
            data = data[int(name)]
        else:
            return None
    return data


def build_desired_item(fields: Mapping[str, Value]) -> DesiredItem:
    plain: dict[str, Any] = {name: value for name, value in reveal_all(fields).items() if value is not None}
    body = reveal_value(fields.get("body"))
    hidden = (
        [name for name, value in body.items() if reveal_all(value) != value]
        if isinstance(body, Mapping)
        else []
    )
    item = DesiredItem(
        path=str(plain["path"]),
        body=plain.get("body", {}),
        hidden=frozenset(plain.get("body", {}) if isinstance(fields.get("body"), Sensitive) else hidden),
        collection=str(plain["collection"]) if "collection" in plain else None,
        id_field=str(plain.get("id_field", "id")),
        find_by=tuple(map(str, plain.get("find_by", ()))),
        update=str(plain.get("update", "PUT")),
        ignored=frozenset(map(str, plain.get("ignore", ()))),
        outputs={name: str(path) for name, path in plain.get("outputs", {}).items()},
        ready=plain.get("ready", {}),
        ready_within=float(plain.get("ready_within", _READY_SECONDS)),
    )
    for message in item_faults(fields).values():
        raise DeployError(message)
    return item


def item_faults(fields: Mapping[str, Value]) -> dict[str, str]:
    """What is wrong with where an item is said to be, by field; what is not known yet is not judged."""
    texts = {name: value for name in _PLACES if isinstance(value := reveal_value(fields.get(name)), str)}
    quoted = {
        name: REDACTED if isinstance(fields[name], Sensitive) else repr(text) for name, text in texts.items()
    }
    faults = {
        name: f"{name} must be a path below the address of the target, as /users/alice, not {quoted[name]}"
        for name, text in texts.items()
        if not _is_below_target(text)
    }
    if "path" not in faults and "{id}" in texts.get("path", "") and fields.get("collection") is None:
        faults["path"] = (
            f"path {quoted['path']} holds an id that the service gives: say `collection`, where it is created"
        )
    return faults


def _is_below_target(path: str) -> bool:
    """No other host, and no way up."""
    return (
        path.startswith("/")
        and not path.startswith("//")
        and "#" not in path
        and ".." not in path.partition("?")[0].split("/")
    )
