"""Tests of a package: classes that extend `io.murano.test.TestFixture`, with a separate run for each test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.languages.language import EvaluationRequest, TestCall, TestOutcome, TestRun
from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.mocks import mock_functions
from sabir.languages.muranopl.evaluate.packages import MuranoPackage, PackageRegistry
from sabir.languages.muranopl.evaluate.preparation import error_findings, has_errors, run_limits
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.syntax.manifest import read_manifest
from sabir.lazy import lazy_pattern
from sabir.source.packages import LoadedPackage

_FIXTURE: Final = "io.murano.test.TestFixture"
# `testAdd`, `test_add`, `test1`, but not `testing`
_test_pattern: Final = lazy_pattern(r"test(?![a-z])")


def run_tests(package: LoadedPackage, request: EvaluationRequest, call: TestCall) -> TestRun:
    """Run the tests of a package, or the named ones."""
    manifest, findings = read_manifest(package)
    if manifest is None:
        return TestRun(findings=findings)
    described = MuranoPackage(manifest, package)
    findings += described.read_all()
    if has_errors(findings):
        return TestRun(findings=findings)
    registry = PackageRegistry([described], request.search_path)
    try:
        names = sorted(_find_tests(described, _create_runtime(registry, request)))
    except MuranoError as error:
        return TestRun(findings=(*findings, *error_findings(error)))
    outcomes = [
        _run_test(registry, described, request, cls, method)
        for cls, method in _select_tests(names, call.names)
    ]
    return TestRun(findings=findings, outcomes=tuple(outcomes))


def _create_runtime(registry: PackageRegistry, request: EvaluationRequest) -> Runtime:
    return Runtime(
        registry,
        limits=run_limits(request, RunLimits()),
        functions=mock_functions(),
        clock=request.session.clock,
        sleeps=False,
    )


def _find_tests(package: MuranoPackage, runtime: Runtime) -> Iterator[tuple[str, str]]:
    fixture = runtime.core_class(_FIXTURE)
    for name in package.class_names():
        cls = runtime.find_class(name, package)
        if cls.is_a(fixture):
            yield from ((name, method) for method in cls.method_names() if _test_pattern().match(method))


def _select_tests(tests: list[tuple[str, str]], wanted: Iterable[str]) -> list[tuple[str, str]]:
    """Return the tests named by `Class`, `Class.method` or `method`; all tests if none is named."""
    names = [*wanted]
    chosen: dict[tuple[str, str], None] = {}
    for name in names:
        fitting = [
            test for test in tests if name in (test[0], test[1], f"{test[0]}.{test[1]}", _short_name(test))
        ]
        if not fitting:
            hint = did_you_mean(
                name, [_short_name(test) for test in tests] + [".".join(test) for test in tests]
            )
            raise UsageError(f"there is no test {name!r}" + (f"; {hint}" if hint else ""))
        chosen.update(dict.fromkeys(fitting))
    return list(chosen) if names else tests


def _short_name(test: tuple[str, str]) -> str:
    return f"{test[0].rpartition('.')[2]}.{test[1]}"


def _run_test(
    registry: PackageRegistry, package: MuranoPackage, request: EvaluationRequest, cls: str, method: str
) -> TestOutcome:
    """Run one test with `setUp` before it and `tearDown` after it, even if the test fails."""
    started = monotonic()
    failures: list[Finding] = []
    session = MuranoRun(_create_runtime(registry, request))
    try:
        fixture = session.runtime.loader.instantiate({}, None, session.runtime.find_class(cls, package))
    except MuranoError as error:
        failures += error_findings(error)
    else:
        steps = [method] if _try_call(session, fixture, "setUp", failures) else []
        for step in (*steps, "tearDown"):
            _try_call(session, fixture, step, failures)
    return TestOutcome(cls=cls, name=method, failures=tuple(failures), seconds=monotonic() - started)


def _try_call(session: MuranoRun, fixture: object, method: str, failures: list[Finding]) -> bool:
    try:
        session.call(fixture, method)  # type: ignore[arg-type]  # the object that was just made
    except MuranoError as error:
        failures += error_findings(error)
        return False
    return True
