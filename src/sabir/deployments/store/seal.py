"""Sensitive values at rest: sealed with a key that is kept elsewhere, and opened when they are needed.

The key comes from the environment variable SABIR_KEY, or from a file. Several keys may be there, the newest first: it seals,
all of them open, and `rotate` seals everything anew. The file beside a SQLite state is made, readable for its owner alone, when
the first secret has to be kept.

Values of resources as JSON texts for the store, with their secrets sealed, and back.
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
from sabir.source.packages.limits import ReadProblem
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
    """Seals and opens; the key is read when the first secret comes by."""

    def __init__(self, *, key: str | None = None, file: Path | None = None, may_create: bool = False) -> None:
        """`key` wins over `file`; with `may_create` a file that is not there is made."""
        self._key = key
        self._file = file
        self._may_create = may_create
        self._fernet: MultiFernet | None = None
        self._read: str | None = None
        """What the file contained when it was read or created."""

    def seal(self, value: Value) -> Value:
        """The value with the text of each secret in it sealed; it can be written anywhere."""
        return map_secrets(value, self._encrypt_value)

    def open(self, value: Value) -> Value:
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
        return self._keys(create=True).encrypt(data)

    def open_bytes(self, data: Any) -> bytes:
        from cryptography.fernet import InvalidToken

        if not isinstance(data, bytes | memoryview):
            raise_damaged("what is sealed", "bytes are wanted here")
        try:
            return self._keys(create=False).decrypt(bytes(data))
        except InvalidToken:
            raise DeployError(_WRONG_KEY) from None

    def digest(self, data: bytes) -> str:
        """A name for data that tells nobody without the key what is in it."""
        from hashlib import blake2b

        newest = self._texts(create=True).split()[0].encode("ascii")
        return blake2b(data, digest_size=16, key=newest[:64]).hexdigest()

    def rotate(self, value: Value) -> Value:
        """Opened with any key, sealed with the newest."""
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
        except ReadProblem as error:
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
    """The value with what is inside each mark changed; itself when there is no mark in it."""
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
    """The same value gives the same text, as long as it holds no secret: texts can be compared without reading them."""

    def __init__(self, sealer: Sealer) -> None:
        self.sealer = sealer
        self._encode = msgspec.json.Encoder(order="sorted").encode

    def write(self, fields: Mapping[str, Value]) -> str:
        if _PLAIN_TYPES.issuperset(map(type, fields.values())):
            data: object = fields
        else:
            data = {
                name: encode_value(self.sealer.seal(value), reveal=True) for name, value in fields.items()
            }
        return self._encode(data).decode("utf-8")

    def read(self, text: str, subject: str = "values") -> dict[str, Value]:
        """The values; `subject` is what people call them, should they turn out to be damaged."""
        data: dict[str, Any] = decode_column(text, dict[str, Any], subject)
        if not has_words(text.encode("utf-8")):
            return data
        try:
            return {name: self.sealer.open(decode_value(value)) for name, value in data.items()}
        except ValueError as error:
            raise_damaged(subject, explain_error(error))
