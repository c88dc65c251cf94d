"""Method bodies: expressions, assignments and block constructs (spec 000, "Method body").

A malformed instruction is a defect and loses nothing but itself: its readable parts and everything after it
are read.

The target of an assignment is a variable followed by any number of attributes and indexes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sabir.diagnostics.suggestions import suggest
from sabir.expressions.yaql.errors import YaqlSyntaxError
from sabir.expressions.yaql.nodes import Binary, Call, Group, Index, Node, Unary, Variable, Word
from sabir.expressions.yaql.parser import Dialect, parse
from sabir.languages.muranopl.syntax.constructs import (
    NEEDS_NAME,
    NO_TARGET,
    STATEMENT_FORM,
    BlockConstruct,
    read_catches,
    read_keys,
    read_names,
)
from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.expressions import ExpressionText, parse_error_finding, parse_scalar
from sabir.languages.muranopl.syntax.names import is_short_name
from sabir.languages.muranopl.syntax.nodes import (
    Assignment,
    Block,
    Break,
    BrokenStatement,
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
from sabir.languages.muranopl.syntax.report import kind_of, quote_node
from sabir.languages.muranopl.syntax.rules import CALL_IN_TARGET, REPEAT_SCALAR, TRY_WITHOUT_CATCH
from sabir.languages.muranopl.syntax.values import is_expression_scalar, is_null, read_value
from sabir.source.yaml.nodes import Style, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Span


def is_target(text: str) -> bool:
    """Tell whether a text can be the target of an assignment; `$`, `$this` and `$1` alone cannot."""
    tree = parse(text, Dialect.MURANO).tree
    if isinstance(tree, Variable):
        return tree.name not in ("", "this") and not tree.name.isdigit()
    is_type = isinstance(tree, Unary | Binary) and tree.operator == ":"
    return not is_type and is_target_node(tree)


def is_target_node(node: Node) -> bool:
    """Tell whether a node is a variable or static property, followed by attributes and indexes only."""
    while True:
        if isinstance(node, Variable):
            return True
        if isinstance(node, Index) and len(node.arguments) == 1:
            node = node.value
        elif isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Word):
            node = node.left
        elif isinstance(node, Group):
            node = node.inner
        else:
            # `:Type.property` and `ns:Type.property` assign static properties.
            return isinstance(node, Unary | Binary) and node.operator == ":"


def has_calls_before_the_end(text: str) -> bool:
    """Tell whether a text would be a target if calls were allowed in it: `$.a.cast(:X).b`, `type(X).p`."""
    tree = parse(text, Dialect.MURANO).tree
    is_written = isinstance(tree, Index) or (
        isinstance(tree, Binary) and tree.operator == "." and isinstance(tree.right, Word)
    )
    has_calls = False
    while is_written:
        if isinstance(tree, Index):
            tree = tree.value
        elif isinstance(tree, Binary) and tree.operator == "." and isinstance(tree.right, Word | Call):
            has_calls = has_calls or isinstance(tree.right, Call)
            tree = tree.left
        else:
            break
    begins_with_type = isinstance(tree, Call) and tree.name == "type"
    return begins_with_type or (has_calls and is_target_node(tree))


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

_REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "If": ("Then",),
    "While": ("Do",),
    "For": ("In", "Do"),
    "Repeat": ("Do",),
    "Match": ("Value",),
    "Try": ("Catch",),
}
# `Do` starts a construct only where no other keyword does.
_OPENERS: Final = tuple(name for name in CONSTRUCTS if name != "Do")
KEYWORDS: Final = frozenset((*CONSTRUCTS, *(key for keys in CONSTRUCTS.values() for key in keys)))


def read_block(node: YamlNode | None, defects: Defects) -> Block:
    """Read a code block: a list of instructions, or a single instruction."""
    if node is None or is_null(node):
        return ()
    items = node.items if isinstance(node, YamlSequence) else (node,)
    return tuple(_read_statement(item, defects) for item in items)


def _read_statement(node: YamlNode, defects: Defects) -> Statement:
    if isinstance(node, YamlMapping):
        return _read_mapping(node, defects)
    if isinstance(node, YamlScalar) and isinstance(node.value, str):
        if is_expression_scalar(node):
            expression = Expr(span=node.span, text=node.text, node=node)
            return ExpressionStatement(span=node.span, expression=expression)
        _report_text(node, defects)
    else:
        message = f"a statement is an expression, an assignment or a block construct, not {kind_of(node)}"
        defects.at(node, STATEMENT_FORM, message)
    return BrokenStatement(span=node.span)


def _report_text(node: YamlScalar, defects: Defects) -> None:
    """Report text instead of an instruction; text that does not parse was meant as an expression."""
    parsed = parse_scalar(defects.report, node)
    if not isinstance(parsed, ExpressionText):
        defects.add_finding(parse_error_finding(defects.report, node, parsed))
        return
    hint = f"call it, as in `$.{node.text}()`" if is_short_name(node.text) else None
    if node.style is not Style.PLAIN:
        hint = "write it without quotes: a text in quotes is no expression"
    message = (
        f"a statement is an expression, an assignment or a block construct, not the text {quote_node(node)}"
    )
    defects.at(node, STATEMENT_FORM, message, hint=hint)


def _read_mapping(node: YamlMapping, defects: Defects) -> Statement:
    keys = [text_of(key) for key in node]
    opener = next((name for name in _OPENERS if name in keys), "Do" if "Do" in keys else None)
    if opener is not None:
        return _read_construct(node, opener, defects)
    if len(node) == 1:
        return _read_assignment(node, defects)
    if not node.entries:
        defects.at(node, STATEMENT_FORM, "an empty mapping is no statement")
        return BrokenStatement(span=node.span)
    near_opener = next(
        (meant for key in keys if key is not None and (meant := suggest(key, _OPENERS)) is not None), None
    )
    hint = f"did you mean {near_opener!r}?" if near_opener else "begin each assignment with a dash of its own"
    defects.at(node.entries[0].key, STATEMENT_FORM, "several keys that form no block construct", hint=hint)
    return BrokenStatement(span=node.span)


def _read_assignment(node: YamlMapping, defects: Defects) -> Statement:
    key, value = node.entries[0].key, read_value(node.entries[0].value)
    span = Span(key.span.start, value.span.end)
    if isinstance(key, YamlScalar) and is_expression_scalar(key):
        target = Expr(span=key.span, text=key.text, node=key)
        if is_target(key.text):
            return Assignment(span=span, target=target, value=value)
        if has_calls_before_the_end(key.text):
            message = f"{quote_node(key)} cannot be assigned to: it calls something on the way"
            defects.at(key, NO_TARGET, message, difference=CALL_IN_TARGET)
            return Assignment(span=span, target=target, value=value)
    message = f"{quote_node(key)} can be neither assigned to nor is it a keyword"
    if text_of(key) in KEYWORDS:
        message = f"{quote_node(key)} cannot stand alone: it belongs to another keyword"
    defects.add_finding(defects.report.report_unknown(key, NO_TARGET, message, KEYWORDS, refused=True))
    return BrokenStatement(span=span, value=value)


def _read_construct(node: YamlMapping, name: str, defects: Defects) -> Statement:
    keys = read_keys(node, name, frozenset((name, *CONSTRUCTS[name])), defects)
    missing = [key for key in _REQUIRED.get(name, ()) if key not in keys]
    construct = BlockConstruct(node=node, name=name, keys=keys, defects=defects, block=read_block)
    if missing == ["Catch"]:
        # The engine runs Try with only Finally, and published packages use that.
        if "Finally" not in keys:
            message = f"{name} needs Catch"
            defects.at(construct.first, STATEMENT_FORM, message, difference=TRY_WITHOUT_CATCH)
    elif missing:
        construct.report_malformed(f"{name} needs {' and '.join(missing)}")
    return _READERS[name](construct)


def _read_return(parts: BlockConstruct) -> Statement:
    return Return(span=parts.span, value=parts.value("Return"))


def _read_if(parts: BlockConstruct) -> Statement:
    return If(
        span=parts.span,
        condition=parts.value("If"),
        then=parts.code("Then"),
        otherwise=parts.code("Else"),
    )


def _read_while(parts: BlockConstruct) -> Statement:
    condition = parts.value("While")
    if not isinstance(condition, Expr):
        # Text that does not parse was meant as an expression.
        meant = isinstance(condition, Constant) and isinstance(condition.node, YamlScalar) and condition.node
        parsed = parse_scalar(parts.defects.report, meant) if meant and isinstance(meant.value, str) else None
        if meant and isinstance(parsed, YaqlSyntaxError):
            parts.defects.add_finding(parse_error_finding(parts.defects.report, meant, parsed))
        else:
            hint = "a literal can be put in parentheses: `(true)`"
            message = f"While needs an expression, not {kind_of(condition.node)}"
            parts.defects.at(condition.span, STATEMENT_FORM, message, hint=hint)
    return While(span=parts.span, condition=condition, body=parts.code("Do"))


def _read_for(parts: BlockConstruct) -> Statement:
    return For(
        span=parts.span,
        variable=parts.variable(parts.keys["For"], "For"),
        collection=parts.value("In"),
        body=parts.code("Do"),
    )


def _read_repeat(parts: BlockConstruct) -> Statement:
    times = parts.value("Repeat")
    if not isinstance(times, Expr) and not (isinstance(times, Constant) and isinstance(times.value, int)):
        message = f"Repeat needs an integer or an expression, not {kind_of(times.node)}"
        difference = REPEAT_SCALAR if isinstance(times, Constant) else None
        parts.defects.at(times.span, STATEMENT_FORM, message, difference=difference)
    return Repeat(span=parts.span, times=times, body=parts.code("Do"))


def _read_break(parts: BlockConstruct) -> Statement:
    return Break(span=parts.span, key=parts.keyword())


def _read_continue(parts: BlockConstruct) -> Statement:
    return Continue(span=parts.span, key=parts.keyword())


def _read_rethrow(parts: BlockConstruct) -> Statement:
    parts.keyword()
    return Rethrow(span=parts.span)


def _read_match(parts: BlockConstruct) -> Statement:
    cases = parts.cases()
    read: list[tuple[Constant, Block]] = []
    for key, node in cases.items() if cases is not None else ():
        block = read_block(node, parts.defects)
        if isinstance(key, YamlScalar):
            read.append((Constant(span=key.span, value=key.value, node=key), block))
        else:
            message = f"a case of Match is a constant, not {kind_of(key)}"
            parts.defects.at(key, STATEMENT_FORM, message)
    return Match(
        span=parts.span, cases=tuple(read), value=parts.value("Value"), default=parts.code("Default")
    )


def _read_switch(parts: BlockConstruct) -> Statement:
    cases = parts.cases()
    pairs = cases.items() if cases is not None else ()
    read = tuple((read_value(key), read_block(block, parts.defects)) for key, block in pairs)
    return Switch(span=parts.span, cases=read, default=parts.code("Default"))


def _read_parallel(parts: BlockConstruct) -> Statement:
    return Parallel(span=parts.span, branches=parts.code("Parallel"), limit=parts.optional("Limit"))


def _read_try(parts: BlockConstruct) -> Statement:
    return Try(
        span=parts.span,
        body=parts.code("Try"),
        catches=read_catches(parts),
        otherwise=parts.code("Else"),
        final=parts.code("Finally"),
    )


def _read_throw(parts: BlockConstruct) -> Statement:
    names = parts.value("Throw")
    if isinstance(names, ListValue) and not names.items:
        message = "Throw needs the name of an exception, not an empty list"
        parts.defects.at(names.span, NEEDS_NAME, message)
    elif not isinstance(names, Expr):
        read_names(parts.keys["Throw"], "Throw", parts.defects)
    return Throw(
        span=parts.span,
        names=names,
        message=parts.optional("Message"),
        extra=parts.optional("Extra"),
        cause=parts.optional("Cause"),
    )


def _read_do(parts: BlockConstruct) -> Statement:
    return Do(span=parts.span, body=parts.code("Do"))


_READERS: Final[Mapping[str, Callable[[BlockConstruct], Statement]]] = {
    "Return": _read_return,
    "If": _read_if,
    "While": _read_while,
    "For": _read_for,
    "Repeat": _read_repeat,
    "Break": _read_break,
    "Continue": _read_continue,
    "Match": _read_match,
    "Switch": _read_switch,
    "Parallel": _read_parallel,
    "Try": _read_try,
    "Throw": _read_throw,
    "Rethrow": _read_rethrow,
    "Do": _read_do,
}
