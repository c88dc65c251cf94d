"""Signatures as CMS (RFC 5652) has them: what was signed with which algorithms, by which certificates. Nothing is verified here.

`pyasn1` reads them because `cryptography` reads DER only, and well-known tools (Bouncy Castle, `openssl -stream`) write BER
of indefinite length. It limits nesting and identifiers, but takes some 20 µs for each element: hence the limit of length.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

from msgspec import Struct

from sabir.errors import SabirError

LARGEST: Final = 262_144
"""In bytes. A signature with the certificates of its signer takes a few thousand."""
_ARMOUR: Final = re.compile(
    rb"-----BEGIN (CMS|PKCS7|PKCS #7 SIGNED DATA)-----(.*?)-----END \1-----", re.DOTALL
)
_MESSAGE_DIGEST: Final = "1.2.840.113549.1.9.4"


class BrokenSignatureError(SabirError, ValueError):
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


class CmsSignature(Struct, frozen=True):
    signers: tuple[Signer, ...]
    certificates: tuple[bytes, ...]
    """Those that come with it, as DER."""
    content: bytes | None
    """What is signed, where it comes with it."""


class PssParameters(Struct, frozen=True):
    """Of RSASSA-PSS (RFC 4055); algorithms as object identifiers."""

    digest: str
    mask_digest: str
    salt_length: int


def decode_armor(data: bytes) -> bytes:
    """DER or BER out of the lines of PEM; as it is when it has none."""
    match = _ARMOUR.search(data)
    if match is None:
        return data
    try:
        return base64.b64decode(b"".join(match[2].split()), validate=True)
    except (binascii.Error, ValueError):
        raise BrokenSignatureError("its lines are not base64") from None


def read_signature(data: bytes) -> CmsSignature:
    with _reading():
        parts = _decode(decode_armor(data), _content_info())["content"]
        content = parts["encapContentInfo"]["eContent"]
        return CmsSignature(
            signers=tuple(_read_signer(signer) for signer in parts["signerInfos"]),
            certificates=tuple(map(bytes, parts["certificates"])),
            content=bytes(content) if content.hasValue() else None,
        )


def read_pss(parameters: bytes) -> PssParameters:
    from pyasn1_modules import rfc4055, rfc5280

    with _reading():
        parts = _decode(parameters, rfc4055.RSASSA_PSS_params())
        mask = _decode(bytes(parts["maskGenAlgorithm"]["parameters"]), rfc5280.AlgorithmIdentifier())
        digest, salt_length = parts["hashAlgorithm"]["algorithm"], parts["saltLength"]
        return PssParameters(str(digest), str(mask["algorithm"]), int(salt_length))


@contextmanager
def _reading() -> Generator[None]:
    """Bytes that are not CMS: fuzzing shows that `pyasn1` raises more than its own errors for them."""
    from pyasn1.error import PyAsn1Error

    try:
        yield
    except (PyAsn1Error, AttributeError, IndexError, RecursionError, TypeError) as error:
        raise BrokenSignatureError("it is no signed data of CMS") from error


def _decode(data: bytes, specification: Any) -> Any:
    from pyasn1.codec.ber.decoder import decode

    return decode(data, asn1Spec=specification)[0]


def _content_info() -> Any:
    """As in RFC 5652, but certificates stay the bytes that their issuers signed."""
    from pyasn1.type.namedtype import NamedType, NamedTypes, OptionalNamedType
    from pyasn1.type.tag import Tag, tagClassContext, tagFormatConstructed
    from pyasn1.type.univ import Any as Raw
    from pyasn1.type.univ import ObjectIdentifier, Sequence, SetOf
    from pyasn1_modules import rfc5652

    first, second = (Tag(tagClassContext, tagFormatConstructed, number) for number in (0, 1))
    signed_data = NamedTypes(
        NamedType("version", rfc5652.CMSVersion()),
        NamedType("digestAlgorithms", rfc5652.DigestAlgorithmIdentifiers()),
        NamedType("encapContentInfo", rfc5652.EncapsulatedContentInfo()),
        OptionalNamedType("certificates", SetOf(componentType=Raw()).subtype(implicitTag=first)),
        OptionalNamedType("crls", SetOf(componentType=Raw()).subtype(implicitTag=second)),
        NamedType("signerInfos", rfc5652.SignerInfos()),
    )
    content = Sequence(componentType=signed_data).subtype(explicitTag=first)
    return Sequence(
        componentType=NamedTypes(NamedType("contentType", ObjectIdentifier()), NamedType("content", content))
    )


def _read_signer(signer: Any) -> Signer:
    from pyasn1.codec.der.encoder import encode
    from pyasn1_modules import rfc5652

    by_key = signer["sid"].getName() == "subjectKeyIdentifier"
    named = signer["sid"].getComponent()
    algorithm = signer["signatureAlgorithm"]
    # Signed as the set that they are, not under the tag that they have here (RFC 5652, 5.4).
    attributes = rfc5652.SignedAttributes()
    attributes.extend(signer["signedAttrs"])
    is_signed = len(attributes) > 0
    return Signer(
        issuer=None if by_key else encode(named["issuer"]),
        serial=None if by_key else int(named["serialNumber"]),
        key_identifier=bytes(named) if by_key else None,
        digest=str(signer["digestAlgorithm"]["algorithm"]),
        algorithm=str(algorithm["algorithm"]),
        parameters=bytes(algorithm["parameters"]) if algorithm["parameters"].hasValue() else None,
        attributes=encode(attributes) if is_signed else None,
        content_digest=_content_digest(attributes) if is_signed else None,
        signature=bytes(signer["signature"]),
    )


def _content_digest(attributes: Any) -> bytes:
    from pyasn1.type.univ import OctetString

    for attribute in attributes:
        if str(attribute["attrType"]) == _MESSAGE_DIGEST and len(attribute["attrValues"]) > 0:
            return bytes(_decode(bytes(attribute["attrValues"][0]), OctetString()))
    raise BrokenSignatureError("its attributes have no digest of the content")
