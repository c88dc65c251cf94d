"""The vault file format of Ansible (1.1 and 1.2, AES256): our own reader and writer.

    $ANSIBLE_VAULT;1.1;AES256
    hex(hex(salt) \\n hex(hmac) \\n hex(ciphertext)), in lines of 80

Keys come from PBKDF2-SHA256 (10,000 rounds, 80 bytes: cipher key, HMAC key, counter); the cipher is AES in counter mode over
PKCS#7-padded text; the HMAC is over the ciphertext.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from binascii import Error as HexError
from binascii import hexlify, unhexlify
from typing import Final

from sabir.expressions.query.errors import QueryError, expression_rule

VAULT: Final = expression_rule(
    "EXPR:E018",
    title="a vault file that cannot be read or written",
    why=(
        "There is no password, the password is not the right one, or the file is not vault encrypted. "
        "The password comes from UNFURL_VAULT_DEFAULT_PASSWORD."
    ),
    trust=("write-files",),
)

HEADER: Final = b"$ANSIBLE_VAULT;"
_ROUNDS: Final = 10_000
_BLOCK: Final = 16
_WIDTH: Final = 80


def is_vault(raw: bytes) -> bool:
    return raw.startswith(HEADER)


def encrypt_vault(plain: bytes, password: str) -> bytes:
    """A vault file with these contents."""
    salt = os.urandom(32)
    cipher_key, mac_key, counter = _derive_keys(password, salt)
    fill = _BLOCK - len(plain) % _BLOCK
    secret = _apply_aes(plain + bytes([fill]) * fill, cipher_key, counter)
    mac = hmac.new(mac_key, secret, hashlib.sha256).digest()
    body = hexlify(b"\n".join(map(hexlify, (salt, mac, secret))))
    lines = [body[at : at + _WIDTH] for at in range(0, len(body), _WIDTH)]
    return b"\n".join([HEADER + b"1.1;AES256", *lines, b""])


def decrypt_vault(raw: bytes, password: str) -> bytes:
    """The contents of a vault file; QueryError of kind VAULT when it is broken or the password is wrong."""
    head, _, body = raw.partition(b"\n")
    parts = head.rstrip(b"\r").split(b";")
    if len(parts) < 3 or parts[0] != HEADER[:-1] or parts[1] not in (b"1.1", b"1.2"):
        raise QueryError.of(VAULT, "not a vault file of version 1.1 or 1.2")
    if parts[2] != b"AES256":
        raise QueryError.of(VAULT, f"vault cipher {parts[2].decode(errors='replace')!r} is not known")
    try:
        salt, mac, secret = map(unhexlify, unhexlify(b"".join(body.split())).split(b"\n"))
    except (HexError, ValueError) as error:
        raise QueryError.of(VAULT, "the vault file is damaged") from error
    cipher_key, mac_key, counter = _derive_keys(password, salt)
    if not hmac.compare_digest(mac, hmac.new(mac_key, secret, hashlib.sha256).digest()):
        raise QueryError.of(VAULT, "the vault file cannot be opened", hint="is the password right?")
    plain = _apply_aes(secret, cipher_key, counter)
    return plain[: -plain[-1]] if plain else plain


def _derive_keys(password: str, salt: bytes) -> tuple[bytes, bytes, bytes]:
    derived = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ROUNDS, 80)
    return derived[:32], derived[32:64], derived[64:]


def _apply_aes(data: bytes, key: bytes, counter: bytes) -> bytes:
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as error:
        raise QueryError.of(
            VAULT,
            "vault files need the package cryptography",
            hint="install it: pip install 'sabir[vault]'",
        ) from error
    cipher = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()
    return cipher.update(data) + cipher.finalize()
