"""Signatures as CMS (RFC 5652) has them: what was signed with which algorithms, by which certificates. Nothing is verified here."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from msgspec import Struct

from sabir.languages.tosca.syntax.ber import BrokenBer, Element, read_ber

__all__ = ["BrokenSignature", "Signature", "Signer", "armoured", "read_signature"]

_ARMOUR: Final = re.compile(
    rb"-----BEGIN (CMS|PKCS7|PKCS #7 SIGNED DATA)-----(.*?)-----END \1-----", re.DOTALL
)
_SIGNED_DATA: Final = "1.2.840.113549.1.7.2"
_MESSAGE_DIGEST: Final = "1.2.840.113549.1.9.4"
_SEQUENCE: Final = 0x30
_SET: Final = 0x31
_OCTETS: Final = 0x04
_FIRST: Final = 0xA0
_KEY_IDENTIFIER: Final = 0x80
_INTEGER: Final = 0x02


class BrokenSignature(ValueError):
    """Bytes that are no signature."""


class Signer(Struct, frozen=True, kw_only=True):
    issuer: bytes | None
    """The name of the issuer of its certificate, as DER; with the serial number it says which certificate."""
    serial: int | None
    key_identifier: bytes | None
    """Of its certificate, where it is named by that."""
    digest: str
    """The algorithm, as an object identifier."""
    algorithm: str
    parameters: bytes | None
    """Of the algorithm, as DER."""
    attributes: bytes | None
    """What the signature is of, as DER; None: of the content itself."""
    content_digest: bytes | None
    """The digest of the content, among the attributes."""
    signature: bytes


class Signature(Struct, frozen=True):
    signers: tuple[Signer, ...]
    certificates: tuple[bytes, ...]
    """Those that come with it, as DER."""
    content: bytes | None
    """What is signed, where it comes with it."""


def armoured(data: bytes) -> bytes:
    """DER or BER out of the lines of PEM; as it is when it has none."""
    match = _ARMOUR.search(data)
    if match is None:
        return data
    try:
        return base64.b64decode(b"".join(match[2].split()), validate=True)
    except (binascii.Error, ValueError):
        raise BrokenSignature("its lines are not base64") from None


def read_signature(data: bytes) -> Signature:
    try:
        return _signed_data(read_ber(armoured(data)))
    except BrokenBer as problem:
        raise BrokenSignature(str(problem)) from None


def _signed_data(outer: Element) -> Signature:
    if outer.tag != _SEQUENCE or outer.child(0).oid != _SIGNED_DATA:
        raise BrokenSignature("it is no signed data of CMS")
    parts = outer.child(1, _FIRST).child(0, _SEQUENCE)
    encapsulated = parts.child(2, _SEQUENCE)
    content = encapsulated.child(1, _FIRST).child(0).octets if len(encapsulated.children) > 1 else None
    certificates = next((part for part in parts.children[3:] if part.tag == _FIRST), None)
    return Signature(
        signers=tuple(_signer(element) for element in parts.child(len(parts.children) - 1, _SET).children),
        certificates=()
        if certificates is None
        else tuple(child.encoded for child in certificates.children if child.tag == _SEQUENCE),
        content=content,
    )


def _signer(element: Element) -> Signer:
    name = element.child(1)
    by_key = name.tag == _KEY_IDENTIFIER
    rest = element.children[3:]
    attributes = rest[0] if rest and rest[0].tag == _FIRST else None
    at = 3 if attributes is None else 4
    algorithm = element.child(at, _SEQUENCE)
    return Signer(
        issuer=None if by_key else name.child(0, _SEQUENCE).encoded,
        serial=None if by_key else int.from_bytes(name.child(1, _INTEGER).content, "big", signed=True),
        key_identifier=name.content if by_key else None,
        digest=element.child(2, _SEQUENCE).child(0).oid,
        algorithm=algorithm.child(0).oid,
        parameters=algorithm.children[1].encoded if len(algorithm.children) > 1 else None,
        # Signed as the set that they are, not under the tag that they have here (RFC 5652, 5.4).
        attributes=None if attributes is None else bytes([_SET]) + attributes.encoded[1:],
        content_digest=None if attributes is None else _content_digest(attributes),
        signature=element.child(at + 1, _OCTETS).octets,
    )


def _content_digest(attributes: Element) -> bytes:
    for attribute in attributes.children:
        if attribute.child(0).oid == _MESSAGE_DIGEST:
            return attribute.child(1, _SET).child(0, _OCTETS).octets
    raise BrokenSignature("its attributes have no digest of the content")
