from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.errors import UsageError
from sabir.server.store.files import EnvironmentFiles


@pytest.fixture
def files(tmp_path: Path) -> EnvironmentFiles:
    (tmp_path / "files").mkdir()
    return EnvironmentFiles(tmp_path / "files")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/",
        ".",
        "..",
        "/etc/x",
        "a/../../x",
        "a\\..\\..\\x",
        "c:x",
        "a\0b",
        ".sabir/x",
        "./.sabir",
        "a\nb",
        "x" * 256,
    ],
)
def test_names_that_are_refused(files: EnvironmentFiles, name: str) -> None:
    with pytest.raises(UsageError):
        files.put({name: b"x"})
    assert files.all() == []


@given(name=st.text(min_size=1, max_size=40))
def test_nothing_leaves_the_folder(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    root = tmp_path_factory.mktemp("root")
    files = EnvironmentFiles(root / "files")
    with contextlib.suppress(UsageError):
        files.put({name: b"x"})
    assert [path for path in root.iterdir() if path.name != "files"] == []


def test_a_file_and_a_folder_of_one_name(files: EnvironmentFiles) -> None:
    files.put({"a": b"x"})
    with pytest.raises(UsageError, match="'a' is a file, and no folder"):
        files.put({"a/b": b"x"})
    files.put({"c/d": b"x"})
    with pytest.raises(UsageError, match="'c' is a folder"):
        files.put({"c": b"x"})


def test_links_are_not_followed_out(files: EnvironmentFiles, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (files.folder / "link").symlink_to(tmp_path / "secret")
    assert files.read("link") is None


def test_empty_folders_go_with_their_last_file(files: EnvironmentFiles) -> None:
    files.put({"a/b/c": b"x", "a/d": b"y"})
    assert files.remove("a/b/c")
    assert not (files.folder / "a/b").exists()
    assert [file.path for file in files.all()] == ["a/d"]
