"""Wishes: what each deployment was asked for, kept so that one can ask about it, and go back to it.

The files of a description are kept sealed, by their digest, each content once, whatever environment it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from sabir.deployments.store.row_checks import decode_column
from sabir.deployments.store.seal import Sealer


class StoredRequest(Struct, frozen=True, kw_only=True):
    """What a deployment was asked for."""

    path: str = ""
    """The description, from the folder that the files were read from: a file, or empty for the folder itself."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Digests of their contents by name."""
    digest: str = ""
    """Of names and contents together: two deployments with the same one had the same files. It tells nobody without the key
    what is in them."""
    missing: str | None = None
    """Why the files were not kept."""
    settings: str | None = None
    """Inputs and what else was said on the command line, as the codec writes it; None: it could not be sealed."""
    language: str | None = None
    here: bool = False

    @property
    def text(self) -> str:
        return msgspec.json.encode(self).decode("utf-8")


def parse_request(text: str) -> StoredRequest:
    wish: StoredRequest = decode_column(text, StoredRequest, "what a deployment was asked for")
    return wish


class StoredObservation(Struct, frozen=True, kw_only=True):
    """A value as it was known when a deployment had ended: as the codec wrote it, and when it was observed."""

    value: Any
    note: str

    @property
    def text(self) -> str:
        """As the codec reads it."""
        return msgspec.json.encode({"value": self.value}).decode("utf-8")


def parse_observations(text: str, subject: str) -> dict[str, StoredObservation]:
    sightings: dict[str, StoredObservation] = decode_column(text, dict[str, StoredObservation], subject)
    return sightings


def encrypt_files(contents: Mapping[str, bytes], sealer: Sealer) -> tuple[dict[str, str], dict[str, bytes]]:
    """Digests by name, and sealed contents by digest: a description may hold secrets in clear."""
    digests = {name: sealer.digest(data) for name, data in contents.items()}
    unique = {digests[name]: data for name, data in contents.items()}
    return digests, {digest: sealer.seal_bytes(data) for digest, data in unique.items()}


def blob_rows(blobs: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [{"digest": digest, "data": data} for digest, data in blobs.items()]
