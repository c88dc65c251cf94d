"""`sabir bisect`: when something became true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.cli.declare import option, sabir_command
from sabir.cli.deploying import project_options
from sabir.cli.options import format_option, path_and
from sabir.cli.parameter_types import parse_pairs
from sabir.cli.terminal import write_text
from sabir.text import format_json

if TYPE_CHECKING:
    from sabir.operations.bisect import BisectResult
    from sabir.operations.deployment.environment import EnvironmentRequest


@sabir_command(
    "bisect",
    examples=[
        (
            "sabir bisect shop/ '::web::[port=$p]' --var p=8080",
            "since when the port is 8080, and by which line",
        ),
        ("sabir bisect shop/ '::web::debug'", "since when it is neither missing nor false"),
    ],
)
@path_and("expression", "EXPRESSION")
@option("--var", "variables", multiple=True, metavar="NAME=VALUE", help="A variable; VALUE is read as YAML.")
@format_option("text", "json", help="How it is written.")
@project_options
def command(
    *, environment: EnvironmentRequest, expression: str, variables: tuple[str, ...], format_: str
) -> int:
    """Say when an expression became true: the deployment, its steps, and the lines behind the answer.

    Deployments are evaluated as they were asked for, by halves. Exit status 1 when it is not true in the last one.
    """
    from sabir.cli.output import show_findings
    from sabir.errors import FindingError
    from sabir.operations.bisect import bisect_path

    try:
        bisected = bisect_path(environment, expression, parse_pairs(variables, "--var"))
    except FindingError as error:
        show_findings(error.findings, environment.path, quiet=False)
        return 1
    if format_ == "json":
        write_text(format_json(_result_data(bisected), indent=2) + "\n")
    else:
        write_text(_format_result(bisected))
    return 0


def _format_result(bisected: BisectResult) -> str:
    from sabir.checks.formatters.palette import escape_control

    deployment = bisected.deployment
    commit = str(deployment.audit.get("commit", ""))[:9]
    lines = [
        f"true since deployment {deployment.number}: {deployment.verb} by {deployment.audit.get('who', '?')}, "
        f"{deployment.started[:19]} {commit}".rstrip()
    ]
    lines += [f"  step {step.position + 1}: {step.action} {step.address}" for step in bisected.steps]
    lines += [f"  {place}  {name}" for name, place in bisected.places]
    return "".join(escape_control(line) + "\n" for line in lines)


def _result_data(bisected: BisectResult) -> dict[str, Any]:
    return {
        "format": "sabir.bisect/1",
        "deployment": bisected.deployment.number,
        "started": bisected.deployment.started,
        "audit": dict(bisected.deployment.audit),
        "steps": [
            {"position": step.position + 1, "key": step.key, "action": step.action} for step in bisected.steps
        ],
        "places": [
            {"subject": name, "file": place.file, "line": place.line, "column": place.column}
            for name, place in bisected.places
        ],
        "evaluated": bisected.asked,
    }
