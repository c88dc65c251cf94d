"""`sabir facts`: what was observed in the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.cli.declare import argument, flag, sabir_command
from sabir.cli.deploying import environment_options
from sabir.cli.options import format_option, path_argument
from sabir.cli.terminal import print_status, write_text
from sabir.errors import UsageError
from sabir.text import format_json

if TYPE_CHECKING:
    from sabir.operations.deployment.environment import EnvironmentRequest
    from sabir.operations.deployment.facts import ObservedFact


@sabir_command(
    "facts",
    examples=[
        ("sabir facts shop/", "everything that steps gave back"),
        ("sabir facts shop/ db/server.address", "one of them, with where it came from"),
        ("sabir facts shop/ db/server --expire", "look again with the next deployment"),
    ],
)
@path_argument
@argument("names", metavar="[NAME]…", nargs=-1)
@flag("--expire", help="They do not count any more; the next deployment observes them again.")
@format_option("text", "json", help="How it is written.")
@environment_options
def command(*, environment: EnvironmentRequest, names: tuple[str, ...], expire: bool, format_: str) -> int:
    """List what was observed: values that steps gave back, with the step and the time.

    NAME is that of a value (`db/server.address`), or of an instance or resource: all of its values.
    """
    from sabir.operations.deployment.facts import expire_facts, facts_path

    if expire:
        if not names:
            raise UsageError("say which facts expire: sabir facts PATH NAME… --expire")
        print_status(f"expired: {', '.join(expire_facts(environment, names))}")
        return 0
    facts = facts_path(environment, names)
    if format_ == "json":
        document = {"format": "sabir.facts/1", "facts": [_fact_data(seen) for seen in facts]}
        write_text(format_json(document, indent=2) + "\n")
        return 0
    for seen in facts:
        write_text(_fact_line(seen, whole=bool(names)))
    return 0


def _fact_line(seen: ObservedFact, *, whole: bool) -> str:
    from sabir.checks.formatters.palette import escape_control
    from sabir.cli.views.plan import format_value

    fact = seen.fact
    expired = ", expired" if fact.expired else ""
    line = f"{escape_control(fact.name.replace('|', '.'))}: {format_value(seen.value)}\n"
    if not whole:
        return line.rstrip("\n") + ("  (expired)\n" if fact.expired else "\n")
    at = f", {fact.at[:19]}" if fact.at else ""
    return line + escape_control(f"    {fact.words} ({fact.step}){at}{expired}") + "\n"


def _fact_data(seen: ObservedFact) -> dict[str, Any]:
    from sabir.graph.json.values import encode_value

    fact = seen.fact
    return {
        "name": fact.name,
        "value": encode_value(seen.value),
        "resource": fact.address,
        "deployment": fact.deployment,
        "step": fact.step,
        "position": fact.position,
        "at": fact.at,
        "expired": fact.expired,
    }
