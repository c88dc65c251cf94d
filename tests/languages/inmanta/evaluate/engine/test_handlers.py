"""Handlers, their context and cache, ids and references."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from sabir.languages.inmanta.evaluate.plugins.engine.context import (
    HandlerContext,
    InvalidOperation,
    ResourcePurged,
    SkipResource,
)
from sabir.languages.inmanta.evaluate.plugins.engine.handler import CRUDHandler, cache
from sabir.languages.inmanta.evaluate.plugins.engine.references import (
    Reference,
    ReplaceValue,
    find_references,
)
from sabir.languages.inmanta.evaluate.plugins.engine.resources import (
    Id,
    PurgeableResource,
    Resource,
    ResourceException,
)
from sabir.languages.inmanta.evaluate.plugins.engine.validation import Regex


class Thing(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("name", "value")


class Handler(CRUDHandler[Any]):
    """Keeps one value in a list, or none."""

    there: ClassVar[list[str]] = []
    behave = "fine"
    asked = 0

    def read_resource(self, ctx: HandlerContext, resource: Any) -> None:
        if self.behave != "fine":
            raise SkipResource("later") if self.behave == "skip" else ValueError("no")
        if not self.there:
            raise ResourcePurged
        resource.value = self.there[0]

    def create_resource(self, ctx: HandlerContext, resource: Any) -> None:
        self.there.append(resource.value)
        ctx.set_created()

    def update_resource(self, ctx: HandlerContext, changes: Any, resource: Any) -> None:
        self.there[0] = resource.value
        ctx.set_updated()

    def delete_resource(self, ctx: HandlerContext, resource: Any) -> None:
        self.there.clear()
        ctx.set_purged()

    @cache
    def slow(self, number: int) -> int:
        self.asked += 1
        return number


def thing(value: str = "v", *, purged: bool = False) -> Any:
    resource: Any = Thing(Id("m::Thing", "local", "name", "a"))
    resource.name, resource.value, resource.purged = "a", value, purged
    return resource


@pytest.mark.parametrize(
    ("there", "wanted", "purged", "change", "after"),
    [
        ([], "v", False, "created", ["v"]),
        (["v"], "v", False, "nochange", ["v"]),
        (["old"], "v", False, "updated", ["v"]),
        (["v"], "v", True, "purged", []),
        ([], "v", True, "nochange", []),
    ],
)
def test_what_is_there_becomes_what_is_wanted(
    there: list[str], wanted: str, purged: bool, change: str, after: list[str]
) -> None:
    Handler.there = list(there)
    resource = thing(wanted, purged=purged)
    dry = HandlerContext(resource, dry_run=True)
    Handler(None).execute(dry, resource, dry_run=True)
    assert (Handler.there, bool(dry.changes)) == (there, change != "nochange")
    ctx = HandlerContext(resource)
    Handler(None).deploy(ctx, resource, {})
    assert (ctx.change.value, Handler.there) == (change, after)


@pytest.mark.parametrize(("behave", "state"), [("skip", "skipped"), ("fail", "failed")])
def test_what_a_handler_raises_is_the_state(behave: str, state: str) -> None:
    resource = thing()
    ctx = HandlerContext(resource)
    handler = Handler(None)
    handler.behave = behave
    handler.deploy(ctx, resource, {})
    assert ctx.status is not None
    assert ctx.status.value == state


def test_a_resource_waits_for_what_it_requires() -> None:
    resource = thing()
    ctx = HandlerContext(resource)
    Handler(None).deploy(ctx, resource, {"m::Thing[local,name=b]": "failed"})
    assert ctx.resource_state is not None
    assert ctx.resource_state.value == "skipped_for_dependency"


def test_a_context_is_told_once() -> None:
    ctx = HandlerContext(thing())
    ctx.set_created()
    with pytest.raises(InvalidOperation):
        ctx.set_updated()
    with pytest.raises(InvalidOperation):
        ctx.update_changes({"x": (1, 2, 3)})


def test_answers_are_remembered() -> None:
    handler = Handler(None)
    assert [handler.slow(3), handler.slow(number=3), handler.slow(4)] == [3, 3, 4]
    assert handler.asked == 2


@pytest.mark.parametrize("text", ["m::R[local,name=a/b=c]", "a::b::C[h.example.org,path=/etc/x y]"])
def test_ids(text: str) -> None:
    identity = Id.parse_id(text)
    assert identity.resource_str() == text
    assert Id.parse_id(f"{text},v=7").version == 7


def test_reserved_fields_are_refused() -> None:
    with pytest.raises(ResourceException, match="reserved"):
        type("Bad", (Resource,), {"fields": ("requires",)})


def test_strings_that_match() -> None:
    assert Regex("^a").check_match("ab") == "ab"
    with pytest.raises(ValueError, match="does not match"):
        Regex("^a").check_match("b")


class Secret(Reference[str]):
    type = "m::Secret"

    def __init__(self, key: Any) -> None:
        self.key = key

    def resolve(self, logger: Any) -> str:
        return f"secret of {self.resolve_other(self.key, logger)}"


def test_a_reference_is_put_where_its_path_leads() -> None:
    resource = thing()
    resource.value = {"a": [{"it's": Secret("x")}]}
    ((path, reference),) = find_references(resource.value, "value")
    ReplaceValue(resource, reference, path).run(HandlerContext(resource))
    assert resource.value == {"a": [{"it's": "secret of x"}]}


def test_a_reference_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="is a reference"):
        bool(Secret("x"))
