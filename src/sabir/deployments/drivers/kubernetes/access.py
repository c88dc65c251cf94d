"""From the settings of a target to a client that may talk to the cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError
from sabir.graph.values import reveal_value
from sabir.resources.driver import DriverContext
from sabir.resources.target import Target
from sabir.source.packages import is_below

if TYPE_CHECKING:
    import httpx2
    from lightkube.config.kubeconfig import SingleConfig


def open_client(config: SingleConfig, *, timeout: float) -> httpx2.AsyncClient:
    """A client that sends the credentials of the configuration with every request."""
    import httpx2
    from lightkube.config.client_adapter import AsyncClient, ConnectionParams
    from lightkube.core.exceptions import ConfigError

    try:
        # Proxies and certificates of the environment are the operator's own choice.
        return AsyncClient(config, ConnectionParams(timeout=httpx2.Timeout(timeout)))
    except (ConfigError, OSError, ValueError) as error:
        raise DeployError(
            f"the credentials for {config.cluster.server} cannot be used: {explain_error(error)}"
        ) from error


def cluster_config(target: Target, context: DriverContext) -> SingleConfig:
    """The cluster, user and namespace that a target names; `DeployError` when they cannot be had."""
    from lightkube.config.kubeconfig import KubeConfig
    from lightkube.core.exceptions import ConfigError
    from yaml import YAMLError

    file = _config_file(target, context)
    try:
        loaded = KubeConfig.from_service_account() if file is None else KubeConfig.from_file(file)
        config = loaded.get(_read_setting(target, "context"))
    except (AttributeError, TypeError, KeyError) as error:  # the library takes for granted what a file holds
        raise DeployError(
            f"target {target.name!r}: {_describe_source(file)} does not say what a kubeconfig says"
        ) from error
    except (ConfigError, OSError, ValueError, YAMLError) as error:
        raise DeployError(
            f"target {target.name!r}: {_describe_source(file)} cannot be used: {explain_error(error)}"
        ) from error
    if config is None:
        raise DeployError(
            f"target {target.name!r}: {_describe_source(file)} names no current context; say `context:`"
        )
    if config.user is not None and config.user.exec is not None:
        _refuse_foreign_command(target, context, config.user.exec.command)
    if config.user is not None and config.user.token_file is not None:
        _refuse_foreign_file(target, context, config.user.token_file)
    return config


def _config_file(target: Target, context: DriverContext) -> Path | None:
    """The kubeconfig of the target, else of the operator; None: the account of the pod that sabir runs in."""
    named = _read_setting(target, "kubeconfig")
    if named is not None:
        return context.folder / Path(named).expanduser()
    variables = context.session.environment
    listed = [part for part in variables.get("KUBECONFIG", "").split(":") if part]
    if listed:
        return Path(listed[0]).expanduser()
    if "KUBERNETES_SERVICE_HOST" in variables:
        return None
    home = variables.get("HOME")
    if home is None:
        raise DeployError(f"target {target.name!r} names no cluster: say `kubeconfig:`, or set KUBECONFIG")
    return Path(home) / ".kube" / "config"


def _refuse_foreign_command(target: Target, context: DriverContext, command: str) -> None:
    """A kubeconfig may name a program that fetches a token. One that the project brings runs after leave only."""
    if _read_setting(target, "kubeconfig") is not None and not context.session.trust.scripts:
        raise DeployError(
            f"target {target.name!r}: its kubeconfig would run {command!r} to get credentials; allow it with --trust scripts"
        )


def _refuse_foreign_file(target: Target, context: DriverContext, token_file: str) -> None:
    """What a token file holds is sent to the server. A kubeconfig of the project may only name one of the project."""
    named = _read_setting(target, "kubeconfig")
    if named is None or context.session.trust.outside:
        return
    is_ours = is_below(context.folder / Path(named).expanduser(), context.folder)
    if is_ours and not is_below(Path(token_file), context.folder):
        raise DeployError(
            f"target {target.name!r}: its kubeconfig would send the content of {token_file!r} to the cluster, and that file is "
            "outside the environment; allow it with --trust outside"
        )


def _read_setting(target: Target, name: str) -> str | None:
    value = reveal_value(target.settings.get(name))
    return None if value is None else str(value)


def _describe_source(file: Path | None) -> str:
    return "the service account of this pod" if file is None else f"the kubeconfig {str(file)!r}"
