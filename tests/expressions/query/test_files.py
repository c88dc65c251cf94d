"""What `file`, `tempfile` and `template` write and read, as Unfurl 1.2 does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sabir.expressions.query import EnsembleProject, QueryError, QuerySession, evaluate
from sabir.expressions.query.errors import BAD_ARGUMENTS
from sabir.session import Session as WorkSession
from sabir.session import Trust
from tests.expressions.query.plain import PlainResource


def _box(directory: Path) -> PlainResource:
    project = EnsembleProject(directory=directory, root=directory)
    work = WorkSession(trust=Trust(write_files=True))
    return PlainResource("box", {"a": 1}, session=QuerySession(project=project, work=work))


WRITTEN: list[tuple[str, dict[str, Any], str]] = [
    ("o.txt", {"contents": "x"}, "x"),
    ("o.txt", {"contents": None}, ""),
    ("o.txt", {"contents": {"a": 1}}, '{\n  "a": 1\n}'),
    # JSON and YAML hold any value: text is quoted, null is written.
    ("o.json", {"contents": "x"}, '"x"'),
    ("o.json", {"contents": None}, "null"),
    ("o.yaml", {"contents": "x"}, "x\n...\n"),
    ("o.yaml", {"contents": [1]}, "- 1\n"),
    ("o.txt", {"contents": "x", "encoding": "json"}, '"x"'),
    ("o.json", {"contents": "x", "encoding": "utf-8"}, "x"),
]


@pytest.mark.parametrize(("name", "keywords", "expected"), WRITTEN, ids=str)
def test_written(name: str, keywords: dict[str, Any], expected: str, tmp_path: Path) -> None:
    evaluate({"eval": {"file": name, **keywords}, "select": "path"}, _box(tmp_path))
    assert (tmp_path / name).read_text(encoding="utf-8") == expected


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({"tempfile": None}, ""),
        ({"tempfile": None, "suffix": ".json"}, "null"),
        ({"tempfile": "x", "suffix": ".json"}, '"x"'),
        ({"tempfile": "x", "suffix": ".txt"}, "x"),
        ({"tempfile": [1, 2], "encoding": "yaml"}, "- 1\n- 2\n"),
    ],
    ids=str,
)
def test_temporary(keywords: dict[str, Any], expected: str, tmp_path: Path) -> None:
    assert evaluate({"eval": keywords, "select": "contents"}, _box(tmp_path)).value == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ""), ('{"x": 1}', '{"x": 1}'), ("{{ [1, 2] }}", [1, 2]), ("5", "5")],
    ids=["empty", "no template", "template", "number"],
)
def test_a_file_without_tags_is_its_text(text: str, expected: Any, tmp_path: Path) -> None:
    (tmp_path / "t.j2").write_text(text, encoding="utf-8")
    assert evaluate({"eval": {"template": {"path": "t.j2"}}}, _box(tmp_path)).value == expected
    assert evaluate({"eval": {"template": text}}, _box(tmp_path)).value == expected


@pytest.mark.parametrize("wrong", [5, None, [1], {"paht": "x"}], ids=str)
def test_a_template_is_text(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(QueryError) as failed:
        evaluate({"eval": {"template": wrong}}, _box(tmp_path))
    assert failed.value.rule is BAD_ARGUMENTS
