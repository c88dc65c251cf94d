"""What a deployment leaves in the state of its environment, and how the next evaluation goes on from it.

The existing engine keeps one document: the model with everything that code wrote into it. Here the model stays as its author wrote
it, and what code left is kept beside it: `Out` and open `InOut` properties, objects that code made, attributes. Both are brought
together by the ids of objects when the model is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from sabir.graph.address import Address
from sabir.graph.values import Value, reveal_all
from sabir.languages.muranopl.evaluate.model_file import ModelFile

__all__ = ["STACKS", "STORAGE", "continued", "kept_value", "root_id"]

STORAGE: Final = "storage"
"""The result of a deployment that holds `Objects` and `Attributes` as its program left them."""
STACKS: Final = "stacks"
"""The result that holds the stacks of machines that no cloud keeps."""


def root_id(model: Mapping[Any, Any] | None) -> str | None:
    """The id that the model gives to its root."""
    header = None if model is None else model.get("?")
    id_ = header.get("id") if isinstance(header, Mapping) else None
    return None if id_ is None else str(id_)


def kept_value(observed: Mapping[str, Value], root: str | None, name: str) -> Any:
    """A result of the last deployment of a root; None when there was none."""
    if root is None:
        return None
    return reveal_all(observed.get(str(Address(root, attribute=name))))


def continued(file: ModelFile, observed: Mapping[str, Value]) -> ModelFile:
    """The model with what the last deployment left, in place of what the file itself may say of an earlier run."""
    storage = kept_value(observed, root_id(file.model), STORAGE)
    if storage is None:
        return file
    return replace(
        file, previous=storage["Objects"], attributes=tuple(storage.get("Attributes") or ()), goes_on=True
    )
