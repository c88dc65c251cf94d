"""`sabir run`: call a MuranoPL method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.cli.declare import flag, option, sabir_command
from sabir.cli.options import evaluation_options, path_argument
from sabir.cli.parameter_types import PATH, Number, parse_pairs
from sabir.cli.terminal import print_status, write_bytes
from sabir.text import format_json

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.languages.language import EvaluationRequest


@sabir_command(
    "run",
    examples=[
        ("sabir run shop/ --model shop.yaml", "deploy of the root object"),
        ("sabir run shop/ --model shop.yaml --call web.scale --arg to=3", "a method of another object"),
        ("sabir run shop/ --model state.json --save state.json", "with the memory of the last run"),
    ],
)
@path_argument
@option(
    "--call",
    metavar="[OBJECT.]METHOD",
    help="The method: of the root object, of the object with that id or name, or CLASS.METHOD for a static one. "
    "[default: deploy of the root object]",
)
@option("--arg", "args", multiple=True, metavar="NAME=VALUE", help="An argument; VALUE is read as YAML.")
@option(
    "--save",
    type=PATH,
    metavar="FILE",
    help="Keep the model and the attributes for the next run: give FILE to its --model.",
)
@flag(
    "--record",
    help="Let a simulated cloud answer; the output lists every change under `actions`, also when the run fails.",
)
@option("--step-limit", type=Number(int, least=1), help="Most steps: rounds of loops and calls.")
@option("--time-limit", type=Number(float, above=0), help="Most seconds.")
@flag("-q", "--quiet", help="No reports of the code and no warnings.")
@evaluation_options
def command(
    *,
    path: Path,
    call: str | None,
    args: tuple[str, ...],
    save: Path | None,
    record: bool,
    step_limit: int | None,
    time_limit: float | None,
    quiet: bool,
    evaluation: EvaluationRequest,
) -> int:
    """Load the object model, call a method, print its result and the model as JSON.

    Calls from outside reach methods with `Scope: Public` (or `Usage: Action`). What the code reports while it runs
    goes to stderr. A failed run prints the stack of MuranoPL calls and ends with status 1.
    """
    from sabir.cli.output import show_findings
    from sabir.operations.files import write_atomically
    from sabir.operations.run import RunRequest, run_document, run_path

    def report(level: str, line: str) -> None:
        if not quiet:
            print_status(f"{level}: {line}")

    done = run_path(
        RunRequest(
            path=path,
            call=call,
            args=parse_pairs(args, "--arg"),
            evaluation=evaluation,
            record=record,
            step_limit=step_limit,
            time_limit=time_limit,
            report=report,
        )
    )
    show_findings(done.findings, path, quiet=quiet)
    if done.failed:
        if done.actions is not None:  # how far it came is what one wants to see then
            _print_json(run_document(done))
        return 1
    if save is not None:
        write_atomically(save, _encode_json(done.storage), private=True)
    _print_json(run_document(done))
    return 0


def _print_json(document: Any) -> None:
    write_bytes([_encode_json(document)])


def _encode_json(data: Any) -> bytes:
    text = format_json(data, indent=2, default=str)
    return (text + "\n").encode("utf-8", "replace")
