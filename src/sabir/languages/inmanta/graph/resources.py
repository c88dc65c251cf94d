"""Resources: what a model exports for deployment, as the JSON list that the existing engine's tools read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from sabir.diagnostics.finding import Finding, Severity
from sabir.graph.origin import AttributeRead
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.calls import REFUSED
from sabir.languages.inmanta.evaluate.given import Given
from sabir.languages.inmanta.evaluate.model import Model, evaluate_package
from sabir.languages.inmanta.evaluate.plugins.api import IgnoreResourceException, RegisteredResource
from sabir.languages.inmanta.evaluate.plugins.names import Exporter
from sabir.languages.inmanta.evaluate.values import Instance, Pending, RelationValue, property_of
from sabir.languages.inmanta.evaluate.views import view_of
from sabir.languages.inmanta.model.functions import resource_entities
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.language import EvaluationRequest, RenderedObject, Rendering, RenderRequest
from sabir.source.collector import collector_paused
from sabir.source.packages import LoadedPackage

__all__ = ["RENDERER", "RESOURCE", "exported_resources", "render_resources", "rendered_objects"]

RESOURCE: Final = inmanta_rule(
    "INM:W005",
    "a resource cannot be exported",
    "The class that is registered for an entity failed to compute a field or the id of a resource.",
    'host = std::Host(name="a", os=std::linux)\nstd::Package(host=host, name="p]", state="installed")\n',
    'host = std::Host(name="a", os=std::linux)\nstd::Package(host=host, name="p", state="installed")\n',
    when="render",
)

RENDERER: Final = "inmanta-resources"

_EXPORTER = Exporter()


def render_resources(package: LoadedPackage, request: EvaluationRequest, _: RenderRequest, /) -> Rendering:
    """`resources.json`: one object for each exported resource, in the order the instances were made."""
    model = evaluate_package(
        package,
        session=request.session,
        search_path=request.search_path,
        given=Given(request.inputs, request.input_origins, request.overrides),
        on_notice=request.on_notice,
    )
    errors = [] if request.session.trust.python else _left_out(model)
    if errors or any(finding.severity is Severity.ERROR for finding in model.findings):
        findings = sorted([*model.findings, *errors], key=lambda finding: finding.sort_key)
        return Rendering(files={}, findings=tuple(findings))
    with collector_paused():
        resources, findings = exported_resources(model)
    text = json.dumps(resources, indent=2, ensure_ascii=False) + "\n"
    return Rendering(files={"resources.json": text}, findings=(*model.findings, *findings))


def _left_out(model: Model) -> list[Finding]:
    """Resources that only Python of the model can export: without leave to run it they would be missing in silence."""
    modules = (module for module in model.definitions.project.modules.values() if not module.ours)
    homes = {entity: module.name for module in modules for entity in resource_entities(module)}
    first: dict[str, Instance] = {}
    for instance in model.instances if homes else ():
        if instance.entity.name in homes or instance.entity.shown in homes:
            first.setdefault(instance.entity.shown, instance)
    return [
        REFUSED.at(
            message=f"resources of {name!r} are exported by Python of the model, which is not run: the model is not trusted",
            place=instance.site.place,
            hint="allow it with --trust python, or once for this project with `sabir trust`, if you trust its authors",
        )
        for name, instance in first.items()
    ]


def rendered_objects(model: Model, ids: Mapping[Instance, str]) -> list[RenderedObject]:
    """What would be exported, each field with the attributes that were read for it."""
    reads = _Reads()
    for entity in model.definitions.entities.values():
        entity.on_read = reads.note
    exported_resources(model, reads)
    return [
        RenderedObject(
            name=name,
            renderer=RENDERER,
            instance=ids[instance],
            fields={
                field: tuple(AttributeRead(ids[reader], attribute) for reader, attribute in read)
                for field, read in reads.fields[instance].items()
            },
        )
        for instance, name in reads.exported.items()
    ]


class _Reads:
    """Which attributes each field of a resource is made of."""

    def __init__(self) -> None:
        self.fields: dict[Instance, dict[str, dict[tuple[Instance, str], None]]] = {}
        self.exported: dict[Instance, str] = {}
        self._open: dict[tuple[Instance, str], None] = {}

    def begin(self, instance: Instance, field: str) -> None:
        self._open = self.fields.setdefault(instance, {}).setdefault(field, {})

    def note(self, instance: Instance, attribute: str) -> None:
        self._open[instance, attribute] = None


def exported_resources(
    model: Model, reads: _Reads | None = None
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Every instance of a registered entity with its fields, `id` and `requires`."""
    reads = reads or _Reads()
    classes = {resource.entity: resource for resource in model.resources}
    _settle(model)
    findings: list[Finding] = []
    ids: dict[Instance, str] = {}
    fields: dict[Instance, dict[str, Any]] = {}
    for instance in model.instances:
        registered = _class_of(instance, classes)
        if registered is None:
            continue
        try:
            reads.begin(instance, "id")
            identity = _identity(instance, registered)
            if identity is None:
                continue  # its id is not known before deployment: it is left out, as the existing engine does
            fields[instance] = _fields(instance, registered, reads)
        except IgnoreResourceException:
            continue
        except (Exception, SystemExit) as error:  # noqa: BLE001  # get_<field> is code of a module
            findings.append(_failure(instance, registered, error))
            continue
        ids[instance] = identity
    out: list[dict[str, Any]] = []
    for instance, values in fields.items():
        reads.begin(instance, "requires")
        reads.note(instance, "requires")
        reads.exported[instance] = ids[instance]
        required = _required(instance, ids)
        out.append({**values, "id": f"{ids[instance]},v=0", "requires": required, "version": 0})
    return out, findings


