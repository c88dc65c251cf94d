"""What a topology asks to be done: every operation that something carries out, in the order of the profile; its workflows, the
triggers of its policies and all operations to be called."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sabir.errors import DeployError
from sabir.graph.values import Value
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.selection import is_selected
from sabir.languages.tosca.evaluate.substitution import is_substituted
from sabir.languages.tosca.graph.circles import circle_findings
from sabir.languages.tosca.graph.descriptors import descriptor_findings
from sabir.languages.tosca.graph.driver import WorkflowTarget
from sabir.languages.tosca.graph.machines import machine_targets
from sabir.languages.tosca.graph.program import TARGET, Program
from sabir.languages.tosca.graph.unsealed import unsealed_findings
from sabir.resources.resource import Wanted

__all__ = ["wanted_operations"]


def wanted_operations(
    ensemble: Ensemble, observed: Mapping[str, Value], targets: Collection[str] = ()
) -> Wanted:
    """Operations as resources. What cannot be carried out is refused before anything runs. `targets`: names that are taken."""
    _refuse_unsupported(ensemble)
    program = Program(ensemble, observed)
    if ensemble.model.topology.origin.directory is None and program.lifecycles.resources:
        raise DeployError(
            "programs run from files in a folder, and this template is in an archive: unpack it, and deploy the folder"
        )
    return Wanted(
        resources=program.resources(),
        operations=tuple(program.operations()),
        findings=(*circle_findings(program.lifecycles), *unsealed_findings(program.lifecycles)),
        idle=tuple(descriptor_findings(program.lifecycles)),
        targets=(
            WorkflowTarget(name=TARGET, driver="tosca", contained=True, program=program),
            *machine_targets(program.lifecycles, targets),
        ),
    )


def _refuse_unsupported(ensemble: Ensemble) -> None:
    for node in ensemble.everything():
        template = node.template
        if "create" in template.directives:
            continue
        if is_selected(template):
            raise DeployError(
                f"node {node.name!r} is to be selected, and no node of type {template.type} fits it"
            )
        if is_substituted(template) and node.substitution is None:
            raise DeployError(
                f"node {node.name!r} is to be substituted, and no template at hand stands for {template.type}"
            )
