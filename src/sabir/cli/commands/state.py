"""`sabir state`: the record itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sabir.cli.declare import argument, sabir_command, usage_line
from sabir.cli.deploying import environment_options
from sabir.cli.options import format_option
from sabir.cli.parameter_types import PATH, WordChoice
from sabir.cli.terminal import print_status, write_text
from sabir.errors import InputError
from sabir.text import format_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from sabir.operations.deployment.environment import EnvironmentRequest


_WORDS = {"list": 0, "show": 1, "mv": 2, "rm": 1, "export": 0, "import": 1, "rotate": 0}


@sabir_command(
    "state",
    examples=[
        ("sabir state list shop/", "every resource that is recorded"),
        ("sabir state show shop/ files/motd", "one of them, with its values"),
        ("sabir state mv shop/ files/old files/new", "it is called otherwise now"),
        ("sabir state rm shop/ files/motd", "forget it; it stays in the world"),
        ("sabir state export shop/ > state.json", "a copy to keep"),
        ("sabir state rotate shop/", "seal secrets with the newest key"),
    ],
)
@argument("action", type=WordChoice(*_WORDS))
@argument("path", type=PATH)
@argument("words", nargs=-1)
@format_option("text", "json", help="How it is written.")
@environment_options
def command(*, environment: EnvironmentRequest, action: str, words: tuple[str, ...], format_: str) -> int:
    """Look at what is recorded, and put it right by hand. Nothing in the world is touched."""
    ctx = click.get_current_context()
    if len(words) != _WORDS[action]:
        ctx.fail(f"state {action} takes {_WORDS[action]} more words after PATH: {usage_line(ctx)}")
    _ACTIONS[action](environment, words, format_)
    return 0


def _list_resources(environment: EnvironmentRequest, _words: tuple[str, ...], format_: str) -> None:
    from sabir.operations.deployment.state import state_records

    records, _ = state_records(environment)
    if format_ == "json":
        rows = [
            {"address": each.address, "kind": each.kind, "target": each.target, "status": each.status.value}
            for each in records.values()
        ]
        write_text(format_json({"format": "sabir.state/1", "resources": rows}, indent=2) + "\n")
        return
    for each in records.values():
        note = "" if each.status.value == "present" else f"  {each.status.value}"
        write_text(f"{each.address}  {each.kind}  {each.target}{note}\n")


def _show_resource(environment: EnvironmentRequest, words: tuple[str, ...], _format: str) -> None:
    from sabir.diagnostics.suggestions import did_you_mean
    from sabir.errors import UsageError
    from sabir.graph.json.values import encode_value
    from sabir.operations.deployment.state import state_records

    records, read = state_records(environment)
    record = records.get(words[0])
    if record is None:
        hint = did_you_mean(words[0], records)
        raise UsageError(f"nothing is recorded under {words[0]!r}" + (f": {hint}" if hint else ""))
    shown: dict[str, Any] = {
        "address": record.address,
        "kind": record.kind,
        "target": record.target,
        "driver": record.driver,
        "status": record.status.value,
        "id": record.id,
        "desired": encode_value(read(record.desired)),
        "requires": list(record.requires),
        "deployment": record.deployment,
        "origin": record.origin,
    }
    write_text(format_json(shown, indent=2) + "\n")


def _move_resource(environment: EnvironmentRequest, words: tuple[str, ...], _format: str) -> None:
    from sabir.operations.deployment.state import move_resource

    move_resource(environment, *words)


def _forget_resource(environment: EnvironmentRequest, words: tuple[str, ...], _format: str) -> None:
    from sabir.operations.deployment.state import forget_resource

    forget_resource(environment, words[0])


def _export_state(environment: EnvironmentRequest, _words: tuple[str, ...], _format: str) -> None:
    from sabir.operations.deployment.state import export_state

    write_text(format_json(export_state(environment), indent=2) + "\n")


def _import_state(environment: EnvironmentRequest, words: tuple[str, ...], _format: str) -> None:
    from pathlib import Path

    from sabir.operations.deployment.state import import_state
    from sabir.source.packages import PackageLimits
    from sabir.source.packages.file import read_input
    from sabir.source.packages.limits import PackageReadError

    try:
        data = read_input(Path(words[0]), PackageLimits(file=1_000_000_000))
    except PackageReadError as error:
        raise InputError(f"{words[0]!r} {error}") from error
    print_status(f"{import_state(environment, data)} resources")


def _rotate_keys(environment: EnvironmentRequest, _words: tuple[str, ...], _format: str) -> None:
    from sabir.operations.deployment.state import rotate_keys

    print_status(f"{rotate_keys(environment)} records sealed anew")


_ACTIONS: dict[str, Callable[[EnvironmentRequest, tuple[str, ...], str], None]] = {
    "list": _list_resources,
    "show": _show_resource,
    "mv": _move_resource,
    "rm": _forget_resource,
    "export": _export_state,
    "import": _import_state,
    "rotate": _rotate_keys,
}
