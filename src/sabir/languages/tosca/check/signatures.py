"""Verification of CMS signatures: whether a signature matches its content, and who signed it.

A certificate inside an archive proves that the archive is unchanged since it was signed. It does not prove
who signed it: for that, the certificate or the one of its issuer must come from elsewhere (`anchors`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import Enum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from sabir.diagnostics.reasons import explain_error
from sabir.languages.tosca.syntax.signatures import (
    LARGEST,
    BrokenSignatureError,
    CmsSignature,
    Signer,
    read_pss,
    read_signature,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.padding import PSS
    from cryptography.hazmat.primitives.hashes import HashAlgorithm
    from cryptography.x509 import Certificate


_DIGESTS: Final = {
    "2.16.840.1.101.3.4.2.4": "sha224",
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}
# Digests that the signature algorithm implies; the other algorithms name the digest in a separate field.
_WITH_DIGEST: Final = {
    "1.2.840.113549.1.1.14": "sha224",
    "1.2.840.113549.1.1.11": "sha256",
    "1.2.840.113549.1.1.12": "sha384",
    "1.2.840.113549.1.1.13": "sha512",
    "1.2.840.10045.4.3.1": "sha224",
    "1.2.840.10045.4.3.2": "sha256",
    "1.2.840.10045.4.3.3": "sha384",
    "1.2.840.10045.4.3.4": "sha512",
}
_PSS: Final = "1.2.840.113549.1.1.10"
_LONGEST_CHAIN: Final = 8

Outcome = Enum("Outcome", ["GOOD", "BAD", "UNKNOWN"])


class Verdict(Struct, frozen=True):
    """The result of a verification: good, bad or unknown, with the signer or the reason."""

    outcome: Outcome
    reason: str
    """Why the signature is bad or unknown; the signer if it is good."""


class _UnverifiableError(Exception):
    """Something needed for the verification is missing: neither good nor bad."""


class _InvalidSignatureError(Exception):
    """The signature does not match."""


def load_certificates(data: bytes) -> list[Certificate]:
    """Return the certificates in a PEM or DER file; an empty list if it has none."""
    from cryptography import x509

    try:
        if b"-----BEGIN" in data:
            return x509.load_pem_x509_certificates(data)
        return [x509.load_der_x509_certificate(data)]
    except ValueError:
        return []


def verify_signature(
    data: bytes,
    contents: Sequence[bytes],
    *,
    certificates: Iterable[bytes] = (),
    anchors: Iterable[bytes] = (),
    now: datetime,
) -> Verdict:
    """Verify a signature of any of these contents.

    The contents are the forms that the same text can have with different line endings. Certificates and
    anchors are the bytes of certificate files.
    """
    for library in ("cryptography", "pyasn1_modules"):
        if find_spec(library) is None:
            return Verdict(
                Outcome.UNKNOWN, f"the library '{library}' is not installed: install 'sabir[vault]'"
            )
    if len(data) > LARGEST:
        return Verdict(Outcome.UNKNOWN, f"it is longer than {LARGEST} bytes")
    try:
        signature = read_signature(data)
        trusted = [certificate for file in anchors for certificate in load_certificates(file)]
        pool = [
            *(certificate for file in certificates for certificate in load_certificates(file)),
            *(certificate for der in signature.certificates for certificate in load_certificates(der)),
        ]
        return Verdict(Outcome.GOOD, _verify_all_signers(signature, contents, pool, trusted, now))
    except BrokenSignatureError as problem:
        return Verdict(Outcome.BAD, f"it cannot be read: {problem}")
    except _InvalidSignatureError as problem:
        return Verdict(Outcome.BAD, str(problem))
    except _UnverifiableError as problem:
        return Verdict(Outcome.UNKNOWN, str(problem))


def _verify_all_signers(
    signature: CmsSignature,
    contents: Sequence[bytes],
    pool: list[Certificate],
    trusted: list[Certificate],
    now: datetime,
) -> str:
    if not signature.signers:
        raise _InvalidSignatureError("nobody has signed it")
    if signature.content is not None and signature.content not in contents:
        raise _InvalidSignatureError("it is the signature of another text")
    names: list[str] = []
    for signer in signature.signers:
        certificate = _find_certificate(signer, [*trusted, *pool])
        _verify_signer(signer, contents, certificate)
        subject = certificate.subject.rfc4514_string()
        if trusted and not _leads_to(certificate, pool, trusted):
            raise _InvalidSignatureError(
                f"{subject} has signed it, whose certificate is not the one beside it, nor issued by that"
            )
        first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        if not first <= now <= last:
            raise _UnverifiableError(
                f"it fits, but the certificate of {subject} is for {first:%Y-%m-%d} to {last:%Y-%m-%d}"
            )
        names.append(subject)
    origin = "" if trusted else ", by the certificate that came with it"
    return f"signed by {' and '.join(names)}{origin}"


def _find_certificate(signer: Signer, pool: list[Certificate]) -> Certificate:
    for certificate in pool:
        if signer.key_identifier is not None:
            if _key_identifier(certificate) == signer.key_identifier:
                return certificate
        elif (certificate.issuer.public_bytes(), certificate.serial_number) == (signer.issuer, signer.serial):
            return certificate
    if pool:
        raise _UnverifiableError("none of the certificates is the signer's")
    raise _UnverifiableError("there is no certificate to verify it with")


def _key_identifier(certificate: Certificate) -> bytes | None:
    from cryptography.x509 import ExtensionNotFound, SubjectKeyIdentifier

    try:
        return certificate.extensions.get_extension_for_class(SubjectKeyIdentifier).value.digest
    except (ExtensionNotFound, ValueError):
        return None


def _verify_signer(signer: Signer, contents: Sequence[bytes], certificate: Certificate) -> None:
    digest = _DIGESTS.get(signer.digest)
    if digest is None:
        raise _UnverifiableError(
            f"its digest {signer.digest} is none of SHA-224, SHA-256, SHA-384 and SHA-512"
        )
    if signer.attributes is not None:
        digests = [hashlib.new(digest, content).digest() for content in contents]
        if signer.content_digest not in digests:
            raise _InvalidSignatureError("what it was made of has been changed since")
        contents = (signer.attributes,)
    if not any(_is_valid_signature(signer, content, certificate, digest) for content in contents):
        raise _InvalidSignatureError(
            "it does not fit the key of the certificate, or what it was made of has been changed since"
        )


def _is_valid_signature(signer: Signer, content: bytes, certificate: Certificate, digest: str) -> bool:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa

    try:
        key = certificate.public_key()
        algorithm = _hash_algorithm(_WITH_DIGEST.get(signer.algorithm, digest))
        if isinstance(key, rsa.RSAPublicKey) and signer.algorithm == _PSS:
            scheme, algorithm = _read_pss_scheme(signer.parameters)
            key.verify(signer.signature, content, scheme, algorithm)
        elif isinstance(key, rsa.RSAPublicKey):
            key.verify(signer.signature, content, padding.PKCS1v15(), algorithm)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signer.signature, content, ec.ECDSA(algorithm))
        elif isinstance(key, (ed25519.Ed25519PublicKey, ed448.Ed448PublicKey)):
            key.verify(signer.signature, content)
        else:
            raise _UnverifiableError(f"keys of this kind are not supported ({signer.algorithm})")
    except InvalidSignature:
        return False
    except (UnsupportedAlgorithm, OverflowError, ValueError) as problem:
        raise _UnverifiableError(
            f"the key of the certificate cannot be used: {explain_error(problem)}"
        ) from None
    return True


def _hash_algorithm(name: str) -> HashAlgorithm:
    from cryptography.hazmat.primitives import hashes

    algorithm: HashAlgorithm = getattr(hashes, name.upper())()
    return algorithm


def _read_pss_scheme(parameters: bytes | None) -> tuple[PSS, HashAlgorithm]:
    """Read the padding and hash from RSASSA-PSS-params (RFC 4055).

    The defaults there use SHA-1 and are not accepted.
    """
    from cryptography.hazmat.primitives.asymmetric import padding

    read = None if parameters is None else read_pss(parameters)
    if read is None or read.digest not in _DIGESTS or read.mask_digest not in _DIGESTS:
        raise _UnverifiableError("its digest is none of SHA-224, SHA-256, SHA-384 and SHA-512")
    mask = padding.MGF1(_hash_algorithm(_DIGESTS[read.mask_digest]))
    return padding.PSS(mask, read.salt_length), _hash_algorithm(_DIGESTS[read.digest])


def _leads_to(certificate: Certificate, pool: list[Certificate], trusted: list[Certificate]) -> bool:
    """Return whether a certificate is trusted or was issued by a trusted one.

    Intermediate certificates count if they are allowed to issue certificates.
    """
    for _ in range(_LONGEST_CHAIN):
        if certificate in trusted or any(_is_issued_by(certificate, anchor) for anchor in trusted):
            return True
        issuer = next(
            (
                other
                for other in pool
                if other != certificate and _may_issue(other) and _is_issued_by(certificate, other)
            ),
            None,
        )
        if issuer is None:
            return False
        certificate = issuer
    return False


def _is_issued_by(certificate: Certificate, issuer: Certificate) -> bool:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm

    try:
        certificate.verify_directly_issued_by(issuer)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError, TypeError):
        return False
    return True


def _may_issue(certificate: Certificate) -> bool:
    from cryptography.x509 import BasicConstraints, ExtensionNotFound

    try:
        return certificate.extensions.get_extension_for_class(BasicConstraints).value.ca
    except (ExtensionNotFound, ValueError):
        return False
