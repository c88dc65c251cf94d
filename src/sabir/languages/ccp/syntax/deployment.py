"""A deployment as read: components and configuration, rendered and typed definitions, and faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.template.findings import RenderedTemplate, RenderError
from sabir.expressions.template.sandbox import Sandbox
from sabir.graph.values import Value
from sabir.languages.ccp.runner.network import address_function, url_host, url_hostname
from sabir.languages.ccp.runner.templates import raise_exception
from sabir.languages.ccp.runner.variables import merge_mappings
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.configuration import Configuration, read_configuration
from sabir.languages.ccp.syntax.includes import FileLookup
from sabir.languages.ccp.syntax.nodes import Definition
from sabir.languages.ccp.syntax.overrides import Overrides, find_replacements
from sabir.languages.ccp.syntax.procedures import Procedure, read_procedures
from sabir.languages.ccp.syntax.reader import MISSING_KEY, YAML_SYNTAX, NodeReader
from sabir.languages.ccp.syntax.rules import (
    TEMPLATE_RULES,
    UNDEFINED_VARIABLE,
    Fault,
    build_fault,
    ccp_rule,
    template_fault,
)
from sabir.languages.ccp.syntax.sections import read_sections
from sabir.languages.language import Document
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.yaml import compose
from sabir.source.yaml.recovery import compose_readable
from sabir.text import EMPTY_SPAN, Place, Source

if TYPE_CHECKING:
    from sabir.languages.ccp.syntax.recording.statements import Trace
    from sabir.languages.ccp.syntax.recording.templates import TracedTemplates


DUPLICATE_NAME: Final = ccp_rule(
    code="CCP:E018",
    title="name is used twice",
    why=(
        "Services, and the containers and single commands of a service, are found by their names: by Kubernetes and by "
        "those who wait for them."
    ),
)

UNKNOWN_SERVICE: Final = ccp_rule(
    code="CCP:E050",
    title="configuration names a service that is not there",
    why="Replicas and named instances are for services that are defined and, with a topology, part of it.",
)

DSL_VERSION: Final = "0.9.0"
"""The version of the definition language that sabir speaks (C-088)."""

INPUTS: Final = "<inputs>"
"""What stands for the file of values that were given one by one."""


class Deployment(Struct, frozen=True, kw_only=True, eq=False):
    components: tuple[Component, ...]
    configuration: Configuration
    variables: Mapping[str, Any]
    definitions: tuple[Definition, ...]
    """In the order of the components and of their files; named instances follow, in the order of the configuration."""
    procedures: tuple[Procedure, ...]
    """Actions and upgrades, in the order of the components and of their files."""
    packages: tuple[LoadedPackage, ...]
    """Everything that was searched: components without services may still bring images."""
    replaced: Mapping[str, PackageFile]
    """Templates of the configuration that stand in for those of components, by the names of files."""
    dsl_version: str
    faults: tuple[Fault, ...]
    """What reading alone could tell: the first phase."""
    overrides: Overrides

    def component(self, name: str) -> Component:
        return next(component for component in self.components if component.name == name)

    def content(self, definition: Definition, name: str) -> PackageFile | None:
        """Return the template of a file by its name in the definition."""
        if name in self.replaced:
            return self.replaced[name]
        return self.component(definition.component).content(definition.files[name].content)


def read_deployment(
    components: Sequence[Component],
    *,
    observed: Source | None = None,
    config: Source | Document | None = None,
    inputs: Source | None = None,
    beside: FileLookup | None = None,
    packages: Sequence[LoadedPackage] = (),
    dsl_version: str | None = None,
    overrides: Mapping[str, Value] | None = None,
    recording: bool = False,
    keeps_trees: bool = True,
) -> Deployment:
    """Read everything, and collect all faults of the first phase.

    `recording` keeps what each part of a rendered definition depends on. Without `keeps_trees`
    definitions drop the texts they were read from, which are most of their size; a graph needs them.
    """
    defaults = [file for component in components if (file := component.get("service/files/defaults.yaml"))]
    configuration, faults = read_configuration(
        [
            *(file.source for file in defaults),
            *(layer for layer in (observed, config, inputs) if layer is not None),
        ],
        beside,
    )
    values = Overrides(overrides or {})
    reader = _Reader(configuration, faults, values, recording=recording, keeps_trees=keeps_trees)
    definitions = reader.read(components)
    procedures = read_procedures(components, reader.render_template, faults)
    names = {name for described in (*definitions, *procedures) for name in described.files}
    return Deployment(
        components=tuple(components),
        configuration=configuration,
        variables=reader.variables,
        definitions=tuple(definitions),
        procedures=procedures,
        packages=tuple(packages) or tuple(dict.fromkeys(component.package for component in components)),
        replaced=find_replacements(configuration, beside, names, faults),
        dsl_version=dsl_version or configuration.dsl_version or DSL_VERSION,
        faults=_drop_duplicates(faults, readable=configuration.readable),
        overrides=values,
    )


def _drop_duplicates(faults: Sequence[Fault], *, readable: bool) -> tuple[Fault, ...]:
    """Return each fault once: a definition's named instances have the same faults."""
    faults_by_place: dict[tuple[object, ...], Fault] = {}
    for fault_ in faults:
        if fault_.code == UNDEFINED_VARIABLE.code and not readable:
            continue
        place = fault_.place
        faults_by_place.setdefault(
            (fault_.code, fault_.path, place.source.name, place.span, fault_.message), fault_
        )
    return tuple(faults_by_place.values())


