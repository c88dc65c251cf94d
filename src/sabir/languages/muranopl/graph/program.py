"""A deployment as a program: load the object model, call `deploy` or an action, return the new state.

The same program runs in every world: simulated, to predict its requests; journaled, to perform them; and
again after a crash. Routes assign each kind of effect to a target of the environment: a cloud or a pool of
machines, and a broker for agents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct, field

from sabir.diagnostics.finding import Finding
from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.model_file import ModelFile
from sabir.languages.muranopl.evaluate.preparation import error_findings, has_errors, prepare_run
from sabir.languages.muranopl.evaluate.program import perform_call
from sabir.languages.muranopl.evaluate.serialisation import plain_result
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.worlds.effects import EffectKind, World
from sabir.resources.target import Target
from sabir.source.packages import LoadedPackage


class MuranoProgram(Struct, frozen=True, kw_only=True, eq=False):
    """A package with its evaluation request."""

    package: LoadedPackage
    request: EvaluationRequest


class ProgramCall(Struct, frozen=True, kw_only=True, eq=False):
    """A call on a model. Without a model everything that the last deployment left is destroyed."""

    file: ModelFile
    method: str | None = None
    """`OBJECT.METHOD`; None: `deploy` of the root."""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


class ProgramEnd(Struct, frozen=True, kw_only=True, eq=False):
    """How a program ended."""

    storage: Mapping[str, Any] | None = None
    """`Objects` and `Attributes` to go on from, also after a failure; None when the model could not be loaded."""
    result: Any = None
    findings: tuple[Finding, ...] = ()

    @property
    def failed(self) -> bool:
        return has_errors(self.findings)


def run_program(
    program: MuranoProgram, call: ProgramCall, world: World, limits: RunLimits | None = None
) -> ProgramEnd:
    """Run a program to its end in a world. Failures of the program are findings."""
    prepared = prepare_run(
        program.package,
        program.request,
        limits=limits or RunLimits(steps=None),
        world=world,
        may_remove=True,
        file=call.file,
    )
    session = prepared.session
    if session is None:
        return ProgramEnd(findings=prepared.findings)
    runtime, result, findings = session.runtime, None, prepared.findings
    warned = len(runtime.warnings)
    try:
        result = plain_result(perform_call(session, call.method, call.arguments))
    except MuranoError as error:
        findings += error_findings(error)
    findings += tuple(runtime.warnings[warned:])
    if runtime.root is None:
        return ProgramEnd(storage={"Objects": None, "Attributes": []}, findings=findings)
    storage = session.storage()
    kept = {"Objects": storage["Objects"], "Attributes": storage["Attributes"]}
    return ProgramEnd(storage=kept, result=result, findings=findings)


_MACHINES: Final = (EffectKind.MACHINE_CLAIM, EffectKind.MACHINE_RELEASE, EffectKind.MACHINE_PLAN)
_AGENTS: Final = (EffectKind.AGENT_CALL, EffectKind.AGENT_SEND)
_CLOUD: Final = (
    EffectKind.STACK_READ,
    EffectKind.STACK_CREATE,
    EffectKind.STACK_UPDATE,
    EffectKind.STACK_DELETE,
    EffectKind.NETWORK_LIST,
    EffectKind.ROUTER_CREATE,
    EffectKind.NAMESPACES,
    EffectKind.NAMESPACE_OBJECTS,
    EffectKind.USER,
    EffectKind.PROJECT,
    EffectKind.WORKFLOW_UPLOAD,
    EffectKind.WORKFLOW_RUN,
    EffectKind.WORKFLOW_READ,
)
_OF_MACHINES: Final = tuple(kind for kind in _CLOUD if not kind.value.startswith("mistral."))
"""What a pool of machines stands in for: all of a cloud but its workflows."""
_KINDS: Final[Mapping[str, tuple[EffectKind, ...]]] = {
    "machines": _MACHINES,
    "openstack-heat": _CLOUD,
    "amqp": _AGENTS,
}
"""What the drivers of targets do for programs."""


class Routes(Struct, frozen=True, kw_only=True):
    """The target of each kind of effect, and findings about targets that cannot be used."""

    effects: Mapping[EffectKind, str] = field(default_factory=dict[EffectKind, str])
    has_machines: bool = False
    findings: tuple[Finding, ...] = ()

    def find_unserved(self, kinds: Iterable[EffectKind]) -> list[EffectKind]:
        """Return those of `kinds` that no target performs, each once."""
        stood_in_for = (*_AGENTS, *_OF_MACHINES) if self.has_machines else ()
        return [
            kind for kind in dict.fromkeys(kinds) if kind not in self.effects and kind not in stood_in_for
        ]


def routes_to(targets: Iterable[Target]) -> Routes:
    """Return the routes to the targets; of several targets with the same driver the first is used."""
    effects: dict[EffectKind, str] = {}
    for target in targets:
        for kind in _KINDS.get(target.driver, ()):
            effects.setdefault(kind, target.name)
    has_machines = EffectKind.MACHINE_CLAIM in effects and EffectKind.STACK_CREATE not in effects
    return Routes(effects=effects, has_machines=has_machines)
