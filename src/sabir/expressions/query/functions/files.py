"""file and tempfile: reading and writing, with the encodings of spec 004.

template: text or a file as an Ansible-flavoured Jinja2 template.
"""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sabir.diagnostics.reasons import explain_error
from sabir.expressions.query.access import (
    FILE_NOT_FOUND,
    RealPlace,
    base_directory,
    may_write,
    normalize_path,
    read_bytes,
    read_text,
    real_place,
    require_reachable,
    temporary_directory,
)
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.functions.call import FunctionCall
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.values import MISSING, External, is_sensitive, mark_sensitive, reveal_deep
from sabir.expressions.vault import VAULT
from sabir.source.yaml.write import pyyaml_text

_DATA_ENCODINGS: Final = frozenset({"binary", "vault", "json", "yaml"})
_BY_SUFFIX: Final = {".json": "json", ".yaml": "yaml", ".yml": "yaml", ".vault": "vault"}
_LARGEST: Final = 64 * 1024 * 1024


class _File(External):
    """A file as a value: by itself its path, with the keys path, encoding and contents."""

    __slots__ = ("_call", "_context", "_encoding", "_path", "_raw_contents", "_shown")

    def __init__(
        self,
        path: Path,
        shown: str,
        encoding: str | None,
        call: FunctionCall,
        context: QueryContext,
        *,
        as_text: bool,
    ) -> None:
        self._path = path
        self._shown = shown
        self._encoding = encoding
        self._call = call
        self._context = context
        self._raw_contents = as_text

    def get(self, key: str) -> Any:
        match key:
            case "path":
                return str(self._path)
            case "encoding":
                return self._encoding or "utf-8"
            case "contents":
                return self._contents()
            case _:
                return MISSING

    def result(self) -> Any:
        return self._shown

    def _contents(self) -> Any:
        raw = read_bytes(self._path, self._call, self._context)
        if raw is None:
            return None
        encoding = (
            None if self._raw_contents and self._encoding in ("json", "yaml", "vault") else self._encoding
        )
        return _decode_contents(raw, encoding, self._call, self._context, plain=self._raw_contents)


def access_file(call: FunctionCall, context: QueryContext) -> Any:
    written = call.text(context, "the path of file")
    base = base_directory(context)
    if "dir" in call.keywords:
        base = normalize_path(call.text(context, "dir of file", call.keywords["dir"]), base)
    path = require_reachable(normalize_path(written, base), call, context)
    encoding = _read_encoding(call, context)
    if "contents" in call.keywords:
        contents = call.value(context, call.keywords["contents"])
        chosen = encoding or ("vault" if _is_secret(path, context) else _BY_SUFFIX.get(path.suffix))
        raw = _encode_contents(contents, chosen, call, context)
        _write_file(real_place(may_write(path, call, context), context), raw, call, context)
    return _File(path, written, encoding, call, context, as_text=False)


def _is_secret(path: Path, context: QueryContext) -> bool:
    """Whether it lies in a folder of secrets, whose files are encrypted when they are written."""
    directory = context.session.project.directory
    return directory is not None and path.is_relative_to(directory / "secrets")


def write_tempfile(call: FunctionCall, context: QueryContext) -> Any:
    suffix = (
        ""
        if "suffix" not in call.keywords
        else call.text(context, "suffix of tempfile", call.keywords["suffix"])
    )
    encoding = _read_encoding(call, context) or _BY_SUFFIX.get(suffix)
    contents = call.value(context)
    raw = _encode_contents(contents, encoding, call, context)
    from tempfile import mkstemp

    handle, name = mkstemp(suffix=suffix.replace("/", "_"), dir=temporary_directory())
    with os.fdopen(handle, "wb") as out:
        out.write(raw)
    made = _File(Path(name), name, encoding, call, context, as_text=True)
    return mark_sensitive(made) if is_sensitive(contents) and encoding != "vault" else made


def _read_encoding(call: FunctionCall, context: QueryContext) -> str | None:
    encoding = reveal_deep(call.keyword(context, "encoding"))
    if encoding is None:
        return None
    if not isinstance(encoding, str) or not (encoding in _DATA_ENCODINGS or _is_codec(encoding)):
        call.fail(
            context,
            f"there is no encoding {encoding!r}",
            hint="use binary, vault, json, yaml or a text encoding as utf-8",
        )
    return encoding


def _is_codec(name: str) -> bool:
    try:
        return codecs.lookup(name)._is_text_encoding
    except (LookupError, ValueError):
        return False


