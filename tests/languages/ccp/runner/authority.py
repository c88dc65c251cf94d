"""Certificates for tests: an authority, and what it signs."""

from __future__ import annotations

import datetime
import ipaddress
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

__all__ = ["Authority", "Pair"]


class Pair(NamedTuple):
    """PEM texts."""

    certificate: str
    key: str


class Authority:
    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = _builder("authority", self._key).issuer_name(_name("authority")).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        ).sign(self._key, hashes.SHA256())  # fmt: skip

    @property
    def certificate(self) -> str:
        return self._certificate.public_bytes(serialization.Encoding.PEM).decode()

    def pair(self, name: str, *addresses: str) -> Pair:
        """A certificate for a name and addresses, good for servers and clients."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName(name), *(x509.IPAddress(ipaddress.ip_address(one)) for one in addresses)]
        certificate = _builder(name, key).issuer_name(_name("authority")).add_extension(
            x509.SubjectAlternativeName(names), critical=False
        ).sign(self._key, hashes.SHA256())  # fmt: skip
        text = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
        return Pair(certificate.public_bytes(serialization.Encoding.PEM).decode(), text.decode())


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _builder(common: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_name(common))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
    )
