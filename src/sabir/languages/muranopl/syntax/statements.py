"""Method bodies: instructions are expressions, assignments and block constructs (spec 000, "Method body")."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sabir.languages.muranopl.syntax.constructs import Construct, read_catches, read_names
from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.nodes import (
    Assignment,
    Block,
    Break,
    Constant,
    Continue,
    Do,
    Expr,
    ExpressionStatement,
    For,
    If,
    ListValue,
    Match,
    Parallel,
    Repeat,
    Rethrow,
    Return,
    Statement,
    Switch,
    Throw,
    Try,
    While,
)
from sabir.languages.muranopl.syntax.targets import is_target
from sabir.languages.muranopl.syntax.values import is_expression_scalar, read_value
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Span

__all__ = ["CONSTRUCTS", "read_block"]

CONSTRUCTS: Final[Mapping[str, tuple[str, ...]]] = {
    "Return": (),
    "If": ("Then", "Else"),
    "While": ("Do",),
    "For": ("In", "Do"),
    "Repeat": ("Do",),
    "Break": (),
    "Continue": (),
    "Match": ("Value", "Default"),
    "Switch": ("Default",),
    "Parallel": ("Limit",),
    "Try": ("Catch", "With", "As", "Do", "Else", "Finally"),
    "Throw": ("Message", "Extra", "Cause"),
    "Rethrow": (),
    "Do": (),
}
"""The key that begins each construct, and the keys that may stand beside it."""

_BESIDE: Final = frozenset(key for keys in CONSTRUCTS.values() for key in keys)

_REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "If": ("Then",),
    "While": ("Do",),
    "For": ("In", "Do"),
    "Repeat": ("Do",),
    "Match": ("Value",),
}


def read_block(node: YamlNode | None, defects: Defects) -> Block:
    """A code block: a list of instructions, or one instruction without the list."""
    if node is None or _is_null(node):
        return ()
    items = node.items if isinstance(node, YamlSequence) else (node,)
    read = (_statement(item, defects) for item in items)
    return tuple(statement for statement in read if statement is not None)


def _is_null(node: YamlNode) -> bool:
    return isinstance(node, YamlScalar) and node.value is None


def _statement(node: YamlNode, defects: Defects) -> Statement | None:
    if isinstance(node, YamlScalar):
        if is_expression_scalar(node):
            return ExpressionStatement(span=node.span, expression=Expr(span=node.span, text=node.text))
        defects.add(f"{_shown(node)} is no instruction", node.span, hint=_scalar_hint(node))
        return None
    if isinstance(node, YamlSequence):
        defects.add("a list is no instruction", node.span, hint="group instructions with `Do:`")
        return None
    if not node.entries:
        defects.add("an empty mapping is no instruction", node.span)
        return None
    expressions = [entry for entry in node.entries if is_expression_scalar(entry.key)]
    if expressions and len(node.entries) == 1:
        return _assignment(node, defects)
    if expressions:
        defects.add(
            f"the key {_shown(expressions[0].key)} makes this an assignment, which has one key only",
            expressions[0].key.span,
            hint="begin each instruction with a dash of its own",
        )
        return None
    return _construct(node, defects)


def _shown(node: YamlNode) -> str:
    if isinstance(node, YamlScalar):
        return repr(node.text) if isinstance(node.value, str) else node.text or "null"
    return "a list" if isinstance(node, YamlSequence) else "a mapping"


def _scalar_hint(node: YamlScalar) -> str:
    if isinstance(node.value, str):
        return "an instruction is an expression such as `$.method()`, an assignment or a block construct"
    return "use `Return:` to give a value back"


def _assignment(node: YamlMapping, defects: Defects) -> Assignment | None:
    key, value = node.entries[0].key, node.entries[0].value
    assert isinstance(key, YamlScalar)
    if not is_target(key.text):
        defects.add(
            f"{key.text!r} cannot be assigned to",
            key.span,
            hint="a target is a variable, a property, or a part of one: `$x`, `$.x`, `$x[0].key`",
        )
        return None
    target = Expr(span=key.span, text=key.text)
    return Assignment(span=Span(key.span.start, value.span.end), target=target, value=read_value(value))


def _construct(node: YamlMapping, defects: Defects) -> Statement | None:
    keys: dict[str, YamlNode] = {}
    for entry in node.entries:
        if not isinstance(entry.key, YamlScalar) or not isinstance(entry.key.value, str):
            defects.add(f"{_shown(entry.key)} is no keyword of a block construct", entry.key.span)
            return None
        keys[entry.key.value] = entry.value
    name = _leading(keys)
    if name is None:
        strange = (one.key for one in node.entries if _text(one.key) not in _BESIDE)
        first = next(strange, node.entries[0].key)
        wanted = first.value if isinstance(first, YamlScalar) and isinstance(first.value, str) else ""
        defects.misspelt(f"{wanted!r} begins no block construct", first.span, wanted, tuple(CONSTRUCTS))
        return None
    if not _keys_fit(node, name, keys, defects):
        return None
    first_entry = node.entries[0]
    construct = Construct(
        span=Span(first_entry.key.span.start, node.span.end), keys=keys, defects=defects, block=read_block
    )
    return _READERS[name](construct)


def _text(node: YamlNode) -> str:
    return node.value if isinstance(node, YamlScalar) and isinstance(node.value, str) else ""


def _leading(keys: Mapping[str, YamlNode]) -> str | None:
    leading = [key for key in keys if key in CONSTRUCTS]
    # `Do` also stands beside While, For, Repeat and a flat Catch; alone it is a construct of its own.
    if len(keys) > 1 and "Do" in leading:
        leading.remove("Do")
    return leading[0] if leading else None


def _keys_fit(node: YamlMapping, name: str, keys: Mapping[str, YamlNode], defects: Defects) -> bool:
    allowed = CONSTRUCTS[name]
    for entry in node.entries:
        assert isinstance(entry.key, YamlScalar)
        key = str(entry.key.value)
        if key == name or key in allowed:
            continue
        if key in CONSTRUCTS:
            defects.add(
                f"{key!r} begins a block construct of its own and cannot stand beside {name!r}",
                entry.key.span,
                hint="begin each construct with a dash of its own",
            )
        else:
            defects.misspelt(f"{key!r} does not belong to {name!r}", entry.key.span, key, allowed or (name,))
        return False
    for key in _REQUIRED.get(name, ()):
        if key not in keys:
            defects.add(f"{name!r} needs {key!r}", node.entries[0].key.span, hint=f"add `{key}:`")
            return False
    return True


def _return(parts: Construct) -> Statement:
    return Return(span=parts.span, value=parts.value("Return"))


def _if(parts: Construct) -> Statement:
    return If(
        span=parts.span,
        condition=parts.value("If"),
        then=parts.code("Then"),
        otherwise=parts.code("Else"),
    )


def _while(parts: Construct) -> Statement | None:
    condition = parts.value("While")
    if not isinstance(condition, Expr):
        parts.defects.add(
            "'While' needs an expression",
            condition.span,
            hint="a literal can be put in parentheses: `(true)`",
        )
        return None
    return While(span=parts.span, condition=condition, body=parts.code("Do"))


def _for(parts: Construct) -> Statement | None:
    variable = parts.keys["For"]
    if not isinstance(variable, YamlScalar) or not isinstance(variable.value, str) or "$" in variable.value:
        parts.defects.add(
            f"'For' needs the name of a variable, not {_shown(variable)}",
            variable.span,
            hint="write the name without `$`",
        )
        return None
    return For(span=parts.span, variable=variable.value, collection=parts.value("In"), body=parts.code("Do"))


def _repeat(parts: Construct) -> Statement | None:
    times = parts.value("Repeat")
    if not isinstance(times, Expr) and not (isinstance(times, Constant) and isinstance(times.value, int)):
        parts.defects.add("'Repeat' needs an integer or an expression", times.span)
        return None
    return Repeat(span=parts.span, times=times, body=parts.code("Do"))


def _break(parts: Construct) -> Statement | None:
    return Break(span=parts.span) if parts.has_no_value("Break") else None


def _continue(parts: Construct) -> Statement | None:
    return Continue(span=parts.span) if parts.has_no_value("Continue") else None


def _rethrow(parts: Construct) -> Statement | None:
    return Rethrow(span=parts.span) if parts.has_no_value("Rethrow") else None


def _match(parts: Construct) -> Statement | None:
    cases = parts.mapping("Match")
    if cases is None:
        return None
    read: list[tuple[Constant, Block]] = []
    for key, block in cases.items():
        if not isinstance(key, YamlScalar):
            parts.defects.add("a case of 'Match' is a constant, not a structure", key.span)
            continue
        read.append((Constant(span=key.span, value=key.value), read_block(block, parts.defects)))
    return Match(
        span=parts.span, cases=tuple(read), value=parts.value("Value"), default=parts.code("Default")
    )


def _switch(parts: Construct) -> Statement | None:
    cases = parts.mapping("Switch")
    if cases is None:
        return None
    read = tuple((read_value(key), read_block(block, parts.defects)) for key, block in cases.items())
    return Switch(span=parts.span, cases=read, default=parts.code("Default"))


def _parallel(parts: Construct) -> Statement:
    limit = parts.keys.get("Limit")
    return Parallel(
        span=parts.span,
        branches=parts.code("Parallel"),
        limit=None if limit is None else read_value(limit),
    )


def _try(parts: Construct) -> Statement:
    return Try(
        span=parts.span,
        body=parts.code("Try"),
        catches=read_catches(parts),
        otherwise=parts.code("Else"),
        final=parts.code("Finally"),
    )


def _throw(parts: Construct) -> Statement | None:
    names = parts.value("Throw")
    if isinstance(names, ListValue) and not names.items:
        parts.defects.add("'Throw' needs the name of an exception", names.span)
    if not isinstance(names, Expr) and not read_names(parts.keys["Throw"], parts.defects):
        return None
    return Throw(
        span=parts.span,
        names=names,
        message=parts.optional("Message"),
        extra=parts.optional("Extra"),
        cause=parts.optional("Cause"),
    )


def _do(parts: Construct) -> Statement:
    return Do(span=parts.span, body=parts.code("Do"))


_READERS: Final[Mapping[str, Callable[[Construct], Statement | None]]] = {
    "Return": _return,
    "If": _if,
    "While": _while,
    "For": _for,
    "Repeat": _repeat,
    "Break": _break,
    "Continue": _continue,
    "Match": _match,
    "Switch": _switch,
    "Parallel": _parallel,
    "Try": _try,
    "Throw": _throw,
    "Rethrow": _rethrow,
    "Do": _do,
}
