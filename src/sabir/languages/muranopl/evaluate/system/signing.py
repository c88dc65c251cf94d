"""Signatures of plans: an agent that was given the public key takes no plan without one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

__all__ = ["public_key"]


def _private_key(path: str) -> RSAPrivateKey | None:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    file = Path(path).expanduser()
    if not file.exists():
        return None
    key = load_pem_private_key(file.read_bytes(), password=None)
    return key if isinstance(key, RSAPrivateKey) else None


def public_key(path: str) -> str:
    """The public half as PEM, with an end of line after every line; empty when there is no such key."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    key = _private_key(path)
    if key is None:
        return ""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.PKCS1).decode("ascii")
