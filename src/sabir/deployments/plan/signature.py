"""Plans that are signed by whoever agreed to them: Ed25519, with keys as OpenSSL or ssh-keygen write them.

A checksum tells that a plan was changed; a signature tells, too, who it comes from. What is signed is everything in the
document but its checksum and the signature itself.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sabir.deployments.plan.document import told
from sabir.errors import UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = ["is_signed_by", "signature"]


def signature(document: Mapping[str, Any], key: bytes) -> str:
    """The signature of a plan's document by a private key; `UsageError` when the key is none."""
    return b64encode(_private(key).sign(told(document))).decode("ascii")


def is_signed_by(document: Mapping[str, Any], key: bytes) -> bool:
    """Whether a document carries a signature of a public key."""
    from cryptography.exceptions import InvalidSignature

    public = _public(key)
    try:
        public.verify(b64decode(str(document.get("signature", "")), validate=True), told(document))
    except (InvalidSignature, ValueError):
        return False
    return True


def _private(data: bytes) -> Ed25519PrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    is_ssh = b"OPENSSH PRIVATE KEY" in data
    load = serialization.load_ssh_private_key if is_ssh else serialization.load_pem_private_key
    try:
        key = load(data, password=None)
    except TypeError as error:
        raise UsageError(
            "the key is locked with a passphrase, and nobody is asked for one: unlock a copy"
        ) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UsageError("this is no private key: `openssl genpkey -algorithm ed25519` makes one") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError("plans are signed with Ed25519: `openssl genpkey -algorithm ed25519` makes a key")
    return key


def _public(data: bytes) -> Ed25519PublicKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    is_ssh = data.lstrip().startswith(b"ssh-")
    load = serialization.load_ssh_public_key if is_ssh else serialization.load_pem_public_key
    try:
        key = load(data.strip())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UsageError(
            "this is no public key: `openssl pkey -in KEY -pubout` writes that of a private one"
        ) from error
    if not isinstance(key, Ed25519PublicKey):
        raise UsageError("plans are signed with Ed25519, and this key is of another sort")
    return key
