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

from sabir.deployments.drivers.responses import (
    ENCODINGS,
    InvalidJsonError,
    InvalidResponseError,
    ResponseBody,
    decode_json,
)
from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError, UnreachableError
from sabir.graph.values import reveal_all, reveal_value
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
        cloud = _load_cloud_config(target, context)
        session = cloud.get_session()
        limit_responses(session)
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
        raise DeployError(
            f"{_describe_cloud(target)} refuses the credentials: {explain_error(error)}"
        ) from error
    except ConnectFailure as error:
        raise UnreachableError(
            f"{_describe_cloud(target)} does not answer: {explain_error(error)}"
        ) from error
    except EndpointNotFound as error:
        raise DeployError(
            f"{_describe_cloud(target)} has no orchestration service in its catalogue"
        ) from error
    except MissingRequiredOptions as error:
        raise DeployError(
            f"{_describe_cloud(target)}: the credentials lack {_list_options(error)}"
        ) from error
    except (ConfigException, SDKException, ClientException, OSError, ValueError) as error:
        raise DeployError(
            f"{_describe_cloud(target)} cannot be used: {find_rejection(error) or explain_error(error)}"
        ) from error
    return heat


def _load_cloud_config(target: Target, context: DriverContext) -> Any:
    from openstack.config import OpenStackConfig

    settings = {
        name: reveal_all(value) for name, value in target.settings.items() if reveal_value(value) is not None
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
    seconds = reveal_value(target.settings.get("timeout_seconds"))
    return float(seconds) if isinstance(seconds, int | float) else _REQUEST_SECONDS


def _describe_cloud(target: Target) -> str:
    cloud = reveal_value(target.settings.get("cloud"))
    return f"target {target.name!r}: the cloud" + (f" {cloud!r}" if cloud is not None else "")


def _list_options(error: Any) -> str:
    return ", ".join(str(option.dest) for option in getattr(error, "options", ())) or str(error)


_PIECE: Final = 1 << 16


class ResponseRejectedError(requests.RequestException):
    """An answer that is refused, in a form that passes through the client."""


def find_rejection(error: Exception) -> str | None:
    """Why an answer was refused, when that is what the client failed of."""
    cause = getattr(error, "original", None)
    return str(cause) if isinstance(cause, ResponseRejectedError) else None


def limit_responses(session: Session) -> None:
    """From now on every answer to this session is held to the bounds."""
    for scheme in ("http://", "https://"):
        session.session.mount(scheme, _BoundedAdapter())


class _BoundedAdapter(TCPKeepAliveAdapter):
    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        request.headers["Accept-Encoding"] = ENCODINGS
        try:
            response = super().send(request, *args, **{**options, "stream": True})
        except requests.ConnectionError as error:
            if _is_no_http(error):
                raise ResponseRejectedError("what it answers is no HTTP") from error
            raise
        try:
            _check_way(request, response)
            body = ResponseBody(response.headers.get("Content-Encoding"))
            for piece in response.raw.stream(_PIECE, decode_content=False):
                body.add(piece)
            with suppress(InvalidJsonError):  # the client says so itself
                decode_json(body.content())
        except InvalidResponseError as error:
            raise ResponseRejectedError(str(error)) from error
        except HTTPError as error:
            raise ResponseRejectedError("the connection broke in the middle of its answer") from error
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
        raise ResponseRejectedError(f"it sends requests on to {there.netloc}, which is not the same server")
