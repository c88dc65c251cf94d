"""The desired resource of an object model: one program, with its callable operations and a forecast.

A forecast is a dry run in a simulated world that starts from the state of the last deployment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from sabir import __version__
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import join_names
from sabir.graph.address import Address, digest_bytes, digest_text
from sabir.graph.graph import Graph
from sabir.graph.values import Unknown, Value
from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.forms.schema import method_schema
from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.model_file import ModelFile
from sabir.languages.muranopl.evaluate.packages import MuranoPackage
from sabir.languages.muranopl.evaluate.preparation import PreparedRun
from sabir.languages.muranopl.evaluate.previous import STACKS, STORAGE, read_stored_value, root_id
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.graph.driver import CALL, DRIVER, PROGRAM, TARGET, ProgramTarget
from sabir.languages.muranopl.graph.program import MuranoProgram, ProgramCall, Routes, routes_to, run_program
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.worlds.deployed import target_hint
from sabir.languages.muranopl.worlds.effects import EffectKind, EffectRequest
from sabir.languages.muranopl.worlds.offline import RecordedWorld
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld
from sabir.languages.muranopl.worlds.simulated.stacks import SimulatedStacks
from sabir.resources.resource import DesiredResources, Operation, Resource
from sabir.source.packages import LoadedPackage
from sabir.text import Place, Span

_SECONDS = 60.0
_UNTOLD = (EffectKind.TRACK, EffectKind.UNTRACK)


def foreseen_effects(
    program: MuranoProgram, call: ProgramCall, stacks: Mapping[str, Any], routes: Routes
) -> tuple[str, ...]:
    """Return lines for the plan: the changes in order, why the dry run stopped early, and unsupported effects."""
    cloud = SimulatedStacks()
    cloud.restore(stacks)
    world = RecordedWorld(SimulatedWorld(stacks=cloud))
    before = cloud.templates()
    end = run_program(program, call, world, RunLimits(seconds=_SECONDS))
    effects = [
        event for event in world.events if isinstance(event, EffectRequest) and event.kind not in _UNTOLD
    ]
    lines: list[str] = []
    for effect in effects:
        lines.append(effect_words(effect, before))
        if "template" in effect.arguments:
            before[effect.arguments["stack"]] = effect.arguments["template"]
    unserved = routes.find_unserved(effect.kind for effect in effects)
    if unserved:
        kinds = ", ".join(kind.value for kind in unserved)
        lines.append(f"no target does {kinds}, a deployment would stop there: {target_hint(unserved)}")
    failures = [finding for finding in end.findings if finding.severity.name == "ERROR"]
    return (*lines, *(f"the dry run ends here: {failure.message}" for failure in failures[:1]))


def effect_words(effect: EffectRequest, templates: Mapping[str, Any]) -> str:
    """Return one effect as a line: `heat.update murano-env: + web-2 (OS::Nova::Server)`."""
    arguments = effect.arguments
    kind = effect.kind.value
    match effect.kind:
        case EffectKind.STACK_CREATE | EffectKind.STACK_UPDATE:
            stack = arguments["stack"]
            return f"{kind} {stack}{_describe_changes(templates.get(stack) or {}, arguments['template'])}"
        case EffectKind.STACK_DELETE:
            return f"{kind} {arguments['stack']}"
        case EffectKind.AGENT_CALL | EffectKind.AGENT_SEND:
            plan = arguments["plan"]
            scripts = plan.get("Scripts")
            named = ", ".join(scripts) if isinstance(scripts, Mapping) else ""
            words = plan.get("Name") or named or "a plan"
            return f"{kind} {arguments.get('host') or arguments['queue']}: {words}"
        case _:
            return kind


def _describe_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    old, new = before.get("resources") or {}, after.get("resources") or {}
    words = [f"+ {name} ({_resource_type(new[name])})" for name in new if name not in old]
    words += [f"~ {name}" for name in new if name in old and new[name] != old[name]]
    words += [f"- {name}" for name in old if name not in new]
    return f": {join_names(words)}" if words else ""


def _resource_type(resource: Any) -> str:
    return str(resource.get("type")) if isinstance(resource, Mapping) else "?"


_BESIDE: Final = ("manifest.yaml", "template.yaml")
_INSIDE: Final = ("Classes", "Resources")

ROOT_WITHOUT_ID: Final = package_rule(
    "MRUN:E070",
    "a root object without an id",
    "A deployment is known by the id of the root of its model from one run to the next. Without one, a changed model would be "
    "another environment, and the first would be taken away.",
    when="plan",
)


def build_desired_program(
    package: LoadedPackage, request: EvaluationRequest, prepared: PreparedRun, graph: Graph
) -> DesiredResources:
    """Return the program of a model.

    A model with errors desires nothing, but its deployed objects can still be deleted.
    """
    program = MuranoProgram(package=package, request=request)
    session, file = prepared.session, prepared.file
    routes = routes_to(request.targets)
    if session is None or prepared.failed or file is None:
        return DesiredResources(targets=(_build_target(program, None, {}, routes),))
    root = root_id(file.model)
    if root is None:
        return DesiredResources(
            targets=(_build_target(program, None, {}, routes),), findings=(_without_id(file),)
        )
    packages = _package_versions(session)
    target = _build_target(
        program, file, {"sabir": __version__, **packages, "model": _model_digest(file)}, routes
    )
    shown = graph.get(root)
    resource = Resource(
        address=Address(root),
        kind=PROGRAM,
        desired={**packages, **dict(_model_objects(file.model))},
        target=TARGET,
        foreseen=_effect_forecast(program, file, root, routes),
        origin=None if shown is None else shown.origin,
    )
    return DesiredResources(
        # An object without a method `deploy` is only data: there is nothing to run.
        resources=(resource,) if _is_deployable(session, root) else (),
        operations=tuple(_list_operations(session, root)),
        targets=(target,),
        findings=routes.findings,
    )


def _is_deployable(session: MuranoRun, root: str) -> bool:
    objects = (object_ for object_ in session.runtime.store if object_.id == root)
    return any(object_.cls.lookup("deploy") is not None for object_ in objects)


def _build_target(
    program: MuranoProgram, file: ModelFile | None, pinned: Mapping[str, Value], routes: Routes
) -> ProgramTarget:
    return ProgramTarget(
        name=TARGET,
        driver=DRIVER.name,
        program=program,
        file=file,
        pinned=pinned,
        effects=routes.effects,
        has_machines=routes.has_machines,
    )


def _without_id(file: ModelFile) -> Finding:
    return ROOT_WITHOUT_ID.at(
        Place(file.source, Span(0, 0)),
        "the root of the model has no id",
        hint="give it one that stays: '?': {id: NAME, type: …}",
    )


def _effect_forecast(
    program: MuranoProgram, file: ModelFile, root: str, routes: Routes
) -> Callable[[], tuple[str, ...]]:
    def effects() -> tuple[str, ...]:
        stacks = read_stored_value(program.request.observed, root, STACKS) or {}
        return foreseen_effects(program, ProgramCall(file=file), stacks, routes)

    return effects


# -- inputs of the program ---------------------------------------------------------------------------------------------


def _package_versions(session: MuranoRun) -> dict[str, Value]:
    """Return the packages of the model with their versions and content hashes: changed code is a changed program."""
    packages = {cls.package for cls in session.runtime.list_classes()} - {session.runtime.core}
    return {
        f"package {package.name}": f"{package.manifest.version} ({_package_digest(package)})"
        for package in sorted(packages, key=lambda package: package.name)
    }


def _package_digest(package: MuranoPackage) -> str:
    names = [name for name in _BESIDE if package.loaded.exists(name)]
    names += [name for folder in _INSIDE for name in package.loaded.list(folder)]
    files = ((name, package.loaded.get_file(name)) for name in names)
    words = [(name, digest_bytes(file.raw())) for name, file in files if file is not None]
    return digest_text(*(word for pair in words for word in pair))


def _model_digest(file: ModelFile) -> str:
    return digest_text(repr(file.model), repr(file.previous), repr(file.attributes), size=16)


def _model_objects(model: Mapping[Any, Any] | None) -> Iterator[tuple[str, Value]]:
    """Return every object of the model by its id or its path in the model, with only its own properties."""
    waiting: list[tuple[str, Mapping[Any, Any]]] = [(root_id(model) or "", model or {})]
    while waiting:
        name, raw = waiting.pop(0)
        inner: list[tuple[str, Mapping[Any, Any]]] = []
        own = {
            str(key): _own_value(value, f"{name}.{key}", inner) for key, value in raw.items() if key != "?"
        }
        header = raw.get("?")
        yield name, {"?": header if isinstance(header, Mapping) else {}, **own}
        waiting.extend(inner)


def _own_value(value: Any, place: str, inner: list[tuple[str, Mapping[Any, Any]]]) -> Any:
    """Return the value with each object in it replaced by its name."""
    if isinstance(value, Mapping):
        if "?" in value:
            name = root_id(value) or place
            inner.append((name, value))
            return f"<{name}>"
        return {str(key): _own_value(item, f"{place}.{key}", inner) for key, item in value.items()}
    if isinstance(value, list):
        return [_own_value(item, f"{place}[{index}]", inner) for index, item in enumerate(value)]
    return value


# -- operations ---------------------------------------------------------------------------------------------------------


def _list_operations(session: MuranoRun, root: str) -> Iterator[Operation]:
    for object_ in session.runtime.store:
        if object_.is_destroyed:
            continue
        for name in object_.cls.action_names:
            if object_.id != root or name != "deploy":
                yield _build_operation(object_, name, root)


def _build_operation(object_: MuranoObject, name: str, root: str) -> Operation:
    method = object_.cls.lookup(name)
    arguments = () if method is None else method.arguments

    def resources(given: Mapping[str, Value]) -> tuple[Resource, ...]:
        told = {name: value for name, value in given.items() if value is not None}
        call = Resource(
            address=Address(object_.id, item=name),
            kind=CALL,
            desired={"call": f"{object_.id}.{name}", "arguments": told},
            target=TARGET,
            requires=(Address(root),),
            results={name: Address(root, attribute=name) for name in (STORAGE, STACKS)},
        )
        return (call,)

    return Operation(
        address=Address(object_.id),
        name=name,
        arguments={argument.name: _argument_default(argument) for argument in arguments},
        schema=None if method is None else lambda: method_schema(method),
        resources=resources,
    )


def _argument_default(argument: Any) -> Value:
    """Return the default of an argument: the call computes it; a required value is unknown until then."""
    return Unknown(why="it has to be said") if argument.default is None else None
