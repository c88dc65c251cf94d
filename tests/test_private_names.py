"""Names of libraries that are not public, and the versions that have them: a new version is looked at before it is used."""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
from importlib.metadata import version

from sabir.expressions.patterns.syntax import parse_pattern
from sabir.graph.address import digest_bytes


def test_the_parser_of_regular_expressions() -> None:
    """`sabir.expressions.patterns` reads `re._parser`, last looked at with Python 3.14."""
    assert (3, 11) <= sys.version_info[:2] <= (3, 14)
    tree, flags = parse_pattern("(?i)a(b|c)*?(?P<n>d)", 0)
    assert [str(operation) for operation, _ in tree] == ["LITERAL", "MIN_REPEAT", "SUBPATTERN"]
    assert flags & re.IGNORECASE


def test_the_hash_without_openssl() -> None:
    """`sabir.graph.address` takes `_blake2` because `hashlib` loads OpenSSL; it does with `hashlib` where there is none."""
    assert digest_bytes(b"x", 16) == hashlib.blake2b(b"x", digest_size=16).hexdigest()


def test_the_language_server() -> None:
    """`sabir.lsp.transport` refuses a request with `_send_response` of pygls 2."""
    from pygls.protocol import JsonRPCProtocol

    assert version("pygls").split(".")[0] == "2"
    parameters = inspect.signature(JsonRPCProtocol._send_response).parameters
    assert [*parameters] == ["self", "msg_id", "result", "error"]


def test_the_client_of_brokers() -> None:
    """`sabir.deployments.drivers.amqp.broker` wraps the transports of aiormq 7."""
    from aiormq.connection import Connection, TCPTransportFactory, TLSTransportFactory

    assert version("aiormq").split(".")[0] == "7"
    assert "transport_factory" in inspect.signature(Connection.__init__).parameters
    for factory in (TCPTransportFactory, TLSTransportFactory):
        assert inspect.iscoroutinefunction(factory.create)


def test_undefined_values_of_templates() -> None:
    """`_fail_with_undefined_error` is how the documentation of Jinja2 3 has it raise."""
    from jinja2 import Undefined

    assert version("jinja2").split(".")[0] == "3"
    assert callable(Undefined._fail_with_undefined_error)
