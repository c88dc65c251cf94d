"""The validator of CCP packages.

Components on the search path are read for context, but only the checked package is reported in full.
Addresses of unknown services are reported if their names are close to a known one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import ClassVar, Final

from msgspec import structs

from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.rules import Rule, collect_rules
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.rules import Fault, build_fault, ccp_rule
from sabir.source.packages import LoadedPackage
from sabir.text import Place, Source, Span


class CcpValidator(BaseValidator):
    """Checks the definitions and configuration of a component or a deployment, phase by phase."""

    short_name: ClassVar[str] = "CCP"
    long_name: ClassVar[str] = "ccp"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return (*collect_rules("sabir.languages.ccp.syntax"), *collect_rules("sabir.languages.ccp.check"))

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        from sabir.interpreter import collector_paused
        from sabir.languages.ccp.check.file_templates import check_file_templates
        from sabir.languages.ccp.check.phases import check_deployment
        from sabir.languages.ccp.check.references import check_images
        from sabir.languages.ccp.model.deployment import load_deployment
        from sabir.languages.language import EvaluationRequest

        with collector_paused():
            checked = check_deployment(
                load_deployment(self.package, EvaluationRequest.of_check(self.options))
            )
            findings = [*checked.findings, *check_images(checked.deployment)]
            if checked.resolved is not None:
                findings += check_file_templates(checked.resolved)
                findings += check_addresses(checked.resolved)
            about = select_package_faults(findings, self.package, checked.deployment)
        yield from FileSelection.of(files).only(about)


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
            for fault_ in _report_unknown_services(file.source, {**services, **definition.mapping}):
                key = (fault_.place.source.name, fault_.place.span.start)
                if key not in seen:
                    seen.add(key)
                    yield fault_


def _report_unknown_services(source: Source, services: Mapping[str, object]) -> Iterator[Fault]:
    for service, line in _find_address_calls(source.text):
        hint = None if service in services else did_you_mean(service, services)
        if hint is not None:
            message = f"address({service!r}): there is no service of that name"
            yield build_fault(UNKNOWN_ADDRESS, "", _locate_word(source, line, service), message, hint=hint)


@lru_cache(maxsize=4096)
def _find_address_calls(text: str) -> tuple[tuple[str, int], ...]:
    """Return the services whose addresses a template requests, by name, with their lines."""
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


def _locate_word(source: Source, line: int, word: str) -> Place:
    start = source.offset(line)
    at = source.text.find(word, start)
    at = start if at < 0 else at
    return Place(source, Span(at, at + len(word)))


def select_package_faults(
    faults: Iterable[Fault], package: LoadedPackage, deployment: Deployment
) -> Iterator[Fault]:
    """Return the faults of the package and its configuration.

    Of errors in neighboring components only the first is included: while there are any, the deployment
    as a whole cannot be checked.
    """
    others = {component.package for component in deployment.components} - {package}
    errors: list[Fault] = []
    for fault in faults:
        home = _find_package(fault, package, others)
        if home is None:
            yield fault
        elif fault.severity is Severity.ERROR:
            errors.append(_from_outside(fault, home))
    if errors:
        more = f" (and {len(errors) - 1} more in components on the search path)" if len(errors) > 1 else ""
        yield structs.replace(errors[0], message=errors[0].message + more)


def _find_package(
    one: Fault, package: LoadedPackage, others: Iterable[LoadedPackage]
) -> LoadedPackage | None:
    """Return the other package that a fault belongs to. Two packages may have files of one name."""
    source = one.place.source
    mine = package.get_file(source.name)
    if mine is not None and mine.source == source:
        return None
    named = [other for other in others if other.get_file(source.name) is not None]
    exact = (other for other in named if (file := other.get_file(source.name)) and file.source == source)
    return next(exact, None if mine is not None or not named else named[0])


def _from_outside(one: Fault, home: LoadedPackage) -> Fault:
    """Return the fault with the full path of its file, which is not in the checked package."""
    source = one.place.source
    name = str((home.path / source.name).resolve()) if home.path is not None else source.name
    return structs.replace(one, place=Place(Source(name, source.text), one.place.span))
