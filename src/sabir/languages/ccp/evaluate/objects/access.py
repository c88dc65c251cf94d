"""Access to the API of the cluster, for services that ask for it: an account, a role with these rules, and what binds them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from sabir.languages.ccp.evaluate.objects.settings import Settings, named_after
from sabir.languages.ccp.syntax.nodes import Definition

__all__ = ["access_objects", "pod_account"]

_GROUP: Final = "rbac.authorization.k8s.io"

Data = dict[str, Any]


def pod_account(settings: Settings, definition: Definition) -> Data:
    """The account of a pod; that of the namespace when nothing is said."""
    return {"serviceAccountName": definition.service.name} if _rules(settings, definition) else {}


def access_objects(settings: Settings, definition: Definition) -> Iterator[Data]:
    if not _rules(settings, definition):
        return
    name = definition.service.name
    metadata = partial(settings.metadata, name, partial(named_after, definition))
    version = f"{_GROUP}/v1"
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata()}
    rules = _rules(settings, definition)
    yield {"apiVersion": version, "kind": "Role", "metadata": metadata(), "rules": rules}
    yield {
        "apiVersion": version,
        "kind": "RoleBinding",
        "metadata": metadata(),
        "roleRef": {"apiGroup": _GROUP, "kind": "Role", "name": name},
        "subjects": settings.part("subjects", partial(_subjects, settings, name)),
    }


def _subjects(settings: Settings, name: str) -> list[Data]:
    return [{"kind": "ServiceAccount", "name": name, "namespace": settings.namespace}]


def _rules(settings: Settings, definition: Definition) -> list[Data]:
    """`kubernetes.access`, by the name of a service, or of an action or upgrade."""
    access = settings.configuration.section("kubernetes").get("access") or {}
    service = definition.service.name
    written = access.get(service) or access.get(service.removeprefix("action-")) or ()
    return [{"apiGroups": [""], **rule} for rule in written]
