"""The recorder: what every value rests on, noted while a description is evaluated, and told as origins afterwards.

Six words, the same in every language:

site        a place in a text that computes something, with the manner in which it does; the same object at every run
step        one run of a site: what it read and what decided that it ran
cell        what holds a value: a property of an object, an attribute of an instance, or the instance itself
read        a source that was used while something was computed: a step, a cell, or an origin from outside
decided by  the sources without which the step would not have run: conditions, loops, calls
withheld    the sources that kept something from being written: had they been otherwise, it would have been

Whoever computes opens a list; every read is appended to the open list; whoever writes takes the list (`Computing`). Steps are
kept once: where values are written once, equal steps are the same step (`Recorder.step`); where code overwrites and loops, a
step takes in what its later rounds read (`Context.step`), so that a record is as long as the text and not as the run. When
all values are there and instances have ids, steps become origins (`Chains`).

A language records by compiling to other closures, or by other dictionaries and writers, when it is asked to: an ordinary
evaluation has none of this and pays nothing.
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
