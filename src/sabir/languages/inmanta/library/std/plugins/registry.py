"""The decorators of this library, and the table of what they register; shared by all evaluations."""

from __future__ import annotations

from typing import Final

from sabir.languages.inmanta.evaluate.plugins.api import Registry

__all__ = ["REGISTRY", "plugin", "provider", "reference", "resource"]

REGISTRY: Final = Registry()
plugin = REGISTRY.plugin
resource = REGISTRY.resource
provider = REGISTRY.provider
reference = REGISTRY.references.reference
