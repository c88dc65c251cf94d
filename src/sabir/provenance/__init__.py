"""The recorder of provenance: what every value was computed from.

Six terms, the same in every language:

site        a place in a source that computes something, and how; the same object in every run
step        one run of a site: what it read and what decided that it ran
cell        what holds a value: a property of an object, an attribute of an instance, or the instance itself
read        a source that was used in a computation: a step, a cell, or an origin from outside
decided by  the sources without which the step would not have run: conditions, loops, calls
withheld    the sources that prevented a write: with another value, it would have happened

Code that computes opens a list, every read is appended to the open list, and the write takes the list
(`ReadTracker`). Steps are stored once. Where values are written once, equal steps are the same step
(`Recorder.step`). Where code overwrites and loops, a step absorbs what its later iterations read
(`CallContext.step`), so that a record is as long as the source and not as the run. When all values are computed and
instances have ids, steps become origins (`Chains`).

A language records by compiling to other closures, or by other dictionaries and writers, on request: an ordinary
evaluation contains none of this and pays nothing.
"""

from __future__ import annotations

from sabir.provenance.chains import Chains, MergingChains, StepShape
from sabir.provenance.loops import CallContext
from sabir.provenance.recorder import Cells, ReadTracker, Recorder, SkippedWrites, WatchedDict
from sabir.provenance.steps import (
    Cell,
    DecisionOutcome,
    Join,
    ProvenanceStep,
    Site,
    Sources,
    ValueSource,
    join_sources,
)

__all__ = [
    "CallContext",
    "Cell",
    "Cells",
    "Chains",
    "DecisionOutcome",
    "Join",
    "MergingChains",
    "ProvenanceStep",
    "ReadTracker",
    "Recorder",
    "Site",
    "SkippedWrites",
    "Sources",
    "StepShape",
    "ValueSource",
    "WatchedDict",
    "join_sources",
]
