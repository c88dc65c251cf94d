"""What may be written next in a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sabir.languages.inmanta.syntax.lexer import KEYWORDS
from sabir.lazy import lazy_pattern
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.symbols import Candidate, SymbolKind

__all__ = ["candidates", "wanted_keys"]

_PRIMITIVES: Final = ("string", "int", "float", "bool", "dict", "list", "number")
_member_pattern: Final = lazy_pattern(r"\w\.\w*$")
_qualified_pattern: Final = lazy_pattern(r"(?P<module>\w+(?:::\w+)*)::\w*$")


def _typed(file: PackageFile, offset: int) -> str:
    line, column = file.source.line_column(offset)
    return file.source.line_text(line)[: column - 1]


def candidates(package: LoadedPackage, file: PackageFile, offset: int) -> Sequence[Candidate]:
    if not file.name.endswith(".cf"):
        return ()
    typed = _typed(file, offset)
    if typed.lstrip().startswith("import "):
        return [*_modules(package)]
    if _member_pattern().search(typed) or _qualified_pattern().search(typed) or "#" in typed:
        return ()
    words = ((KEYWORDS, SymbolKind.KEYWORD), (_PRIMITIVES, SymbolKind.CLASS))
    return [Candidate(text=word, kind=kind) for names, kind in words for word in sorted(names)]


def _modules(package: LoadedPackage) -> Iterator[Candidate]:
    for name in package.list():
        folder, found, _ = name.partition("/model/_init.cf")
        if found:
            yield Candidate(text=folder.rpartition("/")[2], kind=SymbolKind.MODULE)


def wanted_keys(file: PackageFile, offset: int) -> Sequence[str]:
    typed = _typed(file, offset)
    if not file.name.endswith(".cf") or "#" in typed or typed.lstrip().startswith("import "):
        return ()
    if _member_pattern().search(typed):
        return ("attribute ",)
    module = _qualified_pattern().search(typed)
    if module is not None:
        return tuple(f"{kind} {module['module']}::" for kind in ("type", "function", "variable"))
    return ("type ", "function ", "variable ", "implementation ")
