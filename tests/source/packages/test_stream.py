"""What comes through a pipe."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from sabir.errors import UnusableInput
from sabir.source.packages import PackageLimits, load_package
from sabir.source.packages.stream import STANDARD_INPUT, is_stream


def piped(folder: Path, content: bytes) -> Path:
    """A pipe with a name; somebody writes to it as soon as it is read."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with suppress(BrokenPipeError):  # a reader may have had enough
            pipe.write_bytes(content)

    threading.Thread(target=write, daemon=True).start()
    return pipe


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
def test_a_text_is_told_by_its_words(tmp_path: Path, content: bytes, name: str) -> None:
    package = load_package(piped(tmp_path, content))
    assert package.list() == [name]
    assert package.single_file
    assert package.path is None
    assert package.name == name
    file = package.get_file(name)
    assert file is not None
    assert file.raw() == content


def test_too_much_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="more than 4 bytes"):
        load_package(piped(tmp_path, b"12345"), PackageLimits(file=4))


def test_what_a_pipe_is(tmp_path: Path) -> None:
    assert is_stream(STANDARD_INPUT)
    assert not is_stream(tmp_path)
    assert not is_stream(tmp_path / "nowhere")
    assert not is_stream(Path("a\0b"))
