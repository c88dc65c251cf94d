"""Services, the Ingress (S-62), and access to the cluster API.

A service that requests API access gets an account, a role with the requested rules, and a binding.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from sabir.languages.ccp.evaluate.objects.settings import ObjectSettings, default_metadata, service_labels
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.syntax.configuration import Configuration
from sabir.languages.ccp.syntax.nodes import Definition, Port, WorkloadKind

Data = dict[str, Any]


def build_services(settings: ObjectSettings, definition: Definition) -> Iterator[Data]:
    service = definition.service
    if not service.ports:
        return
    if not (service.headless or service.kind is WorkloadKind.STATEFUL_SET):
        ports = [_service_port(port, external=True) for port in service.ports]
        yield _build_service(settings, definition, service.name, {"type": "NodePort", "ports": ports})
        return
    ports = [_service_port(port, external=False) for port in service.ports]
    yield _build_service(settings, definition, service.name, {"clusterIP": "None", "ports": ports})
    outside = [_service_port(port, external=True) for port in service.ports if port.external is not None]
    if outside:
        yield _build_service(
            settings, definition, f"{service.name}-external", {"type": "NodePort", "ports": outside}
        )


def _build_service(settings: ObjectSettings, definition: Definition, name: str, spec: Data) -> Data:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": settings.metadata(name, partial(_service_metadata, definition)),
        "spec": {**spec, "selector": {"app": definition.service.name}},
    }


def _service_metadata(definition: Definition) -> Data:
    annotations = definition.service.service_annotations
    extra: Data = {"annotations": dict(annotations)} if annotations else {}
    return {"labels": service_labels(definition), **extra}


def _service_port(port: Port, *, external: bool) -> Data:
    body: Data = {
        "name": str(port.internal),
        "port": port.internal,
        "targetPort": port.internal,
        "protocol": "TCP",
    }
    if external and port.external is not None:
        body["nodePort"] = port.external
    return body


def list_domains(resolved: ResolvedDeployment) -> Iterator[tuple[str, str, int]]:
    """Return host, service and port of every Ingress rule."""
    domain = _ingress_domain(resolved.deployment.configuration)
    for definition in resolved.deployment.definitions if domain is not None else ():
        if resolved.deploys(definition.service.name):
            for port in definition.service.ports:
                if port.ingress:
                    yield f"{port.ingress}.{domain}", definition.service.name, port.internal


def _ingress_domain(configuration: Configuration) -> str | None:
    """Return the domain, or None if nothing is exposed through an Ingress."""
    configured = configuration.section("configs").get("ingress")
    if not isinstance(configured, dict) or not configured.get("enabled"):
        return None
    return str(configured.get("domain"))


def build_ingresses(settings: ObjectSettings, definition: Definition) -> Iterator[Data]:
    """Return the Ingress, or nothing."""
    domain = _ingress_domain(settings.configuration)
    named = [port for port in definition.service.ports if port.ingress]
    if domain is None or not named:
        return
    rules = [_ingress_rule(definition.service.name, port, domain) for port in named]
    yield {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": settings.metadata(definition.service.name, partial(default_metadata, definition)),
        "spec": {"rules": rules},
    }


def _ingress_rule(service: str, port: Port, domain: str) -> Data:
    backend = {"service": {"name": service, "port": {"number": port.internal}}}
    path = {"path": "/", "pathType": "Prefix", "backend": backend}
    return {"host": f"{port.ingress}.{domain}", "http": {"paths": [path]}}


_GROUP: Final = "rbac.authorization.k8s.io"


def pod_account(settings: ObjectSettings, definition: Definition) -> Data:
    """Return the account of a pod; by default that of the namespace."""
    return {"serviceAccountName": definition.service.name} if _access_rules(settings, definition) else {}


def access_objects(settings: ObjectSettings, definition: Definition) -> Iterator[Data]:
    if not _access_rules(settings, definition):
        return
    name = definition.service.name
    metadata = partial(settings.metadata, name, partial(default_metadata, definition))
    version = f"{_GROUP}/v1"
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata()}
    rules = _access_rules(settings, definition)
    yield {"apiVersion": version, "kind": "Role", "metadata": metadata(), "rules": rules}
    yield {
        "apiVersion": version,
        "kind": "RoleBinding",
        "metadata": metadata(),
        "roleRef": {"apiGroup": _GROUP, "kind": "Role", "name": name},
        "subjects": settings.part("subjects", partial(_role_subjects, settings, name)),
    }


def _role_subjects(settings: ObjectSettings, name: str) -> list[Data]:
    return [{"kind": "ServiceAccount", "name": name, "namespace": settings.namespace}]


def _access_rules(settings: ObjectSettings, definition: Definition) -> list[Data]:
    """Return `kubernetes.access` for the name of a service, action or upgrade."""
    access = settings.configuration.section("kubernetes").get("access") or {}
    service = definition.service.name
    written = access.get(service) or access.get(service.removeprefix("action-")) or ()
    return [{"apiGroups": [""], **rule} for rule in written]
