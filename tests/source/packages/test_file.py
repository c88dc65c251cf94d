"""What comes through a pipe."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sabir.errors import InputError
from sabir.source.packages import PackageLimits, load_package
from sabir.source.packages.file import STANDARD_INPUT, is_stream


def piped(content: bytes) -> Path:
    """A pipe as a shell opens it for `<(command)`."""
    reader, writer = os.pipe()
    os.write(writer, content)
    os.close(writer)
    return Path(f"/dev/fd/{reader}")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"entity Host:\nend\n", "<pipe>.cf"),
        (b"x = 1\nimport std\n", "<pipe>.cf"),
        (b"implement Host using std::none\n", "<pipe>.cf"),
        (b'  {"format": 1}', "<pipe>.json"),
        (b"Name: Foo\nentity: x\n", "<pipe>.yaml"),
        (b"", "<pipe>.yaml"),
    ],
)
def test_a_text_is_told_by_its_words(content: bytes, name: str) -> None:
    package = load_package(piped(content))
    assert package.list() == [name]
    assert package.single_file
    assert package.path is None
    assert package.name == name
    file = package.get_file(name)
    assert file is not None
    assert file.raw() == content


def test_too_much_is_refused() -> None:
    with pytest.raises(InputError, match="more than 4 bytes"):
        load_package(piped(b"12345"), PackageLimits(file=4))


def test_what_a_pipe_is(tmp_path: Path) -> None:
    assert is_stream(STANDARD_INPUT)
    os.mkfifo(tmp_path / "named")
    assert not is_stream(tmp_path / "named")  # it might never have a writer
    assert not is_stream(tmp_path)
    assert not is_stream(tmp_path / "nowhere")
    assert not is_stream(Path("a\0b"))
