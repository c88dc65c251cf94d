"""Words become values, or one line that says why not; the help says all of it and fits the terminal."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.cli import main, mpl_check
from sabir.cli.boundary import invoke_command
from sabir.cli.declare import HelpCommand
from sabir.cli.refusals import usage_message
from tests.cli.drawing import draw, seen

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


def values_of(*words: str) -> dict[str, Any]:
    assert invoke_command(draw, "toy draw", [*words]) == len(NOTHING)
    return seen.pop()


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
        ("x -o a/b --rules r/", {"output": Path("a/b"), "rules": ("r/",)}),
    ],
)
def test_forms(line: str, expected: dict[str, Any]) -> None:
    assert values_of(*line.split(" ")) == {**NOTHING, **expected}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "THING is missing: toy draw [OPTIONS] THING [OTHER]…"),
        ("x --colour blue", "no such option '--colour': did you mean '--color'?"),
        ("x --colour=blue", "no such option '--colour': did you mean '--color'?"),
        ("x --zzz", "no such option '--zzz': toy draw --help lists them"),
        ("x -qx", "no such option '-x': toy draw --help lists them"),
        ("x --color", "--color needs a value: --color red|green|blue"),
        ("x -c", "-c needs a value: -c red|green|blue"),
        ("x --label", "--label needs a value: --label NAME=VALUE"),
        ("x --quiet=yes", "--quiet takes no value"),
        ("x -c bleu", "--color: 'bleu' is not one of red, green, blue: did you mean 'blue'?"),
        ("x --color x", "--color: 'x' is not one of red, green, blue"),
        ("x -n 0", "--times: '0' is not a whole number of at least 1"),
        ("x -n 1.5", "--times: '1.5' is not a whole number of at least 1"),
        ("x --scale 0", "--scale: '0' is not a number above 0"),
        ("x --scale nan", "--scale: 'nan' is not a number above 0"),
    ],
)
def test_refusals(line: str, message: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        invoke_command(draw, "toy draw", line.split())
    assert caught.value.ctx is not None
    assert (caught.value.ctx.command_path, usage_message(caught.value)) == ("toy draw", message)


def test_words_that_nothing_takes() -> None:
    with pytest.raises(click.UsageError) as caught:
        invoke_command(main.command, "sabir", ["completion", "bash", "zsh"])
    assert usage_message(caught.value) == "'zsh' is a word too many: sabir completion [OPTIONS] bash|zsh|fish"


@pytest.mark.parametrize("words", [["--help"], ["-q", "-h"], ["-qh"], ["--version"]])
def test_help_and_version_win_over_what_is_missing(words: list[str]) -> None:
    assert invoke_command(draw, "toy draw", words) == 0


WORDS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        [name for option in draw.params for name in option.opts]
        + ["--", "-", "=", "-q=", "--color=", "-n1", "red"]
    ),
)


@given(st.lists(WORDS, max_size=8))
def test_any_words_are_read_or_refused(words: list[str]) -> None:
    with suppress(click.UsageError):
        assert invoke_command(draw, "toy draw", words) >= 0


@given(st.text(), st.text())
def test_both_forms_of_a_value_are_one(thing: str, value: str) -> None:
    assert values_of(f"--code={value}", "--", thing) == values_of("--code", value, "--", thing)


HELP = """\
Usage: toy draw [OPTIONS] THING [OTHER]…

  Draw a thing.

  Second paragraph, which is long enough that it does not fit on a line of
  eighty columns.

Examples:
  toy draw cat               a cat
  toy draw cat -c blue -n 2  two blue ones

Options:
  -c, --color red|green|blue  Its colour.  [default: red]
  -n, --times N               How often.
      --scale N               How big.
      --label NAME=VALUE      A label; may be repeated.
  -q, --quiet                 Say nothing.
  -v, --verbose               Say more.
      --version               Show the version and exit.
  -h, --help                  Show this message and exit.

Writing:
  -o, --output FILE           Where to.
      --rules FILE            Files of rules.
      --code TEXT             A code.

  Nothing else.
"""

NARROW = """\
Examples:
  # a cat
  toy draw cat
  # two blue ones
  toy draw cat -c blue -n 2

Options:
  -c, --color red|green|blue
                      Its colour.  [default: red]
  -n, --times N       How often.
"""


def test_the_page(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    invoke_command(draw, "toy draw", ["--help"])
    assert capsys.readouterr().out == HELP


def test_the_page_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(draw, "examples", [*draw.examples[:1], ("toy draw cat -c blue -n 2", "two " * 6)])
    invoke_command(draw, "toy draw", ["--help"])
    assert NARROW.replace("two blue ones", "two " * 6) in capsys.readouterr().out


def page(name: str) -> HelpCommand:
    command = (
        mpl_check.check
        if name == "mpl-check"
        else main.command.get_command(click.Context(main.command), name)
    )
    assert isinstance(command, HelpCommand)
    return command


@pytest.mark.parametrize("columns", [50, 80, 200])
@pytest.mark.parametrize("name", [*main.COMMANDS, "mpl-check"])
def test_every_command(name: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    command = page(name)
    ctx = click.Context(command, info_name=name, max_content_width=112)
    text = command.get_help(ctx)
    for option in command.params:
        if isinstance(option, click.Option):
            assert ", ".join(option.opts) in text
            assert (option.help or "").split()[-1].rstrip(".") in text
    typed = [line for line, _ in command.examples]
    for line in text.splitlines()[1:]:
        fixed = line.strip().startswith(("-", "#", *typed)) or not line.startswith(" ")
        assert fixed or len(line) <= max(50, min(columns, 112) - 2), line
    assert all(line.startswith("sabir") for line in typed)
