"""The languages that have cases, and how a case of each is loaded and judged."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.conformance.runner import (
    ccp,
    ccp_compare,
    deploy_inmanta,
    deploy_inmanta_compare,
    deploy_muranopl,
    deploy_muranopl_compare,
    deploy_tosca,
    deploy_tosca_compare,
    eval,  # noqa: A004  # the language is called so
    eval_compare,
    inmanta,
    inmanta_compare,
    mistakes,
    mistakes_compare,
    muranopl,
    muranopl_compare,
    packages,
    packages_compare,
    yaql,
    yaql_compare,
)
from tests.conformance.runner.case import Case, MalformedCase, Verdict

__all__ = ["CASES", "SUITES", "Suite", "adapter_of", "judge", "load"]

CASES = Path(__file__).resolve().parents[1]
"""The project's own cases: one folder per language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    language: str
    load: Callable[[Path], list[Case]]
    judge: Callable[[Case, Any], Verdict]


SUITES: dict[str, Suite] = {
    suite.language: suite
    for suite in (
        Suite(language="yaql", load=yaql.load, judge=yaql_compare.judge),
        Suite(language="muranopl", load=muranopl.load, judge=muranopl_compare.judge),
        Suite(language="packages", load=packages.load, judge=packages_compare.judge),
        Suite(language="inmanta", load=inmanta.load, judge=inmanta_compare.judge),
        Suite(language="ccp", load=ccp.load, judge=ccp_compare.judge),
        Suite(language="eval", load=eval.load, judge=eval_compare.judge),
        Suite(language="mistakes", load=mistakes.load, judge=mistakes_compare.judge),
        Suite(language=deploy_inmanta.LANGUAGE, load=deploy_inmanta.load, judge=deploy_inmanta_compare.judge),
        Suite(
            language=deploy_muranopl.LANGUAGE,
            load=deploy_muranopl.load,
            judge=deploy_muranopl_compare.judge,
        ),
        Suite(language=deploy_tosca.LANGUAGE, load=deploy_tosca.load, judge=deploy_tosca_compare.judge),
    )
}


@lru_cache
def adapter_of(language: str) -> Callable[..., Any] | None:
    """The function `run` of the adapter module, or None while there is no such module."""
    name = f"tests.conformance.adapters.{language.replace('-', '_')}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            return None
        raise
    run: Callable[..., Any] = module.run
    return run


def load(language: str, folders: tuple[Path, ...] = ()) -> list[Case]:
    """The cases in these folders (each a language folder, or one that holds it), by default the project's."""
    suite = SUITES[language]
    cases: list[Case] = []
    for folder in folders or (CASES,):
        inner = folder / language
        cases += suite.load(inner if inner.is_dir() else folder)
    return cases


def judge(case: Case) -> Verdict:
    """Run the case and compare. Whatever goes wrong on the way makes the case fail, and says why."""
    if isinstance(case, MalformedCase):
        return Verdict(differences=tuple(f"malformed case: {problem}" for problem in case.problems))
    try:
        adapter = adapter_of(case.language)
        if adapter is None:
            return Verdict(differences=("no adapter yet",))
        return SUITES[case.language].judge(case, adapter)
    except Exception:  # noqa: BLE001  # an adapter may raise anything; the case fails with the traceback
        return Verdict(differences=("the adapter raised:\n" + traceback.format_exc(),))
