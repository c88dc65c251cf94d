"""The driver of Heat, OpenStack's orchestration."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from sabir.deployments.drivers.heat.cloud_calls import CALLS, QUESTIONS
from sabir.deployments.drivers.responses import InvalidResponseError, run_in_thread
from sabir.errors import UnreachableError
from sabir.extras import require_extra
from sabir.graph.values import reveal_value
from sabir.resources.driver import DriverContext, Kind
from sabir.resources.fields import Field, FieldType
from sabir.resources.outcome import FieldChange, ResourceReading, list_reported_changes
from sabir.resources.resource import Resource
from sabir.resources.target import Target

if TYPE_CHECKING:
    from sabir.deployments.drivers.heat.connection import HeatConnection


_SECONDS: Final = 3600.0
_SIGNING_IN: Final = 3
"""Requests that it takes: which versions there are, a token, which versions Heat has."""

_STACK: Final = Kind(
    about="a stack of OpenStack's Heat, kept as a whole",
    fields={
        "name": Field(about="of the stack, unique in the project", required=True, replaces=True),
        "template": Field(about="the template, as data or as text", type=FieldType.ANY, required=True),
        "parameters": Field(about="values of its parameters", type=FieldType.MAP),
        "environment": Field(
            about="an environment of Heat: parameter_defaults, resource_registry", type=FieldType.ANY
        ),
        "files": Field(about="texts that template and environment name, by name", type=FieldType.MAP),
        "tags": Field(about="tags that it gets beside those of sabir", type=FieldType.LIST),
        "timeout_minutes": Field(about="after which Heat itself gives up", type=FieldType.INTEGER),
        "rollback": Field(about="let Heat undo what it could not finish; default false", type=FieldType.FLAG),
    },
    tells=True,
    operations={
        "check": "let Heat look whether its resources are still there",
        "suspend": "suspend its resources",
        "resume": "resume its resources",
    },
)


class HeatDriver:
    """Stacks with their templates, parameters and files: made, changed, waited for, taken away."""

    name: Final = "openstack-heat"
    kinds: Mapping[str, Kind] = {"heat-stack": _STACK, **CALLS, **QUESTIONS}

    def settings(self) -> Mapping[str, Field]:
        return {
            "cloud": Field(about="a cloud of clouds.yaml; else OS_CLOUD, or the other OS_ variables"),
            "clouds_file": Field(about="the clouds.yaml; else where openstacksdk looks for it"),
            "region": Field(about="a region of the cloud; else the one that clouds.yaml names"),
            "auth": Field(
                about="what to sign in with, over what clouds.yaml says: username, password, project_name …",
                type=FieldType.MAP,
                sensitive=True,
            ),
            "wait_seconds": Field(about="how long to wait for a stack; default 3600", type=FieldType.NUMBER),
            "timeout_seconds": Field(about="how long a request may take; default 60", type=FieldType.NUMBER),
        }

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        return list_reported_changes(resource, reading, whole="template")

    @asynccontextmanager
    async def connect(self, target: Target, context: DriverContext) -> AsyncGenerator[HeatConnection]:
        with require_extra("openstack", f"target {target.name!r}"):
            from sabir.deployments.drivers.heat.api import Heat
            from sabir.deployments.drivers.heat.connection import HeatConnection, HeatSettings
            from sabir.deployments.drivers.heat.session import open_heat, request_seconds

            seconds = request_seconds(target)
            try:
                client = await run_in_thread(
                    lambda: open_heat(target, context), seconds=seconds * _SIGNING_IN
                )
            except InvalidResponseError as error:
                raise UnreachableError(f"target {target.name!r}: signing in: {error}") from error
        heat = Heat(client, seconds=seconds)
        await heat.check_access()
        patience = reveal_value(target.settings.get("wait_seconds"))
        settings = HeatSettings(
            environment=context.environment,
            wait_seconds=float(patience) if isinstance(patience, int | float) else _SECONDS,
        )
        yield HeatConnection(heat, settings)


DRIVER: Final = HeatDriver()
