"""Certificates for a deployment without its own: an authority, and one certificate for all services.

They are created by `call`, stored encrypted with the observations of the deployment, and become part of
the configuration. Each call creates a new authority. Its key is not stored, so it cannot sign anything
else.
"""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sabir.errors import DeployError
from sabir.graph.values import Sensitive, Value, reveal_value
from sabir.resources.driver import Connection, DriverContext, Kind
from sabir.resources.effects import Effects
from sabir.resources.fields import Field, FieldType
from sabir.resources.outcome import CompletionStatus, FieldChange, Observation, Outcome, ResourceReading
from sabir.resources.resource import Resource
from sabir.resources.step import Task
from sabir.resources.target import Target

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.x509 import Certificate, CertificateBuilder


KIND: Final = "ccp-certificates"
_AUTHORITY: Final = "sabir ccp authority"
_BITS: Final = 2048
_DAYS: Final = 825
_FFDHE2048: Final = """\
-----BEGIN DH PARAMETERS-----
MIIBCAKCAQEA//////////+t+FRYortKmq/cViAnPTzx2LnFg84tNpWp4TZBFGQz
+8yTnc4kmz75fS/jY2MMddj2gbICrsRhetPfHtXV/WVhJDP1H18GbtCFY2VVPe0a
87VXE15/V8k1mE8McODmi3fipona8+/och3xWKE2rec1MKzKT0g6eXq8CrGCsyT7
YdEIqUuyyOP7uWrat2DX9GgdT0Kj3jlN9K5W7edjcrsZCwenyO4KbXCeAvzhzffi
7MA0BM0oNC9hkXL+nOmFg/+OTxIy7vKBg8P+OxtMb61zO7X8vC7CIAXFjvGDfRaD
ssbzSibBsu/6iGtCOGEoXJf//////////wIBAg==
-----END DH PARAMETERS-----
"""
"""The group that RFC 7919 gives for this size: known to be good, and not searched for minutes."""


def make_certificates(names: Sequence[str], now: datetime) -> dict[str, Value]:
    """Return PEM texts: `ca_cert`, `server_cert`, `server_key`, `dhparam`.

    `names` are domains, which may start with `*`, or addresses.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    authority_key, key = (rsa.generate_private_key(public_exponent=65537, key_size=_BITS) for _ in range(2))
    authority = _sign_certificate(
        _add_authority_extensions(_start_certificate(_AUTHORITY, authority_key, now)), authority_key
    )
    alternatives = x509.SubjectAlternativeName([_general_name(name) for name in names])
    builder = _start_certificate(names[0], key, now).add_extension(alternatives, critical=False)
    server = _sign_certificate(_add_server_extensions(builder, authority_key), authority_key)
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    return {
        "ca_cert": authority.public_bytes(pem).decode(),
        "server_cert": server.public_bytes(pem).decode(),
        "server_key": Sensitive(private.decode()),
        "dhparam": _FFDHE2048,
        "valid_until": server.not_valid_after_utc.date().isoformat(),
    }


def _general_name(name: str) -> Any:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _start_certificate(name: str, key: RSAPrivateKey, now: datetime) -> CertificateBuilder:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    subject, issuer = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])]) for text in (name, _AUTHORITY)
    )
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))  # clocks of nodes differ
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _add_authority_extensions(builder: CertificateBuilder) -> CertificateBuilder:
    from cryptography import x509

    return builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True).add_extension(
        _key_usage(signs=True), critical=True
    )


def _add_server_extensions(builder: CertificateBuilder, authority: RSAPrivateKey) -> CertificateBuilder:
    from cryptography import x509
    from cryptography.x509.oid import ExtendedKeyUsageOID

    uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key())
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(_key_usage(signs=False), critical=True)
    return builder.add_extension(x509.ExtendedKeyUsage(uses), critical=False).add_extension(
        issuer, critical=False
    )


def _key_usage(*, signs: bool) -> Any:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=not signs,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _sign_certificate(builder: CertificateBuilder, key: RSAPrivateKey) -> Certificate:
    from cryptography.hazmat.primitives.hashes import SHA256

    return builder.sign(key, SHA256())


class _Maker:
    """The session of the driver. It changes no target: what is created is returned as step output."""

    def __init__(self, context: DriverContext) -> None:
        self._context = context

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        del resource, target_id
        return ResourceReading(exists=True)

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        names = reveal_value(task.resource.desired.get("names"))
        if not isinstance(names, list | tuple) or not names:
            raise DeployError(f"{task.resource.address}: `names` must be a list of domains")
        results = make_certificates([str(name) for name in names], self._context.session.clock())
        effects.note(f"valid until {results['valid_until']}")
        return Outcome(results=results)

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        del task, effects
        return Outcome(changed=False)

    async def observe(self, task: Task) -> Observation:
        """Return that nothing exists: output that was not recorded was never used."""
        del task
        return Observation(sighting=CompletionStatus.NOT_DONE)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        del operation
        return await self.apply(task, effects)


class CertificatesDriver:
    name: Final = "ccp"
    kinds: Mapping[str, Kind] = {
        KIND: Kind(
            about="an authority, and a certificate for the services of a deployment",
            fields={"names": Field(about="domains and addresses", type=FieldType.LIST, required=True)},
            idempotent=True,
            runs=True,
            contained=True,
        )
    }

    def settings(self) -> Mapping[str, Field]:
        return {}

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        del resource, reading
        return ()

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        del target
        return _open_connection(context)


@asynccontextmanager
async def _open_connection(context: DriverContext) -> AsyncGenerator[Connection]:
    yield _Maker(context)


DRIVER: Final = CertificatesDriver()
