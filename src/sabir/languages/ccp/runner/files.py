"""Writing files: templates rendered over the variables, with their permissions and their owner."""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import struct
import tempfile
from typing import Any

from .addresses import address_function, host, hostname
from .commands import identity_of
from .settings import Settings

__all__ = ["FileFailed", "write_files"]

LOG = logging.getLogger("ccp-runner")
_SIOCGIFADDR = 0x8915


class FileFailed(Exception):
    """A file could not be rendered or written."""


def write_files(settings: Settings) -> None:
    """Write every file of the workflow, or none of the rest once one fails."""
    wanted = settings.workflow.get("files") or []
    if not wanted:
        return
    environment = _environment(settings)
    imports = _imports(settings)
    for file in wanted:
        source = os.path.join(settings.etc, "files", file["name"])
        try:
            with open(source, encoding="utf-8") as template:
                text = template.read()
            content = environment.from_string(imports + text).render(_variables(settings))
            _write(file, content)
        except OSError as error:
            raise FileFailed(f"{file['path']}: cannot be written: {error}") from error
        except Exception as error:
            # Jinja2 gives an error of the template the line it stands in.
            line = getattr(error, "lineno", None) or _template_line(error)
            where = f"{file['name']}:{line}" if line else file["name"]
            raise FileFailed(f"{file['path']}: {where}: {type(error).__name__}: {error}") from error
        LOG.info("wrote %s", file["path"])


def _template_line(error: BaseException) -> int | None:
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _environment(settings: Settings) -> Any:
    import jinja2

    class KeyFirst(jinja2.Environment):
        """A key of the configuration wins over a method of dict, as it does when definitions are rendered."""

        def getattr(self, obj: Any, attribute: str) -> Any:
            if isinstance(obj, dict) and attribute in obj:
                return obj[attribute]
            return super().getattr(obj, attribute)

    folders = [os.path.join(settings.etc, "files"), os.path.join(settings.etc, "exports")]
    environment = KeyFirst(loader=jinja2.FileSystemLoader(folders), undefined=jinja2.StrictUndefined)
    functions: dict[str, Any] = environment.globals
    functions["address"] = address_function(settings.variables, settings.mapping)
    functions["raise_exception"] = _raise
    environment.filters.update(host=host, hostname=hostname, gethostbyname=socket.gethostbyname)
    return environment


def _raise(message: str = "raised by the template") -> None:
    raise ValueError(message)


def _imports(settings: Settings) -> str:
    """Shared macros under the names of their files, all in the first line, so that no line moves."""
    folder = os.path.join(settings.etc, "exports")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    stems = [(name, os.path.splitext(name)[0]) for name in names]
    return "".join("{%% import %r as %s with context %%}" % pair for pair in stems if pair[1].isidentifier())  # noqa: UP031


def _variables(settings: Settings) -> dict[str, Any]:
    variables = settings.variables
    names = ("private_interface", "public_interface") if variables.get("host_net") else (None, None)
    private, public = (str(variables.get(name) or "eth0") if name else "eth0" for name in names)
    network = {
        "private": {"iface": private, "address": _address_of(private)},
        "public": {"iface": public, "address": _address_of(public)},
    }
    return {"network_topology": network, **variables}


def _address_of(interface: str) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            packed = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
        except OSError:
            return "127.0.0.1"
    return socket.inet_ntoa(packed[20:24])


def _write(file: dict[str, Any], content: str) -> None:
    """The file is complete, owned and protected before it stands under its name."""
    path = file["path"]
    folder = os.path.dirname(path) or "/"
    os.makedirs(folder, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix="." + os.path.basename(path) + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(content)
        os.chmod(temporary, int(file["perm"], 8) if file.get("perm") else 0o644)
        if file.get("user"):
            identity = identity_of(file["user"])
            if (os.stat(temporary).st_uid, os.stat(temporary).st_gid) != (identity.uid, identity.gid):
                os.chown(temporary, identity.uid, identity.gid)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
