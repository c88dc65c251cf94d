"""The renderers of CCP: Kubernetes objects, start order, dependencies, configuration, images.

The dependency diagram shows services with their units, and which unit waits for which.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import resources

from sabir.diagnostics.finding import Severity
from sabir.errors import UsageError
from sabir.graph import EdgeKind, Graph, Instance, Record
from sabir.graph.edges import edge_kinds
from sabir.interpreter import collector_paused
from sabir.languages.ccp.check.phases import check_deployment
from sabir.languages.ccp.check.references import check_images
from sabir.languages.ccp.evaluate.images import build_files, fetch_script, images_used
from sabir.languages.ccp.evaluate.objects.networking import list_domains
from sabir.languages.ccp.evaluate.render import ObjectFiles, object_stream
from sabir.languages.ccp.model.config_file import find_config
from sabir.languages.ccp.model.deployment import load_deployment
from sabir.languages.ccp.model.units import Unit, Units, start_order
from sabir.languages.ccp.syntax.images import read_images
from sabir.languages.ccp.syntax.reader import DNS_LABEL
from sabir.languages.language import EvaluationRequest, Renderer, RenderOutput, RenderRequest
from sabir.source.packages import LoadedPackage
from sabir.source.yaml.write import yaml_document

_IMAGE = "image."


def render_kubernetes(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return every object in a separate file with a list for kustomize, or all in one (`layout: single`)."""
    images = {key[len(_IMAGE) :]: value for key, value in render.options.items() if key.startswith(_IMAGE)}
    if render.namespace is not None and not DNS_LABEL.fullmatch(render.namespace):
        raise UsageError(
            f"{render.namespace!r} cannot be a namespace: lower-case letters, digits and hyphens, at most 63"
        )
    with collector_paused():
        checked = check_deployment(load_deployment(package, request))
    if checked.resolved is None:
        return RenderOutput(files={}, findings=checked.findings)
    make = partial(object_stream, checked.resolved, namespace=render.namespace, images=images)
    listed = render.options.get("layout", "files") != "single"
    return RenderOutput(files=ObjectFiles(make, listed=listed), findings=checked.findings)


