"""The token stream of the parser, and its recovery after a broken statement."""

from __future__ import annotations

from typing import Final, NoReturn

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import suggest
from sabir.errors import SabirError
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.lexer import END, KEYWORDS, tokenize
from sabir.text import Place, Source, Span

SYNTAX: Final = inmanta_rule(
    "INM:E001",
    "the text cannot be read",
    "The file breaks the grammar of the language; nothing in it can be evaluated. All independent errors of all "
    "files are reported together.",
)

MAX_DEPTH: Final = 60
"""Nesting of brackets, blocks and prefix operators. Deeper text is refused, so that no text exhausts the stack."""
_BLOCK_WORDS: Final = frozenset({"entity", "implementation", "for", "if", "elif", "else"})
_CLOSERS: Final = frozenset({"end", "else", "elif"})
_HEADS: Final = frozenset({"implementation", "for", "if"})
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_ASSIGNS: Final = frozenset({"=", "+="})
_STATEMENT_WORDS: Final = frozenset({"id", "cid", "for", "if"})
_LAST_OF_VALUE: Final = frozenset(
    {
        "id",
        "cid",
        "int",
        "float",
        "string",
        "multi",
        "raw",
        "format",
        "true",
        "false",
        "null",
        "defined",
        *_CLOSING,
    }
)
_KIND_WORDS: Final = {
    "id": "a name",
    "cid": "the name of an entity",
    "int": "a whole number",
    "string": "a string",
    "multi": "a text in triple quotes",
}


