"""The interfaces that every language implements for the layers above.

Only `Language` is required. The others are optional capabilities: forms and models, tests, methods to
run, included files, editor support.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from msgspec import Struct, field

from sabir.diagnostics.finding import Finding, Severity
from sabir.graph.graph import Graph
from sabir.graph.observations import Sightings
from sabir.graph.origin import AttributeRead, Origin
from sabir.graph.values import Value
from sabir.resources.resource import DesiredResources
from sabir.resources.target import Target
from sabir.session import Session
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.text import Source

if TYPE_CHECKING:  # importing the checks would double the time it takes to start an evaluation
    from sabir.checks.options import CheckOptions
    from sabir.checks.validator import BaseValidator
    from sabir.diagnostics.rules import Rule
    from sabir.expressions.query.resource import QueryResource
    from sabir.expressions.query.session import QuerySession as QuerySession
    from sabir.source.symbols import Candidate, FileNames
    from sabir.source.yaml.nodes import YamlNode  # brings PyYAML along, which not every language needs


class Document(Struct, frozen=True, eq=False):
    """A YAML document that the caller parsed, instead of a file.

    Computed values are in the tree at the span of what they were computed from, so that an origin at
    that span is enough: the caller knows what was computed there.
    """

    source: Source
    node: YamlNode


class EvaluationRequest(Struct, frozen=True, kw_only=True):
    """How to evaluate a package; every language uses the fields it knows."""

    inputs: Mapping[str, Value] = field(default_factory=dict[str, Value])
    model: Path | None = None
    """A MuranoPL object model."""
    config: Path | None = None
    """Configuration of a CCP deployment, class configuration of MuranoPL."""
    documents: Mapping[Literal["model", "config"], Document] = field(
        default_factory=dict[Literal["model", "config"], Document]
    )
    """What would otherwise be read from `model` or `config`."""
    input_origins: Mapping[str, Origin] = field(default_factory=dict[str, Origin])
    """Where inputs came from, by name, when somebody computed them."""
    search_path: tuple[Path, ...] = ()
    """Further directories with packages, modules or components."""
    imports: tuple[str, ...] = ()
    """Files of this machine for what is imported from the network: `URL=PATH`."""
    core_library: Path | None = None
    """A core library of MuranoPL to use in place of the one that comes along."""
    std: Literal["ours", "installed"] = "ours"
    """Which module `std` a model of Inmanta gets: the one that comes along, or the one that is installed."""
    overrides: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """What-if values by `INSTANCE.ATTRIBUTE`."""
    observed: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """What deployments gave back, by the text of an attribute's address; it stands where the value would be unknown."""
    targets: tuple[Target, ...] = ()
    """The targets of the environment that it belongs to."""
    sightings: Sightings = Sightings()
    """When values were observed, and how what is deployed fares. Whoever evaluates a package puts them into its graph;
    a language whose expressions ask for the status of an instance reads them here."""
    reach: Callable[[Path], Graph] | None = None
    """Gives the graph of another environment as it was last deployed; None: nobody can."""
    session: Session = field(default_factory=Session)
    full_provenance: bool = False
    """Record what every value was computed from, too: the long answer of `why`."""
    on_progress: Callable[[str], None] | None = None
    on_notice: Callable[[str], None] | None = None
    """Told once of what the user should know beforehand: that Python of the package is about to run."""

    @classmethod
    def of_check(cls, options: CheckOptions) -> EvaluationRequest:
        """Return the request with which a check evaluates."""
        return cls(
            inputs=options.inputs,
            overrides=options.overrides,
            config=None if options.deployment is None else Path(options.deployment),
            search_path=tuple(map(Path, options.search_path)),
            imports=options.imports,
            session=options.session,
        )


class RenderedObject(Struct, frozen=True, kw_only=True):
    """Output of a renderer that is not an instance of the graph, with the sources of its fields."""

    name: str
    renderer: str
    instance: str
    """The instance that it is made of, by id."""
    fields: Mapping[str, tuple[AttributeRead, ...]]


class Evaluation(Struct, frozen=True, kw_only=True):
    """The graph and the findings. With errors the graph may be partial."""

    graph: Graph
    findings: tuple[Finding, ...] = ()
    rendered: Callable[[], Sequence[RenderedObject]] = tuple
    """With full provenance: finds what would be rendered. Only `impact` asks."""

    resources: Callable[[Graph, QuerySession], QueryResource] | None = None
    """Makes the tree that queries walk over, where the language knows more of its instances than the graph holds. The graph is
    this one, perhaps with what deployments have seen in it. Only `query` asks."""

    wanted: Callable[[], DesiredResources] = DesiredResources
    """What the description asks to be kept in the world, and what can be called on it. Only `plan`, `deploy` and the commands
    beside them ask. Addresses are those of the graph."""


class RenderRequest(Struct, frozen=True, kw_only=True):
    namespace: str | None = None
    options: Mapping[str, str] = field(default_factory=dict[str, str])


