"""The functions of `std` that models commonly call."""

from sabir.languages.inmanta.library.std.plugins import (
    addresses,
    collections,
    resources,
    system,
    texts,
    validation,
)
from sabir.languages.inmanta.library.std.plugins.registry import REGISTRY

__all__ = ["REGISTRY", "addresses", "collections", "resources", "system", "texts", "validation"]
