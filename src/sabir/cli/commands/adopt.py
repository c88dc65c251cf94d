"""`sabir adopt`: take over what already exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.cli.declare import argument, option, sabir_command
from sabir.cli.deploying import project_options
from sabir.cli.options import format_option, path_argument, quiet_option
from sabir.cli.parameter_types import PATH
from sabir.cli.terminal import print_status, write_text
from sabir.text import format_json

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.operations.deployment.adopt import AdoptedResource, AdoptResult
    from sabir.operations.deployment.environment import EnvironmentRequest


@sabir_command(
    "adopt",
    examples=[
        ("sabir adopt shop/", "everything that is described and already there"),
        ("sabir adopt shop/ files/motd", "this one"),
        ("sabir adopt shop/ net/lan=6f1c…", "one that its target knows by an id"),
        ("sabir adopt shop/ --murano dump.sql", "what Murano deployed, from a dump of its database"),
        (
            "sabir adopt shop/ 744e…=murano-RegionOne-abc --murano show.json",
            "the same from an answer, with its stack",
        ),
    ],
)
@path_argument
@argument("words", metavar="[ADDRESS[=ID]]…", nargs=-1)
@option(
    "--murano",
    type=PATH,
    metavar="DUMP",
    help="Environments of Murano: its database, a dump of it (SQL), or answers of its client (JSON).",
)
@format_option("text", "json", help="How it is written.")
@quiet_option
@project_options
def command(
    *, environment: EnvironmentRequest, words: tuple[str, ...], murano: Path | None, format_: str, quiet: bool
) -> int:
    """Read what already exists and record it; nothing is changed. What differs from the description is printed.

    From then on it belongs to the environment: the next deployment puts right what differs, destroying takes it away. Exit
    status 1 when something that is named is not there.
    """
    from sabir.cli.boundary import ExitCode
    from sabir.cli.output import show_findings
    from sabir.operations.deployment.adopt import adopt_path

    ids = {address: id_ or None for address, _, id_ in (word.partition("=") for word in words)}
    if murano is None:
        adopted = adopt_path(environment, ids)
    else:
        from sabir.operations.deployment.adopt_murano import adopt_murano

        adopted = adopt_murano(environment, murano, print_status, stacks=ids)
    show_findings(adopted.findings, environment.path, quiet=quiet)
    if adopted.failed:
        return ExitCode.FOUND
    if format_ == "json":
        document = {
            "format": "sabir.adopted/1",
            "resources": [_resource_data(each) for each in adopted.resources],
        }
        write_text(format_json(document, indent=2) + "\n")
    else:
        _print_result(adopted, named=bool(ids), quiet=quiet)
    missing = ids and any(not each.taken for each in adopted.resources)
    return ExitCode.FOUND if missing else ExitCode.FINE


def _print_result(adopted: AdoptResult, *, named: bool, quiet: bool) -> None:
    from sabir.checks.formatters.palette import escape_control
    from sabir.cli.views.plan import format_value

    for resource in adopted.resources:
        if not resource.taken:
            if named or not quiet:
                write_text(
                    escape_control(f"{resource.address} ({resource.kind}): not taken over: {resource.reason}")
                    + "\n"
                )
            continue
        write_text(escape_control(f"{resource.address} ({resource.kind}): taken over") + "\n")
        for change in resource.differences:
            there, wanted = format_value(change.before), format_value(change.after)
            write_text(f"    {escape_control(change.field)}: there is {there}, wanted {wanted}\n")
    if not quiet:
        taken = sum(resource.taken for resource in adopted.resources)
        differing = sum(bool(resource.differences) for resource in adopted.resources)
        print_status(f"{taken} taken over, {differing} of them not as described; nothing was changed")


def _resource_data(resource: AdoptedResource) -> dict[str, Any]:
    from sabir.graph.json.values import encode_value

    return {
        "address": resource.address,
        "kind": resource.kind,
        "taken": resource.taken,
        "reason": resource.reason,
        "differences": [
            {
                "field": change.field,
                "there": encode_value(change.before),
                "wanted": encode_value(change.after),
            }
            for change in resource.differences
        ],
    }
