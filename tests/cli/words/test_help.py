"""The help is made from the declaration, fits the terminal, and leaves nothing out."""

from __future__ import annotations

import pytest

from sabir.cli.main import COMMANDS, find_command
from sabir.cli.mpl_check import command as mpl_check
from sabir.cli.words import Command
from sabir.cli.words.help import help_text
from tests.cli.words.toy import TOY

EXPECTED = """\
Usage: toy draw [OPTIONS] THING [OTHER]…

  Draw a thing.

  Second paragraph, which is long enough that it does not fit on a line of
  eighty columns.

Examples:
  toy draw cat               a cat
  toy draw cat -c blue -n 2  two blue ones

Options:
  -c, --color red|green|blue  Its colour. [default: red]
  -n, --times N               How often.
      --scale N               How big.
      --label NAME=VALUE      A label; may be repeated.
  -q, --quiet                 Say nothing.
  -v, --verbose               Say more.
      --version               Show the version and exit.
  -h, --help                  Show this and exit.

Writing:
  -o, --output FILE           Where to.
      --rules FILE            Files of rules.
      --code TEXT             A code.

  Nothing else.
"""


def test_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert help_text(TOY) == EXPECTED


@pytest.mark.parametrize("columns", [50, 80, 200])
@pytest.mark.parametrize("command", [*map(find_command, COMMANDS), mpl_check], ids=lambda one: str(one.path))
def test_every_command(command: Command, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = help_text(command)
    for option in command.all_options():
        assert ", ".join(option.names) in text
        assert option.help.split()[-1].rstrip(".") in text
    typed = [line for line, _ in command.examples]
    for line in text.splitlines()[1:]:
        shown = line.strip()
        fixed = shown.startswith(("-", *typed)) or not line.startswith(" ")
        assert fixed or len(line) <= min(columns, 110), line
    assert all(line.startswith(command.path.split()[0]) for line in typed)
