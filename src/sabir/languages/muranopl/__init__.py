"""The MuranoPL language: application classes in packages (spec 000) and their checks (spec 001)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sabir.checks.validator import BaseValidator
    from sabir.diagnostics.rules import Rule
    from sabir.languages.language import (
        Evaluation,
        EvaluationRequest,
        Explorer,
        ModelCall,
        ModelResult,
        Renderer,
        RunCall,
        RunResult,
        TestCall,
        TestRun,
    )
    from sabir.resources.resource import DesiredResources
    from sabir.source.packages import LoadedPackage

__all__ = ["LANGUAGE", "MuranoPL"]


class MuranoPL:
    """The language as the rest of sabir sees it.

    Every method imports its implementation when it is called, so that registering the language costs no
    start-up time.
    """

    name: Final = "muranopl"
    evaluates_when_checked: Final = False
    folders: Final = ("Classes",)

    def recognises(self, package: LoadedPackage) -> bool:
        if not package.single_file:
            return package.exists("manifest.yaml") or any(package.list("Classes"))
        if not any(name.endswith((".yaml", ".yml")) for name in package.list()):
            return False
        # Only a single file is recognized by its content, so that the YAML reader is not loaded for anything else.
        from sabir.languages.muranopl.check.view import is_part_of_package

        return is_part_of_package(package)

    def rules(self) -> Sequence[Rule]:
        from sabir.diagnostics.rules import collect_rules

        return collect_rules(__name__)

    def validators(self) -> Sequence[type[BaseValidator]]:
        from sabir.languages.muranopl.check import package_validators

        return package_validators()

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        """Load the object model. Contracts, defaults and constructors run; other methods do not."""
        from sabir.graph.graph import Graph
        from sabir.languages.language import Evaluation
        from sabir.languages.muranopl.evaluate.preparation import error_findings, prepare_run
        from sabir.languages.muranopl.graph.build import build_graph
        from sabir.languages.muranopl.model.errors import MuranoError

        recorder = None
        if request.full_provenance:
            from sabir.languages.muranopl.evaluate.recording.recorder import RunRecorder

            recorder = RunRecorder()
        prepared = prepare_run(package, request, note_writes=recorder is None, recorder=recorder)
        graph = Graph(())
        findings = prepared.findings
        if prepared.session is not None:
            try:
                graph = build_graph(prepared.session.runtime)
            except MuranoError as error:
                findings = (*findings, *error_findings(error))

        def wanted() -> DesiredResources:
            from sabir.languages.muranopl.graph.resources import build_desired_program

            return build_desired_program(package, request, prepared, graph)

        return Evaluation(graph=graph, findings=findings, wanted=wanted)

    def explorer(self) -> Explorer:
        from sabir.languages.muranopl import editor

        return editor

    def run(self, package: LoadedPackage, request: EvaluationRequest, call: RunCall) -> RunResult:
        from sabir.languages.muranopl.run import run_package

        return run_package(package, request, call)

    def make_model(self, package: LoadedPackage, request: EvaluationRequest, call: ModelCall) -> ModelResult:
        from sabir.languages.muranopl.object_models import make_model

        return make_model(package, request, call)

    def test(self, package: LoadedPackage, request: EvaluationRequest, call: TestCall) -> TestRun:
        from sabir.languages.muranopl.fixtures import run_tests

        return run_tests(package, request, call)

    def renderers(self) -> Mapping[str, Renderer]:
        from sabir.languages.muranopl.run import render_object_model

        return {"objectmodel": render_object_model}


LANGUAGE: Final = MuranoPL()
