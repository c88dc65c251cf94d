"""Words become values, or one line that says why not."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.cli.words.declare import HELP, VERSION
from sabir.cli.words.read import read_words, run_command
from sabir.errors import WrongWords
from tests.cli.words.toy import TOY

NOTHING = {
    "thing": "x",
    "others": (),
    "color": "red",
    "times": None,
    "scale": None,
    "labels": (),
    "output": None,
    "rules": (),
    "code": None,
    "quiet": False,
    "verbose": False,
}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x", {}),
        ("x y z", {"others": ("y", "z")}),
        ("--color blue x", {"color": "blue"}),
        ("x --color=blue", {"color": "blue"}),
        ("x -c blue", {"color": "blue"}),
        ("x -cblue", {"color": "blue"}),
        ("-qc blue x", {"color": "blue", "quiet": True}),
        ("-qvcblue x", {"color": "blue", "quiet": True, "verbose": True}),
        ("x --color blue --color green", {"color": "green"}),
        ("x --label a=1 y --label=b=2", {"labels": ("a=1", "b=2"), "others": ("y",)}),
        ("x --label=", {"labels": ("",)}),
        ("x --label -q", {"labels": ("-q",)}),
        ("x -- -q --color", {"others": ("-q", "--color")}),
        ("x -", {"others": ("-",)}),
        ("x -n 3 --scale 0.5", {"times": 3, "scale": 0.5}),
        ("x -o a/b --rules r", {"output": Path("a/b"), "rules": ("r",)}),
    ],
)
def test_forms(line: str, expected: dict[str, Any]) -> None:
    assert read_words(TOY, line.split(" ")) == {**NOTHING, **expected}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "THING is missing: toy draw [OPTIONS] THING [OTHER]…"),
        ("x --colour blue", "no such option '--colour': did you mean '--color'?"),
        ("x --colour=blue", "no such option '--colour': did you mean '--color'?"),
        ("x --zzz", "no such option '--zzz': toy draw --help lists them"),
        ("x -qx", "no such option '-qx': did you mean '-q'?"),
        ("x -z", "no such option '-z': toy draw --help lists them"),
        ("x --color", "--color needs a value: --color red|green|blue"),
        ("x -c", "-c needs a value: -c red|green|blue"),
        ("x --quiet=yes", "--quiet takes no value"),
        ("x -c bleu", "-c: 'bleu' is not one of red, green, blue: did you mean 'blue'?"),
        ("x --color x", "--color: 'x' is not one of red, green, blue"),
        ("x -n 0", "-n: '0' is not a whole number of at least 1"),
        ("x -n 1.5", "-n: '1.5' is not a whole number of at least 1"),
        ("x --scale 0", "--scale: '0' is not a number above 0"),
        ("x --scale nan", "--scale: 'nan' is not a number above 0"),
    ],
)
def test_what_is_wrong(line: str, message: str) -> None:
    with pytest.raises(WrongWords) as caught:
        read_words(TOY, line.split())
    assert (caught.value.command, str(caught.value)) == ("toy draw", message)


def test_help_and_version_win_over_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert read_words(TOY, ["-q", "--help"]) is HELP
    assert read_words(TOY, ["-qh"]) is HELP
    assert read_words(TOY, ["--version"]) is VERSION
    assert run_command(TOY, ["--version"]) == 0
    assert capsys.readouterr().out == "draw 1.2\n"
    assert run_command(TOY, ["x"]) == len(NOTHING)


WORDS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        [name for one in TOY.all_options() for name in one.names]
        + ["--", "-", "=", "-q=", "--color=", "-n1", "red"]
    ),
)


@given(st.lists(WORDS, max_size=8))
def test_any_words_are_read_or_refused(words: list[str]) -> None:
    with suppress(WrongWords):
        assert read_words(TOY, words)


@given(st.text(), st.text())
def test_both_forms_of_a_value_are_one(thing: str, value: str) -> None:
    assert read_words(TOY, [f"--code={value}", "--", thing]) == read_words(
        TOY, ["--code", value, "--", thing]
    )
