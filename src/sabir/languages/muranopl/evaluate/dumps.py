"""Environments of the original engine, read from its database, dumps of it, or responses of its client.

    a SQLite file                     the database itself
    SQL text                          output of mysqldump or pg_dump (INSERT statements)
    JSON or YAML                      rows of the table `environment`, a response of `environment-show`, or a stored model

The column `description` holds the object model (`Objects`) and the attributes that code set (`Attributes`),
among them the names of stacks.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.errors import InputError
from sabir.languages.muranopl.evaluate.positions import read_placed
from sabir.lazy import lazy_pattern
from sabir.source.packages import PackageLimits
from sabir.source.packages.file_access import read_named_file
from sabir.source.packages.limits import PackageReadError
from sabir.source.yaml import compose
from sabir.text import Source

_LIMITS: Final = PackageLimits(file=1_000_000_000)
_SQLITE: Final = b"SQLite format 3\0"
_TABLE: Final = "environment"
_STACK_NAME: Final = "generatedStackName"
_ENVIRONMENT: Final = "io.murano.Environment"
_REGION: Final = "io.murano.CloudRegion"
_STACK: Final = "murano-"


class DumpedEnvironment(Struct, frozen=True, kw_only=True):
    """One environment of a dump: its identity, its object model and the attributes of its objects."""

    id: str
    name: str
    objects: Mapping[str, Any]
    attributes: tuple[Any, ...] = ()

    @property
    def storage(self) -> dict[str, Any]:
        """The environment in the form that the state of a deployment stores."""
        return {"Objects": dict(self.objects), "Attributes": list(self.attributes)}

    @property
    def stack_names(self) -> tuple[str, ...]:
        """The names of the stacks of regions, which code generated and stored as attributes."""
        names = [entry[3] for entry in self.attributes if len(entry) == 4 and entry[2] == _STACK_NAME]
        return tuple(dict.fromkeys(f"{_STACK}{name}" for name in names if name))

    def with_stack(self, name: str) -> DumpedEnvironment:
        """Return the environment with a stack that its dump does not contain, as an attribute of its region."""
        generated = name.removeprefix(_STACK)
        region, dash, _ = generated.rpartition("-")
        if not name.startswith(_STACK) or not dash:
            raise InputError(f"{name!r} is no stack of Murano: those are called {_STACK}REGION-LETTERS")
        id_ = f"{self.id}-{region or 'region'}"
        made = {"?": {"id": id_, "type": _REGION}, "name": region}
        objects = {**self.objects, "region": region, "regions": {region: made}}
        return replace(self, objects=objects, attributes=((id_, _REGION, _STACK_NAME, generated),))


def read_dump(path: Path) -> tuple[DumpedEnvironment, ...]:
    """Return all environments of a dump; raise an input error if there are none."""
    try:
        data = read_named_file(path, _LIMITS)
    except PackageReadError as error:
        raise InputError(f"the dump {str(path)!r} {error}") from error
    if data.startswith(_SQLITE):
        environments = [*_from_sqlite(path)]
    else:
        text = data.decode("utf-8", "replace")
        rows = _sql_rows(text) if _insert().search(text) else _data_rows(Source(str(path), text))
        environments = [environment for row in rows if (environment := _read_environment(row)) is not None]
    if not environments:
        raise InputError(
            f"there is no environment of Murano in {str(path)!r}: a dump has rows of the table environment, an answer of "
            "environment-show, or a model with Objects"
        )
    return tuple(environments)


def _read_environment(row: Any) -> DumpedEnvironment | None:
    """Read one row, response or model."""
    if not isinstance(row, Mapping):
        return None
    kept = row.get("description")
    if isinstance(kept, str):
        kept = _parse_json(kept)
    kept = kept if isinstance(kept, Mapping) and "Objects" in kept else row
    objects = kept.get("Objects")
    if objects is None and "?" in row:
        objects = row
    if objects is None and "services" in row:
        objects = _of_answer(row)
    if not isinstance(objects, Mapping) or not isinstance(objects.get("?"), Mapping):
        return None
    id_ = str(objects["?"].get("id") or row.get("id"))
    name = str(row.get("name") or objects.get("name") or id_)
    return DumpedEnvironment(
        id=id_, name=name, objects=dict(objects), attributes=tuple(kept.get("Attributes") or ())
    )


def _of_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model of an `environment-show` response, which calls applications services."""
    return {
        "?": {"id": str(answer.get("id")), "type": _ENVIRONMENT},
        "name": answer.get("name"),
        "applications": answer["services"],
    }


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _from_sqlite(path: Path) -> Iterator[DumpedEnvironment]:
    try:
        with closing(sqlite3.connect(f"file:{path.absolute()}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            rows = [dict(row) for row in database.execute(f"select * from {_TABLE}")]
    except sqlite3.Error as error:
        raise InputError(f"{str(path)!r} is no database with a table {_TABLE} that can be read") from error
    yield from (environment for row in rows if (environment := _read_environment(row)) is not None)


def _data_rows(source: Source) -> Iterator[Any]:
    stream = compose(source)
    for document in stream.documents:
        if document is not None:
            data, _ = read_placed(source, document)
            rows = data.get("environments", data) if isinstance(data, Mapping) else data
            yield from rows if isinstance(rows, list) else [rows]


# -- SQL ----------------------------------------------------------------------------------------------------------------


# The possessive `+` prevents backtracking, so that a dump with many unterminated strings takes linear time.
_insert: Final = lazy_pattern(
    rf"INSERT INTO\s++(?:\w++\.)?[`\"]?{_TABLE}[`\"]?\s*+(\([^()]*+\))?\s*+VALUES\s*+", re.IGNORECASE
)


def _sql_rows(text: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table; without column names the columns are recognized by their values."""
    end = 0
    while (insert := _insert().search(text, end)) is not None:
        end = insert.end()
        names = [name.strip(' `"') for name in (insert[1] or "").strip("()").split(",") if name.strip()]
        for values, end in _parse_tuples(text, insert.end()):  # noqa: B007  # the next search begins behind the last of them
            if names and len(names) == len(values):
                yield dict(zip(names, values, strict=True))
            else:
                kept = [value for value in values if isinstance(value, str) and '"Objects"' in value]
                yield {"description": kept[0] if kept else None}


def _parse_tuples(text: str, start: int) -> Iterator[tuple[list[Any], int]]:
    """Yield the tuples after VALUES and the end of each, up to the first text that is not a tuple."""
    values: list[Any] | None = None
    for token in _token().finditer(text, start):
        word = token[0]
        if word == "(":
            values = []
        elif values is None:
            if word != ",":
                return
        elif word == ")":
            yield values, token.end()
            values = None
        elif word.startswith("'"):
            values.append(_unquote_sql(word))
        elif word not in ",":
            values.append(None if word.upper() == "NULL" else word)
    if values is not None:  # truncated: nothing follows it
        yield values, len(text)


_token: Final = lazy_pattern(r"'(?:[^'\\]++|\\.|'')*+'?|[(),;]|[^\s(),;']++", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}


def _unquote_sql(word: str) -> str:
    """Decode a SQL string: MySQL escapes with backslashes, PostgreSQL only doubles quotes."""
    inner = word[1:-1].replace("''", "'")
    if _parse_json(inner) is not None:
        return inner
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), inner, flags=re.DOTALL)
