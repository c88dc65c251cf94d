"""The driver of this machine: all of it, or what lies below a root folder."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from sabir.deployments.drivers.machine import MachineConnection, MachineDriver
from sabir.deployments.host_agent import dispatch
from sabir.deployments.host_agent.root import HostRoot
from sabir.errors import DeployError
from sabir.graph.values import reveal_value
from sabir.resources.driver import Connection, DriverContext
from sabir.resources.fields import Field
from sabir.resources.target import Target
from sabir.source.private import make_private_directory


class LocalDriver(MachineDriver):
    name: Final = "local"

    def settings(self) -> Mapping[str, Field]:
        return {
            "root": Field(
                about="the folder that everything is kept below; / for the whole machine", required=True
            )
        }

    @asynccontextmanager
    async def connect(self, target: Target, context: DriverContext) -> AsyncGenerator[Connection]:
        root = context.folder / str(reveal_value(target.settings["root"]))
        if target.contained:
            if root.is_relative_to(context.state_folder):
                make_private_directory(context.state_folder)
            root.mkdir(parents=True, exist_ok=True)
        elif not root.is_dir():
            raise DeployError(f"target {target.name!r}: there is no folder {str(root)!r}")
        # Below the root itself where that is a folder of ours; a machine as a whole is not littered.
        marks: Path = (context.state_folder if str(root) == "/" else root / ".sabir") / "operations"
        hands = LocalHostAgent(HostRoot(str(root), str(marks.absolute())))
        try:
            yield MachineConnection(hands)
        finally:
            hands.stop()


class LocalHostAgent:
    """Hands in this process, in threads."""

    def __init__(self, place: HostRoot) -> None:
        self.place = place
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Let go of commands that still run; they leave their marks."""
        self._stopped.set()

    async def do(self, verb: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        if verb != "read":
            data = {**data, "stopped": self._stopped.is_set}
        return await asyncio.to_thread(dispatch.run_verb, verb, kind, data, self.place)


DRIVER: Final = LocalDriver()
