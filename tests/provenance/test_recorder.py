"""The recorder by itself: lists of reads, steps that gather, what was withheld, origins of circles."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.graph.origin import AttributeRead, How, Origin
from sabir.provenance import (
    CallContext,
    Cell,
    Chains,
    DecisionOutcome,
    Join,
    ProvenanceStep,
    ReadTracker,
    Recorder,
    Site,
    SkippedWrites,
    WatchedDict,
    join_sources,
)
from sabir.text import Location


def site(line: int, how: How = How.ASSIGNMENT, note: str | None = None) -> Site:
    return Site(Location("code", line, 1), how, note)


class _Chains(Chains):
    def attribute_of(self, cell: Cell) -> AttributeRead:
        return AttributeRead(str(cell[0]), cell[1])


class _Values(WatchedDict):
    def __init__(self) -> None:
        super().__init__("object", "object")
        self.events: list[tuple[Any, ...]] = []

    def was_read(self, key: Any) -> None:
        self.events.append(("read", key))

    def was_written(self, key: Any, value: Any) -> None:
        self.events.append(("written", key, value))


def lines(origin: Origin) -> list[int]:
    """The lines below an origin, nearest first."""
    waiting, seen = [origin], list[int]()
    for step in waiting:
        for source in step.sources:
            if isinstance(source, Origin):
                seen.append(source.location.line)
                waiting.append(source)
    return seen


def test_a_closed_list_has_each_source_once_and_the_outer_list_goes_on() -> None:
    computing, first, second = ReadTracker(), ProvenanceStep(site(1)), ProvenanceStep(site(2))
    computing.reads.append(first)
    before = computing.open()
    computing.reads += [second, first, second]
    assert computing.close(before) == (second, first)
    assert computing.reads == [first]


def test_what_is_read_apart_is_not_read_for_what_is_being_computed() -> None:
    computing = ReadTracker()
    with computing.apart() as reads:
        computing.reads.append(ProvenanceStep(site(1)))
    assert len(reads) == 1
    assert computing.reads == []


def test_equal_runs_are_one_step_where_values_are_written_once() -> None:
    recorder, at, read = Recorder(), site(1), ProvenanceStep(site(2))
    assert recorder.step(at, (read,)) is recorder.step(at, (read,))
    assert recorder.step(at, (read,)) is not recorder.step(at, (), (read,))


def test_a_step_that_rests_on_its_last_round_takes_in_the_next() -> None:
    context, counter, other = CallContext(), site(2), ProvenanceStep(site(1))
    first = context.step(counter, (), ())
    second = context.step(counter, (first, other), ())
    assert second is first
    assert list(first.reads) == [other]


def test_steps_that_do_not_rest_on_each_other_stay_apart_up_to_a_limit() -> None:
    context, at = CallContext(), site(1)
    steps = {context.step(at, (ProvenanceStep(site(2)),), ()) for _ in range(1000)}
    assert len(steps) == 100


@pytest.mark.parametrize(("caller", "is_same"), [(1, True), (2, False)])
def test_calls_from_one_place_share_a_context(caller: int, *, is_same: bool) -> None:
    context, sites = CallContext(), {1: site(1), 2: site(2)}
    assert (context.inner("f", sites[1]) is context.inner("f", sites[caller])) is is_same


def test_code_that_calls_itself_stays_in_its_context() -> None:
    context, at = CallContext(), site(1)
    depths = set()
    for _ in range(100):
        context = context.inner("f", at)
        depths.add(context.depth)
    assert max(depths) < 20


def test_withheld_since_a_time_the_latest_first() -> None:
    withheld, first, second = SkippedWrites(), ProvenanceStep(site(1)), ProvenanceStep(site(2))
    withheld.note("x", first, 1)
    withheld.note("x", second, 2)
    withheld.note("x", first, 3)
    assert withheld.since("x", 0) == [first, second]
    assert withheld.since("x", 2) == [first]
    assert withheld.since("y", 0) == ()


def test_a_value_names_what_withheld_another_one_since_it_was_written() -> None:
    recorder, values, writer, condition = (
        Recorder(),
        _Values(),
        ProvenanceStep(site(1)),
        ProvenanceStep(site(2)),
    )
    recorder.withheld.note("x", ProvenanceStep(site(3)), recorder.tick())
    values.cells.written["x"] = (writer, recorder.tick())
    assert recorder.current(values, "x") is writer
    recorder.withheld.note("x", condition, recorder.tick())
    current = recorder.current(values, "x")
    assert isinstance(current, Join)
    assert tuple(current.reads) == (writer, condition)


def test_a_watched_dictionary_tells_who_reads_and_writes() -> None:
    values = _Values()
    values["x"] = 1
    assert values["x"] == 1
    assert values.events == [("written", "x", 1), ("read", "x")]


def test_an_origin_names_steps_cells_and_what_decided() -> None:
    read, condition = ProvenanceStep(site(1)), ProvenanceStep(site(2, How.CONDITION))
    origin = _Chains().origin(ProvenanceStep(site(3), (read, ("host", "name")), (condition,)))
    assert lines(origin) == [1, 2]
    assert AttributeRead("host", "name") in origin.sources


def test_the_outcome_of_a_condition_is_what_is_said_of_it() -> None:
    held = Site(Location("code", 1, 1), How.CONDITION, outcome=DecisionOutcome.HELD)
    assert _Chains().origin(ProvenanceStep(held)).note == "holds"


@pytest.mark.parametrize("size", [2, 5, 40])
def test_steps_of_a_circle_name_each_other_and_what_is_below(size: int) -> None:
    below = ProvenanceStep(site(1000))
    steps = [ProvenanceStep(site(number), (below,)) for number in range(size)]
    for step, after in zip(steps, [*steps[1:], steps[0]], strict=True):
        step.gather((after,), ())
    chains = _Chains()
    for number, step in enumerate(steps):
        assert {*lines(chains.origin(step)), number} == {*range(size), 1000}


def test_a_long_chain_needs_no_recursion() -> None:
    step = ProvenanceStep(site(0))
    for number in range(1, 5000):
        step = ProvenanceStep(site(number), (step,))
    assert len(lines(_Chains().origin(step))) == 4999


def test_a_join_adds_only_what_is_new() -> None:
    recorder, condition = Recorder(), ProvenanceStep(site(1))
    step = ProvenanceStep(site(2), (), (condition,))
    assert recorder.join_steps(step, (condition,)) is step
    joined = recorder.join_steps(join_sources((step,)), (ProvenanceStep(site(3)),))
    assert len(tuple(joined.reads)) == 2
