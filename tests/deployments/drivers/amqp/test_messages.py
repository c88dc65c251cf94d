"""Plans as messages: texts, ids, signatures; answers as agents send them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as elliptic_key
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from sabir.deployments.drivers.amqp.messages import answer_of, plan_message
from sabir.errors import DeployError


def test_a_plan_with_an_id_is_known_by_it() -> None:
    message = plan_message({"ID": "p1", "Body": "é"}, "in", "out", id_="operation")
    assert (message.id, message.reply_to, dict(message.headers)) == ("p1", "out", {})
    assert json.loads(message.body) == {"ID": "p1", "Body": "é"}


def test_a_plan_without_is_known_by_the_operation() -> None:
    assert plan_message({}, "in", "out", id_="operation").id == "operation"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"SourceID": "p1", "Body": 1}', ("p1", {"SourceID": "p1", "Body": 1})),
        (b'{"IsException": false}', ("message", {"IsException": False})),
        (b"[1]", ("message", None)),
        (b"\xff no JSON", ("message", None)),
    ],
)
def test_answers(body: bytes, expected: tuple[str, object]) -> None:
    assert answer_of(body, "message") == expected


def _write(key: object, file: Path) -> str:
    data = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())  # type: ignore[attr-defined]  # any key
    file.write_bytes(data)
    return str(file)


def test_a_signature_is_for_one_queue(tmp_path: Path) -> None:
    key: RSAPrivateKey = generate_private_key(65537, 2048)
    message = plan_message({"Body": "x"}, "in", "out", id_="1", key=_write(key, tmp_path / "key"))
    public, signature = key.public_key(), message.headers["signature"]
    public.verify(signature, ("in" + message.body).encode(), PKCS1v15(), SHA256())
    with pytest.raises(InvalidSignature):
        public.verify(signature, ("other" + message.body).encode(), PKCS1v15(), SHA256())


def test_keys_that_cannot_sign(tmp_path: Path) -> None:
    with pytest.raises(DeployError, match=r"cannot read the key .*missing.*: No such file or directory"):
        plan_message({}, "in", "out", id_="1", key=str(tmp_path / "missing"))
    (tmp_path / "text").write_text("no key")
    with pytest.raises(DeployError, match="expected a private key in PEM format, without a passphrase"):
        plan_message({}, "in", "out", id_="1", key=str(tmp_path / "text"))
    with pytest.raises(DeployError, match="is no RSA key"):
        plan_message({}, "in", "out", id_="1", key=_write(elliptic_key(SECP256R1()), tmp_path / "key"))
