"""Checks files and commands as containers render them: failures are errors, undefined names warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sabir.diagnostics.rules import Rule
from sabir.expressions.template.findings import TemplateDefect, TemplateFinding
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.model.procedures import command_steps
from sabir.languages.ccp.model.templates import ContainerTemplates, RenderedText
from sabir.languages.ccp.model.units import Unit
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.nodes import Definition
from sabir.languages.ccp.syntax.rules import Fault, build_fault, ccp_rule

FILE_TEMPLATE: Final = ccp_rule(
    code="CCP:W030",
    title="template of a file uses a name that is not defined",
    why=(
        "Files and commands are rendered inside the container. A name that is not defined there is empty and false, as "
        "in the tool that most templates were written for; mostly it is a slip of the pen. With "
        "`configs.runner.undefined: strict` it is an error, here and there."
    ),
)

FILE_FAILS: Final = ccp_rule(
    code="CCP:E033",
    title="template of a file cannot be rendered",
    why=(
        "Files and commands are rendered when a container starts. This template fails there: it is no Jinja2, or it asks "
        "for something inside of a value that is not defined. The container would never start."
    ),
)

PROCEDURE_FAILS: Final = ccp_rule(
    code="CCP:W035",
    title="template of an action or upgrade cannot be rendered",
    why=(
        "Its files and commands are rendered when it is called. This template fails there, so the call would; what is "
        "deployed does not need it."
    ),
)

TOO_LARGE: Final = ccp_rule(
    code="CCP:W033",
    title="files too large for a ConfigMap",
    why="Kubernetes refuses a ConfigMap of more than one mebibyte. Put large files into the image.",
)

_LARGEST: Final = 1_048_576


def check_file_templates(resolved: ResolvedDeployment) -> Iterator[Fault]:
    """Report each mistake once, however many units write the file."""
    yield from _drop_duplicates(_check_all_templates(resolved))


def _check_all_templates(resolved: ResolvedDeployment) -> Iterator[Fault]:
    templates = ContainerTemplates(resolved)
    for definition in resolved.deployment.definitions:
        if not resolved.topology or resolved.topology.has(definition.service.name):
            for unit in resolved.units.of_service(definition.service.name):
                yield from _check_unit(templates, unit)
        yield from _check_size(resolved.deployment, definition)
    for procedure in resolved.deployment.procedures:
        for step in command_steps(procedure):
            yield from _check_unit(templates, step.unit, PROCEDURE_FAILS)


def _check_unit(templates: ContainerTemplates, unit: Unit, fails: Rule = FILE_FAILS) -> Iterator[Fault]:
    for node in templates.nodes(unit):
        variables = templates.variables(unit, node)
        strict = _is_strict(variables)
        for rendered in _render_texts(templates, unit, variables):
            for finding in rendered.findings:
                yield _build_template_fault(
                    finding, fails if strict or rendered.text is None else FILE_TEMPLATE
                )


def _render_texts(
    templates: ContainerTemplates, unit: Unit, variables: Mapping[str, Any]
) -> Iterator[RenderedText]:
    yield from templates.files(unit, variables)
    commands = unit.container.local_commands if unit.command is None else (unit.command,)
    for command in commands:
        yield templates.command(unit, command.place, command.command, variables)


def _is_strict(variables: Mapping[str, Any]) -> bool:
    options = variables.get("runner")
    return isinstance(options, Mapping) and options.get("undefined") == "strict"


def _build_template_fault(finding: TemplateFinding, rule: Rule) -> Fault:
    if finding.name is None:
        unreadable = finding.defect is TemplateDefect.SYNTAX
        failure = "is not readable as a Jinja2 template" if unreadable else "fails"
        message = f"the template {failure} in the container: {finding.reason}"
    else:
        effect = "it will be empty" if rule is FILE_TEMPLATE else "the container would not start"
        message = f"the template uses {finding.name!r}, which is not defined in the container: {effect}"
    return build_fault(rule, "", finding.place, message, hint=finding.hint)


def _drop_duplicates(faults: Iterable[Fault]) -> Iterator[Fault]:
    """Return the faults without repetitions: a file that many units write is wrong once."""
    seen: set[tuple[str, str, int]] = set()
    for fault_ in faults:
        key = (fault_.code, fault_.place.source.name, fault_.place.span.start)
        if key not in seen:
            seen.add(key)
            yield fault_


def _check_size(deployment: Deployment, definition: Definition) -> Iterator[Fault]:
    sizes = {
        name: len(content.raw())
        for name in definition.files
        if (content := deployment.content(definition, name)) is not None
    }
    size = sum(sizes.values())
    if size > _LARGEST:
        largest = max(sizes, key=lambda name: sizes[name])
        message = f"the files of {definition.service.name!r} are {size:,} bytes together; a ConfigMap holds {_LARGEST:,}"
        yield build_fault(
            TOO_LARGE,
            f"files.{largest}",
            definition.files[largest].place,
            message,
            hint=f"{largest!r} is the largest",
        )
