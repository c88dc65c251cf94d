"""Signatures of archives, made by OpenSSL as makers of packages do (SOL004)."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sabir.checks.options import CheckOptions
from sabir.operations.check import check_paths
from sabir.session import Session
from tests.languages.tosca.check.rules.test_hashes import FILES, MANIFEST, META

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the signatures")

SCRIPT = "Scripts/create.sh"
MF = "Definitions/main.mf"
KEYS = {
    "rsa": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    "ec": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
}


class Maker:
    """Somebody with a key and a certificate, in a folder."""

    def __init__(self, folder: Path, name: str, kind: str = "ec", issuer: Maker | None = None) -> None:
        self.key, self.certificate = folder / f"{name}.key", folder / f"{name}.pem"
        run("openssl", "genpkey", *KEYS[kind], "-out", self.key)
        request = ["openssl", "req", "-new", "-key", self.key, "-subj", f"/O=Example/CN={name}"]
        if issuer is None:
            run(*request, "-x509", "-days", "30", "-out", self.certificate)
        else:
            run(*request, "-out", folder / "request")
            run(
                *("openssl", "x509", "-req", "-in", folder / "request", "-days", "30", "-CAcreateserial"),
                *("-CA", issuer.certificate, "-CAkey", issuer.key, "-out", self.certificate),
            )

    def sign(self, content: bytes, *options: str) -> bytes:
        command = ["openssl", "cms", "-sign", "-signer", str(self.certificate), "-inkey", str(self.key)]
        form = () if "-outform" in options else ("-outform", "PEM")
        return run(*command, *form, *options, content=content)


def run(*command: object, content: bytes | None = None) -> bytes:
    done = subprocess.run([str(word) for word in command], input=content, capture_output=True, check=True)
    return done.stdout


def archive(folder: Path, files: dict[str, str | bytes]) -> Path:
    path = folder / "vendor.csar"
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return path


def signed(maker: Maker, *options: str, manifest: str = MANIFEST) -> dict[str, str | bytes]:
    return {**FILES, MF: manifest.encode() + maker.sign(manifest.encode(), *options)}


def said(path: Path, session: Session | None = None) -> list[tuple[str, str]]:
    options = CheckOptions(extend_select=("TOSCA:W068",), session=session or Session())
    return [
        (finding.code, finding.message)
        for _, finding in check_paths([path], options).report.findings()
        if finding.code in ("TOSCA:W063", "TOSCA:W066", "TOSCA:E067", "TOSCA:W068")
    ]


def codes(path: Path) -> list[str]:
    return [code for code, _ in said(path)]


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize(
    "options",
    [
        ("-binary",),
        (),
        ("-binary", "-noattr"),
        ("-binary", "-nodetach"),
        ("-binary", "-nodetach", "-stream"),
        ("-binary", "-keyid"),
        ("-binary", "-md", "sha512"),
    ],
    ids=" ".join,
)
def test_a_signature_with_its_certificate(tmp_path: Path, kind: str, options: Sequence[str]) -> None:
    maker = Maker(tmp_path, "maker", kind)
    files = signed(maker, *options)
    path = archive(tmp_path, files)
    ((code, message),) = said(path)
    assert (code, message) == (
        "TOSCA:W068",
        "the signature of the manifest is good: signed by CN=maker,O=Example, by the certificate that came with it",
    )
    changed = bytes(files[MF]).replace(b"Example", b"example", 1)  # type: ignore[arg-type]  # bytes here
    assert codes(archive(tmp_path, {**files, MF: changed})) == ["TOSCA:E067"]


def test_rsa_with_pss(tmp_path: Path) -> None:
    maker = Maker(tmp_path, "maker", "rsa")
    files = signed(maker, "-binary", "-keyopt", "rsa_padding_mode:pss", "-keyopt", "rsa_pss_saltlen:32")
    assert codes(archive(tmp_path, files)) == ["TOSCA:W068"]


def test_the_certificate_in_the_archive(tmp_path: Path) -> None:
    maker = Maker(tmp_path, "maker")
    files = signed(maker, "-binary", "-nocerts")
    (finding,) = said(archive(tmp_path, files))
    assert finding == (
        "TOSCA:W066",
        "the signature of the manifest is not verified: there is no certificate to verify it with",
    )
    certificate = maker.certificate.read_bytes()
    assert codes(archive(tmp_path, {**files, "main.cert": certificate})) == ["TOSCA:W068"]
    meta: dict[str, str | bytes] = {
        META: FILES[META] + "ETSI-Entry-Certificate: Keys/maker.pem\n",
        "Keys/maker.pem": certificate,
    }
    assert codes(archive(tmp_path, {**files, **meta})) == ["TOSCA:W068"]
    other = Maker(tmp_path, "other").certificate.read_bytes()
    assert codes(archive(tmp_path, {**files, "main.cert": other})) == ["TOSCA:W066"]


def test_the_certificate_beside_the_archive_says_whose_it_is(tmp_path: Path) -> None:
    issuer = Maker(tmp_path, "issuer")
    maker = Maker(tmp_path, "maker", issuer=issuer)
    path = archive(tmp_path, signed(maker, "-binary"))
    beside = path.with_suffix(".cert")
    for certificate in (maker.certificate, issuer.certificate):
        shutil.copy(certificate, beside)
        assert said(path) == [
            ("TOSCA:W068", "the signature of the manifest is good: signed by CN=maker,O=Example")
        ]
    shutil.copy(Maker(tmp_path, "other").certificate, beside)
    ((code, message),) = said(path)
    assert code == "TOSCA:E067"
    assert "CN=maker,O=Example has signed it, whose certificate is not the one beside it" in message


def test_a_certificate_whose_time_is_over(tmp_path: Path) -> None:
    maker = Maker(tmp_path, "maker")
    later = Session(clock=lambda: datetime(2126, 1, 1, tzinfo=UTC))
    ((code, message),) = said(archive(tmp_path, signed(maker, "-binary")), later)
    assert code == "TOSCA:W066"
    assert "it fits, but the certificate of CN=maker,O=Example is for " in message


def test_files_with_signatures_of_their_own(tmp_path: Path) -> None:
    maker = Maker(tmp_path, "maker")
    content = FILES[SCRIPT].encode()
    manifest = (
        f"Source: {SCRIPT}\nAlgorithm: SHA-256\nHash: {hashlib.sha256(content).hexdigest()}\n"
        f"Signature: {SCRIPT}.sig\nCertificate: Keys/maker.pem\n"
    )
    files = {
        **signed(maker, "-binary", manifest=manifest),
        "Keys/maker.pem": maker.certificate.read_bytes(),
    }
    assert codes(archive(tmp_path, files)) == [
        "TOSCA:W063",
        "TOSCA:W063",
        "TOSCA:W068",
    ]  # and no signature of it
    files[f"{SCRIPT}.sig"] = maker.sign(content, "-binary", "-nocerts", "-outform", "DER")
    assert sorted(codes(archive(tmp_path, files))) == ["TOSCA:W063", "TOSCA:W068", "TOSCA:W068"]
    files[f"{SCRIPT}.sig"] = maker.sign(b"another", "-binary", "-nocerts", "-outform", "DER")
    assert "TOSCA:E067" in codes(archive(tmp_path, files))


def test_the_signature_of_the_whole_archive(tmp_path: Path) -> None:
    maker = Maker(tmp_path, "maker", "rsa")
    path = archive(tmp_path, dict(FILES))
    signature = path.with_suffix(".cms")
    signature.write_bytes(maker.sign(path.read_bytes(), "-binary"))
    assert codes(path) == ["TOSCA:W068"]
    signature.write_bytes(maker.sign(b"another archive", "-binary"))
    assert codes(path) == ["TOSCA:E067"]


@pytest.mark.parametrize(
    "block",
    [
        b"MIIB",
        b"no base64 at all!",
        b"",
        b"MAA=",
        b"MIAGCSqGSIb3DQEHAqCAMIA=",
        b"MP////////////////8=",
        b"MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw",
    ],
)
def test_signatures_that_are_none(tmp_path: Path, block: bytes) -> None:
    manifest = MANIFEST.encode() + b"-----BEGIN CMS-----\n" + block + b"\n-----END CMS-----\n"
    ((code, message),) = said(archive(tmp_path, {**FILES, MF: manifest}))
    assert code == "TOSCA:E067"
    assert "it cannot be read" in message


def tlv(tag: int, content: bytes) -> bytes:
    return bytes([tag, 0x84]) + len(content).to_bytes(4, "big") + content


SIGNED_DATA = tlv(0x06, b"*\x86H\x86\xf7\x0d\x01\x07\x02")
HOSTILE = {
    "an endless number in an identifier": tlv(0x30, tlv(0x06, b"\xff" * 190_000 + b"\x01")),
    "nested without end": b"\x30\x80" * 90_000,
    "algorithms without end": tlv(
        0x30,
        SIGNED_DATA + tlv(0xA0, tlv(0x30, b"\x02\x01\x01" + tlv(0x31, b"\x30\x04\x06\x02\x2a\x03" * 30_000))),
    ),
    "a text in pieces without end": tlv(
        0x30, SIGNED_DATA + tlv(0xA0, b"\x24\x80" + b"\x04\x00" * 90_000 + b"\x00\x00")
    ),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_signature_is_refused(tmp_path: Path, data: bytes) -> None:
    manifest = (
        MANIFEST.encode() + b"-----BEGIN CMS-----\n" + base64.encodebytes(data) + b"-----END CMS-----\n"
    )
    ((code, message),) = said(archive(tmp_path, {**FILES, MF: manifest}))
    assert code == "TOSCA:E067"
    assert "it cannot be read" in message


def test_a_signature_that_is_too_long(tmp_path: Path) -> None:
    manifest = MANIFEST.encode() + b"-----BEGIN CMS-----\n" + b"MAAA" * 100_000 + b"\n-----END CMS-----\n"
    ((code, message),) = said(archive(tmp_path, {**FILES, MF: manifest}))
    assert code == "TOSCA:W066"
    assert "is longer than 262144 bytes" in message


@pytest.mark.parametrize(
    ("parts", "codes"),
    [
        (("csar", "cms", "cert"), ["TOSCA:W068"]),
        (("csar", "cms"), ["TOSCA:W068"]),
        (("csar",), ["TOSCA:W063"]),
        (("other", "cms", "cert"), ["TOSCA:E067"]),
    ],
)
def test_an_archive_around_the_archive(parts: tuple[str, ...], codes: list[str], tmp_path: Path) -> None:
    """SOL004, option 2."""
    maker = Maker(tmp_path, "maker")
    inner = archive(tmp_path, {**FILES}).read_bytes()
    files = {
        "csar": ("vendor.csar", inner),
        "other": ("vendor.csar", archive(tmp_path, {**FILES, "more": "x"}).read_bytes()),
        "cms": ("vendor.cms", maker.sign(inner, "-binary")),
        "cert": ("vendor.cert", maker.certificate.read_bytes()),
    }
    folder = tmp_path / "outer"
    folder.mkdir()
    path = folder / "vendor.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for part in parts:
            packed.writestr(*files[part])
    options = CheckOptions(select=("TOSCA:W068", "TOSCA:W063", "TOSCA:E067"))
    assert [finding.code for _, finding in check_paths([path], options).report.findings()] == codes
