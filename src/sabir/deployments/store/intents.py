"""Intents: what a step was going to do, written before it did anything.

Enough to look for it, to record it and to do it, when nobody remembers the description any more.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sabir.deployments.store.codec import Codec
from sabir.deployments.store.records import StepRecord
from sabir.deployments.store.stored import stored_text

__all__ = ["Intent", "IntentCall", "intent_of"]


class IntentCall(Struct, frozen=True, kw_only=True):
    operation: str | None
    arguments: str
    """As the codec writes them."""


class Intent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    desired: str
    """The fields of the resource, as the codec writes them."""
    id: str | None
    requires: tuple[str, ...] = ()
    results: Mapping[str, str] = field(default_factory=dict[str, str])
    call: IntentCall | None = None
    """The operation that is called; nothing of the resource is recorded then."""
    origin: str | None = None
    report_only: bool = False
    """The resource is only compared: however far the step came, it changed nothing."""

    @property
    def text(self) -> str:
        return msgspec.json.encode(self).decode("utf-8")

    def sealed_anew(self, codec: Codec) -> Intent:
        """With its secrets under the newest key."""
        call = self.call
        if call is not None:
            call = replace(call, arguments=codec.write(codec.read(call.arguments)))
        return replace(self, desired=codec.write(codec.read(self.desired)), call=call)


def intent_of(step: StepRecord) -> Intent:
    """What a step was going to do; nothing, when it was not begun."""
    subject = f"the intent of {step.key!r} in deployment {step.deployment}"
    intent: Intent = stored_text(step.task or '{"desired":"{}","id":null}', Intent, subject)
    return intent