class RenderOutput(Struct, frozen=True, kw_only=True):
    """Files for other tools by name, in the order to write them."""

    files: Mapping[str, str]
    findings: tuple[Finding, ...] = ()
    archives: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Files that are no texts."""


class Renderer(Protocol):
    def __call__(
        self, package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
    ) -> RenderOutput: ...


class RunCall(Struct, frozen=True, kw_only=True):
    """A method to call on what a package describes."""

    call: str | None = None
    """`[OBJECT.]METHOD`, or `CLASS.METHOD` for a static one; None: what the language calls to deploy."""
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    record: bool = False
    """Let a cloud that only writes down what it is asked stand in for the real one."""
    report: Callable[[str, str], None] | None = None
    """Lines that the code itself reports: level and text."""


class RunResult(Struct, frozen=True, kw_only=True):
    """The result of a call.

    `model` is the object model after the call, `storage` what to keep for the next run. A failed run
    has neither result nor model; the findings contain the call stack.
    """

    findings: tuple[Finding, ...] = ()
    result: Any = None
    model: Mapping[str, Any] | None = None
    storage: Mapping[str, Any] | None = None
    actions: tuple[Mapping[str, Any], ...] | None = None
    """What the cloud was asked for, in order; None when none was recorded."""

    @property
    def failed(self) -> bool:
        return self.model is None or any(finding.severity is Severity.ERROR for finding in self.findings)


class ModelQuestion(Struct, frozen=True, kw_only=True):
    """A value of a model that the user is asked for."""

    name: str
    text: str
    is_secret: bool = False
    refused: str | None = None
    """Why the last answer was not taken."""


class ModelCall(Struct, frozen=True, kw_only=True):
    """The inputs for creating an object model."""

    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """By `form.field`, or by the path of a property where there are no forms."""
    cloud: Mapping[str, Any] | None = None
    """What fields that choose from a cloud offer; None: they take anything."""
    cls: str | None = None
    """The class to make a model of; None: what the package is about."""
    forms: bool = False
    """Show the forms instead."""
    schema: bool = False
    """Give the JSON Schema of the class instead."""
    method: str | None = None
    """With `schema`: give that of the arguments of this method of the class."""
    ask: Callable[[ModelQuestion], Any] | None = None
    """Asks a person for a value; None for an answer takes what is proposed."""


class ModelResult(Struct, frozen=True, kw_only=True):
    """The model, forms or schema; or errors of the package (`findings`) or of the values (`errors`)."""

    document: Mapping[str, Any] | None = None
    findings: tuple[Finding, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return self.document is None or bool(self.errors)


@runtime_checkable
class MakesModels(Protocol):
    """A language whose packages declare the inputs of a model, in forms or contracts."""

    def make_model(
        self, package: LoadedPackage, request: EvaluationRequest, call: ModelCall
    ) -> ModelResult: ...


class TestCall(Struct, frozen=True, kw_only=True):
    """The tests of a package to run; all if none is named."""

    names: tuple[str, ...] = ()


class TestOutcome(Struct, frozen=True, kw_only=True):
    """The result of one test. It passed if there are no failures."""

    cls: str
    name: str
    failures: tuple[Finding, ...] = ()
    seconds: float = 0.0


class TestRun(Struct, frozen=True, kw_only=True):
    """The results in order; `findings` explain why the package could not be used, or warn."""

    findings: tuple[Finding, ...] = ()
    outcomes: tuple[TestOutcome, ...] = ()

    @property
    def failed(self) -> int:
        return sum(bool(outcome.failures) for outcome in self.outcomes)


@runtime_checkable
class Tests(Protocol):
    """A language whose packages contain tests."""

    def test(self, package: LoadedPackage, request: EvaluationRequest, call: TestCall) -> TestRun: ...


@runtime_checkable
class Runs(Protocol):
    """A language whose packages have methods that can be called."""

    def run(self, package: LoadedPackage, request: EvaluationRequest, call: RunCall) -> RunResult: ...


@runtime_checkable
class IncludesFiles(Protocol):
    """A language whose configurations include other files."""

    def list_included_files(self, configuration: Source) -> Iterable[str]:
        """Return the files that a configuration names, relative to its directory, existing or not."""
        ...


class Explorer(Protocol):
    """Editor support of a language: names and completions. A module with these functions implements it.

    Texts may be incomplete while they are typed. A broken part must not affect the rest.
    """

    def libraries(self, package: LoadedPackage) -> Sequence[LoadedPackage]:
        """Return other packages that define names: bundled libraries and requirements."""
        ...

    def file_names(self, package: LoadedPackage, file: PackageFile) -> FileNames:
        """Return the names of one file of a package or library, independent of other files."""
        ...

    def candidates(self, package: LoadedPackage, file: PackageFile, offset: int) -> Sequence[Candidate]:
        """Return what the grammar and the language itself allow at an offset.

        These are keywords, functions, sections and file names. Names defined in the project are
        proposed through `completion_keys`.
        """
        ...

    def completion_keys(self, file: PackageFile, offset: int) -> Sequence[str]:
        """Return key prefixes of names that may be written at an offset: `class `, `method com.example.Web.`."""
        ...


@runtime_checkable
class Explores(Protocol):
    """A language with editor support."""

    def explorer(self) -> Explorer: ...


class Language(Protocol):
    """A language as the rest of sabir uses it; the entry point group `sabir.languages` lists one object each."""

    @property
    def name(self) -> str: ...

    def recognises(self, package: LoadedPackage) -> bool:
        """Return whether the package is in this language, judged by its files alone; cheap."""
        ...

    def rules(self) -> Sequence[Rule]:
        """Return everything this language can report, with its documentation."""
        ...

    def validators(self) -> Sequence[type[BaseValidator]]:
        """Return the validators of its packages, in the order of their reports."""
        ...

    @property
    def evaluates_when_checked(self) -> bool:
        """Whether `check` also evaluates a package, and reports what only that finds.

        False where the validators find as much, or where a package alone is not the unit of evaluation.
        """
        ...

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation: ...

    def renderers(self) -> Mapping[str, Renderer]:
        """Return the formats that `sabir render --to NAME` can write."""
        ...
