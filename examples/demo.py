"""The main jobs of sabir on the shipped examples. `make demo` runs this.

A step is a line of STEPS: what to say, what to run, and how it must end. A step whose language is not installed is left
out and said to be. The whole demo ends with 0 when every step ended as it should.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
MOST_LINES: Final = 45


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`words` follow `sabir` on the command line; `language` must be installed for the step to make sense."""

    say: str
    words: Sequence[str]
    ends_with: int = 0
    language: str | None = None


STEPS: Final = (
    Step(
        say="A MuranoPL package as it should be: nothing to report.",
        words=["check", "murano/hello"],
        language="muranopl",
    ),
    Step(
        say="The same package with a few slips. One run names all of them, where they are, and what was meant.",
        words=["check", "murano/broken"],
        ends_with=1,
        language="muranopl",
    ),
    Step(
        say="An Inmanta model, evaluated: every value with the place it came from.",
        words=["compile", "inmanta/web", "--format", "text", "--origins"],
        language="inmanta",
    ),
    Step(
        say="Why is this the address of the first server?",
        words=["why", "inmanta/web", "web-1.url"],
        language="inmanta",
    ),
    Step(
        say="A CCP component as an instance graph: what it describes, and the Kubernetes objects that it becomes.",
        words=["compile", "ccp/shop", "--format", "text", "--quiet"],
        language="ccp",
    ),
    Step(
        say="Why does the database listen on that port?",
        words=["why", "ccp/shop", "orders/postgres/daemon.command", "--quiet"],
        language="ccp",
    ),
    Step(
        say="What starts after what.",
        words=["render", "ccp/shop", "--to", "start-order", "--quiet"],
        language="ccp",
    ),
    Step(
        say="A shop described in four languages: Inmanta allocates the network, TOSCA places the database in it, CCP runs "
        "the web service, MuranoPL shows it in a catalogue. One check over all of it, with rules of its own.",
        words=["check", "shop"],
    ),
    Step(
        say="One graph. What is the address of the database, as the web service sees it?",
        words=["query", "shop", "::database::mysql::.capabilities::endpoint::ip"],
    ),
    Step(
        say="Which hosts are in the network of the database?",
        words=["query", "shop", "::network::back::hosts::.name"],
    ),
    Step(
        say="And what does the catalogue show?",
        words=["query", "shop", "::app::shop::frontend::url"],
    ),
    Step(
        say="Why does the web service get this address? Across three languages, down to every line behind it.",
        words=["why", "shop", "web/shop-web/web.env"],
    ),
    Step(
        say="The other way round: what depends on the line that makes the network?",
        words=["impact", "shop", "network/main.cf:36"],
    ),
    Step(
        say="What if the database had another address?",
        words=["diff", "shop", "--set", "database/mysql.address=10.9.9.9"],
    ),
    Step(
        say="The web service as Kubernetes objects, with the address in them.",
        words=["render", "shop", "--to", "kubernetes", "-o", "../build/shop-objects/"],
    ),
    Step(
        say="And the whole as a page to walk about in: who is made of what, who got whose values, and why.",
        words=["compile", "shop", "--format", "html", "-o", "../build/shop.html"],
    ),
)


def main() -> int:
    installed = _installed()
    (HERE.parent / "build").mkdir(exist_ok=True)
    wrong = 0
    for number, step in enumerate(STEPS, 1):
        _say(f"\n{number}. {step.say}")
        if step.language is not None and step.language not in installed:
            _say(f"   (left out: the language {step.language} is not installed)")
            continue
        _say(f"   $ sabir {' '.join(step.words)}")
        wrong += _run(step)
    if wrong:
        _say(f"\n{wrong} of {len(STEPS)} steps did not end as they should.")
        return 1
    _say(
        "\nThat is all. Open build/shop.html in a browser; `sabir --help` lists the commands, docs/ explains them."
    )
    return 0


def _run(step: Step) -> int:
    """Run one step and show its output; 1 when it ended otherwise than it should."""
    command = [sys.executable, "-m", "sabir.cli", *step.words]
    done = subprocess.run(
        command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False
    )
    lines = done.stdout.splitlines()
    for line in lines[:MOST_LINES]:
        _say(f"   {line}".rstrip())
    if len(lines) > MOST_LINES:
        _say(f"   … {len(lines) - MOST_LINES} more lines")
    if done.returncode != step.ends_with:
        _say(f"   ended with {done.returncode} instead of {step.ends_with}")
        return 1
    return 0


def _installed() -> set[str]:
    from sabir.operations.languages import installed_languages

    return set(installed_languages().by_name)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