def _encode_contents(contents: Any, encoding: str | None, call: FunctionCall, context: QueryContext) -> bytes:
    """Contents as bytes. JSON and YAML hold any value, text and null, too; else null is nothing and data is JSON."""
    value = reveal_deep(contents)
    if encoding == "vault":
        from sabir.expressions.vault import encrypt_vault

        inner = value if isinstance(value, str | bytes) else _dump_json(value)
        return encrypt_vault(
            inner.encode() if isinstance(inner, str) else inner, _vault_password(call, context)
        )
    if isinstance(value, bytes):
        return value
    if encoding == "json":
        return _dump_json(value).encode()
    if encoding == "yaml":
        return pyyaml_text(value, sort_keys=False).encode()
    if value is None:
        return b""
    text = value if isinstance(value, str) else _dump_json(value)
    try:
        return text.encode(encoding if encoding and encoding != "binary" else "utf-8")
    except UnicodeEncodeError as error:
        call.fail(context, f"the contents cannot be written as {encoding}: {error.reason}")


def _dump_json(value: Any) -> str:
    return json.dumps(value, indent=2, default=str)


def _decode_contents(
    raw: bytes, encoding: str | None, call: FunctionCall, context: QueryContext, *, plain: bool
) -> Any:
    from sabir.expressions.vault import decrypt_vault, is_vault

    if encoding == "binary":
        return raw
    if not plain and is_vault(raw):
        return mark_sensitive(_text_or_bytes(decrypt_vault(raw, _vault_password(call, context))))
    if encoding == "vault":
        call.fail(context, "the file is not vault encrypted", VAULT)
    if encoding in ("json", "yaml"):
        return _parse_data(raw, encoding, call, context)
    if encoding is None:
        return _text_or_bytes(raw)
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        call.fail(context, f"the file is not {encoding}: {error.reason} at byte {error.start}")


def _text_or_bytes(raw: bytes) -> str | bytes:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _parse_data(raw: bytes, encoding: str, call: FunctionCall, context: QueryContext) -> Any:
    from sabir.source.yaml import compose, plain_data
    from sabir.text import Source

    try:
        text = raw.decode("utf-8")
        if encoding == "json":
            return json.loads(text)
    except (ValueError, RecursionError) as error:
        call.fail(context, f"the file is not {encoding}: {explain_error(error)}")
    stream = compose(Source("<file>", text))
    if stream.broken:
        call.fail(context, f"the file is not yaml: {stream.findings[-1].message}")
    node = stream.documents[0] if stream.documents else None
    return None if node is None else plain_data(node)


def _vault_password(call: FunctionCall, context: QueryContext) -> str:
    password = context.session.project.vault_password
    if not password:
        call.fail(
            context,
            "a vault file needs the password of the project",
            VAULT,
            "set UNFURL_VAULT_DEFAULT_PASSWORD",
        )
    return password


def _write_file(place: RealPlace, raw: bytes, call: FunctionCall, context: QueryContext) -> None:
    if place.root is None:
        require_reachable(place.path, call, context)  # allowed, or it led elsewhere just now
        place.path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with os.fdopen(place.open(os.O_WRONLY | os.O_CREAT | os.O_TRUNC, make=True), "wb") as file:
            file.write(raw)
    except OSError as error:
        call.fail(
            context, f"{str(place.path)!r} cannot be written: {error.strerror or error}", FILE_NOT_FOUND
        )


FILE_FUNCTIONS: Final = table(
    Function("file", access_file, keywords=("dir", "encoding", "contents")),
    Function("tempfile", write_tempfile, keywords=("encoding", "suffix")),
)


def evaluate_template(call: FunctionCall, context: QueryContext) -> Any:
    from sabir.expressions.query.forms import is_template
    from sabir.expressions.template.ansible import render_template

    argument = call.argument
    if isinstance(argument, Mapping) and "path" in argument:
        path = call.text(context, "the path of a template", argument["path"])
        text: Any = read_text(path, call, context)
    else:
        # The text itself is the template: it must not be rendered as a value first.
        text = argument if isinstance(argument, str) else reveal_deep(call.value(context))
    if not isinstance(text, str):
        raise call.error(context, f"a template must be text or a map with 'path', not {type(text).__name__}")
    # Here a comment is one, also alone; text without tags is not read as a number or a list.
    return render_template(text, context) if is_template(text) or "{#" in text else text


TEMPLATE_FUNCTIONS: Final = table(
    Function("template", evaluate_template),
)

FUNCTIONS: Final[Mapping[str, Function]] = {**FILE_FUNCTIONS, **TEMPLATE_FUNCTIONS}
