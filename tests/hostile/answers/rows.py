"""The table of lies: which one, at which door, how the command has to end, within which bounds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from tests.hostile.answers.doors import DOORS, HEAT, HTTP, KEYSTONE, KUBERNETES, Door, token
from tests.hostile.answers.liar import LIES, Asked, Lie, says

__all__ = ["ANSWER_ATTACKS", "AnswerAttack"]


class AnswerAttack(Struct, frozen=True, kw_only=True, eq=False):
    attack: str
    door: Door
    at: str
    """Which request is answered so."""
    lie: Lie
    lies_at: Callable[[Asked], bool]
    ends: int = 1
    says: str = ""
    seconds: float = 20.0
    """Most of wall time; requests are given two seconds."""
    cpu: float = 5.0
    megabytes: int = 300


_TOO_MUCH: Final = "it answers with more than"
_LATE: Final = "did not end its answer within"
_DEEP: Final = "nested more than 200 deep"
_SAID: Final[Mapping[str, str]] = {
    "2 GB": _TOO_MUCH,
    "lines of a watch without an end": _TOO_MUCH,
    "a byte now and then": _LATE,
    "headers now and then": _LATE,
    "300 MB packed into 1 MB": _TOO_MUCH,
    "JSON nested 100,000 deep": _DEEP,
    "JSON nested 5,000 deep": _DEEP,
    "five million lists": _TOO_MUCH,
}
"""What is said at every door."""
_DONE: Final = {(HTTP, "a list in place of a map"), (HTTP, "a map of other things")}
"""What a service lists that is not the one looked for is its own affair."""
_CHANGES: Final = (
    "2 GB",
    "a byte now and then",
    "a map of other things",
    "a page for people",
    "half of an answer",
    "the way to another server",
    "later, in a billion seconds",
)


_SELDOM: Final = {
    "lines of a watch without an end",
    "headers without an end",
    "JSON nested 5,000 deep",
    "a number of 100,000 digits",
    "a list in place of a map",
    "too many requests, for ever",
}
"""Told at the doors where most is asked; the others have the same reader."""


def _looks() -> Iterator[AnswerAttack]:
    for door in DOORS:
        for attack, lie in LIES.items():
            if attack in _SELDOM and door not in (KUBERNETES, HTTP, HEAT):
                continue
            yield AnswerAttack(
                attack=attack,
                door=door,
                at="a look",
                lie=lie,
                lies_at=door.lies_at,
                ends=0 if (door, attack) in _DONE else 1,
                says=_SAID.get(attack, ""),
            )


def _changes() -> Iterator[AnswerAttack]:
    for door in DOORS:
        if door.changes_at is None:
            continue
        for attack in _CHANGES:
            yield AnswerAttack(
                attack=attack, door=door, at="a change", lie=LIES[attack], lies_at=door.changes_at
            )


def _object(**metadata: object) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}).encode()


def _stack(**fields: object) -> bytes:
    stack = {"id": "s1", "stack_name": "s", "stack_status": "CREATE_COMPLETE", **fields}
    return json.dumps({"stack": stack}).encode()


_SPECIAL: Final = (
    AnswerAttack(
        attack="an object of another name",
        door=KUBERNETES,
        at="a look",
        lie=says(_object(name="b", namespace="default")),
        lies_at=KUBERNETES.lies_at,
        says="it answers with another object: ConfigMap b default",
    ),
    AnswerAttack(
        attack="an object of another namespace",
        door=KUBERNETES,
        at="a look",
        lie=says(_object(name="a", namespace="kube-system")),
        lies_at=KUBERNETES.lies_at,
        says="it answers with another object: ConfigMap a kube-system",
    ),
    AnswerAttack(
        attack="an object of another kind",
        door=KUBERNETES,
        at="a change",
        lie=says(_object(name="a", namespace="default").replace(b"ConfigMap", b"Secret")),
        lies_at=lambda asked: asked.method == "PATCH",
        says="it answers with another object: Secret a default",
    ),
    AnswerAttack(
        attack="kinds whose names lead elsewhere",
        door=KUBERNETES,
        at="the list of kinds",
        lie=says(b'{"resources": [{"name": "..", "kind": "ConfigMap", "namespaced": true}]}'),
        lies_at=lambda asked: asked.path == "/api/v1",
        says="can be no name",
    ),
    AnswerAttack(
        attack="a schema of numbers",
        door=KUBERNETES,
        at="the schema",
        lie=says(b'{"definitions": {"a": {"x-kubernetes-group-version-kind": [{"kind": 1}]}}}'),
        lies_at=lambda asked: asked.path == "/openapi/v2",
        says="the description of its kinds cannot be",
    ),
    AnswerAttack(
        attack="pages without an end",
        door=HTTP,
        at="a list",
        lie=lambda handler, _: says(b"[{}]", Link='</v1/users?page=2>; rel="next"')(handler, _),
        lies_at=HTTP.lies_at,
        says="has more than 1000 pages",
        cpu=15.0,
        seconds=60.0,
    ),
    AnswerAttack(
        attack="pages on another server",
        door=HTTP,
        at="a list",
        lie=lambda handler, other: says(b"[{}]", Link=f'<{other}/v1/users>; rel="next"')(handler, other),
        lies_at=HTTP.lies_at,
        says="which is not the target",
    ),
    *(
        AnswerAttack(
            attack=f"the id {shown}",
            door=HTTP,
            at="a change",
            lie=says(json.dumps({"id": value, "name": "x"}).encode(), 201),
            lies_at=lambda asked: asked.method == "POST",
            says="which can be no part of its path",
        )
        for shown, value in (("..", ".."), ("of nothing", ""), ("of a map", {}), ("of 2 kB", "a" * 2000))
    ),
    AnswerAttack(
        attack="another stack",
        door=HEAT,
        at="a look",
        lie=says(_stack(id="other", stack_name="other")),
        lies_at=HEAT.lies_at,
        says="Heat answers with another: other",
    ),
    AnswerAttack(
        attack="a stack that is never done",
        door=HEAT,
        at="a look",
        lie=says(_stack(stack_status="CREATE_IN_PROGRESS", tags=["sabir/environment/demo"])),
        lies_at=lambda asked: asked.method == "GET" and asked.path.split("?")[0].endswith(("/s", "/s1")),
        says="",
    ),
    *(
        AnswerAttack(
            attack=f"a catalogue that points to {shown}",
            door=KEYSTONE,
            at="signing in",
            lie=says(json.dumps({"token": token(url)}).encode(), 201, X_Subject_Token="a-token"),
            lies_at=KEYSTONE.lies_at,
        )
        for shown, url in (
            ("a file", "file:///etc/passwd"),
            ("nothing", "http://127.0.0.1:9/"),
            ("no address", "http://[::1"),
        )
    ),
    AnswerAttack(
        attack="a token with a line break",
        door=KEYSTONE,
        at="signing in",
        lie=says(
            json.dumps({"token": token("http://127.0.0.1:9/")}).encode(), 201, X_Subject_Token="a\r\n X: y"
        ),
        lies_at=KEYSTONE.lies_at,
    ),
)

ANSWER_ATTACKS: Final = (*_looks(), *_changes(), *_SPECIAL)
