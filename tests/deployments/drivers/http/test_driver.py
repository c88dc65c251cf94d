"""The driver of services keeps the contract, and speaks to nobody but its target."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.drivers.http.driver import DRIVER
from sabir.errors import DeployError, UnreachableError
from sabir.graph.address import Address
from sabir.graph.values import Sensitive, Value
from sabir.resources.driver import Connection, Driver, DriverContext
from sabir.resources.outcome import CompletionStatus, Outcome, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Action
from sabir.resources.target import Target
from sabir.session import Session, Trust
from tests.deployments.drivers.contract import Case, DriverContract, task
from tests.deployments.drivers.http.service import TOKEN, Service, running
from tests.deployments.drivers.quiet import NoEffects

USER: dict[str, Any] = {
    "path": "/users/{id}",
    "collection": "/users",
    "find_by": ["name"],
    "body": {"name": "alice", "roles": ["reader"]},
}


def user(**fields: Any) -> Resource:
    return Resource(address=Address("alice"), kind="http", desired={**USER, **fields})


class TestHttp(DriverContract):
    trust = Trust(network=True, private_network=True)
    url: str

    @pytest.fixture(autouse=True)
    def service(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.upper(), raising=False)
        service = Service()
        with running(service) as self.url:
            yield service

    def driver(self) -> Driver:
        return DRIVER

    def target(self, folder: Path, **settings: Value) -> Target:
        return Target(name="contract", driver="http", settings={"url": self.url, "token": TOKEN, **settings})

    def bad_target(self, folder: Path) -> Target:
        return self.target(folder, token=Sensitive("wrong"))

    def cases(self) -> Sequence[Case]:
        place = "/settings/greeting"
        return (
            Case(
                kind="http",
                first={"path": place, "body": {"text": "hello", "more": {"a": 1}}},
                then={"path": place, "body": {"text": "good morning", "more": {"a": 1}}},
                secret={
                    "path": "/settings/login",
                    "body": {"password": Sensitive("canary-4711"), "user": "x"},
                },
            ),
            Case(
                kind="http",
                first=USER,
                then={**USER, "body": {"name": "alice", "roles": []}, "update": "PATCH"},
            ),
        )

    def apply(
        self, folder: Path, resource: Resource, action: Action = Action.CREATE, **others: Any
    ) -> Outcome:
        return self.run(
            folder, lambda connection: connection.apply(task(resource, action, **others), NoEffects())
        )

    def test_results(self, folder: Path, service: Service) -> None:
        service.pending = 2
        outcome = self.apply(
            folder, user(ready={"state": "active"}, outputs={"by": "by", "role": "roles.0", "no": "a.b"})
        )
        assert (outcome.id, outcome.results) == (
            "1",
            {"id": "1", "by": "service", "role": "reader", "no": None},
        )

    def test_one_of_many_pages_is_found(self, folder: Path, service: Service) -> None:
        for name in ("eve", "bob", "carol", "dave"):
            self.apply(folder, user(body={"name": name}))
        self.apply(folder, user())
        seen = self.run(folder, lambda connection: connection.read(user(), None))
        assert (seen.id, seen.changes) == ("5", ())
        self.apply(folder, user(find_by=[], body={"name": "alice"}))
        with pytest.raises(DeployError, match="lists 2 with the same name"):
            self.run(folder, lambda connection: connection.read(user(), None))

    @pytest.mark.parametrize(
        ("fields", "settings", "sighting"),
        [
            ({}, {}, CompletionStatus.DONE),
            ({"find_by": []}, {}, CompletionStatus.CANNOT_TELL),
            ({"find_by": []}, {"idempotency_keys": True}, CompletionStatus.NOT_DONE),
        ],
    )
    def test_a_creation_that_is_heard_and_not_answered(
        self, folder: Path, service: Service, fields: Any, settings: Any, sighting: CompletionStatus
    ) -> None:
        service.cut_after, service.keeps_keys = {"POST"}, True
        step = task(user(**fields), Action.CREATE)

        async def work(connection: Connection) -> None:
            assert (await connection.apply(step, NoEffects())).status is OutcomeStatus.UNKNOWN
            seen = await connection.observe(step)
            assert seen.sighting is sighting
            if sighting is CompletionStatus.CANNOT_TELL:
                assert f"{self.url}/users" in (seen.look_at or "")
            elif sighting is CompletionStatus.NOT_DONE:
                assert not (await connection.apply(step, NoEffects())).failed
            assert service.posts == 1

        context = DriverContext(session=Session(trust=self.trust))

        async def connected() -> None:
            async with DRIVER.connect(self.target(folder, **settings), context) as connection:
                await work(connection)

        asyncio.run(connected())

    @pytest.mark.parametrize("action", [Action.UPDATE, Action.DELETE])
    def test_changes_that_are_heard_and_not_answered(
        self, folder: Path, service: Service, action: Action
    ) -> None:
        self.apply(folder, user())
        service.cut_after = {"PUT", "DELETE"}
        step = task(user(body={"name": "alice", "roles": ["admin"]}), action, id="1")

        async def work(connection: Connection) -> None:
            verb = connection.delete if action is Action.DELETE else connection.apply
            assert (await verb(step, NoEffects())).status is OutcomeStatus.UNKNOWN
            assert (await connection.observe(step)).sighting is CompletionStatus.DONE

        self.run(folder, work)

    def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(
        self, folder: Path, service: Service
    ) -> None:
        place: dict[str, Value] = {"path": "/a", "body": {"x": 1}}
        self.apply(folder, Resource(address=Address("a"), kind="http", desired=place))
        service.things["/v1/a"]["version"] = 7
        service.answers.append((404, b"", {}))  # the way to the service itself

        async def work(connection: Connection) -> Outcome:
            wanted = Resource(address=Address("a"), kind="http", desired={"path": "/a", "body": {"x": 2}})
            service.answers.append((200, b'{"x": 1}', {"ETag": '"6"'}))
            return await connection.apply(task(wanted, Action.UPDATE), NoEffects())

        outcome = self.run(folder, work)
        assert (outcome.message, outcome.passing) == ("somebody else changed /a meanwhile", True)

    def test_what_nobody_recorded_is_left_alone(self, folder: Path, service: Service) -> None:
        self.apply(folder, user(body={"name": "alice", "roles": ["theirs"]}))
        outcome = self.apply(folder, user())
        assert "nobody recorded; `sabir adopt` takes it over" in (outcome.message or "")
        assert service.things["/v1/users/1"]["body"]["roles"] == ["theirs"]

    @pytest.mark.parametrize(
        ("answer", "words", "passing"),
        [
            (
                (500, b"database\n away", {}),
                "it answers 500 Internal Server Error for /a: database away",
                False,
            ),
            ((503, b"", {}), "it answers 503", True),
            ((403, b"read only", {}), "does not allow that with these credentials: read only", False),
            (
                (302, b"", {"Location": "http://169.254.169.254/"}),
                "on to http://169.254.169.254/; name that address",
                False,
            ),
            ((200, b"<html>", {}), "something that is no JSON: b'<html>'", False),
            ((200, b"[" * 100_000, {}), "nested more than 200 deep", False),
            ((200, b"\xff", {}), "something that is no JSON", False),
            ((200, b" " * (17 << 20), {}), "it answers with more than 16 MB", False),
            ((500, TOKEN.encode(), {}), "for /a: <<REDACTED>>", False),
        ],
    )
    def test_answers_that_are_no_help(
        self, folder: Path, service: Service, answer: Any, words: str, passing: bool
    ) -> None:
        service.answers += [(404, b"", {}), answer]
        outcome = self.apply(
            folder, Resource(address=Address("a"), kind="http", desired={"path": "/a", "body": {}})
        )
        assert words in (outcome.message or "")
        assert (outcome.status, outcome.passing) == (OutcomeStatus.FAILED, passing)

    def test_an_answer_that_never_ends(self, folder: Path, service: Service) -> None:
        """Each byte comes soon enough, and the last one never."""
        service.drip = 0.1
        service.answers += [(200, b" " * 600, {})]
        began = time.monotonic()
        with pytest.raises(DeployError, match="did not end its answer within 1 seconds"):
            self._read_with(folder, {"timeout_seconds": 1})
        assert time.monotonic() - began < 20

    def test_pages_do_not_lead_elsewhere(self, folder: Path, service: Service) -> None:
        service.answers += [(404, b"", {}), (200, b"[]", {"Link": '<http://10.0.0.1/v1/users>; rel="next"'})]
        outcome = self.apply(folder, user())
        assert "leads on to 10.0.0.1, which is not the target" in (outcome.message or "")

    @pytest.mark.parametrize("path", ["users/1", "//evil.example/x", "/a/../../x", "http://evil.example/x"])
    def test_paths_stay_below_the_target(self, folder: Path, path: str) -> None:
        outcome = self.apply(
            folder, Resource(address=Address("a"), kind="http", desired={"path": path, "body": {}})
        )
        assert "must be a path below the address of the target" in (outcome.message or "")

    @pytest.mark.parametrize(
        ("settings", "trust", "words"),
        [
            ({}, Trust(), "would speak to http://127.0.0.1:.*allow it with --trust network"),
            ({}, Trust(network=True), "private address 127.0.0.1; allow it with --trust private-network"),
            ({"url": "ftp://x"}, trust, "url must be an http or https address"),
            ({"url": "http://a:b@127.0.0.1"}, trust, "url holds more than an address"),
            ({"url": "http://127.0.0.1:1"}, trust, "it does not answer"),
            ({"url": "http://nobody.invalid"}, trust, "the host 'nobody.invalid' is not known"),
            ({"ca": "none.pem"}, trust, "its certificates cannot be used"),
        ],
    )
    def test_targets_that_are_not_spoken_to(
        self, folder: Path, settings: Any, trust: Trust, words: str
    ) -> None:
        async def connect() -> None:
            context = DriverContext(session=Session(trust=trust), folder=folder)
            async with DRIVER.connect(self.target(folder, **settings), context):
                pass

        with pytest.raises(DeployError, match=words) as caught:
            asyncio.run(connect())
        assert isinstance(caught.value, UnreachableError) is ("not answer" in words or "not known" in words)

    @pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
    def test_certificates_of_both_sides(self, folder: Path) -> None:
        for name, subject in (("server", "localhost"), ("client", "sabir")):
            command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={subject}"
            more = [
                "-addext",
                f"subjectAltName=DNS:{subject}",
                "-keyout",
                f"{name}.key",
                "-out",
                f"{name}.pem",
            ]
            subprocess.run([*command.split(), *more], cwd=folder, check=True, capture_output=True)
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(folder / "client.pem"))
        tls.load_cert_chain(folder / "server.pem", folder / "server.key")
        tls.verify_mode = ssl.CERT_REQUIRED
        both: Any = {"ca": "server.pem", "certificate": "client.pem", "key": "client.key"}
        with running(Service(), tls) as self.url:
            assert self._read_with(folder, both) is False
            with pytest.raises(DeployError, match="certificate verify failed"):
                self._read_with(folder, {**both, "ca": None})
            with pytest.raises(DeployError, match=r"the connection broke|does not answer"):
                self._read_with(folder, {"ca": "server.pem"})

    def _read_with(self, folder: Path, settings: Any) -> bool:
        async def connected() -> bool:
            context = DriverContext(session=Session(trust=self.trust), folder=folder)
            async with DRIVER.connect(self.target(folder, **settings), context) as connection:
                return (await connection.read(user(), None)).exists

        return asyncio.run(connected())
