"""From the settings of a target to a session that may talk to the Heat of a cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.reasons import reason_of
from sabir.errors import DeployError, UnreachableError
from sabir.graph.values import reveal, reveal_all
from sabir.resources.driver import DriverContext
from sabir.resources.target import Target

if TYPE_CHECKING:
    from keystoneauth1.adapter import Adapter

__all__ = ["open_heat", "request_seconds"]

_REQUEST_SECONDS: Final = 60.0
_RETRIES: Final = 3
_SERVICE: Final = "orchestration"


def open_heat(target: Target, context: DriverContext) -> Adapter:
    """Sign in, and find Heat. `DeployError` says which cloud refuses, and why. It blocks."""
    from keystoneauth1.adapter import Adapter
    from keystoneauth1.exceptions import (
        ClientException,
        ConnectFailure,
        EndpointNotFound,
        MissingRequiredOptions,
        Unauthorized,
    )
    from openstack.exceptions import ConfigException, SDKException

    from sabir.deployments.drivers.heat.transport import bind, refused

    try:
        cloud = _cloud(target, context)
        session = cloud.get_session()
        bind(session)
        heat = Adapter(
            session,
            service_type=_SERVICE,
            interface=cloud.get_interface(_SERVICE),
            region_name=cloud.get_region_name(_SERVICE),
            endpoint_override=cloud.get_endpoint(_SERVICE),
            connect_retries=_RETRIES,
        )
        if heat.get_endpoint() is None:
            raise EndpointNotFound
    except Unauthorized as error:
        raise DeployError(f"{_named(target)} refuses the credentials: {reason_of(error)}") from error
    except ConnectFailure as error:
        raise UnreachableError(f"{_named(target)} does not answer: {reason_of(error)}") from error
    except EndpointNotFound as error:
        raise DeployError(f"{_named(target)} has no orchestration service in its catalogue") from error
    except MissingRequiredOptions as error:
        raise DeployError(f"{_named(target)}: the credentials lack {_options(error)}") from error
    except (ConfigException, SDKException, ClientException, OSError, ValueError) as error:
        raise DeployError(f"{_named(target)} cannot be used: {refused(error) or reason_of(error)}") from error
    return heat


def _cloud(target: Target, context: DriverContext) -> Any:
    from openstack.config import OpenStackConfig

    settings = {
        name: reveal_all(value) for name, value in target.settings.items() if reveal(value) is not None
    }
    file = settings.get("clouds_file")
    files = None if file is None else [str(context.folder / str(file))]
    if file is not None and not (context.folder / str(file)).is_file():
        raise DeployError(f"target {target.name!r}: there is no file {str(context.folder / str(file))!r}")
    config = OpenStackConfig(app_name="sabir", config_files=files, secure_files=[] if files else None)
    said: dict[str, Any] = {"api_timeout": request_seconds(target)}
    if "region" in settings:
        said["region_name"] = settings["region"]
    if "auth" in settings:
        said["auth"] = settings["auth"]
    return config.get_one(cloud=settings.get("cloud"), **said)


def request_seconds(target: Target) -> float:
    """For one request with its whole answer."""
    seconds = reveal(target.settings.get("timeout_seconds"))
    return float(seconds) if isinstance(seconds, int | float) else _REQUEST_SECONDS


def _named(target: Target) -> str:
    cloud = reveal(target.settings.get("cloud"))
    return f"target {target.name!r}: the cloud" + (f" {cloud!r}" if cloud is not None else "")


def _options(error: Any) -> str:
    return ", ".join(str(option.dest) for option in getattr(error, "options", ())) or str(error)
