"""The document of an exported state: whatever somebody has made of it, it is either right or refused."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct, structs

from sabir.deployments.store.records import Fact, RecordStatus, ResourceRecord
from sabir.diagnostics.decoding import UNDECODED, decoding_reason
from sabir.errors import UnusableInput

__all__ = ["FORMAT", "read_document", "read_exported"]

FORMAT: Final = "sabir.state/1"


class _Resource(Struct, kw_only=True):
    """A row of the table of resources, without the environment."""

    address: str
    kind: str
    target: str
    driver: str
    status: RecordStatus
    id: str | None
    desired: str
    fields: str | None
    requires: str
    deployment: int
    step: str
    origin: str | None


class _Fact(Struct, kw_only=True):
    name: str
    address: str
    value: str
    deployment: int
    step: str
    position: int
    at: str
    expired: int


class _Exported(Struct):
    format: str
    resources: list[_Resource]
    facts: list[_Fact] = []


def read_exported(data: bytes) -> tuple[list[ResourceRecord], list[Fact]]:
    exported: _Exported = read_document(data, _Exported, "this is no exported state")
    if exported.format != FORMAT:
        raise UnusableInput(f"this is no exported state: its format is {exported.format!r}, not {FORMAT}")
    for resource in exported.resources:
        _check(resource.desired, dict[str, Any], resource.address)
        _check(resource.fields or "{}", dict[str, Any], resource.address)
        _check(resource.requires, list[str], resource.address)
    for fact in exported.facts:
        _check(fact.value, dict[str, Any], fact.name)
    records = [ResourceRecord.of(structs.asdict(resource)) for resource in exported.resources]
    return records, [Fact.of(structs.asdict(fact)) for fact in exported.facts]


def _check(text: str, type_: Any, address: str) -> None:
    """What is a text in the document is JSON again."""
    read_document(text.encode("utf-8", "replace"), type_, f"this is no exported state: {address}")


def read_document(data: bytes, type_: Any, refusal: str) -> Any:
    """JSON as a type; whatever is wrong with it is said after the words of the refusal."""
    try:
        return msgspec.json.decode(data, type=type_)
    except UNDECODED as error:
        raise UnusableInput(f"{refusal}: {decoding_reason(error, data)}") from error
