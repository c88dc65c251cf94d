"""The main jobs of sabir on the shipped examples. `make demo` runs this.

A step is an entry of STEPS: what to say, what to run, and how it must end. Long output is cut, so that the whole fits a few
screens. The demo ends with 0 when every step ended as it should. What it deploys, it takes away again.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.request import urlopen

HERE: Final = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`words` follow `sabir` on the command line; of its output at most `lines` are shown."""

    say: str
    words: Sequence[str]
    ends_with: int = 0
    lines: int = 10
    kill_when: str | None = None
    """It is killed as soon as this file is there."""
    fetch: str | None = None
    """An address that is asked afterwards, and its answer."""


ON_THIS_MACHINE: Final = ("--target", "here", "--trust", "scripts")

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
    Step(
        say="It acts, too. What would be done for the part of it that runs on this machine? All of it stays below one folder.",
        words=["plan", "shop", *ON_THIS_MACHINE],
        ends_with=3,
    ),
    Step(
        say="Do it; and, while the server starts, kill -9.",
        words=["deploy", "shop", *ON_THIS_MACHINE, "--yes"],
        kill_when="shop/.sabir/world/run/shop.pid",
        ends_with=-9,
    ),
    Step(
        say="Do it again: what was done is found, nothing is done twice, the rest follows. And it answers.",
        words=["deploy", "shop", *ON_THIS_MACHINE, "--yes"],
        fetch="http://127.0.0.1:28741/index.html",
    ),
    Step(
        say="Take it away.",
        words=["destroy", "shop", "--trust", "scripts", "--yes", "--allow-delete", "all"],
        lines=5,
    ),
)


def main() -> int:
    (HERE.parent / "build").mkdir(exist_ok=True)
    _forget()
    wrong = 0
    for number, step in enumerate(STEPS, 1):
        _say(f"\n{number}. {step.say}")
        _say(f"   $ sabir {' '.join(step.words)}")
        wrong += _run(step)
    if wrong:
        _say(f"\n{wrong} of {len(STEPS)} steps did not end as they should.")
        return 1
    _forget()
    _say("\nOpen build/shop.html in a browser; `sabir --help` lists the commands, docs/ explains them.")
    return 0


def _forget() -> None:
    """What an earlier demo deployed, unless something of it is left in the world."""
    state = HERE / "shop" / ".sabir"
    if not (state / "world" / "run").exists() or not any((state / "world" / "run").iterdir()):
        shutil.rmtree(state, ignore_errors=True)


def _run(step: Step) -> int:
    """Run one step and show its output; 1 when it ended otherwise than it should."""
    command = [sys.executable, "-m", "sabir.cli", *step.words]
    process = subprocess.Popen(
        command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    if step.kill_when is not None:
        while process.poll() is None and not (HERE / step.kill_when).exists():
            time.sleep(0.001)
        process.kill()
    output, _ = process.communicate()
    lines = output.splitlines()
    if len(lines) <= step.lines:
        shown = lines
    else:  # the last line is the summary
        shown = [*lines[: step.lines - 2], f"… {len(lines) - step.lines + 1} more lines", lines[-1]]
    for line in shown:
        _say(f"   {line}".rstrip())
    if process.returncode != step.ends_with:
        _say(f"   ended with {process.returncode} instead of {step.ends_with}")
        return 1
    return 0 if step.fetch is None else _fetch(step.fetch)


def _fetch(url: str) -> int:
    _say(f"   $ curl {url}")
    try:
        with urlopen(url, timeout=10) as answer:
            _say(f"   {answer.read().decode().strip()}")
    except OSError as error:
        _say(f"   {error}")
        return 1
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
