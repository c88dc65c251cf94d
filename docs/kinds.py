"""Write the reference of kinds and drivers from the code. `python -m docs.kinds` runs this."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, cast

from sabir.plugins import DRIVERS, load_plugin
from sabir.resources.driver import Driver, Kind
from sabir.resources.fields import Field

__all__ = ["PAGE", "kinds_page"]

PAGE: Final = Path(__file__).resolve().parent / "deploy" / "kinds.md"

_DRIVERS: Final = ("local", "ssh", "kubernetes", "openstack-heat", "http")
"""Those that a target names; the others are brought by the languages."""
_SAME: Final = {"ssh": "local"}


def kinds_page() -> str:
    lines = [
        "# Kinds and drivers",
        "",
        "Made from the code by `python -m docs.kinds`. A target names its driver and the settings below; a resource names its",
        "kind and fields. Every target takes `parallel`, `timeout`, `retries` and `labels`, too.",
    ]
    for name in _DRIVERS:
        lines += _driver(cast("Driver", load_plugin(DRIVERS, name)))
    return "\n".join(lines) + "\n"


def _driver(driver: Driver) -> Iterator[str]:
    yield from ("", f"## Driver `{driver.name}`", "")
    yield from _table("setting of the target", driver.settings())
    if driver.name in _SAME:
        yield from ("", f"Its kinds are those of `{_SAME[driver.name]}`.")
        return
    for name, kind in sorted(driver.kinds.items()):
        yield from (
            "",
            f"### Kind `{name}`",
            "",
            f"{_sentence(kind.about)} {' '.join(_traits(kind))}".rstrip(),
            "",
        )
        yield from _table("field", kind.fields or {})
        for operation, about in kind.operations.items():
            yield from ("", f"Operation `{operation}`: {about}.")


def _table(head: str, fields: Mapping[str, Field]) -> Iterator[str]:
    yield f"| {head} | | |"
    yield "|---|---|---|"
    for name, field in fields.items():
        needed = "; needed" if field.required else ""
        replaces = "; a change replaces it" if field.replaces else ""
        choices = f": {', '.join(field.choices)}" if field.choices else ""
        hidden = ", never shown" if field.sensitive else ""
        yield f"| `{name}` | {field.type.value}{choices}{hidden} | {field.about}{needed}{replaces} |"


def _traits(kind: Kind) -> Iterator[str]:
    yield "It is run, and run again when its fields change." if kind.runs else "It is kept."
    if kind.idempotent:
        yield "A step may be repeated."
    if kind.contained:
        yield "It can be kept below a folder."
    if kind.code:
        yield "It needs `--trust scripts`."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


if __name__ == "__main__":
    PAGE.write_text(kinds_page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
