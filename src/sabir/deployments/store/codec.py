"""Values of resources as JSON texts for the store, with their secrets sealed, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sabir.deployments.store.seal import Sealer
from sabir.deployments.store.stored import damaged, stored_text
from sabir.diagnostics.reasons import reason_of
from sabir.graph.json.values import decoded, encoded, has_words
from sabir.graph.values import Value

__all__ = ["Codec"]

_PLAIN_TYPES = frozenset({str, bool, type(None)})


class Codec:
    """The same value gives the same text, as long as it holds no secret: texts can be compared without reading them."""

    def __init__(self, sealer: Sealer) -> None:
        self.sealer = sealer
        self._encode = msgspec.json.Encoder(order="sorted").encode

    def write(self, fields: Mapping[str, Value]) -> str:
        if _PLAIN_TYPES.issuperset(map(type, fields.values())):
            data: object = fields
        else:
            data = {name: encoded(self.sealer.seal(value), reveal=True) for name, value in fields.items()}
        return self._encode(data).decode("utf-8")

    def read(self, text: str, subject: str = "values") -> dict[str, Value]:
        """The values; `subject` is what people call them, should they turn out to be damaged."""
        data: dict[str, Any] = stored_text(text, dict[str, Any], subject)
        if not has_words(text.encode("utf-8")):
            return data
        try:
            return {name: self.sealer.open(decoded(value)) for name, value in data.items()}
        except ValueError as error:
            damaged(subject, reason_of(error))