def render_start_order(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return the units in waves: each starts when the earlier waves are ready."""
    del render
    return _render_listing(package, request, "start-order.txt", _list_waves)


def _list_waves(units: Units) -> Iterator[str]:
    for number, wave in enumerate(start_order(units.needs), 1):
        yield f"{number}. {', '.join(wave)}"


def render_dependencies(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return every service with all the services it needs, directly or not."""
    del render
    return _render_listing(package, request, "dependencies.txt", _list_needs)


def _list_needs(units: Units) -> Iterator[str]:
    for service, names in sorted(units.services_needed().items()):
        yield f"{service}: {' '.join(names)}".rstrip()


def _render_listing(
    package: LoadedPackage,
    request: EvaluationRequest,
    file: str,
    lines: Callable[[Units], Iterable[str]],
) -> RenderOutput:
    """Return one text about the units, a line each; no file if the deployment has errors."""
    checked = check_deployment(load_deployment(package, request))
    if checked.resolved is None:
        return RenderOutput(files={}, findings=checked.findings)
    text = "\n".join(lines(checked.resolved.units)) + "\n"
    return RenderOutput(files={file: text}, findings=checked.findings)


def render_images(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return the full names of the images that are run, a line each."""
    del render
    checked = check_deployment(load_deployment(package, request))
    if checked.resolved is None:
        return RenderOutput(files={}, findings=checked.findings)
    services = (name for name in checked.resolved.units.definitions if checked.resolved.deploys(name))
    names = images_used(checked.deployment, services)
    return RenderOutput(
        files={"images.txt": "".join(f"{name}\n" for name in names)}, findings=checked.findings
    )


def render_domains(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return the domains of exposed services, each with its service and port."""
    del render
    checked = check_deployment(load_deployment(package, request))
    if checked.resolved is None:
        return RenderOutput(files={}, findings=checked.findings)
    lines = sorted(f"{host}  {service}:{port}\n" for host, service, port in list_domains(checked.resolved))
    return RenderOutput(files={"domains.txt": "".join(lines)}, findings=checked.findings)


def render_dockerfiles(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return the rendered Dockerfiles, and `build.sh`, which builds them."""
    del render
    deployment = load_deployment(package, request)
    findings = tuple(check_images(deployment))
    images = [*read_images(deployment.packages, deployment.configuration)]
    if not images:
        raise UsageError("there is no Dockerfile.j2 here: FOLDER/NAME/Dockerfile.j2 describes the image NAME")
    if any(finding.severity is Severity.ERROR for finding in findings):
        return RenderOutput(files={}, findings=findings)
    return RenderOutput(files=build_files(images, deployment.configuration), findings=findings)


def render_runner_image(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return the build context of the image that provides an interpreter (`configs.runner.image`)."""
    del package, request, render
    folder = resources.files("sabir.languages.ccp.library").joinpath("python_image")
    names = ("Dockerfile", "gather.py")
    return RenderOutput(files={name: folder.joinpath(name).read_text("utf-8") for name in names})


def render_fetch(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return a script that clones the configured repositories, none of which need to exist yet."""
    del render
    config = find_config(package, request)
    repositories = {} if config is None else config.repositories
    if not repositories.get("repos"):
        raise UsageError(
            "the configuration lists no repositories: repositories.repos: [{name: …, git_url: …}]"
        )
    return RenderOutput(files={"fetch.sh": fetch_script(repositories)})


def render_configuration(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return the merged configuration. Secrets are hidden unless `reveal` is set."""
    deployment = load_deployment(package, request)
    checked = check_deployment(deployment)
    data = dict(json.loads(json.dumps(deployment.configuration.data, default=str)))
    if "reveal" not in render.options:
        data["secret_configs"] = _redact_values(data.get("secret_configs"))
        if "password" in data.get("registry", {}):
            data["registry"]["password"] = _REDACTED
    return RenderOutput(files={"configuration.yaml": yaml_document(data)}, findings=checked.findings)


_REDACTED = "<<REDACTED>>"


def _redact_values(value: object) -> object:
    if isinstance(value, dict):
        return {key: _redact_values(item) for key, item in value.items()}
    return _REDACTED


def units_graph(units: Units) -> Graph:
    """Return services with their containers and single commands, and what these wait for."""
    instances: list[Instance] = []
    for service in units.definitions:
        instances.append(Instance(id=service, type="ccp::Service", language="ccp", name=service))
        instances.extend(_unit_instance(units, unit) for unit in units.of_service(service))
    return Graph(instances)


def _unit_instance(units: Units, unit: Unit) -> Instance:
    return Instance(
        id=unit.id,
        type="ccp::Container" if unit.command is None else "ccp::SingleCommand",
        language="ccp",
        name=unit.id.partition("/")[2],
        owner=unit.service,
        relations=Record.of({"waits for": units.needs[unit.id]}),
        kinds=edge_kinds(relations=(("waits for", EdgeKind.DEPENDS_ON),)),
    )


def picture_renderer(suffix: str) -> Renderer:
    def render(package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /) -> RenderOutput:
        del render
        checked = check_deployment(load_deployment(package, request))
        findings = checked.findings
        if checked.resolved is None:
            return RenderOutput(files={}, findings=findings)
        text = "".join(_find_view(suffix)(units_graph(checked.resolved.units)))
        return RenderOutput(files={f"dependencies.{suffix}": text}, findings=findings)

    return render


def _find_view(suffix: str) -> Callable[[Graph], Iterable[str]]:
    if suffix == "dot":
        from sabir.graph.views.diagrams import dot_view

        return dot_view
    if suffix == "mermaid":
        from sabir.graph.views.diagrams import mermaid_view

        return mermaid_view
    from sabir.graph.views.svg import svg_view

    return svg_view
