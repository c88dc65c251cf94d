"""Environments of the existing engine in the forms that they are left in."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sabir.errors import InputError
from sabir.languages.muranopl.evaluate.dumps import read_dump

OBJECTS: dict[str, Any] = {
    "?": {"id": "e1", "type": "io.murano.Environment"},
    "name": 'it\'s "quoted"',
    "applications": [{"?": {"id": "a1", "type": "demo.App"}, "text": "a\\b\n"}],
}
ATTRIBUTES = [["r1", "io.murano.CloudRegion", "generatedStackName", "murano-x"]]
KEPT = json.dumps({"Objects": OBJECTS, "Attributes": ATTRIBUTES, "SystemData": {}})
ROW = {"id": "e1", "name": "production", "tenant_id": "t", "description": KEPT}


def _mysql(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"').replace("\n", "\\n")
    return f"'{escaped}'"


def _postgresql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


DUMPS = {
    "a row": json.dumps(ROW),
    "rows": json.dumps([{"id": "x", "description": "none"}, ROW]),
    "rows of a list": json.dumps({"environments": [ROW]}),
    "as the engine keeps it": KEPT,
    "in YAML": f"Objects: {json.dumps(OBJECTS)}\nAttributes: {json.dumps(ATTRIBUTES)}\n",
    "mysqldump": "-- MySQL dump\nINSERT INTO `environment` VALUES ('2017-01-01 00:00:00',NULL,'e1','production','t',0,"
    + _mysql(KEPT)
    + ",NULL),('2017',NULL,'e2','other','t',0,NULL,NULL);\nINSERT INTO `session` VALUES (1);\n",
    "pg_dump": "INSERT INTO public.environment (id, name, version, description) VALUES ('e1', 'production', 0, "
    + _postgresql(KEPT)
    + ");\n",
}


@pytest.mark.parametrize("form", DUMPS)
def test_forms_of_dumps(form: str, tmp_path: Path) -> None:
    file = tmp_path / "dump"
    file.write_text(DUMPS[form])
    (environment,) = read_dump(file)
    assert environment.id == "e1"
    assert environment.storage == {"Objects": OBJECTS, "Attributes": ATTRIBUTES}


def test_a_database(tmp_path: Path) -> None:
    file = tmp_path / "murano.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.execute("create table environment (id text, name text, description text)")
        database.execute("insert into environment values (?, ?, ?)", ("e1", "production", KEPT))
        database.commit()
    (environment,) = read_dump(file)
    assert (environment.name, environment.attributes[0][3]) == ("production", "murano-x")


def test_an_answer_of_the_client(tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    services = [{"?": {"id": "a1", "type": "demo.App"}}]
    file.write_text(json.dumps({"id": "e1", "name": "production", "status": "ready", "services": services}))
    (environment,) = read_dump(file)
    assert environment.objects["applications"] == services
    assert environment.objects["?"] == {"id": "e1", "type": "io.murano.Environment"}


@pytest.mark.parametrize(
    "text", ["", "{}", "just words", "INSERT INTO environment VALUES (1, 'x');", "[1, 2"]
)
def test_what_is_no_dump(text: str, tmp_path: Path) -> None:
    file = tmp_path / "dump"
    file.write_text(text)
    with pytest.raises(InputError, match="there is no environment of Murano"):
        read_dump(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_dump(tmp_path / "missing")
