"""Objects that running code makes: complete, constructors included, when they are given back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.languages.muranopl.evaluate.identity import MadeFor
from sabir.languages.muranopl.evaluate.loading import Loader
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.objects import MuranoObject

__all__ = ["ArgumentLoader", "ImmediateLoader"]


class ImmediateLoader(Loader):
    """A loader for running code: what it makes is complete, constructors included, when it is given back."""

    def instantiate(
        self, raw: Mapping[Any, Any], owner: MuranoObject | None, default: MuranoClass | None
    ) -> MuranoObject:
        return self.make(raw, owner, default=default)

    def make(
        self,
        raw: Mapping[Any, Any],
        owner: MuranoObject | None,
        made_for: MadeFor = None,
        default: MuranoClass | None = None,
    ) -> MuranoObject:
        """What code makes for the target of an assignment, or for nothing in particular."""
        loader = Loader(self.runtime)
        loader.made_for = made_for
        object_ = loader.shell(raw, owner, default)
        loader.finish()
        return object_


class ArgumentLoader(ImmediateLoader):
    """The same for arguments of methods: what is made of data that a caller passes belongs to nobody."""

    def owner_for(self, this: Any) -> MuranoObject | None:
        del this
        return None
