"""Components in memory, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

from sabir.languages.ccp.check.phases import CheckedDeployment, check_deployment
from sabir.languages.ccp.evaluate.render import render_objects
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.deployment import Deployment, read_deployment
from sabir.source.packages import MemoryPackage
from sabir.text import Source
from tests.conformance.adapters.ccp import KINDS

__all__ = ["checked", "deployment", "kinds", "objects", "service"]


def service(name: str, *, head: str = "", container: str = "", daemon: str = "", tail: str = "") -> str:
    """The text of a definition, grown at the places given."""
    lines = ["dsl_version: 0.9.0", "service:", f"  name: {name}", *_indented(head, 2), "  containers:"]
    lines += [f"  - name: {name}", f"    image: {name}", *_indented(container, 4), "    daemon:"]
    if "command:" not in daemon.split("\n")[0]:
        lines.append(f"      command: run-{name}")
    lines += [*_indented(daemon, 6), *_indented(tail, 0)]
    return "\n".join(lines) + "\n"


def _indented(text: str, by: int) -> list[str]:
    return [" " * by + line for line in dedent(text).strip("\n").splitlines()]


def deployment(files: Mapping[str, str], config: str | None = None, **options: Any) -> Deployment:
    """A component `demo`; a name without a folder is a definition."""
    named = {name if "/" in name else f"service/{name}.yaml": text for name, text in files.items()}
    component = Component(name="demo", package=MemoryPackage(named), root="")
    source = None if config is None else Source("ccp.yaml", dedent(config))
    return read_deployment([component], config=source, **options)


def checked(files: Mapping[str, str], config: str | None = None, **options: Any) -> CheckedDeployment:
    return check_deployment(deployment(files, config, **options))


def kinds(files: Mapping[str, str], config: str | None = None) -> list[tuple[str, str]]:
    """Kind and path of every error."""
    return sorted((KINDS[fault.code], fault.path) for fault in checked(files, config).errors)


def objects(files: Mapping[str, str], config: str | None = None) -> dict[str, Any]:
    """The objects by `Kind/name`."""
    result = checked(files, config)
    assert result.errors == ()
    assert result.resolved is not None
    return {f"{one.kind}/{one.name}": one.data for one in render_objects(result.resolved)}
