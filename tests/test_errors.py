"""Everything that sabir raises on purpose can be caught as `SabirError`; the other exceptions have a reason."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module

import pytest

import sabir
from sabir import errors
from sabir.errors import SabirError

ELSEWHERE = (
    "sabir.deployments.host_agent.",
    "sabir.deployments.drivers.machine_pool.runner",
    "sabir.languages.ccp.runner.",
    "sabir.languages.inmanta.evaluate.plugins.",
    "sabir.languages.inmanta.evaluate.views",
    "sabir.languages.inmanta.library.",
)
"""Code that runs without the rest of sabir, and the names of Inmanta's own API."""
CONTROL_FLOW = {
    "sabir.deployments.drivers.heat.session.ResponseRejectedError": "an error of requests, whose callers expect one",
    "sabir.errors.Overrun": "limits of a piece of work: nothing on the way out may take it for an error",
    "sabir.expressions.patterns.translation.UnwritablePatternError": "the pattern has no form for the other engine",
    "sabir.expressions.template.sandbox.NotSimple": "the template needs Jinja2",
    "sabir.expressions.yaql.compile.arguments.Mismatch": "the next overload is tried",
    "sabir.languages.inmanta.evaluate.interrupts.Wait": "a statement waits for a value",
    "sabir.languages.inmanta.evaluate.interrupts.WaitForFirst": "a statement waits for a value",
    "sabir.languages.inmanta.evaluate.interrupts.WaitForKey": "a statement waits for a value",
    "sabir.languages.inmanta.evaluate.interrupts.Stop": "the evaluation of a statement ends with a finding",
    "sabir.languages.inmanta.evaluate.interrupts.Unset": "the evaluation of a statement ends with a finding",
    "sabir.languages.muranopl.evaluate.parallel.BranchStop": "a branch ends because another one failed",
}
"""Exceptions that are caught inside their package, and what they are for."""
NAMES_BY_USE = {"Consequence", "LimitExceeded", "NoMatch", "ThrownException", "UnknownName", "Unstoppable"}
"""Public exceptions whose names do not end in Error: words of YAQL and MuranoPL."""


def exceptions() -> Iterator[tuple[str, type[BaseException]]]:
    """Public exception classes that sabir defines, with their qualified names."""
    for info in pkgutil.walk_packages(sabir.__path__, "sabir."):
        if info.name.endswith("__main__") or ".projects." in info.name or "python_image" in info.name:
            continue
        for name, value in vars(import_module(info.name)).items():
            if (
                inspect.isclass(value)
                and issubclass(value, BaseException)
                and value.__module__ == info.name
                and not name.startswith("_")
            ):
                yield f"{info.name}.{name}", value


FOUND = dict(exceptions())


@pytest.mark.parametrize("name", sorted(name for name in FOUND if not name.startswith(ELSEWHERE)))
def test_an_exception_has_its_place(name: str) -> None:
    if name in CONTROL_FLOW:
        return
    assert issubclass(FOUND[name], SabirError)
    short = name.rpartition(".")[2]
    assert short.endswith("Error") or short in NAMES_BY_USE


def test_the_list_of_control_flow_is_short_and_true() -> None:
    assert CONTROL_FLOW.keys() <= FOUND.keys()
    assert not [name for name in CONTROL_FLOW if issubclass(FOUND[name], SabirError)]


def test_the_docstring_draws_what_the_module_defines() -> None:
    drawn = errors.__doc__ or ""
    assert not [
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and value.__module__ == errors.__name__ and name not in drawn
    ]
