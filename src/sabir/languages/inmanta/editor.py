"""Editor support for Inmanta: names and their uses in model files and plugins, and completions.

Model files define entities with their attributes and relations, types, implementations and variables. A
name without a namespace belongs to the file itself or to `std`, which every file may use without an
import. A qualified name belongs to the module that the prefix or an import alias names. Plugins are
read from the text of the Python files, which never runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from sabir.languages.inmanta.model.functions import decorator_names, file_namespace, full_names, plugin_name
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.lexer import KEYWORDS
from sabir.languages.inmanta.syntax.modules import LIBRARY
from sabir.languages.inmanta.syntax.nodes import walk
from sabir.languages.inmanta.syntax.parser import parse
from sabir.lazy import lazy_pattern
from sabir.source.packages import LoadedPackage, PackageFile, load_package
from sabir.source.symbols import Candidate, FileNames, Mention, Symbol, SymbolKind
from sabir.text import Source, Span

_PRIMITIVES: Final = ("string", "int", "float", "bool", "dict", "list", "number")
_member_pattern: Final = lazy_pattern(r"\w\.\w*$")
_qualified_pattern: Final = lazy_pattern(r"(?P<module>\w+(?:::\w+)*)::\w*$")


def _text_before(file: PackageFile, offset: int) -> str:
    line, column = file.source.line_column(offset)
    return file.source.line_text(line)[: column - 1]


def candidates(package: LoadedPackage, file: PackageFile, offset: int) -> Sequence[Candidate]:
    """Return keywords, primitive types or, after `import`, the modules of the package."""
    if not file.name.endswith(".cf"):
        return ()
    typed = _text_before(file, offset)
    if typed.lstrip().startswith("import "):
        return [*_list_modules(package)]
    if _member_pattern().search(typed) or _qualified_pattern().search(typed) or "#" in typed:
        return ()
    words = ((KEYWORDS, SymbolKind.KEYWORD), (_PRIMITIVES, SymbolKind.CLASS))
    return [Candidate(text=word, kind=kind) for names, kind in words for word in sorted(names)]


def _list_modules(package: LoadedPackage) -> Iterator[Candidate]:
    for name in package.list():
        folder, found, _ = name.partition("/model/_init.cf")
        if found:
            yield Candidate(text=folder.rpartition("/")[2], kind=SymbolKind.MODULE)


def completion_keys(file: PackageFile, offset: int) -> Sequence[str]:
    """Return the key prefixes of the names that may follow at an offset.

    After `instance.` these are attributes, after `module::` the members of that module, elsewhere all
    top-level names. Comments and imports have none.
    """
    typed = _text_before(file, offset)
    if not file.name.endswith(".cf") or "#" in typed or typed.lstrip().startswith("import "):
        return ()
    if _member_pattern().search(typed):
        return ("attribute ",)
    module = _qualified_pattern().search(typed)
    if module is not None:
        return tuple(f"{kind} {module['module']}::" for kind in ("type", "function", "variable"))
    return ("type ", "function ", "variable ", "implementation ")


def type_key(name: str) -> str:
    """Return the symbol key of an entity or a typedef."""
    return f"type {name}"


def member_key(name: str) -> str:
    """Return the symbol key of an attribute or relation, `ENTITY.NAME`."""
    return f"member {name}"


def model_names(file: PackageFile, namespace: str) -> FileNames:
    """Return the symbols and mentions of one model file. Broken statements are skipped."""
    statements = parse(file.source).statements
    scope = _Scope(namespace, statements, file.source)
    return FileNames(tuple(scope.symbols()), tuple(scope.mentions()))


class _Scope:
    """The definitions and imports of one file, used to qualify the names in it."""

    def __init__(self, namespace: str, statements: tuple[nodes.TopStatement, ...], source: Source) -> None:
        self.namespace = namespace
        self.statements = statements
        self.source = source
        self.modules: Mapping[str, str] = {
            statement.alias or statement.name: statement.name
            for statement in statements
            if isinstance(statement, nodes.Import)
        }

    # Definitions

    def symbols(self) -> Iterator[Symbol]:
        assigned: set[str] = set()
        for statement in self.statements:
            match statement:
                case nodes.Entity():
                    yield self._entity(statement)
                case nodes.Typedef(name=name, base=base):
                    yield self._symbol(
                        statement, name, type_key(self._own(name.name)), SymbolKind.ENUM, base.name
                    )
                case nodes.Relation():
                    yield from self._relation(statement)
                case nodes.Implementation(name=name, entity=entity, doc=doc):
                    key = f"implementation {self._own(name.name)}"
                    yield self._symbol(statement, name, key, SymbolKind.METHOD, f"for {entity.name}", doc)
                case nodes.Assign(target=nodes.Name(name=name) as target) if name not in assigned:
                    assigned.add(name)
                    key = f"variable {self._own(name)}"
                    yield self._symbol(statement, target, key, SymbolKind.VARIABLE)
                case _:
                    pass

    def _symbol(
        self,
        whole: nodes.Node,
        name: nodes.QualifiedName | nodes.Name,
        key: str,
        kind: SymbolKind,
        detail: str | None = None,
        about: str | None = None,
    ) -> Symbol:
        return Symbol(
            key=key,
            name=name.name,
            kind=kind,
            span=_node_span(name),
            extent=_node_span(whole),
            detail=detail,
            about=about,
        )

    def _entity(self, entity: nodes.Entity) -> Symbol:
        full = self._own(entity.name.name)
        parents = ", ".join(parent.name for parent in entity.parents)
        return Symbol(
            key=type_key(full),
            name=entity.name.name,
            kind=SymbolKind.CLASS,
            span=_node_span(entity.name),
            extent=_node_span(entity),
            detail=f"entity {full} extends {parents}" if parents else f"entity {full}",
            about=entity.doc,
            children=tuple(self._attribute(full, attribute) for attribute in entity.attributes),
        )

    def _attribute(self, entity: str, attribute: nodes.AttributeDef) -> Symbol:
        start = self.source.text.find(attribute.name, attribute.type.end, attribute.end)
        span = Span(start, start + len(attribute.name)) if start >= 0 else _node_span(attribute)
        return Symbol(
            key=f"attribute {entity}.{attribute.name}",
            name=attribute.name,
            kind=SymbolKind.PROPERTY,
            span=span,
            extent=_node_span(attribute),
            detail=" ".join(self.source.display_text(_node_span(attribute)).split()),
            aliases=(member_key(attribute.name),),
        )

    def _relation(self, relation: nodes.Relation) -> Iterator[Symbol]:
        for end in (relation.left, relation.right):
            if end.name is None:
                continue
            start = self.source.text.find(end.name, end.entity.end, end.end)
            yield Symbol(
                key=f"attribute {self._own(end.entity.name)}.{end.name}",
                name=end.name,
                kind=SymbolKind.PROPERTY,
                span=Span(start, start + len(end.name)) if start >= 0 else _node_span(end),
                extent=_node_span(relation),
                detail=" ".join(self.source.display_text(_node_span(relation)).split()),
                about=relation.doc,
                aliases=(member_key(end.name),),
            )

    # Uses

    def mentions(self) -> Iterator[Mention]:
        for node in walk(*self.statements):
            match node:
                case nodes.Entity(parents=parents):
                    yield from (self._type(parent, parent.name) for parent in parents)
                case nodes.TypeRef(name=name):
                    yield self._type(node, name)
                case nodes.RelationEnd(entity=entity) | nodes.Index(entity=entity):
                    yield self._type(entity, entity.name)
                case nodes.Implementation(entity=entity):
                    yield self._type(entity, entity.name)
                case nodes.Implement(entity=entity, implementations=implementations):
                    yield self._type(entity, entity.name)
                    for implementation in implementations:
                        yield self._mention(implementation, "implementation", implementation.name)
                case nodes.Construct(entity=name) | nodes.IndexLookup(entity=name):
                    yield self._type(node, name)
                    yield from self._arguments(node, name)
                case nodes.Call(function=name):
                    yield self._mention(node, "function", name)
                case nodes.Name(name=name):
                    yield self._mention(node, "variable", name)
                case nodes.AttributeRef(base=base, name=name):
                    start = self.source.text.rfind(name, base.end, node.end)
                    yield Mention(Span(max(start, base.end), node.end), (member_key(name),))
                case _:
                    pass

    def _arguments(self, node: nodes.Construct | nodes.IndexLookup, entity: str) -> Iterator[Mention]:
        full = self._full(entity)
        for argument in node.arguments:
            if argument.name is not None:
                span = Span(argument.start, argument.start + len(argument.name))
                keys = (*(f"attribute {name}.{argument.name}" for name in full), member_key(argument.name))
                yield Mention(span, keys)

    def _type(self, node: nodes.Node, name: str) -> Mention:
        return self._mention(node, "type", name)

    def _mention(self, node: nodes.Node, kind: str, name: str) -> Mention:
        span = Span(node.start, min(node.start + len(name), node.end))
        return Mention(span, tuple(f"{kind} {full}" for full in self._full(name)))

    def _own(self, name: str) -> str:
        return f"{self.namespace}::{name}"

    def _full(self, name: str) -> tuple[str, ...]:
        """Return the full names that a written name may refer to, judged by its own file alone."""
        module, colons, short = name.rpartition("::")
        if not colons:
            return self._own(name), f"std::{name}"
        first, _, rest = module.partition("::")
        meant = self.modules.get(module) or ("::".join(filter(None, (self.modules.get(first, first), rest))))
        return (f"{meant}::{short}",)


def _node_span(node: nodes.Node) -> Span:
    return Span(node.start, node.end)


def plugin_names(file: PackageFile, module: str, inside: Sequence[str] = ()) -> FileNames:
    """Return the plugins of a file, which is the namespace `inside` of a module."""
    try:
        tree = ast.parse(file.raw())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return FileNames()
    decorators = decorator_names(tree)
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    symbols = (_plugin_symbols(function, decorators, module, inside, file.source) for function in functions)
    return FileNames(tuple(symbol for symbol in symbols if symbol is not None))


def _plugin_symbols(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    decorators: frozenset[str],
    module: str,
    inside: Sequence[str],
    source: Source,
) -> Symbol | None:
    registered = (plugin_name(node, function.name, decorators=decorators) for node in function.decorator_list)
    name = next(filter(None, registered), None)
    if name is None:
        return None
    written = re.compile(r"\bdef\s+").search(source.text, source.offset(function.lineno))
    start = source.offset(function.lineno) if written is None else written.end()
    full, *others = full_names(module, inside, name)
    return Symbol(
        key=f"function {full}",
        name=name,
        kind=SymbolKind.FUNCTION,
        span=Span(start, start + len(function.name)),
        extent=Span(
            source.offset(function.lineno),
            source.offset((function.end_lineno or function.lineno) + 1),
        ),
        detail=f"{name}({ast.unparse(function.args)})",
        about=ast.get_docstring(function),
        aliases=tuple(f"function {other}" for other in others),
    )


def file_names(package: LoadedPackage, file: PackageFile) -> FileNames:
    """Return the names of a model file or a plugin file; other files have none."""
    if file.name.endswith(".cf"):
        return model_names(file, namespace_of(package, file.name))
    if file.name.endswith(".py") and "plugins" in file.name:
        return plugin_names(file, *_plugin_home(package, file.name))
    return FileNames()


def libraries(package: LoadedPackage) -> Sequence[LoadedPackage]:  # noqa: ARG001  what ships is there for every package
    """Return the bundled `std` module, which every package can use."""
    return [load_package(LIBRARY / "std")]


def namespace_of(package: LoadedPackage, name: str) -> str:
    """Return the namespace of a file, `__config__` for the main file.

    A file belongs to the module whose directory `model` or `plugins` contains it.
    """
    folders = Path(name).parent.parts
    for position, folder in enumerate(folders):
        if folder in ("model", "plugins"):
            root = package.path.name if package.path is not None else "module"
            module = folders[position - 1] if position else root
            inner = [*folders[position + 1 :], *([] if Path(name).stem == "_init" else [Path(name).stem])]
            return "::".join([module, *inner])
    return "__config__"


def _plugin_home(package: LoadedPackage, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the module of a Python file and its namespace in the module, `()` for `__init__.py`."""
    parts = name.split("/")
    if "inmanta_plugins" in parts[:-2]:  # a module in the form of a Python package
        position = parts.index("inmanta_plugins")
        return parts[position + 1], file_namespace("/".join(parts[position + 2 :]))
    module = namespace_of(package, name).partition("::")[0]
    inside = "/".join(parts[parts.index("plugins") + 1 :]) if "plugins" in parts[:-1] else "__init__.py"
    # the files of the bundled modules are not namespaces
    return module, () if package.path == LIBRARY / module else file_namespace(inside)
