"""The driver of the sample plug-in keeps the contract, as anybody's would."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.plugins import DRIVERS, load_plugin
from sabir.resources.driver import Driver
from sabir.resources.target import Target
from tests.deployments.drivers.contract import Case, DriverContract
from tests.support.plugin_path import install

PLUGIN = Path(__file__).parents[3] / "examples" / "plugin" / "src"


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For this process, and for those that it starts."""
    install(monkeypatch, tmp_path / "site", "[sabir.drivers]\nledger = sabir_shop.ledger:DRIVER\n")
    monkeypatch.syspath_prepend(str(PLUGIN))
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path[:2]))


class TestLedger(DriverContract):
    def driver(self) -> Driver:
        driver: Driver = load_plugin(DRIVERS, "ledger")  # type: ignore[assignment]  # what a plug-in names
        return driver

    def target(self, folder: Path) -> Target:
        return Target(name="contract", driver="ledger", settings={"file": str(folder / "books.json")})

    def bad_target(self, folder: Path) -> Target:
        return Target(
            name="contract", driver="ledger", settings={"file": str(folder / "none" / "books.json")}
        )

    def cases(self) -> Sequence[Case]:
        return (Case(kind="entry", first={"name": "rent", "amount": 5}, then={"name": "rent", "amount": 7}),)


def test_it_is_deployed_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sabir.yaml").write_text(
        "name: books\ntargets: {books: {driver: ledger, file: books.json}}\nparts:\n  all:\n    language: resources\n"
        "    model: {resources: {rent: {kind: entry, target: books, fields: {name: rent, amount: 5}}}}\n"
    )
    assert main(["deploy", ".", "--yes"]) == 0
    assert '"amount": 5' in (tmp_path / "books.json").read_text()
    assert main(["plan", ".", "--refresh"]) == 0
