"""Evaluation of a project, from its files to its instances."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Severity
from sabir.interpreter import collector_paused
from sabir.languages.inmanta.evaluate.compiler import ModelCompiler
from sabir.languages.inmanta.evaluate.engine import ModelEngine
from sabir.languages.inmanta.evaluate.functions import Functions
from sabir.languages.inmanta.evaluate.inputs import ModelInputs
from sabir.languages.inmanta.evaluate.interrupts import ModelLimitError, Stop
from sabir.languages.inmanta.evaluate.plugins.compat import ProjectPython
from sabir.languages.inmanta.evaluate.plugins.loader import load_functions
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.termination import finish_evaluation
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, PendingSlot
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.model.functions import modules_with_plugins
from sabir.languages.inmanta.model.names import check_names
from sabir.languages.inmanta.model.resolution import resolve_definitions
from sabir.languages.inmanta.syntax.cache import cache_directory
from sabir.languages.inmanta.syntax.project import MAIN, load_project
from sabir.session import Session
from sabir.source.packages import LoadedPackage

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.recording.recorder import ModelRecorder


_MOST_RETRIES: Final = 8


class EvaluatedModel(Struct, eq=False):
    """The result of an evaluation: instances in creation order, variables by namespace, findings."""

    definitions: Definitions
    instances: list[ModelInstance]
    findings: list[Finding]
    scopes: dict[str, BlockScope]
    frames: dict[str, Frame]
    python: ProjectPython
    """The Python of the project, with what it registered: resources, handlers, exports."""
    recorder: ModelRecorder | None = None
    """What everything was computed from, when that was asked for."""

    def variables(self, namespace: str = MAIN) -> dict[str, Any]:
        """Return the variables of a namespace that have a value."""
        scope, frame = self.scopes.get(namespace), self.frames.get(namespace)
        if scope is None or frame is None:
            return {}
        return {
            name: frame[slot]
            for name, slot in scope.names.items()
            if type(frame[slot]) is not PendingSlot and not name.startswith("@")  # see `construction`
        }


def evaluate_package(
    package: LoadedPackage,
    *,
    session: Session,
    search_path: tuple[Path, ...] = (),
    std: Literal["ours", "installed"] = "ours",
    given: ModelInputs | None = None,
    on_notice: Callable[[str], None] | None = None,
    trace: bool = False,
) -> EvaluatedModel:
    """Load, check and evaluate a package. With errors in files or definitions nothing is evaluated."""
    project = load_project(
        package, search_path, cache=cache_directory(session.environment), std_installed=std == "installed"
    )
    findings = project.findings
    definitions = resolve_definitions(project)
    python = ProjectPython(project.modules, package.path, session)
    empty = EvaluatedModel(definitions, [], findings, {}, {}, python)
    if _has_error(findings):
        return empty
    foreign = modules_with_plugins(project)
    if foreign and session.trust.python and on_notice is not None:
        names = ", ".join(module.name for module in foreign)
        modules = "module" if len(foreign) == 1 else "modules"
        on_notice(f"the model runs Python: plug-ins of the {modules} {names}")
    with python.importable():
        functions, broken = load_functions(definitions, python, run=session.trust.python)
        findings += definitions.findings + broken
        if not broken:
            findings += check_names(definitions, functions)
        if _has_error(findings):
            return empty
        return _evaluate_definitions(
            definitions,
            functions,
            replace(empty, findings=findings),
            given,
            most_instances=session.limits.instances,
            trace=trace,
        )


def _has_error(findings: list[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _evaluate_definitions(
    definitions: Definitions,
    functions: Functions,
    before: EvaluatedModel,
    given: ModelInputs | None,
    *,
    most_instances: int,
    trace: bool,
) -> EvaluatedModel:
    machine = partial(
        _build_engine, definitions, functions, given=given, most_instances=most_instances, trace=trace
    )
    with collector_paused():
        compiler, engine = _run_engine(machine(late=frozenset()))
        late: frozenset[Any] = frozenset()
        for _ in range(_MOST_RETRIES):
            if engine.retry <= late:
                break
            late = late | engine.retry
            compiler, engine = _run_engine(machine(late=late))
    if given is not None:
        given.check_overrides()
    spaces = definitions.project.namespaces
    return EvaluatedModel(
        definitions,
        engine.instances,
        before.findings + engine.findings,
        compiler.scopes,
        {name: compiler.frame(name) for name in spaces},
        before.python,
        getattr(engine, "recorder", None),
    )


def _build_engine(
    definitions: Definitions,
    functions: Functions,
    *,
    late: frozenset[Any],
    given: ModelInputs | None,
    most_instances: int,
    trace: bool,
) -> tuple[ModelCompiler, ModelEngine]:
    if given is not None:
        given.start()
    if trace:
        from sabir.languages.inmanta.evaluate.recording.compiler import RecordedCompiler
        from sabir.languages.inmanta.evaluate.recording.engine import RecordedEngine

        traced = RecordedEngine(late, given, most_instances=most_instances)
        return RecordedCompiler(definitions, traced, functions), traced
    engine = ModelEngine(late, given, most_instances=most_instances)
    return ModelCompiler(definitions, engine, functions), engine


def _run_engine(machine: tuple[ModelCompiler, ModelEngine]) -> tuple[ModelCompiler, ModelEngine]:
    compiler, engine = machine
    try:
        compiled = compiler.compile()
        if engine.findings:  # defaults that do not fit their types
            return compiler, engine
        for steps, frame in compiled:
            engine.queue.append((lambda block: engine.run_steps(*block), (steps, frame)))
        engine.run()
        finish_evaluation(compiler)
    except (Stop, ModelLimitError) as failure:  # a limit of the whole evaluation
        engine.report(failure)
    return compiler, engine
