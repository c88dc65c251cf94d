"""Configurations with several documents: `!include [FILE, …]` is replaced by those files.

Everything is merged in source order; a later document takes precedence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from sabir.errors import InputError
from sabir.expressions.template.findings import RenderedTemplate
from sabir.languages.ccp.syntax.reader import NodeReader
from sabir.languages.ccp.syntax.rules import Fault, ccp_rule
from sabir.languages.language import Document
from sabir.source.packages import PackageFile
from sabir.source.yaml import YamlNode, YamlScalar, YamlSequence, compose
from sabir.text import Source

BAD_INCLUDE: Final = ccp_rule(
    code="CCP:E007",
    title="included configuration cannot be had",
    why=(
        "A document `!include [FILE, …]` takes in other files, named from the one it stands in. One that is missing, that "
        "includes itself or that leads out of the project leaves settings out."
    ),
)

TAG: Final = "!include"
_DEEPEST: Final = 20

FileLookup = Callable[[Source, str], PackageFile | None]
"""The file that a text of the configuration names; raises `InputError` where it may not be read."""


def documents_of(
    layer: Source | Document, beside: FileLookup | None, faults: list[Fault], within: tuple[str, ...] = ()
) -> Iterator[tuple[Source, YamlNode]]:
    """Return the documents of a layer, with includes replaced."""
    if isinstance(layer, Document):
        yield layer.source, layer.node
        return
    reading = NodeReader(RenderedTemplate(layer), faults)
    stream = compose(layer, tags=frozenset([TAG]))
    reading.take_defects(stream)
    for document in () if stream.broken else stream.documents:
        if isinstance(document, YamlSequence) and document.tag == TAG:
            for node, path in reading.items(document, TAG):
                name = reading.text(node, path)
                included = _resolve_include(layer, name, beside, within, reading, node) if name else None
                if included is not None:
                    yield from documents_of(included, beside, faults, (*within, layer.name))
        elif document is not None:
            yield layer, document


def list_include_names(configuration: Source) -> Iterator[str]:
    """Return the files that a configuration includes, as written. Reading it reports mistakes."""
    if TAG not in configuration.text:
        return
    for document in compose(configuration, tags=frozenset([TAG])).documents:
        if isinstance(document, YamlSequence) and document.tag == TAG:
            yield from (item.text for item in document.items if isinstance(item, YamlScalar))


def _resolve_include(
    layer: Source,
    name: str,
    beside: FileLookup | None,
    within: tuple[str, ...],
    reading: NodeReader,
    node: YamlNode,
) -> Source | None:
    problem = "there is no such file"
    try:
        file = beside(layer, name) if beside is not None else None
        source = None if file is None else file.source
    except InputError as error:
        source, problem = None, str(error)
    if source is not None and (source.name in (*within, layer.name) or len(within) >= _DEEPEST):
        source, problem = None, "it includes itself"
    if source is None:
        reading.fail(BAD_INCLUDE, TAG, node, f"{name!r} cannot be included: {problem}")
    return source