def with_address(variables: Mapping[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    """Return the variables with the function `address` over them."""
    return {**variables, "address": address_function(variables, mapping)}


def make_sandbox(load: Callable[[str], Source | None], *, keep_trailing_newline: bool = True) -> Sandbox:
    """Return the sandbox for a component's templates."""
    return Sandbox(
        TEMPLATE_RULES,
        functions=_FUNCTIONS,
        filters=_FILTERS,
        load=load,
        keep_trailing_newline=keep_trailing_newline,
    )


_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {"raise_exception": raise_exception}
# Names are resolved where the pods run; while rendering a definition a name stands for itself.
_FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "host": url_host,
    "hostname": url_hostname,
    "gethostbyname": str,
}


def trace_templates(load: Callable[[str], Source | None]) -> TracedTemplates:
    """Return templates like those of the sandbox that record what each part of their text depends on."""
    from sabir.languages.ccp.syntax.recording.templates import TracedTemplates

    return TracedTemplates(load, _FUNCTIONS, _FILTERS)


def _as_mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


class _Reader:
    def __init__(
        self,
        configuration: Configuration,
        faults: list[Fault],
        overrides: Overrides,
        *,
        recording: bool,
        keeps_trees: bool,
    ) -> None:
        self.configuration = configuration
        self.variables = configuration.variables
        self.faults = faults
        self.overrides = overrides
        self._sandboxes: dict[str, Sandbox] = {}
        self._recording = recording
        self._keeps_trees = keeps_trees
        self._recorded: dict[str, TracedTemplates] = {}
        self._bound = with_address(self.variables, {})

    def read(self, components: Sequence[Component]) -> list[Definition]:
        definitions: list[Definition] = []
        instances = self.configuration.section("services")
        for component in components:
            for name in component.definitions:
                file = component.get(name)
                if file is None:
                    continue
                definition = self._definition(component, file, None, {})
                if definition is None:
                    continue
                settings = instances.get(definition.service.name)
                if (
                    isinstance(settings, dict)
                    and settings.get("service_def", definition.service.name) == definition.service.name
                ):
                    definition = (
                        self._definition(component, file, definition.service.name, settings) or definition
                    )
                definitions.append(definition)
        return definitions + self._instances(components, definitions, instances)

    def _instances(
        self, components: Sequence[Component], definitions: list[Definition], instances: Mapping[str, Any]
    ) -> list[Definition]:
        by_name = {definition.written_name: definition for definition in definitions}
        out: list[Definition] = []
        for name, spec in instances.items():
            if not isinstance(spec, dict):
                continue
            wanted = spec.get("service_def", name)
            base = by_name.get(wanted)
            if name in by_name and wanted == name:
                continue
            if "service_def" not in spec:
                place = self.configuration.place("services", name)
                message = f"services.{name} needs the key 'service_def'"
                self._note(MISSING_KEY, f"services.{name}.service_def", place, message)
            elif base is None:
                place = self.configuration.place("services", name, "service_def")
                message = f"services.{name}: there is no definition {wanted!r}"
                self._note(
                    UNKNOWN_SERVICE,
                    f"services.{name}.service_def",
                    place,
                    message,
                    did_you_mean(wanted, by_name),
                )
            elif name in by_name:
                place = self.configuration.place("services", name)
                message = f"services.{name}: a service of that name is defined in {by_name[name].file}"
                self._note(DUPLICATE_NAME, f"services.{name}", place, message)
            else:
                component = next(
                    component
                    for component in components
                    if base.file.startswith(component.root) and component.name == base.component
                )
                file = component.get(base.file[len(component.root) :])
                if (
                    file is not None
                    and (definition := self._definition(component, file, name, spec)) is not None
                ):
                    out.append(definition)
        return out

    def _note(self, rule: Rule, path: str, place: Place, message: str, hint: str | None = None) -> None:
        self.faults.append(build_fault(rule, path, place, message, hint=hint))

    def _definition(
        self, component: Component, file: PackageFile, instance: str | None, spec: Mapping[str, Any]
    ) -> Definition | None:
        configs = _as_mapping(spec.get("configs"))
        mapping = _as_mapping(spec.get("mapping"))
        if file.defect is not None:
            self._note(YAML_SYNTAX, "", file.defect.place, file.defect.message)
            return None
        plain, variables = self.variables, self._bound
        if configs or mapping:
            plain = merge_mappings(self.variables, configs)
            variables = with_address(plain, mapping)
        rendered = self.render_template(component, file.source, variables)
        if rendered is None:
            return None
        reading = NodeReader(rendered, self.faults, keeps_trees=self._keeps_trees)
        stream = compose(rendered.source)
        reading.take_defects(stream)
        if len(stream.documents) > 1 and not stream.broken:
            second = stream.documents[1]
            message = "a definition is one YAML document; another begins here"
            reading.fail(YAML_SYNTAX, "", second.span if second else EMPTY_SPAN, message)
        if stream.broken:
            # What is left is for whoever edits the file. Nothing is said of it: what is missing may be in the lost part.
            reading = NodeReader(rendered, [], keeps_trees=self._keeps_trees)
            stream = compose_readable(rendered.source) or stream
        if stream.broken:
            return None
        document = self.overrides.apply(stream.documents[0] if stream.documents else None, instance)
        sections = read_sections(
            reading, document, node_ports=self.configuration.node_ports, instance=instance
        )
        if sections is None:
            return None
        return Definition(
            component=component.name,
            file=file.name,
            root=component.root,
            version=sections.version,
            version_place=sections.version_place,
            service=sections.service,
            written_name=sections.written_name,
            mapping=mapping,
            configs=configs,
            files=sections.files,
            secrets=sections.secrets,
            features=tuple(reading.features),
            rendered=rendered if self._keeps_trees else None,
            trace=self._trace(component, file.source, rendered, instance, plain, mapping),
        )

    def render_template(
        self, component: Component, source: Source, variables: Mapping[str, Any] | None = None
    ) -> RenderedTemplate | None:
        """The text of a template; None when it fails, which is noted. Without variables: those of the deployment."""
        variables = self._bound if variables is None else variables
        try:
            return self._sandbox(component).render(source, variables)
        except RenderError as failed:
            self.faults += map(template_fault, failed.findings)
            return None

    def _sandbox(self, component: Component) -> Sandbox:
        sandbox = self._sandboxes.get(component.root)
        if sandbox is None:
            sandbox = self._sandboxes[component.root] = make_sandbox(_build_loader(component))
        return sandbox

    def _trace(
        self,
        component: Component,
        source: Source,
        rendered: RenderedTemplate,
        instance: str | None,
        variables: Mapping[str, Any],
        mapping: Mapping[str, str],
    ) -> Trace | None:
        """What each part of the rendered text rests on, when that is asked for."""
        if not self._recording or rendered.lines is None:
            return None
        templates = self._recorded.get(component.root)
        if templates is None:
            templates = self._recorded[component.root] = trace_templates(_build_loader(component))
        trace = templates.trace(source, instance, variables, mapping)
        # Another text (by a filter that throws dice) would have other positions.
        return trace if trace is not None and trace.text == rendered.source.text else None


def _build_loader(component: Component) -> Callable[[str], Source | None]:
    """Return the loader of what templates of a component include and import."""

    def load(name: str) -> Source | None:
        file = component.get(f"service/{name}")
        return file.source if file is not None else None

    return load
