"""The driver of services that are spoken to over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from sabir.deployments.drivers.http.items import item_faults
from sabir.extras import require_extra
from sabir.graph.values import reveal_value
from sabir.resources.driver import DriverContext, Kind
from sabir.resources.fields import Field, FieldType
from sabir.resources.outcome import FieldChange, ResourceReading, list_reported_changes
from sabir.resources.resource import Resource
from sabir.resources.target import Target

if TYPE_CHECKING:
    from sabir.deployments.drivers.http.connection import HttpConnection


_KIND: Final = Kind(
    about="a resource of a service: JSON that is read, created, changed and deleted over HTTP",
    fields={
        "path": Field(
            about="where it is, below the address of the target; {id} stands for what the service calls it",
            required=True,
            replaces=True,
        ),
        "body": Field(about="what it should hold", type=FieldType.MAP, required=True),
        "collection": Field(about="where it is created by POST; without it, it is put to its path"),
        "id_field": Field(about="the field of the answer that holds its id; default id"),
        "find_by": Field(
            about="fields of the body that tell it from others of the collection", type=FieldType.LIST
        ),
        "update": Field(about="how it is changed; default PUT", choices=("PUT", "PATCH", "POST")),
        "ignore": Field(about="fields of the body whose differences are left alone", type=FieldType.LIST),
        "outputs": Field(
            about="results by name: the names that lead to each, with points between them", type=FieldType.MAP
        ),
        "ready": Field(about="values that it must have before it counts as done", type=FieldType.MAP),
        "ready_within": Field(about="seconds to wait for them; default 300", type=FieldType.NUMBER),
    },
    faults=item_faults,
)


class HttpDriver:
    """Resources of services with an interface of the usual kind."""

    name: Final = "http"
    kinds: Mapping[str, Kind] = {"http": _KIND}

    def settings(self) -> Mapping[str, Field]:
        return {
            "url": Field(about="the address that everything lies below", required=True),
            "token": Field(about="sent as Authorization: Bearer", sensitive=True),
            "username": Field(about="for a password"),
            "password": Field(about="of that user", sensitive=True),
            "headers": Field(about="sent with every request", type=FieldType.MAP, sensitive=True),
            "ca": Field(about="a file with the certificates to trust; else those of the system"),
            "certificate": Field(about="a file with the certificate of the client"),
            "key": Field(about="a file with its key"),
            "timeout_seconds": Field(about="how long a request may take; default 30", type=FieldType.NUMBER),
            "idempotency_keys": Field(
                about="the service keeps the header Idempotency-Key, and does nothing twice",
                type=FieldType.FLAG,
            ),
        }

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        return list_reported_changes(resource, reading, whole="body")

    @asynccontextmanager
    async def connect(self, target: Target, context: DriverContext) -> AsyncGenerator[HttpConnection]:
        with require_extra("http", f"target {target.name!r}"):
            from sabir.deployments.drivers.http.client import HttpApi, open_service
            from sabir.deployments.drivers.http.connection import HttpConnection, ServiceSettings

            service = await asyncio.to_thread(open_service, target, context)
        async with service.client:
            api = HttpApi(service)
            await api.check_access()
            yield HttpConnection(
                api,
                ServiceSettings(honours_keys=reveal_value(target.settings.get("idempotency_keys")) is True),
            )


DRIVER: Final = HttpDriver()
