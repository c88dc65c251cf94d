"""Encryption of sensitive values in the store, and the codec that writes values as JSON text.

The key comes from the environment variable SABIR_KEY or from a file. There may be several keys, newest first:
the first one encrypts, all of them decrypt, and `rotate` encrypts everything again. The key file next to a
SQLite state is created, readable by its owner only, when the first secret has to be stored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from sabir.deployments.store.row_checks import decode_column, raise_damaged
from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError
from sabir.graph.json.values import decode_value, encode_value, has_words
from sabir.graph.values import Ref, Sensitive, Unknown, Value
from sabir.source.packages.file import read_input
from sabir.source.packages.limits import PackageReadError
from sabir.source.private import make_private_directory, open_private, tighten

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


KEY_VARIABLE: Final = "SABIR_KEY"
_PLAIN: Final = frozenset({str, int, bool, float, type(None), bytes})
_MARK: Final = "sealed:"
_WRONG_KEY: Final = (
    f"the key does not open the secrets of the state: give the right one in {KEY_VARIABLE} or with --key-file"
)


class Sealer:
    """Encrypts and decrypts secrets; the key is read when the first one is met."""

    def __init__(self, *, key: str | None = None, file: Path | None = None, may_create: bool = False) -> None:
        """`key` outweighs `file`; with `may_create` a missing file is created."""
        self._key = key
        self._file = file
        self._may_create = may_create
        self._fernet: MultiFernet | None = None
        self._read: str | None = None
        """The content of the key file when it was read or created."""

    def seal(self, value: Value) -> Value:
        """Return the value with each secret in it encrypted; the result can be written anywhere."""
        return map_secrets(value, self._encrypt_value)

    def open(self, value: Value) -> Value:
        """Return the value with each secret in it decrypted. Raises `DeployError` for a wrong key."""
        return map_secrets(value, self._decrypt_value)

    def _encrypt_value(self, secret: Value) -> Value:
        import msgspec

        from sabir.graph.json.values import encode_value

        data = msgspec.json.encode(encode_value(secret, reveal=True))
        return _MARK + self._keys(create=True).encrypt(data).decode("ascii")

    def _decrypt_value(self, secret: Value) -> Value:
        import msgspec
        from cryptography.fernet import InvalidToken

        from sabir.graph.json.values import decode_value

        if not isinstance(secret, str) or not secret.startswith(_MARK):
            return secret
        try:
            data = self._keys(create=False).decrypt(secret.removeprefix(_MARK).encode("ascii"))
        except InvalidToken:
            raise DeployError(_WRONG_KEY) from None
        return decode_value(msgspec.json.decode(data))

    def seal_bytes(self, data: bytes) -> bytes:
        """Encrypt data as a whole."""
        return self._keys(create=True).encrypt(data)

    def open_bytes(self, data: Any) -> bytes:
        """Decrypt the result of `seal_bytes`. Raises `DeployError` for a wrong key."""
        from cryptography.fernet import InvalidToken

        if not isinstance(data, bytes | memoryview):
            raise_damaged("what is sealed", "bytes are wanted here")
        try:
            return self._keys(create=False).decrypt(bytes(data))
        except InvalidToken:
            raise DeployError(_WRONG_KEY) from None

    def digest(self, data: bytes) -> str:
        """Return a keyed digest of data: without the key it tells nothing about the content."""
        from hashlib import blake2b

        newest = self._texts(create=True).split()[0].encode("ascii")
        return blake2b(data, digest_size=16, key=newest[:64]).hexdigest()

    def rotate(self, value: Value) -> Value:
        """Return the value decrypted with any key and encrypted with the newest."""
        return self.seal(self.open(value))

    def _keys(self, *, create: bool) -> MultiFernet:
        if self._fernet is None:
            from cryptography.fernet import Fernet, MultiFernet

            texts = self._texts(create=create).split()
            try:
                self._fernet = MultiFernet([Fernet(text) for text in texts])
            except ValueError:
                raise DeployError(
                    "the key for secrets is no key: make one with "
                    '`python -c "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"`'
                ) from None
        return self._fernet

    def _texts(self, *, create: bool) -> str:
        if self._key is not None:
            return self._key
        if self._file is None:
            raise DeployError(
                f"there are secrets to keep and no key to seal them with: set {KEY_VARIABLE} or give --key-file"
            )
        if not self._file.exists():
            if not (create and self._may_create):
                raise DeployError(
                    f"the state holds secrets, and their key {str(self._file)!r} is not there: "
                    f"give it in {KEY_VARIABLE} or with --key-file"
                )
            return self._create_key(self._file)
        try:
            if self._may_create:
                tighten(self._file)
            self._read = read_input(self._file).decode("ascii")
        except PackageReadError as error:
            raise DeployError(f"the key {str(self._file)!r} {error}") from None
        except UnicodeDecodeError:
            raise DeployError(f"{str(self._file)!r} is no key: it is no text") from None
        return self._read

    def restore_file(self) -> None:
        """Write the key file again if it was deleted: a state without its key cannot be read."""
        if self._may_create and self._file is not None and self._read is not None:
            with suppress(FileExistsError):
                _write_key(self._file, self._read)

    def _create_key(self, file: Path) -> str:
        from cryptography.fernet import Fernet

        text = self._read = Fernet.generate_key().decode("ascii") + "\n"
        _write_key(file, text)
        return text


def _write_key(file: Path, text: str) -> None:
    make_private_directory(file.parent)
    handle = open_private(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(handle, "w", encoding="ascii") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())


def map_secrets(value: Value, change: Any) -> Value:
    """Return the value with `change` applied inside each `Sensitive`; the value itself if there is none."""
    if type(value) in _PLAIN:
        return value
    match value:
        case Sensitive():
            return Sensitive(change(value.value))
        case Mapping():
            return {key: map_secrets(item, change) for key, item in value.items()}
        case Ref() | Unknown():
            return value
        case Sequence() if not isinstance(value, str | bytes):
            return [map_secrets(item, change) for item in value]
        case _:
            return value


_PLAIN_TYPES = frozenset({str, bool, type(None)})


class Codec:
    """Values as JSON text. The same value gives the same text unless it holds a secret, so texts can be
    compared."""

    def __init__(self, sealer: Sealer) -> None:
        self.sealer = sealer
        self._encode = msgspec.json.Encoder(order="sorted").encode

    def write(self, fields: Mapping[str, Value]) -> str:
        """Return the text of a mapping of values, with their secrets encrypted."""
        # Strings, booleans and null are their own JSON; anything else goes through `encode_value`.
        if _PLAIN_TYPES.issuperset(map(type, fields.values())):
            data: object = fields
        else:
            data = {
                name: encode_value(self.sealer.seal(value), reveal=True) for name, value in fields.items()
            }
        return self._encode(data).decode("utf-8")

    def read(self, text: str, subject: str = "values") -> dict[str, Value]:
        """Parse a text of `write`. `subject` names it in the error about a damaged state."""
        data: dict[str, Any] = decode_column(text, dict[str, Any], subject)
        if not has_words(text.encode("utf-8")):
            return data
        try:
            return {name: self.sealer.open(decode_value(value)) for name, value in data.items()}
        except ValueError as error:
            raise_damaged(subject, explain_error(error))
