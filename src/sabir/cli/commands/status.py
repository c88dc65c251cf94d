"""`sabir status`: wanted, recorded, seen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sabir.cli.declare import sabir_command
from sabir.cli.deploying import wanted_options
from sabir.cli.options import format_option, path_argument, quiet_option
from sabir.cli.terminal import write

if TYPE_CHECKING:
    from sabir.operations.deploying import EnvironmentRequest
    from sabir.operations.status import ResourceStatus

__all__ = ["command"]


@sabir_command(
    "status",
    examples=[
        ("sabir status shop/", "each resource, and what has drifted"),
        ("sabir status shop/ --format json", "for other tools"),
    ],
)
@path_argument
@format_option("text", "json", help="How it is written.")
@quiet_option
@wanted_options
def command(*, environment: EnvironmentRequest, format_: str, quiet: bool) -> int:
    """Compare what is wanted, recorded and there; name the drift field by field.

    Exit status 3 when something is not as it was left: changed by somebody else, gone, failed, or unknown.
    """
    from sabir.cli.boundary import Status
    from sabir.cli.findings import show_findings
    from sabir.operations.status import status_path

    status = status_path(environment)
    show_findings(status.findings, environment.path, quiet=quiet)
    if format_ == "json":
        document = {"format": "sabir.status/1", "resources": [_data(each) for each in status.resources]}
        write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        for resource in status.resources:
            if not quiet or resource.has_drifted:
                write("".join(_lines(resource)))
        drifted = sum(resource.has_drifted for resource in status.resources)
        write(f"{len(status.resources)} resources, {drifted} not as they were left\n")
    return Status.TO_DO if status.has_drifted else Status.FINE


def _lines(resource: ResourceStatus) -> list[str]:
    from sabir.checks.formatters.palette import harmless
    from sabir.cli.views.plan import value_words

    lines = [f"{harmless(resource.address)} ({resource.kind}): {resource.state}\n"]
    if resource.message:
        lines.append(f"    {harmless(resource.message)}\n")
    for change in resource.drift:
        written, seen = value_words(change.after), value_words(change.before)
        lines.append(f"    {harmless(change.field)}: written {written}, there is {seen}\n")
    for change in resource.changes:
        recorded, wanted = value_words(change.before), value_words(change.after)
        lines.append(f"    {harmless(change.field)}: recorded {recorded}, wanted {wanted}\n")
    return lines


def _data(resource: ResourceStatus) -> dict[str, Any]:
    from sabir.graph.json.values import encoded

    data: dict[str, Any] = {
        "address": resource.address,
        "kind": resource.kind,
        "target": resource.target,
        "state": resource.state,
    }
    if resource.deployment is not None:
        data["deployment"] = resource.deployment
    if resource.message:
        data["message"] = resource.message
    data["drift"] = [
        {"field": change.field, "written": encoded(change.after), "seen": encoded(change.before)}
        for change in resource.drift
    ]
    data["changes"] = [
        {"field": change.field, "recorded": encoded(change.before), "wanted": encoded(change.after)}
        for change in resource.changes
    ]
    return data
