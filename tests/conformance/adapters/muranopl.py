"""Drives MuranoPL cases: a package of the class text in memory, one load, one call, the model written back."""

from __future__ import annotations

from typing import Any, Literal

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import collect_rules
from sabir.expressions.yaql import Library
from sabir.languages.muranopl.evaluate.packages import MuranoPackage
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.evaluate.serialisation import plain_result
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.model.errors import MuranoError, ThrownException
from sabir.languages.muranopl.syntax.classes import read_class_file
from sabir.languages.muranopl.syntax.manifest import Manifest
from sabir.languages.muranopl.syntax.rules import FailureRule
from sabir.source.packages import MemoryPackage
from sabir.source.yaml import compose
from sabir.text import Source
from tests.conformance.runner.muranopl import NO_RESULT, MuranoCase, MuranoOutcome
from tests.conformance.runner.muranopl import MuranoError as Failure

Phase = Literal["load", "call", "serialize"]
_KIND_OF_CODE = {
    rule.code: rule.kind
    for rule in collect_rules("sabir.languages.muranopl")
    if isinstance(rule, FailureRule)
}


def run(case: MuranoCase) -> MuranoOutcome:
    traced: list[Any] = []
    functions = Library()

    @functions.function("trace")
    def trace(value: Any) -> None:
        traced.append(plain_result(value))

    phase: Phase = "load"
    result: Any = NO_RESULT
    model: Any = None
    try:
        package = MuranoPackage(Manifest(name="conf.pkg", format=case.format), MemoryPackage({}))
        read = read_class_file(compose(Source("conf.yaml", case.classes), tags=frozenset({"!yaql"})))
        for node in read.classes:
            package.add(node)
        findings = (*read.findings, *package.findings)
        if findings:
            return MuranoOutcome(error=_finding(findings[0]))
        runtime = Runtime([package], config=case.config, functions=functions)
        for node in read.classes:
            runtime.find_class(node.name, package)
        session = MuranoRun(runtime)
        if case.model is not None:
            session.load(case.model, previous=case.previous)
        if case.call is not None:
            phase = "call"
            call = case.call
            if call.on_class is not None:
                target: Any = session.find_class(call.on_class)
            elif call.on_object == "root":
                target = runtime.root
            else:
                target = session.find_object(call.on_object)
            result = plain_result(
                session.call(target, call.method, call.args, call.kwargs, from_outside=call.via_api)
            )
        if case.model is not None:
            phase = "serialize"
            model = session.dump()
    except MuranoError as error:
        return MuranoOutcome(result=result, trace=tuple(traced), model=model, error=_failure(error, phase))
    return MuranoOutcome(result=result, trace=tuple(traced), model=model)


def _failure(error: MuranoError, phase: Phase) -> Failure:
    thrown = isinstance(error, ThrownException)
    return Failure(
        kind=error.kind,
        phase=phase,
        names=error.names if thrown else (),
        message=error.thrown_message if isinstance(error, ThrownException) else error.message,
        extra=plain_result(error.extra),
        text=str(error),
    )


def _finding(finding: Finding) -> Failure:
    return Failure(
        kind=_KIND_OF_CODE.get(finding.code, finding.code),
        phase="load",
        text=f"{finding.message} {finding.hint}",
    )
