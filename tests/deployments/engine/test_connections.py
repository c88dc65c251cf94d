"""Connections: one for each target, and not all of them opened at once."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.engine.connections import Connections, SecretReader
from sabir.errors import DeployError
from sabir.graph.values import Sensitive, Value
from sabir.resources.driver import DriverContext
from sabir.resources.secrets import SecretSource, reference_to
from sabir.resources.target import Target


class CountingDriver:
    """Counts the connections that are being opened."""

    name = "counting"

    def __init__(self) -> None:
        self.opening = self.most = self.opened = self.closed = 0

    @asynccontextmanager
    async def connect(self, _target: Target, _context: DriverContext) -> AsyncGenerator[object]:
        self.opening += 1
        self.most = max(self.most, self.opening)
        await asyncio.sleep(0.001)
        self.opening -= 1
        self.opened += 1
        yield object()
        self.closed += 1


def test_many_targets_are_opened_a_few_at_a_time() -> None:
    driver: Any = CountingDriver()
    targets = [Target(name=f"t{number}", driver="counting") for number in range(300)]

    async def open_all() -> None:
        async with Connections(DriverContext()) as connections:
            await asyncio.gather(*(connections.open(driver, target) for target in [*targets, *targets]))

    asyncio.run(open_all())
    assert driver.opened == driver.closed == 300
    assert 1 < driver.most <= 20


SOURCE = SecretSource(name="pw", provider="file", settings={"path": "password"})


def reader(folder: Path = Path()) -> SecretReader:
    return SecretReader(DriverContext(secrets=(SOURCE,), folder=folder))


REFERENCE = {"$secret": "pw"}


@pytest.mark.parametrize(
    "value",
    [
        f"pw={REFERENCE}",
        Sensitive(f"pw={REFERENCE}"),
        json.dumps({"password": REFERENCE}),
        json.dumps({"inner": json.dumps({"password": REFERENCE})}),
        json.dumps(REFERENCE, separators=(",", ":")),
        "password:\n  $secret: pw\n",
        {"list": ["a", {"b": f"x{REFERENCE}"}]},
        b64encode(f"user=bob;{REFERENCE}".encode()).decode(),
        f"pw={REFERENCE}".encode(),
    ],
)
def test_a_string_made_from_a_reference_never_reaches_a_driver(value: Value) -> None:
    with pytest.raises(DeployError, match=r"^secret 'pw' cannot be part of a string$"):
        asyncio.run(reader().reveal_values({"content": value}))


@pytest.mark.parametrize(
    "value",
    ["echo $secret: a", "$secret = 'pw'", '{"$secret": "other"}', '{"$secret": "pw2"}', "pw", 5, None],
)
def test_other_strings_are_not_changed(value: Value) -> None:
    assert asyncio.run(reader().reveal_values({"content": value})) == {"content": value}


def test_a_whole_value_is_revealed(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("canary\n")
    desired: dict[str, Value] = {"content": reference_to("pw"), "env": {"A": [reference_to("pw")]}}
    revealed = asyncio.run(reader(tmp_path).reveal_values(desired))
    assert revealed == {"content": Sensitive("canary"), "env": {"A": [Sensitive("canary")]}}
