"""A process that connects to a target, says `begins`, and applies one resource. It is there to be killed."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, cast

from sabir.graph.address import Address
from sabir.plugins import DRIVERS, load_plugin
from sabir.resources.driver import Driver, DriverContext
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.resources.target import Target
from sabir.session import Session, Trust
from tests.deployments.drivers.quiet import NoEffects


async def main(orders: dict[str, Any]) -> None:
    driver = cast("Driver", load_plugin(DRIVERS, orders["driver"]))
    folder = Path(orders["folder"])
    context = DriverContext(
        session=Session(trust=Trust.of(orders["trust"])),
        folder=folder,
        state_folder=folder / ".sabir",
        environment="contract",
    )
    target = Target(name="contract", driver=orders["driver"], settings=orders["settings"])
    resource = Resource(
        address=Address("subject"), kind=orders["kind"], desired=orders["fields"], target="contract"
    )
    step = Task(operation_id=orders["operation"], action=Action.CREATE, resource=resource)
    async with driver.connect(target, context) as connection:
        print("begins", flush=True)
        await connection.apply(step, NoEffects())


asyncio.run(main(json.load(sys.stdin)))
