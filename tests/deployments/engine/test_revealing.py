from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from pathlib import Path

import pytest

from sabir.deployments.engine.connections import SecretReader
from sabir.errors import DeployError
from sabir.graph.values import Sensitive, Value
from sabir.resources.driver import DriverContext
from sabir.resources.secrets import SecretSource, reference_to

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
