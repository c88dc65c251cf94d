"""Requests: sources and inputs of each deployment, stored so that one can inspect them and roll back to them.

Project files are stored encrypted by their digest, each content once, across all environments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from sabir.deployments.store.row_checks import decode_column
from sabir.deployments.store.seal import Sealer


class StoredRequest(Struct, frozen=True, kw_only=True):
    """Sources and inputs of a deployment (its desired state)."""

    path: str = ""
    """The project, relative to the directory of its files: a file, or empty for the directory itself."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Digests of the contents by file name."""
    digest: str = ""
    """Keyed digest of all names and contents: equal for two deployments with the same files."""
    missing: str | None = None
    """Why the files were not stored."""
    settings: str | None = None
    """Inputs and other command-line arguments, as text of the codec; None if they could not be encrypted."""
    language: str | None = None
    here: bool = False
    """Whether it managed the whole machine (`--here`)."""

    @property
    def text(self) -> str:
        return msgspec.json.encode(self).decode("utf-8")


def parse_request(text: str) -> StoredRequest:
    """Parse the stored text of a request. Raises `DeployError` if the state is damaged."""
    wish: StoredRequest = decode_column(text, StoredRequest, "what a deployment was asked for")
    return wish


class StoredObservation(Struct, frozen=True, kw_only=True):
    """A step output at the end of a deployment: text of the codec, and when it was observed."""

    value: Any
    note: str

    @property
    def text(self) -> str:
        """The value in the form that the codec reads."""
        return msgspec.json.encode({"value": self.value}).decode("utf-8")


def parse_observations(text: str, subject: str) -> dict[str, StoredObservation]:
    """Parse stored step outputs, by name. Raises `DeployError` if the state is damaged."""
    sightings: dict[str, StoredObservation] = decode_column(text, dict[str, StoredObservation], subject)
    return sightings


def encrypt_files(contents: Mapping[str, bytes], sealer: Sealer) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return digests by name, and encrypted contents by digest: project files may contain unencrypted
    secrets."""
    digests = {name: sealer.digest(data) for name, data in contents.items()}
    unique = {digests[name]: data for name, data in contents.items()}
    return digests, {digest: sealer.seal_bytes(data) for digest, data in unique.items()}


def blob_rows(blobs: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """Return the rows of encrypted contents for the table `blob`."""
    return [{"digest": digest, "data": data} for digest, data in blobs.items()]
