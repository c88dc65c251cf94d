"""Doing a plan from the command line: asking, showing, and the exit status. `deploy` and `destroy` are two names for it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from msgspec import Struct

from sabir.checks.formatters.palette import Palette
from sabir.cli.boundary import Status
from sabir.cli.findings import show_findings
from sabir.cli.terminal import say, wants_color, write
from sabir.cli.views.plan import text_view
from sabir.cli.views.progress import watcher
from sabir.deployments.engine.run import DeploymentResult
from sabir.deployments.store.records import DeploymentState
from sabir.errors import DeployError, UsageError
from sabir.operations.deploy import Deployed, DeployRequest, Question, deploy_path
from sabir.operations.deploying import EnvironmentRequest

__all__ = ["Words", "carry_out"]


class Words(Struct, frozen=True, kw_only=True):
    """What was said on the command line."""

    environment: EnvironmentRequest
    plan_file: Path | None = None
    only: tuple[str, ...] = ()
    refresh: bool = False
    repair: bool = False
    destroy: bool = False
    yes: bool = False
    allow_delete: str | None = None
    parallel: int = 10
    wait: float = 0.0
    format_: str = "text"
    quiet: bool = False


def carry_out(words: Words) -> int:
    with watcher(words.format_, quiet=words.quiet) as shown:
        deployed = deploy_path(
            DeployRequest(
                environment=words.environment,
                consent=lambda question: _consent(question, words),
                plan_file=words.plan_file,
                only=words.only,
                refresh=words.refresh,
                repair=words.repair,
                destroy=words.destroy,
                allow_delete=_allowed(words.allow_delete),
                parallel=words.parallel,
                wait=words.wait,
                watch=shown.show,
                notice=shown.tell,
                signals=True,
            )
        )
    show_findings(deployed.findings, words.environment.path, quiet=words.quiet)
    return _end(deployed, words)


def _allowed(word: str | None) -> int | None:
    if word is None:
        return None
    if word == "all":
        return -1
    if not word.isdigit():
        raise UsageError(f"--allow-delete {word!r}: write a number, or all")
    return int(word)


def _consent(question: Question, words: Words) -> bool:
    """Show the plan and ask, unless it is to be done anyway. Deletions beyond a fifth need a word of their own."""
    if words.format_ == "text" and not words.quiet:
        for key in question.recovered.done:
            say(f"found done: {key}")
        for piece in text_view(question.plan, Palette(on=wants_color(stream=sys.stderr))):
            say(piece.removesuffix("\n"))
    if words.yes or words.plan_file is not None:
        if question.guard is not None:
            raise DeployError(question.guard.message)
        return True
    if not sys.stdin.isatty():
        raise UsageError("nobody is there to be asked: give --yes to go on without")
    import click

    if question.guard is not None:
        say(question.guard.message)
        answer = click.prompt(
            f"type {question.guard.word!r} to go on", default="", show_default=False, err=True
        )
        return bool(answer == question.guard.word)
    return bool(click.confirm("do this?", err=True))


def _end(deployed: Deployed, words: Words) -> int:
    if deployed.plan is None:
        return Status.FOUND
    if deployed.refused:
        say("nothing was done")
        return Status.FOUND
    result = deployed.result
    if result is None:
        if words.format_ == "json":
            write(json.dumps({"event": "end", "state": "done", "counts": {}}) + "\n")
        elif not words.quiet:
            say("nothing to do")
        for address, reason in deployed.plan.waiting:
            say(f"{address} waits: {reason}")
        return Status.FOUND if deployed.plan.waiting else Status.FINE
    _tell(result, words)
    if result.state is DeploymentState.INTERRUPTED:
        return Status.INTERRUPTED
    fine = result.state is DeploymentState.DONE and not deployed.plan.waiting
    return Status.FINE if fine else Status.FOUND


def _tell(result: DeploymentResult, words: Words) -> None:
    if words.format_ == "json":
        end = {
            "event": "end",
            "deployment": result.number,
            "state": result.state.value,
            "counts": dict(result.counts),
        }
        write(json.dumps({**end, **({"error": result.error} if result.error else {})}) + "\n")
        return
    if result.error is not None:
        say(f"sabir: {result.error}")
    for key, message in result.failures:
        if words.quiet or result.state is DeploymentState.UNKNOWN:
            say(f"{key}: {message}")
    if result.counts.get("unknown"):
        say(
            "settle what is unknown with: sabir resolve PATH STEP --done (it was done) or --redo (do it again)"
        )
    counts = ", ".join(f"{count} {state}" for state, count in result.counts.items())
    if not words.quiet:
        say(f"deployment {result.number} {result.state.value}: {counts}")
