"""Editor support for CCP: names of definitions and settings with their uses, and completions.

A definition is a template that becomes YAML, and it is read while it is typed. So the braces of an
expression are replaced by text of the same length, which keeps all locations valid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from sabir.languages.ccp.syntax.containers import COMMAND_KEYS, CONTAINER_KEYS, VOLUME_KEYS
from sabir.languages.ccp.syntax.sections import FILE_KEYS, SERVICE_KEYS, TOP_KEYS
from sabir.lazy import lazy_pattern
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.symbols import Candidate, FileNames, Mention, Symbol, SymbolKind
from sabir.source.yaml import compose
from sabir.source.yaml.access import sequence_items, text_entries, value_at
from sabir.source.yaml.cursor import key_symbol, locate_cursor, text_symbols
from sabir.source.yaml.nodes import YamlNode, text_of
from sabir.text import Source, Span

_KEYS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    (): TOP_KEYS,
    ("service",): SERVICE_KEYS,
    ("containers",): CONTAINER_KEYS,
    ("daemon",): COMMAND_KEYS,
    ("pre",): COMMAND_KEYS,
    ("post",): COMMAND_KEYS,
    ("volumes",): VOLUME_KEYS,
}


def candidates(package: LoadedPackage, file: PackageFile, offset: int) -> Sequence[Candidate]:
    place = locate_cursor(file.source, offset)
    if _in_expression(file, offset) or file.name.endswith(".j2"):
        return ()
    if place.key == "content":
        folder = "service/files"
        return _build_candidates(
            (name.removeprefix(f"{folder}/") for name in package.list(folder)), SymbolKind.FILE
        )
    if not place.is_key:
        return ()
    if place.path[:1] == ("files",) and len(place.path) == 2:
        return _build_candidates(FILE_KEYS, SymbolKind.KEYWORD)
    return _build_candidates(_KEYS.get(place.path[-1:], ()), SymbolKind.KEYWORD)


def completion_keys(file: PackageFile, offset: int) -> Sequence[str]:
    if _in_expression(file, offset):
        return ("setting ",)
    place = locate_cursor(file.source, offset)
    if place.path[-1:] == ("files",) and len(place.path) > 1:
        return ("file ",)
    return ("service ", "command ") if place.path[-1:] == ("dependencies",) else ()


def _in_expression(file: PackageFile, offset: int) -> bool:
    before = file.source.text[max(0, offset - 500) : offset]
    return before.rfind("{{") > before.rfind("}}") or before.rfind("{%") > before.rfind("%}")


def _build_candidates(names: Iterable[str], kind: SymbolKind) -> Sequence[Candidate]:
    return [Candidate(text=name, kind=kind) for name in sorted(names)]


_DEFAULTS: Final = "defaults.yaml"
_expression_pattern: Final = lazy_pattern(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_variable_pattern: Final = lazy_pattern(r"(?<![\w.'\"|])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?!\w|\s*\()")


def libraries(package: LoadedPackage) -> Sequence[LoadedPackage]:  # noqa: ARG001  an explorer's
    return ()


def file_names(package: LoadedPackage, file: PackageFile) -> FileNames:  # noqa: ARG001  an explorer's
    if not file.name.endswith((".yaml", ".yml", ".j2")):
        return FileNames()
    used = tuple(_settings_used(file.source))
    if file.name.endswith(".j2"):
        return FileNames((), used)
    root = next(iter(compose(_as_yaml(file.source)).documents), None)
    if file.name.endswith(_DEFAULTS) or value_at(root, "service") is None:
        return FileNames(tuple(_list_setting_symbols("", value_at(root, "configs"))), used)
    return FileNames(
        (*_list_service_symbols(root), *_list_file_symbols(root)), (*used, *_list_mentions(root))
    )


def _as_yaml(source: Source) -> Source:
    """Return the text with expressions replaced by words at the same offsets."""
    return Source(source.name, _expression_pattern().sub(_mask_expression, source.text))


def _mask_expression(match: re.Match[str]) -> str:
    """Return the replacement: a statement has its own lines and becomes blank, an expression a word."""
    fill = "x" if match[0].startswith("{{") else " "
    return "".join(char if char == "\n" else fill for char in match[0])


# Definitions


def _list_setting_symbols(prefix: str, node: YamlNode | None) -> Iterator[Symbol]:
    for name, entry in text_entries(node):
        path = f"{prefix}{name}"
        children = tuple(_list_setting_symbols(f"{path}.", entry.value))
        yield key_symbol(
            f"setting {prefix}", name, entry, SymbolKind.VARIABLE, detail=path, children=children
        )


def _list_service_symbols(root: YamlNode | None) -> Iterator[Symbol]:
    service = value_at(root, "service")
    named = value_at(service, "name")
    if service is None:
        return
    containers = sequence_items(value_at(service, "containers"))
    children = (
        symbol for container in containers for symbol in _list_container_symbols(text_of(named), container)
    )
    yield from text_symbols("service ", named, service, SymbolKind.CLASS, children=tuple(children))


def _list_container_symbols(service: str | None, node: YamlNode) -> Iterator[Symbol]:
    return text_symbols(
        f"container {service}/",
        value_at(node, "name"),
        node,
        SymbolKind.MODULE,
        detail=text_of(value_at(node, "image")),
        children=tuple(_list_command_symbols(service, node)),
    )


def _list_command_symbols(service: str | None, container: YamlNode) -> Iterator[Symbol]:
    for phase in ("pre", "post"):
        for command in sequence_items(value_at(container, phase)):
            yield from text_symbols(
                f"command {service}/",
                value_at(command, "name"),
                command,
                SymbolKind.METHOD,
                detail=text_of(value_at(command, "command")),
            )


def _list_file_symbols(root: YamlNode | None) -> Iterator[Symbol]:
    for name, entry in text_entries(value_at(root, "files")):
        detail = text_of(value_at(entry.value, "path"))
        yield key_symbol("file ", name, entry, SymbolKind.FILE, detail=detail)


# Uses


def _list_mentions(root: YamlNode | None) -> Iterator[Mention]:
    for container in sequence_items(value_at(root, "service", "containers")):
        commands = [value_at(container, "daemon")]
        commands += [
            command for phase in ("pre", "post") for command in sequence_items(value_at(container, phase))
        ]
        for command in commands:
            for file in sequence_items(value_at(command, "files")):
                name = text_of(file)
                if name is not None:
                    yield Mention(file.span, (f"file {name}",))
            for dependency in sequence_items(value_at(command, "dependencies")):
                yield from _dependency_mentions(dependency)


def _dependency_mentions(node: YamlNode) -> Iterator[Mention]:
    """Return the mentions in a dependency, `service` or `service/command`."""
    written = text_of(node)
    if written is not None:
        service = written.partition(":")[0]
        key = f"command {service}" if "/" in service else f"service {service}"
        yield Mention(node.span, (key, f"service {service.partition('/')[0]}"))


def _settings_used(source: Source) -> Iterator[Mention]:
    for expression in _expression_pattern().finditer(source.text):
        if expression[0].startswith("{#"):
            continue
        for variable in _variable_pattern().finditer(
            source.text, expression.start() + 2, expression.end() - 2
        ):
            parts = variable[0].split(".")
            keys = tuple(f"setting {'.'.join(parts[:length])}" for length in range(len(parts), 0, -1))
            yield Mention(Span(*variable.span()), keys)
