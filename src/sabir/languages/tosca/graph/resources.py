"""Desired resources of a topology: operations, workflows, triggers, and SSH targets.

A Compute node with the address of another machine becomes an SSH target. Its login comes from a credential of
the node or of its endpoint. A target with the same name in the environment replaces it completely.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sabir.errors import DeployError
from sabir.graph.values import Value
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.selection import is_selected
from sabir.languages.tosca.evaluate.substitution import is_substituted
from sabir.languages.tosca.graph.diagnostics import (
    descriptor_findings,
    report_cycles,
    report_unencrypted_output,
)
from sabir.languages.tosca.graph.driver import WorkflowTarget
from sabir.languages.tosca.graph.execution import login_of
from sabir.languages.tosca.graph.lifecycles import Lifecycles
from sabir.languages.tosca.graph.program import TARGET, ToscaProgram
from sabir.resources.resource import DesiredResources
from sabir.resources.target import Target


def machine_targets(lifecycles: Lifecycles, named: Collection[str]) -> Iterator[Target]:
    """Return a target for each machine that operations run on, except those that `named` contains."""
    seen: set[str] = set()
    for _, command in lifecycles.all_commands():
        name, host = command.target, command.host
        if name is None or host is None or name in seen or name in named:
            continue
        seen.add(name)
        yield Target(name=name, driver="ssh", settings=login_of(host))


def build_desired_operations(
    ensemble: Ensemble, observed: Mapping[str, Value], targets: Collection[str] = ()
) -> DesiredResources:
    """Return the operations of a topology as desired resources.

    Raises DeployError before anything runs if a node could not be selected or substituted. `targets` are
    names of existing targets.
    """
    _refuse_unsupported(ensemble)
    program = ToscaProgram(ensemble, observed)
    if ensemble.model.topology.origin.directory is None and program.lifecycles.resources:
        raise DeployError(
            "programs run from files in a folder, and this template is in an archive: unpack it, and deploy the folder"
        )
    return DesiredResources(
        resources=program.resources(),
        operations=tuple(program.operations()),
        findings=(*report_cycles(program.lifecycles), *report_unencrypted_output(program.lifecycles)),
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
