"""Secrets from a Kubernetes cluster: `{kubernetes: {name: db, key: password}}`."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final

from sabir.errors import DeployError
from sabir.extras import require_extra
from sabir.resources.driver import DriverContext
from sabir.resources.fields import Field, FieldType
from sabir.resources.target import Target

_SECONDS: Final = 30.0


class ClusterSecrets:
    name: Final = "kubernetes"
    main: Final = "name"

    def settings(self) -> Mapping[str, Field]:
        return {
            "name": Field(about="the Secret", required=True),
            "key": Field(about="which of its values", required=True),
            "namespace": Field(about="where it is; else the namespace of the context"),
            "kubeconfig": Field(about="the file; else KUBECONFIG, the account of this pod, ~/.kube/config"),
            "context": Field(about="a context of that file; else its current one"),
            "timeout": Field(about="seconds a request may take; default 30", type=FieldType.NUMBER),
        }

    async def read(self, settings: Mapping[str, Any], context: DriverContext) -> str:
        with require_extra("kubernetes", "it"):
            from sabir.deployments.drivers.kubernetes.access import cluster_config, open_client
            from sabir.deployments.drivers.kubernetes.api import KubernetesApi, KubernetesApiError
        target = Target(name=f"secret {settings['name']}", driver="kubernetes", settings=settings)
        config = cluster_config(target, context)
        namespace = str(settings.get("namespace") or config.namespace)
        seconds = float(settings.get("timeout") or _SECONDS)
        async with open_client(config, timeout=seconds) as client:
            api = KubernetesApi(client, namespace=namespace, seconds=seconds)
            metadata = {"name": settings["name"], "namespace": namespace}
            try:
                secret = await api.get(
                    await api.find_path({"apiVersion": "v1", "kind": "Secret", "metadata": metadata})
                )
            except KubernetesApiError as failure:
                raise DeployError(failure.message) from failure
        return _decode_value(secret.get("data") or {}, settings)


def _decode_value(data: Mapping[str, str], settings: Mapping[str, Any]) -> str:
    encoded = data.get(settings["key"])
    if encoded is None:
        raise DeployError(
            f"the Secret {settings['name']!r} has no key {settings['key']!r}: {', '.join(data)[:200]}"
        )
    try:
        return base64.b64decode(encoded).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise DeployError(f"{settings['key']!r} of the Secret {settings['name']!r} is no text") from error


PROVIDER: Final = ClusterSecrets()