class ParseError(SabirError):
    """Raised for a statement that cannot be parsed; the finding has the reason."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class TokenStream:
    """The tokens of a source with a position, and the error messages that depend on context."""

    def __init__(self, source: Source, piece: str | None = None, offset: int = 0) -> None:
        """Tokenize a source, or a piece of it that starts at an offset."""
        self.source = source
        self.text = source.text if piece is None else piece
        tokens = tokenize(self.text)
        self.kinds, self.texts, self.comments = tokens.kinds, tokens.texts, tokens.comments
        # A piece of a larger text: nodes speak of the whole.
        self.starts = [start + offset for start in tokens.starts] if offset else tokens.starts
        self.offset = offset
        self.pos = 0
        self.depth = 0
        self.left_at = -1
        """The token at which blocks without an `end` were last left."""
        self.problems: list[Finding] = []

    def end_of(self, pos: int) -> int:
        return self.starts[pos] + len(self.texts[pos])

    def previous_end(self) -> int:
        return self.end_of(self.pos - 1) if self.pos else 0

    def fail(self, message: str, *, hint: str | None = None, at: int | None = None) -> NoReturn:
        pos = self.pos if at is None else at
        if self.kinds[pos] == "bad":
            self._bad_character(pos)
        self._keyword_as_name(pos)
        self.fail_span(self.starts[pos], self.end_of(pos), message, hint)

    def fail_span(self, start: int, end: int, message: str, hint: str | None = None) -> NoReturn:
        raise ParseError(SYNTAX.at(Place(self.source, Span(start, end)), message, hint=hint))

    def _keyword_as_name(self, pos: int) -> None:
        """Report a value assigned to a keyword. Other errors there are consequences."""
        if self.kinds[pos] in _ASSIGNS and pos and self._line_start(pos - 1) is not None:
            pos -= 1
        word = self.texts[pos]
        if self.kinds[pos] in KEYWORDS and self.kinds[pos + 1] in _ASSIGNS:
            hint = f"choose another name, such as '{word}_'"
            start = self.starts[pos]
            self.fail_span(start, start + len(word), f"{word!r} is a keyword and cannot be a name", hint)

    def _bad_character(self, pos: int) -> NoReturn:
        char = self.texts[pos]
        start = self.starts[pos]
        if char in "\"'":
            triple = self.text.startswith('"""', start - self.offset)
            kind = "text in triple quotes" if triple else "string"
            hint = (
                None
                if triple
                else 'a string ends on its own line; a text of several lines stands between """'
            )
            self.fail_span(start, start + 1, f"this {kind} has no end", hint)
        self.fail_span(start, start + 1, f"the character {char!r} has no place in the language")

    def describe_token(self, pos: int | None = None) -> str:
        pos = self.pos if pos is None else pos
        kind, text = self.kinds[pos], self.texts[pos]
        if kind == END:
            return "the end of the file"
        if kind in KEYWORDS:
            return f"the keyword {text!r}"
        shown = text if len(text) <= 40 else text[:37] + "…"
        return f"{shown!r}" if kind not in ("string", "multi", "raw", "format") else f"the string {shown}"

    def expect(self, kind: str, context: str) -> str:
        """Consume a token of this kind; `context` describes the position: `after 'entity'`."""
        pos = self.pos
        if self.kinds[pos] != kind:
            if self.kinds[pos] == END and kind in _CLOSING:
                self._never_closed()
            wanted = _KIND_WORDS.get(kind, repr(kind))
            self.fail(f"expected {wanted} {context}, found {self.describe_token()}", hint=self._hint(kind))
        self.pos = pos + 1
        return self.texts[pos]

    def _find_opening_bracket(self) -> int | None:
        """Return the last bracket before the current token that is still open."""
        closed = 0
        for pos in range(self.pos - 1, -1, -1):
            closed += self.kinds[pos] in _CLOSING
            if self.kinds[pos] in _OPENING:
                if not closed:
                    return pos
                closed -= 1
        return None

    def _never_closed(self) -> None:
        opening = self._find_opening_bracket()
        if opening is not None:
            self.fail(f"this {self.texts[opening]!r} is never closed", at=opening)

    def _hint(self, wanted: str) -> str | None:
        kind, text = self.kinds[self.pos], self.texts[self.pos]
        if wanted == ":" and kind == "=":
            return "'==' compares two values; '=' gives a value to a name"
        if wanted == ":" and kind == "if":
            return "write 'elif' in place of 'else if'"
        if wanted == "]" and kind in ("id", "cid") and self.texts[self.pos - 2] == "list":
            return f"a list of them is written {text}[]"
        if self.pos and self.kinds[self.pos - 1] == "string" and self.starts[self.pos] == self.previous_end():
            return f"the string {self.texts[self.pos - 1]} ends just before it: is a quote missing?"
        if kind in KEYWORDS and wanted in ("id", "cid"):
            return f"{text!r} is a keyword; choose another name, such as '{text}_'"
        if wanted == "cid" and kind == "id":
            head, _, last = text.rpartition("::")
            capital = last[:1].upper() + last[1:]
            return f"names of entities begin with a capital letter: {head + '::' if head else ''}{capital}"
        if wanted == "id" and kind == "cid":
            return f"this name must begin with a lower-case letter: {text[:1].lower() + text[1:]}"
        return None

    def accept(self, kind: str) -> bool:
        if self.kinds[self.pos] == kind:
            self.pos += 1
            return True
        return False

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(
                f"this is nested more than {MAX_DEPTH} levels deep",
                hint="give the inner parts names of their own",
            )

    def _line_start(self, pos: int) -> int | None:
        """Return the column of a token that is the first of its line, else None."""
        start = self.starts[pos] - self.offset
        if self.text[start - 1 : start].strip():
            return None
        if pos and "\n" not in self.text[self.end_of(pos - 1) - self.offset : start]:
            return None  # a long line is not searched for its beginning again and again
        begin = self.text.rfind("\n", 0, start) + 1
        return start - begin if not self.text[begin:start].strip() else None

    def _indent(self, pos: int) -> int:
        start = self.starts[pos] - self.offset
        begin = self.text.rfind("\n", 0, start) + 1
        line = self.text[begin:start]
        return len(line) - len(line.lstrip())

    def stands_outside(self, pos: int, opening: int) -> bool:
        """Return whether a token starts a line that is indented no deeper than the head of the block."""
        column = self._line_start(pos)
        return column is not None and column <= self._indent(opening)

    def recover(self, first: int) -> None:
        """Skip the rest of a broken statement that started at token `first`, guided by indentation."""
        indent = self._indent(first)
        self.pos = max(self.pos, first + 1)
        while self.kinds[self.pos] != END:
            column = self._line_start(self.pos)
            if column is not None and column <= indent:
                if self.kinds[self.pos] not in _CLOSERS or column < indent:
                    return
                if self.kinds[first] not in _BLOCK_WORDS:
                    return
                if self.kinds[self.pos] == "end":  # the end of the broken block itself
                    self.pos += 1
                    return
            self.pos += 1

    def body_below(self, first: int) -> int | None:
        """Return the first token below a broken head of a block. A head may have several lines."""
        if self.kinds[first] not in _HEADS or self._line_start(first) is None:
            return None
        indent = self._indent(first)
        open_brackets = 0
        pos = first + 1
        while self.kinds[pos] != END:
            column = self._line_start(pos)
            if column is not None:
                if column <= indent:
                    return None
                if self._head_ends(pos, open_brackets):
                    return pos
                if self.kinds[pos] in _BLOCK_WORDS or self.kinds[pos] == "end":
                    return None
            open_brackets += (self.kinds[pos] in _OPENING) - (self.kinds[pos] in _CLOSING)
            pos += 1
        return None

    def _head_ends(self, pos: int, open_brackets: int) -> bool:
        """Return whether a head ends above the line that a token starts: it has its colon, or lacks just that."""
        # An open bracket, or an operator at the end of the line, means that the head goes on below.
        is_missed = (
            pos == self.pos and self.kinds[pos] in _STATEMENT_WORDS and self.kinds[pos - 1] in _LAST_OF_VALUE
        )
        return (self.kinds[pos - 1] == ":" or is_missed) and open_brackets <= 0 and self.pos <= pos

    def statement_hint(self, pos: int) -> str | None:
        """Return a suggestion of the keyword that a first word may have been meant to be."""
        word = self.texts[pos]
        keyword = suggest(
            word, ("entity", "typedef", "implementation", "implement", "index", "import", "for", "if", "end")
        )
        return f"did you mean {keyword!r}?" if keyword else None
