"""Where attributes came from: the key of the definition, the template line, the configuration behind it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Final

from sabir.dataclasses import dataclass, field
from sabir.graph import How, Origin, Record
from sabir.languages.ccp.syntax.deployment import INPUTS, Deployment
from sabir.languages.ccp.syntax.nodes import Definition, Mapped
from sabir.source.text import Place, Span
from sabir.source.yaml import YamlScalar

__all__ = ["Origins"]

_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
# Objects that hold a section of the configuration as it is.
_SECTIONS: Final = {"globals": "configs", "nodes-config": "nodes", "global-secrets": "secret_configs"}
_TAG: Final = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


@dataclass(slots=True)
class Origins:
    deployment: Deployment
    full: bool
    inputs: Mapping[str, Origin] = field(default_factory=dict[str, Origin])
    """Where inputs came from that somebody computed."""

    def of(
        self, definition: Definition, node: Mapped, names: tuple[str, ...], instance: str
    ) -> Record[Origin]:
        """The origin of each attribute that stands in the node; others share the node's own."""
        spans = {
            entry.key.value: entry.value.span
            for entry in node.yaml.entries
            if isinstance(entry.key, YamlScalar) and isinstance(entry.key.value, str)
        }
        if "dependencies" in spans:
            spans["depends_on"] = spans["dependencies"]
        own = Origin(node.place, How.LITERAL)
        found = {name: self._origin(definition, spans[name]) if name in spans else own for name in names}
        for name in self.deployment.overrides.of(instance) & found.keys():
            found[name] = Origin(node.place, How.OVERRIDE)
        return Record.of(found)

    def _origin(self, definition: Definition, span: Span) -> Origin:
        place = definition.rendered.place(span)
        expressions = self._expressions(definition, span)
        if not expressions:
            return Origin(place, How.LITERAL)
        sources = self._sources(expressions) if self.full else ()
        return Origin(place, How.TEMPLATE, sources, note=expressions[0])

    def _expressions(self, definition: Definition, span: Span) -> list[str]:
        """The template expressions that wrote a part of this span of the rendered text."""
        lines = definition.rendered.lines
        if lines is None:
            return []
        first = max(bisect_right(lines.starts, span.start) - 1, 0)
        last = bisect_right(lines.starts, max(span.end - 1, span.start))
        return [
            match[0]
            for piece in lines.pieces[first:last]
            if not piece.exact and (match := _TAG.match(piece.source.text, piece.offset))
        ]

    def _sources(self, expressions: list[str]) -> tuple[Origin, ...]:
        """Where the names in the expressions were given a value."""
        names = dict.fromkeys(name for one in expressions for name in _NAME.findall(one))
        configuration = self.deployment.configuration
        found: list[Origin] = []
        for name in names:
            for section in ("secret_configs", "configs"):
                place = self._config_place(section, name)
                if place is not None:
                    how = How.DEFAULT if place.source is configuration.layers[0][0] else How.INPUT
                    given = self._given(place, name) or Origin(place, how, note=f"{section}.{name}")
                    found.append(given)
                    break
        return tuple(found)

    def _given(self, place: Place, name: str) -> Origin | None:
        """The origin of an input, which stands in no file."""
        if place.source.name != INPUTS:
            return None
        while name and name not in self.inputs:
            name = name.rpartition(".")[0]
        return self.inputs.get(name)

    def of_configuration(self, name: str) -> tuple[Origin, Origin]:
        """Of an object that no service asked for, and of what it holds: a section of the configuration, if any."""
        configuration = self.deployment.configuration
        section = _SECTIONS.get(name)
        place = configuration.place(section or "configs")
        note = f"made from {section}" if section else "made for every deployment"
        own = Origin(place, How.RENDERED, note=note)
        if section is None or not self.full:
            return own, own
        sources = tuple(
            self._given(configuration.place(*path), ".".join(map(str, path[1:])))
            or Origin(configuration.place(*path), How.INPUT, note=".".join(map(str, path)))
            for path in _leaves(configuration.section(section), (section,))
        )
        return own, Origin(place, How.RENDERED, sources, note)

    def _config_place(self, section: str, name: str) -> Place | None:
        value: object = self.deployment.configuration.section(section)
        path: list[str] = []
        for part in name.split("."):
            if not isinstance(value, dict) or part not in value:
                break
            value = value[part]
            path.append(part)
        if not path:
            return None
        return self.deployment.configuration.place(section, *path)


def _leaves(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """The paths of all values that hold no others."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, str(key)))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _leaves(item, (*path, position))
    else:
        yield path
