"""Messages between a worker and its owner: MessagePack, each with a length prefix.

Findings keep the identity of their sources: each text is sent once and numbered. The graph is sent as JSON
with its sensitive values, since both processes belong to the same user.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from sabir.diagnostics.finding import Edit, Finding, Fix, Frame, RelatedLocation
from sabir.graph.observations import Sightings
from sabir.languages.language import RenderedObject, RenderRequest
from sabir.pipes import with_length
from sabir.session import Limits, Trust
from sabir.text import Place, Source, Span

_SentPlace = tuple[int, int, int]
"""Number of the source, start and end."""


class EvaluateWork(Struct, tag="evaluate"):
    """Evaluate the project; the reply is `EvaluationReply`."""

    texts: dict[str, str]
    """Texts in place of files of the package, by name."""
    judge: bool = False
    """Say also what the policy files of an environment say of it."""


class RenderWork(Struct, tag="render"):
    """Render the project; the reply is `RenderedFiles`."""

    to: str | None
    directory: bool
    render: RenderRequest


class PolicyWork(Struct, tag="judge"):
    """Check custom rules against the graph; the reply is `FindingsReply`."""

    files: list[str]


class QueryWork(Struct, tag="query"):
    """Evaluate an expression, which may call Python; the reply is `QueryReply`."""

    expression: str
    at: str | None
    variables: bytes
    """As JSON, whose numbers have no bound."""
    reveal: bool
    trace: bool
    why: bool
    graph: bytes | None
    """What is asked; None: the graph of what is at the path."""
    has_path: bool
    """Whether the path is where files are looked for: a graph alone lies in no directory."""


Work = EvaluateWork | RenderWork | PolicyWork | QueryWork


class WorkerTask(Struct, kw_only=True):
    """The work, the fields of the evaluation request, and what else of the owner's process it depends on."""

    work: Work

    path: bytes
    language: str | None
    directory: bytes
    """Working directory; relative paths start there."""
    import_path: list[bytes]
    inputs: dict[str, Any]
    input_origins: dict[str, Any]
    overrides: dict[str, Any]
    model: bytes | None
    config: bytes | None
    search_path: list[bytes]
    imports: list[bytes]
    std: Literal["ours", "installed"]
    observed: dict[str, Any]
    sightings: Sightings
    full_provenance: bool
    trust: Trust
    limits: Limits
    environment: list[tuple[bytes, bytes]]
    now: float


class _SentFix(Struct):
    title: str
    edits: list[tuple[_SentPlace, str]]
    safe: bool


class _SentFinding(Struct):
    code: str
    message: str
    place: _SentPlace
    whole_file: bool
    hint: str | None
    related: list[tuple[_SentPlace, str]]
    frames: list[tuple[_SentPlace | None, str]]
    fix: _SentFix | None


class SentFindings(Struct):
    """Findings for the wire; `sources` has the name and text of each source that they refer to by number."""

    sources: list[tuple[str, str]]
    findings: list[_SentFinding]

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> SentFindings:
        numbers: dict[Source, int] = {}

        def place(place: Place) -> _SentPlace:
            return numbers.setdefault(place.source, len(numbers)), place.span.start, place.span.end

        def fix(fix: Fix) -> _SentFix:
            return _SentFix(fix.title, [(place(edit.place), edit.text) for edit in fix.edits], fix.safe)

        sent = [
            _SentFinding(
                finding.code,
                finding.message,
                place(finding.place),
                finding.whole_file,
                finding.hint,
                [(place(related.place), related.message) for related in finding.related],
                [
                    (None if frame.place is None else place(frame.place), frame.name)
                    for frame in finding.frames
                ],
                None if finding.fix is None else fix(finding.fix),
            )
            for finding in findings
        ]
        return cls([(source.name, source.text) for source in numbers], sent)

    def to_findings(self) -> tuple[Finding, ...]:
        sources = [Source(name, text) for name, text in self.sources]

        def place(sent: _SentPlace) -> Place:
            number, start, end = sent
            return Place(sources[number], Span(start, end))

        def fix(sent: _SentFix) -> Fix:
            edits = tuple(Edit(place=place(at), text=text) for at, text in sent.edits)
            return Fix(title=sent.title, edits=edits, safe=sent.safe)

        return tuple(
            Finding(
                code=sent.code,
                message=sent.message,
                place=place(sent.place),
                whole_file=sent.whole_file,
                hint=sent.hint,
                related=tuple(
                    RelatedLocation(place=place(at), message=message) for at, message in sent.related
                ),
                frames=tuple(
                    Frame(place=None if at is None else place(at), name=name) for at, name in sent.frames
                ),
                fix=None if sent.fix is None else fix(sent.fix),
            )
            for sent in self.findings
        )


class ProgressMessage(Struct, tag="said"):
    """A text for the user while the evaluation runs."""

    text: str
    notice: bool


class EvaluationReply(Struct, tag="done"):
    """The evaluated graph as JSON, with its findings and rendered objects."""

    graph: bytes
    findings: SentFindings
    rendered: list[RenderedObject] = []


class RenderedFiles(Struct, tag="files"):
    """The files of a renderer by name: texts in `files`, binary content in `archives`."""

    files: dict[str, str]
    findings: SentFindings
    archives: dict[str, bytes] = {}


class FindingsReply(Struct, tag="found"):
    """The findings of policy rules."""

    findings: SentFindings


class QueryReply(Struct, tag="replied"):
    """The matches of an expression; `graph` is only sent if an explanation was requested."""

    values: bytes
    """As JSON."""
    findings: SentFindings
    sensitive: bool
    read: list[tuple[str, str | None]]
    trace: list[str]
    nothing: str | None
    graph: bytes | None
    """When asked why: what `read` is about."""


class ErrorReply(Struct, tag="refused"):
    """An exception of `sabir.errors` ended the evaluation; the owner raises it again."""

    kind: str
    message: str
    findings: SentFindings


class FailureReply(Struct, tag="broken"):
    """Any other exception ended the evaluation."""

    message: str


WorkerReply = EvaluationReply | RenderedFiles | FindingsReply | QueryReply
"""What a worker was asked for."""
Message = ProgressMessage | WorkerReply | ErrorReply | FailureReply

_encoder: Final = msgspec.msgpack.Encoder()
_messages: Final[msgspec.msgpack.Decoder[Message]] = msgspec.msgpack.Decoder(Message)
_tasks: Final = msgspec.msgpack.Decoder(WorkerTask)


def encode_frame(message: WorkerTask | Message) -> bytes:
    """Encode a message with its length prefix."""
    return with_length(_encoder.encode(message))


def decode_message(data: bytes) -> Message:
    """Decode a message of a worker, without its length prefix."""
    return _messages.decode(data)


def decode_task(data: bytes) -> WorkerTask:
    """Decode a task of the owner, without its length prefix."""
    return _tasks.decode(data)
