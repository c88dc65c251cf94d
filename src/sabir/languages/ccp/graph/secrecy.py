"""What is secret in a deployment stays so wherever its text goes: into an environment variable, a file, an argument."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from sabir.graph.graph import Instance
from sabir.graph.record import Record
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Sensitive, Value
from sabir.languages.ccp.syntax.deployment import Deployment

__all__ = ["marked_instance", "secrets_of"]

_MOST: Final = 3000


def secrets_of(deployment: Deployment) -> Secrets:
    """The texts of `secret_configs`, of the password for the registry, and of the data of secrets."""
    return Secrets(
        (text for value in _values(deployment) for text in secret_texts(Sensitive(value)) or ()),
        most=_MOST,
        names=_names(deployment),
    )


def _names(deployment: Deployment) -> Iterator[str]:
    """Of services and their containers: they stand in addresses, so that hiding them hides nothing."""
    for definition in deployment.definitions:
        yield definition.service.name
        yield from (container.name for container in definition.service.containers)


def _values(deployment: Deployment) -> Iterator[Value]:
    configuration = deployment.configuration
    yield configuration.secret_configs
    yield configuration.data.get("registry", {}).get("password")
    for definition in deployment.definitions:
        yield from (secret.data for secret in definition.secrets.values())


def marked_instance(instance: Instance, secrets: Secrets) -> Instance:
    layout, before = instance.attributes.layout, instance.attributes.row
    row = tuple(
        value if secrets.is_name(name, value) else secrets.marked(value)
        for name, value in zip(layout.keys, before, strict=True)
    )
    if all(new is old for new, old in zip(row, before, strict=True)):
        return instance
    return replace(instance, attributes=Record(layout, row))
