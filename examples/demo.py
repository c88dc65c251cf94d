"""The main jobs of sabir on the shipped examples. `make demo` runs this.

A step is an entry of STEPS: what to say, what to run, and how it must end. Long output is cut, so that the whole fits two
screens. The demo ends with 0 when every step ended as it should.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`words` follow `sabir` on the command line; of its output at most `lines` are shown."""

    say: str
    words: Sequence[str]
    ends_with: int = 0
    lines: int = 10


STEPS: Final = (
    Step(
        say="A shop in four languages: Inmanta allocates the network, TOSCA places the database, CCP runs the web service, MuranoPL "
        "shows it in a catalogue. One check over all of it.",
        words=["check", "shop"],
    ),
    Step(
        say="One graph. Why does the web service get this address? Across three languages, down to the lines behind it.",
        words=["why", "shop", "web/shop-web/web.env"],
        lines=22,
    ),
    Step(
        say="The other way round: what depends on the line that makes the network?",
        words=["impact", "shop", "network/main.cf:36"],
        lines=12,
    ),
    Step(
        say="What if the database had another address?",
        words=["diff", "shop", "--set", "database/mysql.address=10.9.9.9"],
    ),
    Step(
        say="All of it as a page to walk about in, in one file: build/shop.html.",
        words=["compile", "shop", "--format", "html", "-o", "../build/shop.html"],
    ),
    Step(
        say="A package with slips. One run names all of them, where they are, and what was meant.",
        words=["check", "murano/broken"],
        ends_with=1,
        lines=14,
    ),
    Step(
        say="Where do a model's values come from?",
        words=["compile", "inmanta/web", "--format", "text", "--origins"],
        lines=8,
    ),
    Step(
        say="And what does another tool need? Kubernetes objects, with the address in them: build/shop-objects/.",
        words=["render", "shop", "--to", "kubernetes", "-o", "../build/shop-objects/"],
    ),
)


def main() -> int:
    (HERE.parent / "build").mkdir(exist_ok=True)
    wrong = 0
    for number, step in enumerate(STEPS, 1):
        _say(f"\n{number}. {step.say}")
        _say(f"   $ sabir {' '.join(step.words)}")
        wrong += _run(step)
    if wrong:
        _say(f"\n{wrong} of {len(STEPS)} steps did not end as they should.")
        return 1
    _say("\nOpen build/shop.html in a browser; `sabir --help` lists the commands, docs/ explains them.")
    return 0


def _run(step: Step) -> int:
    """Run one step and show its output; 1 when it ended otherwise than it should."""
    command = [sys.executable, "-m", "sabir.cli", *step.words]
    done = subprocess.run(
        command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False
    )
    lines = done.stdout.splitlines()
    if len(lines) <= step.lines:
        shown = lines
    else:  # the last line is the summary
        shown = [*lines[: step.lines - 2], f"… {len(lines) - step.lines + 1} more lines", lines[-1]]
    for line in shown:
        _say(f"   {line}".rstrip())
    if done.returncode != step.ends_with:
        _say(f"   ended with {done.returncode} instead of {step.ends_with}")
        return 1
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
