"""`sabir status`: wanted, recorded, seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.cli.declare import option, sabir_command
from sabir.cli.deploying import wanted_options
from sabir.cli.options import format_option, path_argument, quiet_option
from sabir.cli.terminal import say, write
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
@wanted_options
def command(*, environment: EnvironmentRequest, format_: str, notify: str | None, quiet: bool) -> int:
    """Compare what is wanted, recorded and there; name the drift field by field.

    Exit status 3 when something is not as it was left: changed by somebody else, gone, failed, or unknown; 1 when nothing
    is, and the description has errors.
    """
    from sabir.cli.boundary import Status
    from sabir.cli.output import show_findings
    from sabir.operations.deployment.status import status_path

    status = status_path(environment)
    show_findings(status.findings, environment.path, quiet=quiet)
    document = {"format": "sabir.status/1", "resources": [_data(each) for each in status.resources]}
    if notify is not None and status.has_drifted:
        _notify(notify, {**document, "environment": str(environment.path)})
    if format_ == "json":
        write(format_json(document, indent=2) + "\n")
    else:
        for resource in status.resources:
            if not quiet or resource.has_drifted:
                write("".join(_lines(resource)))
        drifted = sum(resource.has_drifted for resource in status.resources)
        write(f"{len(status.resources)} resources, {drifted} not as they were left\n")
    if status.has_drifted:
        return Status.TO_DO
    return Status.FOUND if status.failed else Status.FINE


def _notify(where: str, document: dict[str, Any]) -> None:
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
            from sabir.diagnostics.reasons import reason_of

            say(f"--notify {where}: {reason_of(error)}")
        return
    import subprocess

    done = subprocess.run(where, shell=True, input=data, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        say(f"--notify {where!r} ended with status {done.returncode}")


def _lines(resource: ResourceStatus) -> list[str]:
    from sabir.checks.formatters.palette import harmless
    from sabir.cli.views.plan import value_words

    lines = [f"{harmless(resource.address)} ({resource.kind}): {resource.state}\n"]
    if resource.message:
        lines.append(f"    {harmless(resource.message)}\n")
    lines += [f"    {harmless(link)}\n" for link in resource.links]
    for change in resource.drift:
        written, seen = value_words(change.after), value_words(change.before)
        lines.append(f"    {harmless(change.field)}: written {written}, there is {seen}\n")
    if resource.drift:
        at = f" from {resource.written_at}" if resource.written_at else ""
        lines.append(harmless(f"    (written by deployment {resource.deployment}{at}; seen now)") + "\n")
    for change in resource.changes:
        recorded, wanted = value_words(change.before), value_words(change.after)
        at = f" ({resource.wanted_at[change.field]})" if change.field in resource.wanted_at else ""
        lines.append(f"    {harmless(change.field)}: recorded {recorded}, wanted {wanted}{harmless(at)}\n")
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
    if resource.written_at:
        data["origin"] = resource.written_at
    if resource.links:
        data["links"] = [*resource.links]
    data["drift"] = [
        {"field": change.field, "written": encoded(change.after), "seen": encoded(change.before)}
        for change in resource.drift
    ]
    data["changes"] = [
        {
            "field": change.field,
            "recorded": encoded(change.before),
            "wanted": encoded(change.after),
            "origin": resource.wanted_at.get(change.field),
        }
        for change in resource.changes
    ]
    return data
