"""The files a unit's runner writes, rendered here in the sandbox, for a node."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from sabir.expressions.template.sandbox import TemplateFailed
from sabir.languages.ccp.model.topology import node_configs
from sabir.languages.ccp.model.units import Unit
from sabir.languages.ccp.runner.addresses import address_function
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.configuration import deep_merge
from sabir.languages.ccp.syntax.deployment import Deployment, make_sandbox, template_fault
from sabir.languages.ccp.syntax.fault import Fault
from sabir.text import Source

__all__ = ["WrittenFile", "render_files"]


class WrittenFile(Struct, frozen=True, kw_only=True):
    path: str
    content: str
    perm: str | None
    user: str | None


def render_files(deployment: Deployment, unit: Unit, node: str) -> tuple[list[WrittenFile], list[Fault]]:
    """What the runner would write on this node, and the templates that cannot be rendered."""
    definition = unit.definition
    component = deployment.component(definition.component)
    variables = deep_merge(deployment.variables, definition.configs)
    for pattern, configs in sorted(node_configs(deployment.configuration).items()):
        if re.match(pattern, node):
            variables = deep_merge(variables, configs)
    variables["node_name"] = node
    variables["service_name"] = definition.service.name
    variables["role_name"] = unit.id.partition("/")[2]
    variables["address"] = address_function(variables, definition.mapping)
    sandbox = make_sandbox(_loader(deployment, component), keep_trailing_newline=False)
    files: list[WrittenFile] = []
    faults: list[Fault] = []
    imports = _imports(deployment)
    for name in unit.files:
        file = definition.files[name]
        content = component.content(file.content)
        if content is None:
            continue
        source = Source(content.name, imports + content.source.text)
        try:
            text = sandbox.render(source, variables).source.text
        except TemplateFailed as failed:
            faults += [template_fault(problem, variables) for problem in failed.problems]
            continue
        files.append(WrittenFile(path=file.destination, content=text, perm=file.perm, user=file.user))
    return files, faults


def _loader(deployment: Deployment, component: Component) -> Callable[[str], Source | None]:
    exports = {name: file for one in deployment.components for name, file in one.exports.items()}

    def load(name: str) -> Source | None:
        file = exports.get(name) or component.content(name)
        return file.source if file is not None else None

    return load


def _imports(deployment: Deployment) -> str:
    """Shared macros are imported under the name of their file, in the first line, so that no line moves."""
    names = sorted({name for component in deployment.components for name in component.exports})
    stems = [(name, name.rpartition(".")[0]) for name in names]
    return "".join(
        f"{{% import {name!r} as {stem} with context %}}" for name, stem in stems if stem.isidentifier()
    )
