"""Where the agents of a model are: a target of the environment with the agent's name, else what the model says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sabir.errors import DeployError
from sabir.graph.values import reveal
from sabir.languages.inmanta.evaluate.model import Model
from sabir.languages.inmanta.evaluate.plugins.engine.remote_io import Here, Place, SshPlace, place_of_uri
from sabir.languages.inmanta.evaluate.values import property_of
from sabir.resources.driver import DriverContext
from sabir.resources.target import Target

__all__ = ["AgentPlaces"]

_CONFIG = "std::AgentConfig"


class AgentPlaces:
    def __init__(self, model: Model, context: DriverContext) -> None:
        self._context = context
        self._uris = {
            str(property_of(instance, "agentname")): str(property_of(instance, "uri"))
            for instance in model.instances
            if instance.entity.name == _CONFIG
        }
        """By the names of agents, as `std::AgentConfig` says it."""

    def of(self, agent: str) -> Place | None:
        """The machine of an agent; None: neither the environment nor the model names one."""
        target = self._context.targets.get(agent)
        if target is None:
            return place_of_uri(self._uris[agent]) if agent in self._uris else None
        if target.driver == "local":
            return Here()
        if target.driver != "ssh":
            raise DeployError(
                f"the agent {agent!r} is the target of that name, which handlers cannot reach: {target.driver}"
            )
        return self._of_target(target)

    def _of_target(self, target: Target) -> SshPlace:
        settings: dict[str, Any] = {name: reveal(value) for name, value in target.settings.items()}
        unsupported = [name for name in ("password", "passphrase", "sudo") if settings.get(name)]
        if unsupported:
            raise DeployError(
                f"target {target.name!r}: handlers reach it with a key; they know no {' and no '.join(unsupported)}"
            )
        return SshPlace(
            host=str(settings["host"]),
            user=settings.get("user"),
            port=settings.get("port"),
            key=self._file(settings.get("key")),
            known_hosts=self._file(settings.get("known_hosts")),
            python=settings.get("python") or "python3",
        )

    def _file(self, name: Any) -> Path | None:
        return None if name is None else self._context.folder / Path(str(name)).expanduser()
