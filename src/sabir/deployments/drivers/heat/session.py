"""From the settings of a target to a session that may talk to the Heat of a cloud.

What carries requests to a cloud: answers within a size, and no way to another server.

The client of the cloud follows wherever an answer sends it, with the token that it was given for this one; and it reads whatever
comes. Both are stopped here, below it.
"""

from __future__ import annotations

import io
from contextlib import suppress
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

import requests
from keystoneauth1.session import Session, TCPKeepAliveAdapter
from urllib3.exceptions import HTTPError

from sabir.deployments.drivers.responses import ENCODINGS, AnswerRefused, Body, NoJson, decoded
from sabir.diagnostics.reasons import reason_of
from sabir.errors import DeployError, UnreachableError
from sabir.graph.values import reveal, reveal_all
from sabir.resources.driver import DriverContext
from sabir.resources.target import Target

if TYPE_CHECKING:
    from keystoneauth1.adapter import Adapter


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


_PIECE: Final = 1 << 16


class NotTaken(requests.RequestException):
    """An answer that is refused, in a form that passes through the client."""


def refused(error: Exception) -> str | None:
    """Why an answer was refused, when that is what the client failed of."""
    cause = getattr(error, "original", None)
    return str(cause) if isinstance(cause, NotTaken) else None


def bind(session: Session) -> None:
    """From now on every answer to this session is held to the bounds."""
    for scheme in ("http://", "https://"):
        session.session.mount(scheme, _Bounded())


class _Bounded(TCPKeepAliveAdapter):
    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        request.headers["Accept-Encoding"] = ENCODINGS
        try:
            response = super().send(request, *args, **{**options, "stream": True})
        except requests.ConnectionError as error:
            if _is_no_http(error):
                raise NotTaken("what it answers is no HTTP") from error
            raise
        try:
            _check_way(request, response)
            body = Body(response.headers.get("Content-Encoding"))
            for piece in response.raw.stream(_PIECE, decode_content=False):
                body.add(piece)
            with suppress(NoJson):  # the client says so itself
                decoded(body.content())
        except AnswerRefused as error:
            raise NotTaken(str(error)) from error
        except HTTPError as error:
            raise NotTaken("the connection broke in the middle of its answer") from error
        finally:
            response.close()
        response.raw = io.BytesIO(body.content())  # read, and unpacked: the client takes it from here
        return response


def _is_no_http(error: requests.ConnectionError) -> bool:
    """Whether something did come; a connection that only ended is tried again."""
    causes = [cause for reason in error.args for cause in getattr(reason, "args", ())]
    return any(isinstance(cause, HTTPException) and not isinstance(cause, OSError) for cause in causes)


def _check_way(request: requests.PreparedRequest, response: requests.Response) -> None:
    way = response.headers.get("Location")
    if way is None or not 300 <= response.status_code < 400:
        return
    here, there = urlsplit(request.url or ""), urlsplit(urljoin(request.url or "", way))
    if (there.scheme, there.netloc) != (here.scheme, here.netloc):
        raise NotTaken(f"it sends requests on to {there.netloc}, which is not the same server")
