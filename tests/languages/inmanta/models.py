"""Models made up from statements that may stand in any order, for the law that order does not matter."""

from __future__ import annotations

import random
from typing import Any

from sabir.diagnostics.finding import Severity
from sabir.languages.inmanta.evaluate.model import EvaluatedModel, evaluate_package
from sabir.languages.inmanta.evaluate.values import ModelInstance, PendingSlot, RelationValue, property_of
from sabir.session import Session, Trust
from sabir.source.packages import MemoryPackage

__all__ = ["canonical", "evaluate", "evaluate_traced", "random_statements"]

TRUSTING = Session(trust=Trust(python=True))

DEFINITIONS = [
    "entity Node:\n    string name\n    int size = 1\n    int total\n    string? note\nend",
    "Node.links [0:] -- Node",
    "Node.kids [0:] -- Node.parent [0:1]",
    "Node.extra [0:] -- Node",
    "index Node(name)",
    "implementation counted for Node:\n    self.total = std::count(kids)\nend",
    'implementation noted for Node:\n    self.note = "big {{name}}"\nend',
    "implement Node using counted",
    "implement Node using noted when size > 2",
    "entity Watch:\n    int limit = 1\nend",
    "Watch.on [1] -- Node.watches [0:]",
    "Watch.to [1] -- Node",
    "implementation watch for Watch:\n    if std::count(on.links) > limit:\n        to.extra += on\n    end\nend",
    "implement Watch using watch when limit < 3",
    "implement Watch using std::none when limit > 2",
]


def evaluate(text: str, **files: str) -> EvaluatedModel:
    return evaluate_package(MemoryPackage({"main.cf": text, **files}), session=TRUSTING)


def evaluate_traced(text: str) -> EvaluatedModel:
    return evaluate_package(MemoryPackage({"main.cf": text}), session=TRUSTING, trace=True)


def random_statements(seed: int) -> list[str]:
    """Statements of one model: nodes, links between them, and decisions that depend on complete relations."""
    chance = random.Random(seed)
    names = [f"n{number}" for number in range(chance.randint(2, 5))]
    found = list(DEFINITIONS)
    sizes = {name: chance.choice(["", f", size={chance.randint(0, 5)}"]) for name in names}
    found += [f'{name} = Node(name="{name}"{sizes[name]})' for name in names]
    counted: list[str] = []
    parents: set[str] = set()
    for number in range(chance.randint(2, 12)):
        one, two, three = (chance.choice(names) for _ in range(3))
        kind = chance.randint(0, 20)
        if kind <= 1:
            found.append(f"{one}.links += {two}")
        elif kind == 2:
            found.append(f"{one}.links += {two}.links")
        elif kind == 3 and two not in parents:
            parents.add(two)
            found.append(f"{one}.kids += {two}")
        elif kind == 4:
            found.append(f"for x in {one}.links:\n    {two}.extra += x\nend")
        elif kind == 5:
            counted.append(f"v{number}")
            found.append(f"v{number} = std::count({one}.links)")
        elif kind == 6:
            found.append(f"if std::count({one}.links) > 1:\n    {two}.extra += {three}\nend")
        elif kind == 7:
            found.append(f"if {one}.links is defined:\n    {two}.extra += {three}\nend")
        elif kind == 10:
            found.append(
                f"if std::count({one}.links) == {chance.randint(0, 2)}:\n    {two}.links += {three}\nend"
            )
        elif kind == 11:
            found.append(
                f"if {one}.size > 1:\n    {two}.links += {three}\nelse:\n    {three}.links += {two}\nend"
            )
        elif kind == 8:
            found.append(f"c{number} = std::count({one}.extra)\nd{number} = {two}.note is defined")
        elif kind == 12:
            found.append(f"{one}.links += [x for x in {two}.links if x.size > 1]")
        elif kind == 13:
            found.append(f"for x in [y for y in {one}.kids]:\n    {two}.extra += x\nend")
        elif kind == 14:
            found.append(f'u{number} = Node[name="{two}"]\nz{number} = u{number}.size')
        elif kind == 15:
            found.append(f's{number} = Node(name="{two}"{sizes[two]})\ns{number}.links += {one}')
        elif kind == 16:
            found.append(f"q{number} = {one}.parent is defined")
        elif kind == 17:
            found.append(
                f"for x in {one}.kids:\n    for y in x.links:\n        {two}.extra += y\n    end\nend"
            )
        elif kind == 18:
            found.append(f"Watch(on={one}, to={two}, limit={chance.randint(0, 4)})")
        elif kind == 19:
            found.append(f'f{number} = f"{{{one}.name}}:{{{two}.total}}"\nr{number} = std::upper(f{number})')
        elif kind == 20:
            found.append(f"g{number} = std::count([x for x in {one}.links for y in x.kids])")
        elif counted:
            name = chance.choice(counted)
            found.append(f'w{number} = "{{{{{name}}}}}-{{{{{one}.total}}}}"')
    return found


def canonical(model: EvaluatedModel) -> Any:
    """What a model means, without the order in which it came about."""
    errors = sorted({one.code for one in model.findings if one.severity is Severity.ERROR})
    if errors:
        return errors

    def shown(value: Any) -> Any:
        if isinstance(value, ModelInstance):
            return (
                f"<{property_of(value, 'name')}>"
                if "name" in value.entity.slots
                else f"<{value.entity.name}>"
            )
        if isinstance(value, RelationValue):
            return sorted(shown(one) for one in value.values)
        if isinstance(value, PendingSlot):
            return None
        return [shown(one) for one in value] if isinstance(value, list) else value

    instances = [
        (
            one.entity.name,
            sorted(
                (prop.name, shown(value))
                for prop, value in zip(one.entity.by_slot, one.values, strict=True)
                if shown(value) not in ([], None)
            ),
        )
        for one in model.instances
    ]
    variables = {name: shown(value) for name, value in model.variables().items()}
    return sorted(map(repr, instances)), variables
