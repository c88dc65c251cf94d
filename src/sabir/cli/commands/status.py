"""`sabir status`: wanted, recorded, seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.cli.declare import option, sabir_command
from sabir.cli.deploying import project_options
from sabir.cli.options import format_option, path_argument, quiet_option
from sabir.cli.terminal import print_status, write_text
from sabir.text import format_json

if TYPE_CHECKING:
    from sabir.operations.deployment.environment import EnvironmentRequest
    from sabir.operations.deployment.status import ResourceStatus


@sabir_command(
    "status",
    examples=[
        ("sabir status shop/", "each resource, and what has drifted"),
        ("sabir status shop/ --format json", "for other tools"),
        ("sabir status shop/ -q --notify 'mail -s drift ops@example.com'", "from a timer"),
    ],
)
@path_argument
@format_option("text", "json", help="How it is written.")
@option(
    "--notify",
    metavar="COMMAND|URL",
    help="When something has drifted: run this with the JSON on its input, or post the JSON there.",
)
@quiet_option
@project_options
def command(*, environment: EnvironmentRequest, format_: str, notify: str | None, quiet: bool) -> int:
    """Compare what is wanted, recorded and there; name the drift field by field.

    Exit status 3 when something is not as it was left: changed by somebody else, gone, failed, or unknown; 1 when nothing
    is, and the description has errors.
    """
    from sabir.cli.boundary import ExitCode
    from sabir.cli.output import show_findings
    from sabir.operations.deployment.status import status_path

    status = status_path(environment)
    show_findings(status.findings, environment.path, quiet=quiet)
    document = {"format": "sabir.status/1", "resources": [_status_data(each) for each in status.resources]}
    if notify is not None and status.has_drifted:
        _send_notification(notify, {**document, "environment": str(environment.path)})
    if format_ == "json":
        write_text(format_json(document, indent=2) + "\n")
    else:
        for resource in status.resources:
            if not quiet or resource.has_drifted:
                write_text("".join(_status_lines(resource)))
        drifted = sum(resource.has_drifted for resource in status.resources)
        write_text(f"{len(status.resources)} resources, {drifted} not as they were left\n")
    if status.has_drifted:
        return ExitCode.TO_DO
    return ExitCode.FOUND if status.failed else ExitCode.FINE


def _send_notification(where: str, document: dict[str, Any]) -> None:
    """Tell somebody of drift. That this fails is said, and changes nothing."""
    data = format_json(document).encode()
    if where.startswith(("http://", "https://")):
        from urllib.error import URLError
        from urllib.request import Request, urlopen

        request = Request(where, data=data, headers={"Content-Type": "application/json"})
        try:
            with urlopen(request, timeout=30):
                return
        except (URLError, OSError) as error:
            from sabir.diagnostics.reasons import explain_error

            print_status(f"--notify {where}: {explain_error(error)}")
        return
    import subprocess

    done = subprocess.run(where, shell=True, input=data, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        print_status(f"--notify {where!r} ended with status {done.returncode}")


def _status_lines(resource: ResourceStatus) -> list[str]:
    from sabir.checks.formatters.palette import escape_control
    from sabir.cli.views.plan import format_value

    lines = [f"{escape_control(resource.address)} ({resource.kind}): {resource.state}\n"]
    if resource.message:
        lines.append(f"    {escape_control(resource.message)}\n")
    lines += [f"    {escape_control(link)}\n" for link in resource.links]
    for change in resource.drift:
        written, seen = format_value(change.after), format_value(change.before)
        lines.append(f"    {escape_control(change.field)}: written {written}, there is {seen}\n")
    if resource.drift:
        at = f" from {resource.written_at}" if resource.written_at else ""
        lines.append(
            escape_control(f"    (written by deployment {resource.deployment}{at}; seen now)") + "\n"
        )
    for change in resource.changes:
        recorded, wanted = format_value(change.before), format_value(change.after)
        at = f" ({resource.wanted_at[change.field]})" if change.field in resource.wanted_at else ""
        lines.append(
            f"    {escape_control(change.field)}: recorded {recorded}, wanted {wanted}{escape_control(at)}\n"
        )
    return lines


def _status_data(resource: ResourceStatus) -> dict[str, Any]:
    from sabir.graph.json.values import encode_value

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
    if resource.written_at:
        data["origin"] = resource.written_at
    if resource.links:
        data["links"] = [*resource.links]
    data["drift"] = [
        {"field": change.field, "written": encode_value(change.after), "seen": encode_value(change.before)}
        for change in resource.drift
    ]
    data["changes"] = [
        {
            "field": change.field,
            "recorded": encode_value(change.before),
            "wanted": encode_value(change.after),
            "origin": resource.wanted_at.get(change.field),
        }
        for change in resource.changes
    ]
    return data
