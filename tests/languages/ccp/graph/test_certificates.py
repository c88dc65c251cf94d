"""Certificates that a deployment is given: a client that checks names and issuers takes them."""

from __future__ import annotations

import asyncio
import ssl
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sabir.graph.values import Sensitive, reveal_value
from sabir.languages.ccp import LANGUAGE
from sabir.languages.ccp.graph.certificates import make_certificates
from sabir.languages.language import EvaluationRequest
from sabir.source.packages import MemoryPackage
from tests.languages.ccp.building import service

NAMES = ["*.ccp.svc.cluster.local", "localhost", "127.0.0.1"]


async def _greeting(made: dict[str, str], folder: Path, name: str) -> bytes:
    pair = folder / "pair"
    pair.write_text(made["server_key"] + made["server_cert"])
    server_tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server_tls.load_cert_chain(pair)
    client_tls = ssl.create_default_context(cadata=made["ca_cert"])
    client_tls.verify_flags |= ssl.VERIFY_X509_STRICT

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=server_tls)
    async with server:
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=client_tls, server_hostname=name
        )
        text = await reader.read()
        writer.close()
        return text


def test_a_strict_client_takes_them_for_their_names_only(tmp_path: Path) -> None:
    results = make_certificates(NAMES, datetime.now(UTC))
    assert isinstance(results["server_key"], Sensitive)
    made = {name: str(reveal_value(value)) for name, value in results.items()}
    for name in ("keystone.ccp.svc.cluster.local", "127.0.0.1"):
        assert asyncio.run(_greeting(made, tmp_path, name)) == b"hello"
    with pytest.raises(ssl.SSLCertVerificationError):
        asyncio.run(_greeting(made, tmp_path, "keystone.other.svc.cluster.local"))


PACKAGE = MemoryPackage(
    {
        "service/web.yaml": service("web"),
        "ccp.yaml": "nodes: {n.*: {roles: [all]}}\nroles: {all: [web]}\nsecret_configs: {security: {tls: {dhparam: mine}}}\n",
    }
)


def test_what_was_made_and_asked_becomes_part_of_the_configuration() -> None:
    observed = {
        f"certificates|{name}": f"<{name}>" for name in ("ca_cert", "server_cert", "server_key", "dhparam")
    }
    evaluation = LANGUAGE.evaluate(
        PACKAGE, EvaluationRequest(observed={**observed, "cluster|nodes": ["n1", "m1"]})
    )
    assert evaluation.graph["web"].attributes["hosts"] == ["n1"]
    secrets = next(
        one for one in evaluation.wanted().resources if str(one.address) == "Secret/global-secrets"
    )
    assert isinstance(secrets.desired["manifest"], dict)
    assert evaluation.findings == ()
    names = {f"{one.address}.{one.name}" for one in evaluation.wanted().operations}
    assert names == {"cluster.nodes", "certificates.create"}


def test_without_the_nodes_the_message_says_how_to_ask_for_them() -> None:
    (finding,) = LANGUAGE.evaluate(PACKAGE, EvaluationRequest()).findings
    assert finding.hint is not None
    assert "sabir call PATH cluster.nodes" in finding.hint
