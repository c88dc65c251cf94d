"""Paths of the past, and what a change means."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.errors import InputError, UsageError
from sabir.operations.review import ReviewRequest, review_path
from sabir.operations.revisions import at_revision, open_path
from tests.support.files import write_files

MODEL = "entity Host:\n    string name\n    int size = 1\nend\nimplement Host using std::none\n"
NEW = "Host(name='new')\n"


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run(["git", *who, "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit; since then a value changed, a package came and one went."""
    root = write_files(
        tmp_path / "repo",
        {
            "a/main.cf": f"{MODEL}Host(name='web', size=2)\n",
            "same/main.cf": f"{MODEL}Host(name='x')\n",
            "gone/main.cf": f"{MODEL}Host(name='old')\n",
            ".gitattributes": "a export-ignore\n",
        },
    )
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    write_files(root, {"a/main.cf": f"{MODEL}Host(name='web', size=3)\n", "new/main.cf": MODEL + NEW})
    (root / "gone/main.cf").unlink()
    (root / "gone").rmdir()
    return root


def test_a_path_as_it_was(repository: Path) -> None:
    with at_revision(repository / "gone", "HEAD") as place:
        assert "name='old'" in (place / "main.cf").read_text()
        assert (place.parent / "a").is_dir()
    assert not place.exists()


def test_a_whole_repository_keeps_its_name(repository: Path) -> None:
    """Packages may be called after their folder."""
    with at_revision(repository, "HEAD") as place:
        assert place.resolve().name == "repo"
    assert not place.exists()
    status = subprocess.run(["git", "-C", str(repository), "status", "-s"], capture_output=True, check=True)
    assert b"?? new/" in status.stdout


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("git:", "write it as git:REVISION"),
        ("git:nowhere", "no revision 'nowhere'"),
        ("git:--help", "no revision '--help'"),
        ("git:HEAD:new", "there is no 'new' in the revision 'HEAD'"),
    ],
)
def test_what_was_never_there(
    path: str, message: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    with pytest.raises(UsageError, match=message), open_path(Path(path), Path()):
        pass


def test_outside_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(InputError, match="not a git repository"), at_revision(tmp_path, "HEAD"):
        pass


def test_a_review_of_every_package(repository: Path) -> None:
    review = review_path(ReviewRequest(path=repository, since="HEAD"))
    assert [package.path for package in review.packages] == ["a", "gone", "new", "same"]
    assert [package.path for package in review.changed] == ["a", "gone", "new"]
    changed, gone, new, _ = (package.difference.diff for package in review.packages)
    assert [change.name for entity in changed.changed for change in entity.changes] == ["size"]
    assert (len(gone.removed), len(new.added)) == (8, 8)  # those of `std` with them


def test_errors_are_not_taken_for_changes(repository: Path) -> None:
    write_files(repository, {"a/main.cf": "x = = 1\n"})
    (package,) = review_path(ReviewRequest(path=repository / "a", since="HEAD")).packages
    assert package.failed
    assert not package.difference.diff


def test_errors_of_packages_that_were_not_touched_are_not_of_the_change(repository: Path) -> None:
    write_files(repository, {"same/main.cf": "x = = 1\n"})
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "broken")
    write_files(repository, {"a/main.cf": f"{MODEL}Host(name='web', size=4)\n"})
    review = review_path(ReviewRequest(path=repository, since="HEAD"))
    assert [package.path for package in review.packages if package.failed] == []
    assert [package.path for package in review.changed] == ["a"]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["diff", "git:HEAD", "a"], "    size: 2 → 3\n"),
        (["diff", "git:HEAD:a", "a", "--format", "markdown"], "    - `size`: `2` → `3` — `main.cf:6`\n"),
        (["diff", "git:HEAD:gone", "git:HEAD:same"], "- old (Host)\n+ x (Host)\n"),
        (["impact", "--since", "HEAD"], "3 of 4 packages mean something else than in HEAD\n"),
        (["impact", "a", "--since", "HEAD"], "1 package has changed since HEAD\n"),
        (["impact", "--since", "HEAD", "--format", "markdown"], "| `a` | 0 | 0 | 1 |\n"),
        (["impact", "--since", "HEAD", "--exclude", "new", "--format", "json"], '"path": "gone"'),
    ],
)
def test_commands(
    words: list[str],
    shown: str,
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(repository)
    assert main(words) == 0
    assert shown in capsys.readouterr().out


def test_a_revision_alone_is_compared_with_now(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository / "a")
    assert main(["diff", "git:HEAD"]) == 0
    assert "size: 2 → 3" in capsys.readouterr().out
