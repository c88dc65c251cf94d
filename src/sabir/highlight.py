"""Pygments lexers for Inmanta models, MuranoPL classes and CCP definitions.

Only Pygments imports this module, through an entry point.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, inherit, words
from pygments.lexers.data import YamlLexer
from pygments.lexers.templates import YamlJinjaLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

_INMANTA = [
    "and",
    "as",
    "dict",
    "elif",
    "else",
    "end",
    "entity",
    "extends",
    "for",
    "if",
    "implement",
    "implementation",
    "import",
    "in",
    "index",
    "is",
    "defined",
    "matching",
    "not",
    "or",
    "parents",
    "self",
    "typedef",
    "using",
    "when",
    "unknown",
]


class InmantaLexer(RegexLexer):  # type: ignore[misc]  # Pygments has no types
    """Lexer for Inmanta models (`.cf`)."""

    name = "Inmanta"
    aliases = ["inmanta"]  # noqa: RUF012  as Pygments has it
    filenames = ["*.cf"]  # noqa: RUF012  as Pygments has it

    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"\s+", Text),
            (r"#.*|//.*", Comment.Single),
            (r'"""', String.Doc, "docstring"),
            (r'[rf]?"', String.Double, "text"),
            (r"[rf]?'(?:\\.|[^'\\])*'", String.Single),
            (r"/(?:\\.|[^/\\\n])+/", String.Regex),
            (r"(entity|typedef)(\s+)(\w+)", bygroups(Keyword.Declaration, Text, Name.Class)),
            (r"(import)(\s+)([\w:]+)", bygroups(Keyword.Namespace, Text, Name.Namespace)),
            (r"(implementation)(\s+)(\w+)", bygroups(Keyword.Declaration, Text, Name.Function)),
            (words(("string", "int", "float", "number", "bool", "list"), suffix=r"\b"), Keyword.Type),
            (words(("true", "false", "null"), suffix=r"\b"), Keyword.Constant),
            (words(_INMANTA, suffix=r"\b"), Keyword),
            (r"[\w:]*\w(?=\()", Name.Function),
            (r"\d+(\.\d+)?", Number),
            (r"--|==|!=|<=|>=|\+=|[-+*/%=<>?]", Operator),
            (r"[\w:]*\w", Name),
            (r"[\[\](){},.:|@]", Punctuation),
        ],
        "docstring": [(r'"""', String.Doc, "#pop"), (r'[^"]+|"', String.Doc)],
        "text": [
            (r'"', String.Double, "#pop"),
            (r"\{\{.*?\}\}", String.Interpol),
            (r"\\.", String.Escape),
            (r'[^"\\{]+|\{', String.Double),
        ],
    }


class MuranoPLLexer(YamlLexer):  # type: ignore[misc]  # Pygments has no types
    """Lexer for MuranoPL classes: YAML with keywords and YAQL expressions."""

    name = "MuranoPL"
    aliases = ["muranopl"]  # noqa: RUF012  as Pygments has it
    filenames: list[str] = []  # noqa: RUF012  as Pygments has it

    tokens: ClassVar[dict[str, list[Any]]] = {
        "plain-scalar-in-block-context": [
            (
                r"(If|Then|Else|For|In|Do|While|Repeat|Match|Switch|Default|Parallel|Try|Catch|With|As|Finally|Throw|Return|"
                r"Break|Continue|Rethrow)(?=:)",
                Keyword,
            ),
            (r"\$\w*", Name.Variable),
            inherit,
        ],
    }


class CcpLexer(YamlJinjaLexer):  # type: ignore[misc]  # Pygments has no types
    """Lexer for CCP definitions: YAML with Jinja2 expressions."""

    name = "CCP"
    aliases = ["ccp"]  # noqa: RUF012  as Pygments has it
    filenames: list[str] = []  # noqa: RUF012  as Pygments has it
