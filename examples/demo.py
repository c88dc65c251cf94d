"""The main jobs of sabir on the shipped examples. `make demo` runs this.

A step is an entry of STEPS: what to say, what to run, and how it must end. Long output is cut, so that the whole fits a few
screens. The demo ends with 0 when every step ended as it should. What it deploys, it takes away again.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import time
import webbrowser
import zipfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import Request, urlopen

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


PAGE: Final = "And for everybody else: a service with a page, on this machine only. The shop is put into it, and asked over HTTP."
PORT: Final = 28742
QUESTION: Final = {"expression": "::database::mysql::url"}


def main() -> int:
    (HERE.parent / "build").mkdir(exist_ok=True)
    _forget()
    wrong = 0
    for number, step in enumerate(STEPS, 1):
        _say(f"\n{number}. {step.say}")
        _say(f"   $ sabir {' '.join(step.words)}")
        wrong += _run(step)
    _forget()
    _say(f"\n{len(STEPS) + 1}. {PAGE}")
    wrong += _show_page()
    if wrong:
        _say(f"\n{wrong} of {len(STEPS) + 1} steps did not end as they should.")
        return 1
    _say("\nOpen build/shop.html in a browser; `sabir --help` lists the commands, docs/ explains them.")
    return 0


def _forget() -> None:
    """What an earlier demo deployed, unless something of it is left in the world."""
    state = HERE / "shop" / ".sabir"
    if not (state / "world" / "run").exists() or not any((state / "world" / "run").iterdir()):
        shutil.rmtree(state, ignore_errors=True)


def _run(step: Step) -> int:
    """Run one step and show its output; 1 when it ended otherwise than it should."""
    command = [sys.executable, "-P", "-m", "sabir.cli", *step.words]
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


# The service and its page


def _show_page() -> int:
    _say(f"   $ sabir serve build/service --port {PORT}")
    try:
        with _service() as (url, token):
            made = _ask(token, f"{url}/api/1/environments", json.dumps({"name": "shop"}).encode())
            where = f"{url}/api/1/environments/{made['id']}"
            _ask(token, f"{where}/files", _packed(HERE / "shop"), method="PUT")
            words = json.dumps(QUESTION)
            _say(f"   $ curl --json '{words}' {url}/api/1/environments/$ID/query")
            _say(f"   {json.dumps(_ask(token, f'{where}/query', words.encode())['values'])}")
            _offer(url, f"{url}/#/token/{token}")
    except OSError as error:
        _say(f"   {error}")
        return 1
    return 0


@contextmanager
def _service() -> Generator[tuple[str, str]]:
    """A service with data of its own, until the demo is done with it: its address, and a token."""
    data = HERE.parent / "build" / "service"
    shutil.rmtree(data, ignore_errors=True)
    words = [sys.executable, "-P", "-m", "sabir.cli", "serve", str(data), "--port", str(PORT)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        try:
            if "the first token" not in said:
                raise OSError(said.strip())
            yield f"http://127.0.0.1:{PORT}", said.split()[-1]
        finally:
            process.terminate()
            process.stderr.read()


def _ask(token: str, url: str, body: bytes, *, method: str = "POST") -> Any:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = Request(url, data=body, headers=headers, method=method)  # on this machine
    for _ in range(300):
        try:
            with urlopen(request, timeout=30) as answer:
                return json.loads(answer.read())
        except URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
            time.sleep(0.1)  # it begins to listen in a moment
    raise OSError("the service does not answer")


def _packed(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    return buffer.getvalue()


def _offer(url: str, signed_in: str) -> None:
    """Somebody at a terminal may look at it; elsewhere nobody is asked anything."""
    _say(f"   The page is at {url}: catalogue, forms, the graph, plans, deployments while they run.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    if input(f"   Open {signed_in} in a browser? [Y/n] ").strip().lower() not in ("n", "no"):
        webbrowser.open(signed_in)
        input("   Enter stops the service. ")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
