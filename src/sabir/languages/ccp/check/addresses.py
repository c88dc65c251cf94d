"""Addresses of services that are not there, when their names are close to those of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.ccp.model.resolved import ResolvedDeployment
from sabir.languages.ccp.syntax.examples import ccp_rule
from sabir.languages.ccp.syntax.fault import Fault, build_fault
from sabir.text import Place, Source, Span

__all__ = ["check_addresses"]

UNKNOWN_ADDRESS: Final = ccp_rule(
    code="CCP:W034",
    title="address of a service that is not there",
    why=(
        "`address` makes a name from whatever it is given, so a misspelt service is noticed only by those who cannot reach "
        "it. Services of other components are not known here: only a name close to one that is known is reported."
    ),
)


def check_addresses(resolved: ResolvedDeployment) -> Iterator[Fault]:
    services = resolved.units.definitions
    seen: set[tuple[str, int]] = set()
    for definition in resolved.deployment.definitions:
        component = resolved.deployment.component(definition.component)
        names = [definition.file.removeprefix(component.root)]
        names += [f"service/files/{file.content}" for file in definition.files.values()]
        for name in names:
            file = component.get(name)
            if file is None or file.defect is not None or "address" not in file.source.text:
                continue
            for fault_ in _unknown(file.source, {**services, **definition.mapping}):
                key = (fault_.place.source.name, fault_.place.span.start)
                if key not in seen:
                    seen.add(key)
                    yield fault_


def _unknown(source: Source, services: Mapping[str, object]) -> Iterator[Fault]:
    for service, line in _asked(source.text):
        hint = None if service in services else did_you_mean(service, services)
        if hint is not None:
            message = f"address({service!r}): there is no service of that name"
            yield build_fault(UNKNOWN_ADDRESS, "", _place(source, line, service), message, hint=hint)


@lru_cache(maxsize=4096)
def _asked(text: str) -> tuple[tuple[str, int], ...]:
    """The services that a template asks the addresses of, by name, with their lines."""
    from jinja2 import Environment, TemplateError, nodes

    environment = Environment()  # only parsed here, never run
    try:
        calls = [*environment.parse(text).find_all(nodes.Call)]
    except (TemplateError, RecursionError):
        return ()
    return tuple(
        (call.args[0].value, call.lineno)
        for call in calls
        if isinstance(call.node, nodes.Name)
        and call.node.name == "address"
        and call.args
        and isinstance(call.args[0], nodes.Const)
        and isinstance(call.args[0].value, str)
    )


def _place(source: Source, line: int, word: str) -> Place:
    start = source.offset(line)
    at = source.text.find(word, start)
    at = start if at < 0 else at
    return Place(source, Span(at, at + len(word)))
