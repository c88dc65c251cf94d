from __future__ import annotations

from pathlib import Path

import pytest

from sabir.checks.settings import find_settings, read_settings
from sabir.errors import UsageError


@pytest.mark.rows("V-143")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sabir.toml", 'select = ["E", "MPL:W"]\nstrict = true\nformat = "json"\njobs = 2\n'),
        ("pyproject.toml", '[tool.sabir]\nselect = "E,MPL:W"\nstrict = true\nformat = "json"\njobs = 2\n'),
        ("sabir.ini", "[sabir]\nselect = E, MPL:W\nstrict = yes\nformat = json\njobs = 2\n"),
        ("service.conf", "[DEFAULT]\nx = 1\n[sabir]\nselect=E,MPL:W\nstrict=true\nformat=json\njobs=2\n"),
    ],
)
def test_every_form_says_the_same(name: str, text: str, tmp_path: Path) -> None:
    from sabir.checks import CheckOptions

    (tmp_path / name).write_text(text)
    settings = read_settings(tmp_path / name)
    options = CheckOptions.of(settings.check)
    assert (options.select, options.strict) == (("E", "MPL:W"), True)
    assert (settings.format, settings.jobs) == ("json", 2)


def test_the_nearest_file_wins(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "sabir.toml").write_text('format = "outer"\nbaseline = "known.json"\n')
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "no word about us"\n')
    assert find_settings(inner).format == "outer"
    assert find_settings(inner).baseline == tmp_path / "known.json"
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.sabir]\nformat = "middle"\n')
    assert find_settings(inner).format == "middle"
    (inner / "sabir.toml").write_text('format = "inner"\n')
    assert find_settings(inner).format == "inner"
    assert find_settings(inner / "file.yaml").format == "inner"


def test_per_path_ignores(tmp_path: Path) -> None:
    (tmp_path / "sabir.toml").write_text('[per-path-ignores]\n"old/*" = ["W"]\n')
    (tmp_path / "sabir.ini").write_text("[sabir]\nper-path-ignores =\n  old/* = W\n  new/* = E,W\n")
    assert read_settings(tmp_path / "sabir.toml").check["per-path-ignores"] == {"old/*": ["W"]}
    assert [*read_settings(tmp_path / "sabir.ini").check["per-path-ignores"]] == ["old/*", "new/*"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("sabir.toml", "selct = []\n", "no setting 'selct': did you mean 'select'"),
        ("sabir.toml", "select = [\n", "not readable as TOML"),
        ("sabir.toml", "select = [1]\n", "select must be a list of texts"),
        ("sabir.toml", 'select = ["nonsense!"]\n', "'nonsense!' is no code"),
        ("sabir.toml", 'strict = "yes"\n', "strict must be true or false"),
        ("sabir.toml", 'jobs = "2"\n', "jobs must be a number"),
        ("sabir.toml", "format = 1\n", "format must be a text"),
        ("pyproject.toml", "[tool]\nsabir = 1\n", "must be a table"),
        ("sabir.ini", "select = E\n", "not readable as an ini file"),
        ("sabir.ini", "[sabir]\nstrict = perhaps\n", "strict must be true or false"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=message) as refusal:
        read_settings(tmp_path / name)
    assert name in str(refusal.value)
    assert "\n" not in str(refusal.value)
