"""Test: run the tests in a package and report them as JSON or JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as Xml

from msgspec import Struct, field

from sabir.diagnostics.finding import Finding
from sabir.errors import UsageError
from sabir.languages.language import EvaluationRequest, TestCall, TestRun, Tests
from sabir.operations.evaluation import language_at
from sabir.source.packages import load_package

FORMAT = "sabir.test/1"


class TestRequest(Struct, frozen=True, kw_only=True):
    """The package, and the names of the tests to run (all if empty)."""

    path: Path
    names: tuple[str, ...] = ()
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)


def run_tests_of_path(request: TestRequest) -> TestRun:
    """Run the tests of a package; raise `UsageError` for a language without tests."""
    package = load_package(request.path, request.evaluation.session.limits.package)
    language = language_at(package, request.path, None)
    if not isinstance(language, Tests):
        raise UsageError(f"{package.name} is {language.name}, whose packages have no tests of their own")
    return language.test(package, request.evaluation, TestCall(names=request.names))


def run_document(run: TestRun) -> dict[str, object]:
    """Return the result as JSON data."""
    return {
        "format": FORMAT,
        "tests": [
            {
                "class": outcome.cls,
                "name": outcome.name,
                "outcome": "failed" if outcome.failures else "passed",
                "seconds": round(outcome.seconds, 3),
                "failures": [
                    {
                        "code": failure.code,
                        "message": failure.message,
                        "place": str(failure.location),
                        "hint": failure.hint,
                    }
                    for failure in outcome.failures
                ],
            }
            for outcome in run.outcomes
        ],
        "passed": len(run.outcomes) - run.failed,
        "failed": run.failed,
    }


def junit_report(run: TestRun, name: str) -> str:
    """Return the result as JUnit XML, which CI servers read."""
    suite = Xml.Element(
        "testsuite",
        name=name,
        tests=str(len(run.outcomes)),
        failures=str(run.failed),
        errors="0",
        time=f"{sum(outcome.seconds for outcome in run.outcomes):.3f}",
    )
    for outcome in run.outcomes:
        case = Xml.SubElement(
            suite, "testcase", classname=outcome.cls, name=outcome.name, time=f"{outcome.seconds:.3f}"
        )
        for failure in outcome.failures:
            element = Xml.SubElement(case, "failure", message=_xml_text(failure.message), type=failure.code)
            element.text = _xml_text("\n".join(_failure_lines(failure)))
    root = Xml.Element("testsuites")
    root.append(suite)
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _failure_lines(failure: Finding) -> Iterator[str]:
    """Yield the message, the differing values, and the stack of calls."""
    yield f"{failure.location}: {failure.code} {failure.message}"
    if failure.hint:
        yield f"= {failure.hint}"
    for frame in failure.frames:
        yield f"in {frame.name}" if frame.place is None else f"in {frame.name} ({frame.place.location})"


def _xml_text(text: str) -> str:
    """Remove control characters, which XML cannot contain even when escaped."""
    return "".join(char if char >= " " or char in "\n\t" else "?" for char in text)
