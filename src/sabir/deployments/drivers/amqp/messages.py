"""What goes to agents and comes back: JSON texts with a few properties."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.deployments.drivers.responses import InvalidResponseError, decode_json
from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey


_SIGNATURE: Final = "signature"


class Message(Struct, frozen=True, kw_only=True):
    """A plan on its way to the queue of an agent."""

    queue: str
    reply_to: str
    id: str
    body: str
    headers: Mapping[str, bytes]


def plan_message(
    plan: Mapping[str, Any], queue: str, reply_to: str, *, id_: str, key: str | None = None
) -> Message:
    """`id_` tells the answer from others, unless the plan has an id of its own; with a key the plan is signed."""
    body = json.dumps(plan)
    headers = {} if key is None else {_SIGNATURE: _sign_body(key, queue, body)}
    return Message(queue=queue, reply_to=reply_to, id=str(plan.get("ID") or id_), body=body, headers=headers)


def answer_of(body: bytes, message_id: str | None) -> tuple[str | None, dict[str, Any] | None]:
    """The id of the plan that is answered, and the answer; nothing for what is no answer.

    Agents send JSON as plain text. Those of the first format name the plan by the id of the message only.
    """
    try:
        answer = decode_json(body)
    except InvalidResponseError:
        return message_id, None
    if not isinstance(answer, dict):
        return message_id, None
    source = answer.get("SourceID")
    return source if isinstance(source, str) and source else message_id, answer


def _sign_body(path: str, queue: str, body: str) -> bytes:
    """Over the name of the queue and the text, so that nobody sends a plan on to another machine."""
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    return _private_key(path).sign((queue + body).encode(), PKCS1v15(), SHA256())


def _private_key(path: str) -> RSAPrivateKey:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(Path(path).expanduser().read_bytes(), password=None)
    except OSError as error:
        raise DeployError(f"cannot read the key {path!r} that signs plans: {explain_error(error)}") from error
    except (ValueError, TypeError) as error:
        raise DeployError(
            f"the key {path!r} that signs plans: expected a private key in PEM format, without a passphrase"
        ) from error
    if not isinstance(key, RSAPrivateKey):
        raise DeployError(f"the key {path!r} that signs plans is no RSA key")
    return key
