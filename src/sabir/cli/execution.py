"""Doing a plan from the command line: asking, showing, and the exit status, for every command that does one."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sabir.checks.formatters.palette import Palette, escape_control
from sabir.cli.boundary import ExitCode
from sabir.cli.deploying import ExecutionFlags
from sabir.cli.output import show_findings
from sabir.cli.terminal import ask, print_status, wants_color, write_text
from sabir.cli.views.plan import confirmation_question, format_value, text_view
from sabir.cli.views.progress import Watcher, open_watcher
from sabir.deployments.engine.results import DeploymentResult
from sabir.deployments.store.records import DeploymentState
from sabir.errors import DeployError, UsageError
from sabir.graph.json.values import encode_value
from sabir.graph.values import Value
from sabir.operations.deployment.deploy import DeployResult
from sabir.operations.deployment.execution import ConfirmationRequest, ExecutionOptions
from sabir.text import format_json


def run_plan(path: Path, words: ExecutionFlags, do: Callable[[ExecutionOptions], DeployResult]) -> int:
    """Do a plan, show it, and answer with the exit status."""
    if words.quiet and not words.yes:
        raise UsageError(
            "--quiet requires --yes", hint="without --yes, sabir shows the plan and asks for confirmation"
        )
    with open_watcher(words.format_, quiet=words.quiet) as shown:
        deployed = do(
            ExecutionOptions(
                consent=lambda question: _confirm_plan(question, words, shown),
                parallel=words.parallel,
                wait=words.wait,
                watch=shown.show,
                notice=shown.tell,
                signals=True,
            )
        )
    show_findings(deployed.findings, path, quiet=words.quiet)
    return _report_outcome(deployed, words)


def parse_allow_delete(word: str | None) -> int | None:
    if word is None:
        return None
    if word == "all":
        return -1
    if not word.isdigit():
        raise UsageError(f"--allow-delete {word!r}: write a number, or all")
    return int(word)


def _confirm_plan(question: ConfirmationRequest, words: ExecutionFlags, shown: Watcher) -> bool:
    """Show the plan and ask for confirmation, unless `--yes` was passed. Many deletions need the name to be typed."""
    shown.pause()
    if not words.quiet and (words.format_ == "text" or not words.yes):
        if question.wave:
            print_status("with the values that came back:")
        for key in question.recovered.done:
            print_status(f"found done: {key}")
        for address, reason in question.lost:
            print_status(f"cannot go back: {escape_control(address)}: {reason}")
        for piece in text_view(question.plan, Palette(on=wants_color(stream=sys.stderr))):
            print_status(piece.removesuffix("\n"), painted=True)
    if words.yes and question.guard is not None:
        raise DeployError(question.guard.message)
    if words.yes or _confirm(question):
        shown.expect(question.plan)
        return True
    return False


def _confirm(question: ConfirmationRequest) -> bool:
    guard = question.guard
    if not sys.stdin.isatty():
        flags = "--yes" if guard is None else "--yes --allow-delete all"
        raise UsageError(
            "cannot ask for confirmation: stdin is not a terminal",
            hint=f"pass {flags} to apply without confirmation",
        )
    try:
        if guard is None:
            return _ask_yes_or_no(confirmation_question(question.plan, question.operations))
        environment = repr(guard.word)
        prompt = f"This deletes {guard.deleted} of {environment}. Type {environment} to confirm: "
        return (ask(prompt) or "").strip() == guard.word
    except KeyboardInterrupt:
        if not question.wave:
            raise
        # A deployment is under way: its own handler records that it was interrupted.
        signal.raise_signal(signal.SIGINT)
        return False


def _ask_yes_or_no(question: str) -> bool:
    while True:
        match (ask(f"{question} [y/N] ") or "").strip().lower():
            case "y" | "yes":
                return True
            case "" | "n" | "no":
                return False
            case _:
                pass


def _report_outcome(deployed: DeployResult, words: ExecutionFlags) -> int:
    if deployed.plan is None:
        return ExitCode.FOUND
    if deployed.refused:
        print_status("nothing was done")
        return ExitCode.FOUND
    result = deployed.result
    if result is None:
        if words.format_ == "json":
            write_text(format_json({"event": "end", "state": "done", "counts": {}}) + "\n")
        elif not words.quiet:
            print_status("nothing to do")
        for address, reason in deployed.plan.waiting:
            print_status(f"{address} waits: {reason}")
        for address, reason in deployed.plan.later:
            print_status(f"{address} cannot be foreseen: {reason}")
        return ExitCode.FOUND if deployed.plan.waiting or deployed.plan.later else ExitCode.FINE
    _print_result(result, words)
    if result.state is DeploymentState.INTERRUPTED:
        return ExitCode.INTERRUPTED
    fine = result.state is DeploymentState.DONE and not deployed.plan.waiting
    return ExitCode.FINE if fine else ExitCode.FOUND


def _print_result(result: DeploymentResult, words: ExecutionFlags) -> None:
    if words.format_ == "json":
        end: dict[str, object] = {
            "event": "end",
            "deployment": result.number,
            "state": result.state.value,
            "counts": dict(result.counts),
        }
        if result.results:
            end["results"] = {address: encode_value(dict(each)) for address, each in result.results.items()}
        write_text(format_json({**end, **({"error": result.error} if result.error else {})}) + "\n")
        return
    for line in _result_lines(result.results):
        write_text(line)
    if result.error is not None:
        print_status(f"sabir: {result.error}")
    for key, message in result.failures:
        if words.quiet or result.state is DeploymentState.UNKNOWN:
            print_status(f"{key}: {message}")
    if result.counts.get("unknown"):
        print_status(
            "settle what is unknown with: sabir resolve PATH STEP --done (it was done) or --redo (do it again)"
        )
    counts = ", ".join(f"{count} {state}" for state, count in result.counts.items())
    if not words.quiet:
        print_status(f"deployment {result.number} {result.state.value}: {counts}")


def _result_lines(results: Mapping[str, Mapping[str, Value]]) -> Iterator[str]:
    """What calls gave back, a line each; named by the resource only where several gave something."""
    giving = {address: each for address, each in results.items() if each}
    for address, each in giving.items():
        for name, value in each.items():
            shown = escape_control(name) if len(giving) == 1 else escape_control(f"{address}.{name}")
            yield f"{shown}: {format_value(value)}\n"
