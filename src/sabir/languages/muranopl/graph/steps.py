"""The recorded steps of a run as origins: what properties of the graph tell is left to them, first values are spelled out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from sabir.graph.origin import How, Origin
from sabir.languages.muranopl.evaluate.recording.first_values import FirstValue
from sabir.languages.muranopl.evaluate.recording.recorder import RunRecorder
from sabir.languages.muranopl.evaluate.recording.storage import WatchedProperties
from sabir.languages.muranopl.graph.origins import Origins
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.provenance import Cell, MergingChains, Shape, Site, Step, ValueSource
from sabir.provenance.steps import NOWHERE

__all__ = ["Steps"]


class Steps(MergingChains):
    """Origins of recorded steps. `shown` are the properties that the graph has, by object id and name."""

    def __init__(self, recorder: RunRecorder, origins: Origins, shown: frozenset[tuple[str, str]]) -> None:
        super().__init__()
        self.recorder = recorder
        self.origins = origins
        self.shown = shown

    def of_object(self, object_: MuranoObject) -> Origin:
        step = self.recorder.made(object_)
        return self.origins.of_object(object_) if step is None else self.origin(step)

    def of_property(self, object_: MuranoObject, name: str) -> Origin | None:
        step = self.recorder.final(object_.properties, name)
        if step is None:
            assert isinstance(object_.properties, WatchedProperties)
            step = self.recorder.current(object_.properties, name)
        return None if step is None else self.origin(step)

    def is_shown(self, cell: Cell) -> bool:
        return cell[0].owner is not None and (cell[0].owner, cell[1]) in self.shown

    def told(self, step: Step) -> Shape:
        return self._first_value(step) if isinstance(step, FirstValue) else super().told(step)

    def _first_value(self, step: FirstValue) -> Shape:
        declaration, reads = step.declaration, tuple(step.reads)
        contract = self.recorder.contract_site(declaration)
        if step.giver is not None:
            if step.is_converted:
                return Shape(contract, tuple(self.edges((step.giver, *reads))))
            return Shape(step.giver.site, tuple(self.edges((*step.giver.sources(), *reads))))
        outside = None
        if step.object_id is not None:
            outside = self.origins.given_parts(step.object_id, declaration)
        if outside is not None:
            if step.is_converted or reads:
                return Shape(contract, (outside, *self.edges(reads)))
            return Shape(Site(outside.place, outside.how, outside.note), outside.sources)
        default = self.origins.default(declaration)
        site = Site(default.place, How.DEFAULT, default.note)
        if reads and not declaration.configured:
            site = Site(default.place, How.EXPRESSION, "default")
        rests_on = reads if step.maker is None else (*reads, step.maker)
        if step.is_converted:
            return Shape(contract, (Step(site, rests_on),))
        return Shape(site, tuple(self.edges(rests_on)))

    def kind(self, step: Step) -> Hashable:
        if not isinstance(step, FirstValue):
            return super().kind(step)
        if step.object_id in self.origins.runtime.origins:
            return step  # the model gives each object its own values
        return (step.declaration, step.is_converted, None if step.giver is None else step.giver.site)

    def merge(self, steps: list[Step], below: Iterable[ValueSource]) -> Step:
        first = steps[0]
        if not isinstance(first, FirstValue):
            return super().merge(steps, below)
        giver = first.giver
        return FirstValue(
            NOWHERE,
            tuple(dict.fromkeys(source for source in below if source is not giver)),
            cell=first.cell,
            declaration=first.declaration,
            object_id=None,
            is_converted=first.is_converted,
            giver=None if giver is None else Step(giver.site, giver.reads, giver.decided_by),
        )
