"""Writes rendered files, with their permissions and owner."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from .commands import identity_of
from .etcd import authority_file
from .settings import RunnerSettings
from .templates import RunnerTemplates, TemplateRenderError

__all__ = ["FileFailed", "render_files", "write_files"]

LOG = logging.getLogger("ccp-runner")


class FileFailed(Exception):
    """Raised if a file could not be rendered or written."""


def render_files(settings: RunnerSettings, templates: RunnerTemplates) -> Iterator[dict[str, Any]]:
    """Return every file of the workflow with its content."""
    for file in settings.workflow.get("files") or []:
        try:
            with open(os.path.join(settings.etc, "files", file["name"]), encoding="utf-8") as template:
                text = template.read()
            yield {**file, "content": templates.render(text)}
        except OSError as error:
            raise FileFailed(f"{file['path']}: its template cannot be read: {error}") from error
        except TemplateRenderError as error:
            raise FileFailed(f"{file['path']}: {file['name']}: {error}") from error


def write_files(settings: RunnerSettings, templates: RunnerTemplates) -> None:
    """Write the files of the workflow, and stop at the first that fails."""
    _write_authority(settings)
    for file in render_files(settings, templates):
        try:
            _write_file(file)
        except OSError as error:
            raise FileFailed(f"{file['path']}: cannot be written: {error}") from error
        LOG.info("wrote %s", file["path"])


def _write_authority(settings: RunnerSettings) -> None:
    """Write the certificate that real definitions use without listing it; a listed one replaces it."""
    certificate = settings.connection.ca_certificate
    if certificate is None:
        return
    path = authority_file()
    try:
        _write_file({"path": path, "content": certificate})
    except OSError as error:
        LOG.warning("%s: cannot be written: %s", path, error)


def _write_file(file: dict[str, Any]) -> None:
    """Write a file that is complete, owned and protected before it gets its name."""
    path = file["path"]
    folder = os.path.dirname(path) or "/"
    os.makedirs(folder, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix="." + os.path.basename(path) + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            out.write(file["content"])
        os.chmod(temporary, int(file["perm"], 8) if file.get("perm") else 0o644)
        if file.get("user"):
            identity = identity_of(file["user"])
            if (os.stat(temporary).st_uid, os.stat(temporary).st_gid) != (identity.uid, identity.gid):
                os.chown(temporary, identity.uid, identity.gid)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
