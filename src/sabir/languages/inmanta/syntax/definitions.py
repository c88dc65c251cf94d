"""The parser of definitions: entity, typedef, relation, index, implementation, implement, import."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from sabir.expressions.patterns import PatternError, compile_pattern
from sabir.languages.inmanta.syntax.expressions import ExpressionParser
from sabir.languages.inmanta.syntax.lexer import END, unescape
from sabir.languages.inmanta.syntax.nodes import (
    AttributeDef,
    Block,
    DictLiteral,
    Entity,
    Expression,
    Implement,
    Implementation,
    Import,
    Index,
    ListLiteral,
    Literal,
    QualifiedName,
    Relation,
    RelationEnd,
    Text,
    Typedef,
    TypeRef,
)
from sabir.languages.inmanta.syntax.stream import ParseError

DEFINITIONS: Final = frozenset({"entity", "typedef", "implementation", "implement", "index", "import"})
"""The words that begin a definition, which stands at the top level of a file only."""
_MAX_ARITY: Final = 10**9


class DefinitionParser(ExpressionParser):
    """Parses definitions and the blocks inside them."""

    @abstractmethod
    def block(self, opening: int, construct: str) -> Block:
        """Parse the statements up to and including `end`."""

    def _word(self, kind: str, context: str, *, plain: bool = False) -> QualifiedName:
        pos = self.pos
        text = self.expect(kind, context)
        if plain and "::" in text:
            self.fail(f"a definition has a plain name, not {text!r}", at=pos)
        return QualifiedName(self.starts[pos], self.end_of(pos), text)

    def _any_name(self, context: str) -> QualifiedName:
        if self.kinds[self.pos] not in ("id", "cid"):
            self.expect("id", context)
        return self._word(self.kinds[self.pos], context)

    def _parse_docstring(self) -> str | None:
        if self.kinds[self.pos] != "multi":
            return None
        self.pos += 1
        return unescape(self.texts[self.pos - 1][3:-3])

    def import_statement(self) -> Import:
        start = self.starts[self.pos]
        self.pos += 1
        name = self._any_name("after 'import'")
        alias = None
        if self.accept("as"):
            alias = self._any_name("after 'as'").name
            if "::" in alias:
                self.fail(f"an alias is a plain name, not {alias!r}", at=self.pos - 1)
        return Import(start, self.previous_end(), name.name, alias)

    def entity(self) -> Entity:
        first = self.pos
        self.pos += 1
        name = self._word("cid", "after 'entity'", plain=True)
        parents: list[QualifiedName] = []
        if self.accept("extends"):
            parents.append(self._word("cid", "after 'extends'"))
            while self.accept(","):
                parents.append(self._word("cid", "after ','"))
        self.expect(":", f"after the head of entity {name.name}")
        doc = self._parse_docstring()
        attributes: list[AttributeDef] = []
        while not self.accept("end"):
            before = self.pos
            if self._is_entity_unclosed(name.name, first):
                break
            if self.kinds[self.pos] not in ("id", "cid"):
                self._attribute_failure(before)
                continue
            try:
                attributes.append(self._attribute())
            except ParseError as error:
                self.problems.append(error.finding)
                self._skip_attribute(before)
        return Entity(self.starts[first], self.previous_end(), name, tuple(parents), tuple(attributes), doc)

    def _is_entity_unclosed(self, name: str, first: int) -> bool:
        """Return whether the `end` of an entity is missing here; its attributes so far are kept."""
        kind = self.kinds[self.pos]
        try:
            if kind == END:
                self.fail(f"entity {name} has no 'end'", at=first)
            if kind in DEFINITIONS or self._is_no_attribute(first):
                self.fail(
                    f"expected an attribute or 'end', found {self.describe_token()}",
                    hint="is an 'end' missing above?",
                )
        except ParseError as error:
            self.problems.append(error.finding)
            return True
        return False

    def _is_no_attribute(self, first: int) -> bool:
        """Return whether a statement starts here: it is outdented, and no name follows as in an attribute."""
        kind, following = self.kinds[self.pos], self.kinds[self.pos + 1]
        return (
            kind in ("id", "cid", "for", "if")
            and following not in ("id", "cid", "[", "?")
            and self.stands_outside(self.pos, first)
        )

    def _attribute_failure(self, before: int) -> None:
        try:
            self.fail(f"expected an attribute or 'end', found {self.describe_token()}")
        except ParseError as error:
            self.problems.append(error.finding)
        self._skip_attribute(before)

    def _skip_attribute(self, before: int) -> None:
        self.pos = max(self.pos, before + 1)
        while self.kinds[self.pos] not in ("end", END) and self._line_start(self.pos) is None:
            self.pos += 1

    def _type(self, context: str) -> TypeRef:
        name = self._any_name(context)
        is_list = False
        if self.kinds[self.pos] == "[":
            self.pos += 1
            self.expect("]", "after '['")
            is_list = True
        nullable = self.accept("?")
        return TypeRef(name.start, self.previous_end(), name.name, is_list, nullable)

    def _attribute(self) -> AttributeDef:
        kind = self._type("as the type of an attribute")
        name = self._word("id", "as the name of an attribute", plain=True)
        default: Expression | None = None
        undef = False
        if self.accept("="):
            if self.accept("undef"):
                undef = True
            else:
                default = self.expression()
                if not _is_constant(default):
                    self.fail_span(
                        default.start,
                        default.end,
                        f"the default of {name.name!r} must be a literal value",
                        "set it in a constructor or a refinement when it has to be computed",
                    )
        return AttributeDef(kind.start, self.previous_end(), kind, name.name, default, undef)

    def typedef(self) -> Typedef:
        first = self.pos
        self.pos += 1
        name = self._any_name("after 'typedef'")
        if "::" in name.name:
            self.fail(f"a definition has a plain name, not {name.name!r}", at=self.pos - 1)
        self.expect("as", f"after typedef {name.name}")
        base = self._type("after 'as'")
        start = self.starts[first]
        pos = self.pos
        if self.kinds[pos] == "regex":
            self.pos = pos + 1
            token = self.texts[pos]
            pattern = token[token.index("/") + 1 : -1].replace("\\/", "/")
            self._check_regex(pattern, pos)
            return Typedef(start, self.previous_end(), name, base, None, pattern)
        self.expect("matching", f"after the base type of {name.name}")
        condition = self.expression()
        return Typedef(start, self.previous_end(), name, base, condition, None)

    def _check_regex(self, pattern: str, pos: int) -> None:
        try:
            compile_pattern(pattern)
        except PatternError as error:
            self.fail(f"the regular expression cannot be read: {error}", at=pos)

    def implementation(self) -> Implementation:
        first = self.pos
        self.pos += 1
        name = self._any_name("after 'implementation'")
        self.expect("for", f"after implementation {name.name}")
        entity = self._word("cid", "after 'for'")
        self.expect(":", f"after the head of implementation {name.name}")
        doc = self._parse_docstring()
        body = self.block(first, f"implementation {name.name}")
        return Implementation(self.starts[first], self.previous_end(), name, entity, body, doc)

    def implement(self) -> Implement:
        first = self.pos
        self.pos += 1
        entity = self._word("cid", "after 'implement'")
        self.expect("using", f"after implement {entity.name}")
        names = [self._implementation_name()]
        while self.accept(","):
            names.append(self._implementation_name())
        condition = self.expression() if self.accept("when") else None
        return Implement(self.starts[first], self.previous_end(), entity, tuple(names), condition)

    def _implementation_name(self) -> QualifiedName:
        if self.kinds[self.pos] == "parents":
            return self._word("parents", "")
        return self._any_name("as the name of an implementation")

    def index(self) -> Index:
        first = self.pos
        self.pos += 1
        entity = self._word("cid", "after 'index'")
        self.expect("(", f"after index {entity.name}")
        attributes = [self._word("id", "as an attribute of the index", plain=True)]
        while self.accept(","):
            if self.kinds[self.pos] == ")":
                break
            attributes.append(self._word("id", "as an attribute of the index", plain=True))
        self.expect(")", "or ',' in the index")
        return Index(self.starts[first], self.previous_end(), entity, tuple(attributes))

    def _multiplicity(self) -> tuple[int, int | None, int]:
        """Return the lower bound, the upper bound, and where it ends."""
        start = self.starts[self.pos]
        self.expect("[", "with the multiplicity of the relation")
        low = self._parse_bound()
        if self.accept(":"):
            high = self._parse_bound()
            low = low or 0
        elif low is None:
            self.fail("a multiplicity is written [1], [0:1], [1:] or [0:]")
        else:
            high = low
        self.expect("]", "after the multiplicity")
        if high is not None and (high < low or high == 0):
            self.fail_span(
                start,
                self.previous_end(),
                f"the multiplicity [{low}:{high}] can never be fulfilled",
                "the second number is the upper bound: it must be above zero and not below the first",
            )
        return low, high, self.previous_end()

    def _parse_bound(self) -> int | None:
        if self.kinds[self.pos] != "int":
            return None
        text = self.texts[self.pos]
        if len(text) > 9:
            self.fail(f"{text} is too large for a multiplicity; the largest is {_MAX_ARITY - 1}")
        self.pos += 1
        return int(text)

    def relation(self) -> Relation:
        """Parse `A.b [1] -- B.a [0:]`, one-way without the second name, or with annotations instead of `--`."""
        first = self.pos
        entity = self._word("cid", "at the start of a relation")
        self.expect(".", "after the entity of a relation")
        name = self._word("id", "as the name of the relation", plain=True)
        low, high, end = self._multiplicity()
        left = RelationEnd(entity.start, end, entity, name.name, low, high)
        annotations: list[Expression] = []
        if not self.accept("--"):
            annotations = self._annotations()
        other = self._word("cid", "as the other end of the relation")
        right = RelationEnd(other.start, other.end, other, None, 0, None)
        if self.accept("."):
            back = self._word("id", "as the name of the reverse end", plain=True)
            low, high, end = self._multiplicity()
            right = RelationEnd(other.start, end, other, back.name, low, high)
        span_end = self.previous_end()
        return Relation(
            self.starts[first], span_end, left, right, tuple(annotations), self._parse_docstring(), False
        )

    def _annotations(self) -> list[Expression]:
        if self.kinds[self.pos] in ("=", "+="):
            self.fail("a value cannot be assigned to an entity", hint="assign it to an instance")
        annotations = [self.expression()]
        while self.accept(","):
            annotations.append(self.expression())
        return annotations

    def old_relation(self) -> Relation:
        """Parse `File file [1:] -- [1] Service service`: each end has its name as seen from the other."""
        first = self.pos
        near = self._word("cid", "at the start of a relation")
        near_name = self._word("id", "after the entity", plain=True)
        low, high, _ = self._multiplicity()
        self.expect("--", "between the ends of a relation")
        back_low, back_high, _ = self._multiplicity()
        far = self._word("cid", "as the other end of the relation")
        far_name = self._word("id", "after the entity", plain=True)
        end = self.previous_end()
        # What stands at an entity is how the other end sees it: `far.near_name` holds instances of `near`.
        left = RelationEnd(near.start, near.end, near, far_name.name, back_low, back_high)
        right = RelationEnd(far.start, far.end, far, near_name.name, low, high)
        return Relation(self.starts[first], end, left, right, (), self._parse_docstring(), True)


def _is_constant(value: Expression) -> bool:
    match value:
        case Literal():
            return True
        case ListLiteral(items=items):
            return all(_is_constant(item) for item in items)
        case DictLiteral(items=pairs):
            return all(isinstance(key, Literal) and _is_constant(item) for key, item in pairs)
        case Text():
            return False
        case _:
            return False
