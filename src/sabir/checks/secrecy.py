"""Redaction of findings: neither messages nor the source lines they point at show a secret.

A secret is a value that a YAML file of the package, or a file that a finding points into, marks as secret. Files that are not
valid YAML cannot be searched for marks: all their values are hidden if the text contains something that looks like a mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Fix
from sabir.graph.secrets import Secrets
from sabir.source.packages import LoadedPackage
from sabir.source.yaml import YamlNode, compose
from sabir.source.yaml.defects import NOT_YAML
from sabir.source.yaml.secrets import MARKS, scalar_lines, secret_nodes
from sabir.text import Place, Source, Span

_WORDS: Final = re.compile(
    r"""[^\s{}\[\],"':]+(?=["']?:(?:\s|$))|(?P<value>[^\s{}\[\],"']*\w[^\s{}\[\],"']*)"""
)
_QUOTED: Final = re.compile(r"'[^']+'")
_SUFFIXES: Final = (".yaml", ".yml", ".json", ".tosca")
_MOST: Final = 3000
_LONGEST: Final = 2000
"""Maximum number of characters of a span that any formatter shows."""


def without_secrets(
    findings: Sequence[Finding], package: LoadedPackage | None = None, texts: Iterable[str] = ()
) -> tuple[Finding, ...]:
    """Return the findings with secrets redacted in messages, hints, locations and fixes.

    Secrets are the values that files of the package, or files that findings point into, mark as secret, and the given texts.
    """
    if not findings:
        return ()
    secrets = Secrets((*texts, *_find_secret_texts(findings, package)), most=_MOST)
    if not secrets and not any(
        _is_broken(finding) and _may_mark(finding.place.source.text) for finding in findings
    ):
        return tuple(findings)
    return tuple(_Mask(secrets, findings).findings())


def _find_secret_texts(findings: Iterable[Finding], package: LoadedPackage | None) -> Iterator[str]:
    documents = [*_find_documents(findings, package)]
    for node in secret_nodes(documents):
        yield from scalar_lines(node)


def _find_documents(findings: Iterable[Finding], package: LoadedPackage | None) -> Iterator[YamlNode]:
    names: set[str] = set()
    for name in () if package is None else package.list():
        file = package.get_file(name) if package is not None and name.endswith(_SUFFIXES) else None
        if file is not None:
            names.add(name)
            if file.defect is None and _may_mark(file.source.text):
                yield from (document for document in file.yaml.documents if document is not None)
    sources = {finding.place.source for finding in findings if finding.filename not in names}
    for source in sources:
        if source.name.endswith(_SUFFIXES) and _may_mark(source.text):
            yield from (document for document in compose(source).documents if document is not None)


def _may_mark(text: str) -> bool:
    return any(mark in text for mark in MARKS)


class _Mask:
    """The secrets, and the sources of findings with the spans to hide when they are shown."""

    def __init__(self, secrets: Secrets, findings: Iterable[Finding]) -> None:
        self._secrets = secrets
        self._findings = tuple(findings)
        self._broken = {finding.place.source for finding in self._findings if _is_broken(finding)}
        places: dict[Source, set[Span]] = {}
        for finding in self._findings:
            for place in _finding_places(finding):
                places.setdefault(place.source, set()).add(_line_window(place))
        self._sources = {source: self._mask_source(source, windows) for source, windows in places.items()}

    def findings(self) -> Iterator[Finding]:
        for finding in self._findings:
            yield replace(
                finding,
                message=self._message(finding),
                hint=None if finding.hint is None else self._secrets.redact(finding.hint),
                place=self._place(finding.place),
                related=tuple(
                    replace(note, place=self._place(note.place), message=self._secrets.redact(note.message))
                    for note in finding.related
                ),
                frames=tuple(
                    replace(
                        frame,
                        place=None if frame.place is None else self._place(frame.place),
                        name=self._secrets.redact(frame.name),
                    )
                    for frame in finding.frames
                ),
                fix=None if finding.fix is None else self._fix(finding.fix),
            )

    def _message(self, finding: Finding) -> str:
        message = self._secrets.redact(finding.message)
        if not _is_broken(finding):
            return message
        source = self._sources[finding.place.source]
        unread = Secrets(map(source.slice, source.hidden))
        return _QUOTED.sub(lambda quoted: unread.redact(quoted[0]), message)

    def _place(self, place: Place) -> Place:
        return Place(self._sources[place.source], place.span)

    def _fix(self, fix: Fix) -> Fix:
        secret = any(self._secrets.are_in(edit.text) for edit in fix.edits)
        return replace(fix, title=self._secrets.redact(fix.title), holds_secret=secret)

    def _mask_source(self, source: Source, windows: Iterable[Span]) -> Source:
        find = _value_spans if source in self._broken else self._secrets.spans
        spans = {secret.shift(window.start) for window in windows for secret in find(source.slice(window))}
        hidden = _merge_spans(sorted(spans, key=lambda span: (span.start, span.end)))
        return replace(source, hidden=hidden) if hidden else source


def _is_broken(finding: Finding) -> bool:
    return finding.code == NOT_YAML.code


def _value_spans(text: str) -> list[Span]:
    """Return the spans of all words but keys: in an invalid text any value may be a secret."""
    return [Span(*match.span("value")) for match in _WORDS.finditer(text) if match["value"]]


def _finding_places(finding: Finding) -> Iterator[Place]:
    yield finding.place
    yield from (note.place for note in finding.related)
    yield from (frame.place for frame in finding.frames if frame.place is not None)


def _line_window(place: Place) -> Span:
    """Return the span of the complete lines that contain a place."""
    source, span = place.source, place.span
    last = source.line_span(source.line_column(min(max(span.start, span.end), span.start + _LONGEST))[0])
    return Span(source.line_span(source.line_column(span.start)[0]).start, last.end)


def _merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Merge spans that overlap or touch; the spans must be sorted."""
    result: list[Span] = []
    for span in spans:
        if result and span.start <= result[-1].end:
            result[-1] = Span(result[-1].start, max(span.end, result[-1].end))
        else:
            result.append(span)
    return tuple(result)