def _settle(model: Model) -> None:
    """Nothing comes any more: relations that nobody closed are complete, so that `get_<field>` can read them."""
    for instance in model.instances:
        for slot, (prop, value) in enumerate(zip(instance.entity.by_slot, instance.values, strict=True)):
            if isinstance(value, RelationValue):
                value.closed = True
            elif isinstance(value, Pending):
                settled = RelationValue(instance, prop, slot) if prop.is_list else None
                if settled is not None:
                    settled.closed = True
                instance.values[slot] = settled


def _class_of(instance: Instance, classes: dict[str, RegisteredResource]) -> RegisteredResource | None:
    return classes.get(instance.entity.name) or classes.get(instance.entity.shown)


def _identity(instance: Instance, registered: RegisteredResource) -> str | None:
    agent: Any = view_of(instance)
    for name in registered.agent.split("."):
        agent = getattr(agent, name)
    value = property_of(instance, registered.id_attribute)
    if isinstance(agent, Unknown) or isinstance(value, Unknown):
        return None
    if "," in str(agent):
        raise ValueError(f"the name of an agent may not hold a comma: {agent!r}")
    if "]" in str(value):
        raise ValueError(f"the value that identifies a resource may not hold ']': {value!r}")
    return f"{instance.entity.shown}[{agent},{registered.id_attribute}={value}]"


def _fields(instance: Instance, registered: RegisteredResource, reads: _Reads) -> dict[str, Any]:
    cls: Any = registered.cls
    names: tuple[str, ...] = getattr(cls, "all_fields", None) or getattr(cls, "fields", None) or ()
    values: dict[str, Any] = {}
    mapped = getattr(cls, "map", {})
    for name in names:
        reads.begin(instance, name)
        getter = getattr(cls, f"get_{name}", None)
        if getter is not None:
            value = getter(_EXPORTER, view_of(instance))
        elif name in mapped:
            value = mapped[name](_EXPORTER, view_of(instance))
        else:
            value = property_of(instance, name)
        values[name] = _plain(value)
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, Unknown):
        return "<<undefined>>"
    if isinstance(value, list | tuple | set):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)


def _required(instance: Instance, ids: dict[Instance, str]) -> list[str]:
    slot = instance.entity.slots.get("requires")
    relation = instance.values[slot] if slot is not None else None
    if not isinstance(relation, RelationValue):
        return []
    return [ids[other] for other in relation.values if other in ids]


def _failure(instance: Instance, registered: RegisteredResource, error: BaseException) -> Finding:
    return RESOURCE.at(
        message=f"the resource of this {instance.entity.shown!r} cannot be exported: {type(error).__name__}: {error}",
        place=instance.site.place,
        hint=f"see the class {registered.cls.__name__} that is registered for it",
    )
