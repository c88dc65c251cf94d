"""`sabir run`: call a MuranoPL method."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from sabir.cli.options import evaluation_options, evaluation_request, pairs, path_argument

__all__ = ["command"]


@click.command("run")
@path_argument
@click.option(
    "--call",
    metavar="[OBJECT.]METHOD",
    help="The method: of the root object, of the object with that id or name, or CLASS.METHOD for a static one.  "
    "[default: deploy of the root object]",
)
@click.option(
    "--arg", "args", multiple=True, metavar="NAME=VALUE", help="An argument; VALUE is read as YAML."
)
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the model and the attributes for the next run: give FILE to its --model.",
)
@click.option(
    "--record",
    is_flag=True,
    help="Stacks, agents and networks only write down what they are asked; the output lists it under `actions`.",
)
@click.option("--step-limit", type=click.IntRange(min=1), help="Most steps: rounds of loops and calls.")
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), help="Most seconds.")
@click.option("-q", "--quiet", is_flag=True, help="No reports of the code and no warnings.")
@evaluation_options
@click.pass_context
def command(
    context: click.Context,
    /,
    path: Path,
    *,
    call: str | None,
    args: tuple[str, ...],
    save: Path | None,
    record: bool,
    step_limit: int | None,
    time_limit: float | None,
    quiet: bool,
    **evaluation: Any,
) -> None:
    """Load the object model, call a method, print its result and the model as JSON.

    Calls from outside reach methods with `Scope: Public` (or `Usage: Action`). What the code reports while it runs
    goes to stderr. A failed run prints the stack of MuranoPL calls and ends with status 1.

    \b
    sabir run shop/ --model shop.yaml                            deploy of the root object
    sabir run shop/ --model shop.yaml --call web.scale --arg to=3
    sabir run shop/ --model state.json --save state.json         with the memory of the last run
    """
    from sabir.cli.findings import show_findings
    from sabir.operations.files import write_atomically
    from sabir.operations.run import RunRequest, run_path

    def report(level: str, line: str) -> None:
        if not quiet:
            click.echo(f"{level}: {line}", err=True)

    done = run_path(
        RunRequest(
            path=path,
            call=call,
            args=pairs(args, "--arg"),
            evaluation=evaluation_request(**evaluation),
            record=record,
            step_limit=step_limit,
            time_limit=time_limit,
            report=report,
        )
    )
    show_findings(done.findings, path, quiet=quiet)
    if done.failed:
        context.exit(1)
    if save is not None:
        write_atomically(save, _json(done.storage))
    sys.stdout.buffer.write(_json(done.document()))
    sys.stdout.buffer.flush()


def _json(data: Any) -> bytes:
    text = json.dumps(data, indent=2, ensure_ascii=False, default=str)
    return (text + "\n").encode("utf-8", "replace")
