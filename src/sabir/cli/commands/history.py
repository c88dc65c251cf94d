"""`sabir history`: what was deployed when, by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabir.cli.declare import option, sabir_command
from sabir.cli.deploying import environment_options
from sabir.cli.options import format_option, path_argument
from sabir.cli.parameter_types import Number
from sabir.cli.terminal import write_text
from sabir.text import format_json

if TYPE_CHECKING:
    from sabir.operations.deployment.environment import EnvironmentRequest


@sabir_command(
    "history",
    examples=[
        ("sabir history shop/", "all deployments"),
        ("sabir history shop/ --at 3", "the third, step by step"),
    ],
)
@path_argument
@option("--at", type=Number(int, least=1), help="The events of this deployment.")
@format_option("text", "json", help="How it is written.")
@environment_options
def command(*, environment: EnvironmentRequest, at: int | None, format_: str) -> int:
    """List the deployments, the oldest first, or the events of one."""
    import msgspec

    from sabir.checks.formatters.palette import escape_control
    from sabir.operations.deployment.history import history_events, history_path

    if at is None:
        deployments = history_path(environment)
        if format_ == "json":
            document = {"format": "sabir.history/1", "deployments": msgspec.to_builtins(deployments)}
            write_text(format_json(document, indent=2) + "\n")
            return 0
        for deployment in deployments:
            counts = ", ".join(f"{count} {state}" for state, count in sorted(deployment.counts.items()))
            who = deployment.audit.get("who", "?")
            commit = str(deployment.audit.get("commit", ""))[:9]
            line = f"{deployment.number:>4}  {deployment.started[:19]}  {deployment.verb:<8} {deployment.state.value:<12} {who} {commit}  {counts}"
            write_text(escape_control(line.rstrip()) + "\n")
        return 0
    deployment, steps, events = history_events(environment, at)
    if format_ == "json":
        document = {"format": "sabir.history/1", **msgspec.to_builtins(deployment)}
        document["events"] = msgspec.to_builtins(events)
        write_text(format_json(document, indent=2) + "\n")
        return 0
    actions = {step.key: step.action for step in steps}
    write_text(f"deployment {deployment.number}: {deployment.verb}, {deployment.state.value}\n")
    audit = ", ".join(f"{name} {value}" for name, value in deployment.audit.items())
    write_text(escape_control(f"{deployment.started[:19]}  {audit}") + "\n")
    for event in events:
        message = f": {event.data['message']}" if event.data.get("message") else ""
        action = actions.get(event.key or "", "")
        write_text(
            escape_control(f"{event.at[11:23]}  {action} {event.key} {event.state}{message}".strip()) + "\n"
        )
    return 0
