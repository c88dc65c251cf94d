"""The comparison of MuranoPL deployments, a table of kinds: `deploy` here, others beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.deploy_muranopl import Adapter, DeployCase, StepOutcome
from tests.conformance.runner.deploy_muranopl_forms import compare_forms, compare_tests
from tests.conformance.runner.placeholders import Binding, Matcher, masked
from tests.conformance.runner.threads import match_in_order

__all__ = ["KINDS", "judge"]

Compare = Callable[[DeployCase, Any], list[str]]
_TEMPLATE_KEYS = ("template", "parameters", "files", "environment", "tags")
_VIOLATION = "ContractViolationException"
_HEADER_DEFAULTS: Mapping[str, Any] = {"name": None, "metadata": None, "_actions": {}}


def judge(case: Case, adapter: Adapter) -> Verdict:
    assert isinstance(case, DeployCase)
    compare = KINDS.get(case.kind)
    if compare is None:
        return Verdict(differences=(f"nothing runs cases of the kind {case.kind!r} yet",))
    outcome = adapter(case)
    return Verdict(differences=tuple(compare(case, outcome)))


def compare_runs(case: DeployCase, outcomes: Sequence[StepOutcome]) -> list[str]:
    """Placeholders mean the same over all steps of a case, so a binding is looked for over all of them."""
    matcher = Matcher()
    for _ in _match_steps([step["expect"] for step in case.steps], outcomes, 0, {}, matcher):
        return []
    return [matcher.deepest[1] or "no way to bind the placeholders"]


def _match_steps(
    wanted: Sequence[Mapping[str, Any]],
    outcomes: Sequence[StepOutcome],
    index: int,
    binding: Binding,
    matcher: Matcher,
) -> Iterator[Binding]:
    if index == len(wanted):
        yield binding
        return
    for extended in _match_step(wanted[index], outcomes[index], binding, matcher, f"step {index + 1}"):
        yield from _match_steps(wanted, outcomes, index + 1, extended, matcher)


def _match_step(
    want: Mapping[str, Any], real: StepOutcome, binding: Binding, matcher: Matcher, step: str
) -> Iterator[Binding]:
    error = want.get("error")
    if (error is None) != (real.error is None):
        matcher.differ((step, "error", "", "", "", "", "", "", ""), error, real.error)
        return
    for after_error in _match_error(error, real.error, binding, matcher, step):
        for after_effects in _match_effects(want["effects"], real.effects, after_error, matcher, step):
            for after_model in _match_model(want["model"], real.model, after_effects, matcher, step):
                for after_reports in _match_reports(want, real, after_model, matcher, step):
                    yield from matcher.match(want.get("result"), real.result, after_reports, (step, "result"))


# -- effects ----------------------------------------------------------------------------------------------------------


def _match_effects(
    want: Sequence[Mapping[str, Any]],
    real: Sequence[Mapping[str, Any]],
    binding: Binding,
    matcher: Matcher,
    step: str,
) -> Iterator[Binding]:
    """Templates that branches push grow together, so that only the last of each stack is known; all else is as recorded."""

    def entry(left: Any, right: Any, bound: Binding, inside: bool) -> Iterator[Binding]:
        yield from matcher.match(
            _shown_effect(left, inside=inside),
            _shown_effect(right, inside=inside),
            bound,
            (step, "effects", left.get("stack") or ""),
        )

    for extended in match_in_order(want, real, binding, matcher, entry):
        yield from _match_last(_last_templates(want), _last_templates(real), extended, matcher, step)


def _shown_effect(effect: Mapping[str, Any], *, inside: bool) -> dict[str, Any]:
    shown = _unthreaded(effect)
    if inside and "heat" in shown:
        shown = {key: value for key, value in shown.items() if key not in _TEMPLATE_KEYS}
        shown["heat"] = "delete" if shown["heat"] == "delete" else "push"
    normal: dict[str, Any] = _normal_scripts(shown)
    return normal


def _unthreaded(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "thread"}


def _normal_scripts(value: Any) -> Any:
    """Texts that are the library's own say nothing: the script that puts a file, the packages of a machine's first boot."""
    if isinstance(value, list):
        return [_normal_scripts(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("Name") == "putFile.sh" and "Body" in value:
        return {**value, "Body": "(free)"}
    if "$cloudConfig" in value:
        return {"$cloudConfig": {"hostname": value["$cloudConfig"].get("hostname")}}
    return {key: _normal_scripts(item) for key, item in value.items()}


def _last_templates(effects: Sequence[Mapping[str, Any]]) -> list[tuple[Any, Any, Any]]:
    """The last push of every stack."""
    last: dict[tuple[Any, Any], Any] = {}
    for effect in effects:
        if "heat" in effect:
            last[effect.get("region"), effect.get("stack")] = _normal_scripts(
                {key: effect.get(key) for key in _TEMPLATE_KEYS}
            )
    return [(*key, value) for key, value in last.items()]


def _match_last(
    want: list[tuple[Any, Any, Any]],
    real: list[tuple[Any, Any, Any]],
    binding: Binding,
    matcher: Matcher,
    step: str,
) -> Iterator[Binding]:
    if not want:
        yield binding
        return
    if len(want) != len(real):
        matcher.differ((step, "last templates"), len(want), len(real))
        return
    for index, candidate in enumerate(real):
        others = real[:index] + real[index + 1 :]
        for extended in matcher.match(want[0], candidate, binding, (step, "last template")):
            yield from _match_last(want[1:], others, extended, matcher, step)


# -- reports, error, model --------------------------------------------------------------------------------------------


def _match_reports(
    want: Mapping[str, Any], real: StepOutcome, binding: Binding, matcher: Matcher, step: str
) -> Iterator[Binding]:
    reports = list(want["reports"])
    if want.get("error") and _is_informative(want["error"]) and reports:
        # The engine's own report of an error in words of Python: that there is one counts.
        reports[-1] = {**reports[-1], "text": "<<any>>"}

    def entry(left: Any, right: Any, bound: Binding, inside: bool) -> Iterator[Binding]:
        left, right = _unthreaded(left), _unthreaded(right)
        if inside:  # what came before it depends on the turns that branches took
            del left["after"], right["after"]
        yield from matcher.match(left, right, bound, (step, "reports"))

    yield from match_in_order(reports, real.reports, binding, matcher, entry)


def _is_informative(error: Mapping[str, Any]) -> bool:
    """Exceptions of Python and of YAQL have bare names; those of the library and thrown ones are qualified."""
    return not any("." in kind for kind in error["kinds"])


def _match_error(
    want: Mapping[str, Any] | None,
    real: Mapping[str, Any] | None,
    binding: Binding,
    matcher: Matcher,
    step: str,
) -> Iterator[Binding]:
    if want is None or real is None:
        yield binding
        return
    names = ["stage", "kinds", "text", "message"]
    if _is_informative(want):
        names = ["stage", "kinds"] if want["kinds"] == [_VIOLATION] else ["stage"]
    left, right = ({name: error.get(name) for name in names} for error in (want, real))
    yield from matcher.match(left, right, binding, (step, "error"))


def _match_model(
    want: Mapping[str, Any], real: Mapping[str, Any] | None, binding: Binding, matcher: Matcher, step: str
) -> Iterator[Binding]:
    if real is None:
        matcher.differ((step, "model"), "a model", None)
        return
    left, right = _normal_model(want.get("Objects")), _normal_model(real.get("Objects"))
    for extended in matcher.match(left, right, binding, (step, "Objects")):
        yield from _match_attributes(
            _ordered(want["Attributes"]), _ordered(real["Attributes"]), extended, matcher, step
        )


def _normal_model(value: Any) -> Any:
    """The header of an object says what differs from the usual: no version, no empty entries."""
    if isinstance(value, list):
        return [_normal_model(item) for item in value]
    if not isinstance(value, dict):
        return value
    model = {key: _normal_model(item) for key, item in value.items()}
    header = model.get("?")
    if isinstance(header, dict):
        header = {key: item for key, item in header.items() if _HEADER_DEFAULTS.get(key, ...) != item}
        if "type" in header:
            header["type"] = header["type"].partition("/")[0]
        model["?"] = header
    return model


def _ordered(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    return sorted(rows, key=lambda row: (str(row[1]), str(row[2])))


def _match_attributes(
    want: list[Sequence[Any]], real: list[Sequence[Any]], binding: Binding, matcher: Matcher, step: str
) -> Iterator[Binding]:
    """A set of rows."""
    if len(want) != len(real):
        shown = [[f"{row[0]} {row[1]} {row[2]} {masked(row[3])}" for row in side] for side in (want, real)]
        matcher.differ((step, "Attributes"), *shown)
        return
    if not want:
        yield binding
        return
    like = [index for index, row in enumerate(real) if row[1:3] == want[0][1:3]]
    if not like:
        matcher.differ((step, "Attributes", ""), want[0], None)
    for index in like:
        others = real[:index] + real[index + 1 :]
        for extended in matcher.match(list(want[0]), list(real[index]), binding, (step, "Attributes")):
            yield from _match_attributes(want[1:], others, extended, matcher, step)


KINDS: dict[str, Compare] = {"deploy": compare_runs, "test": compare_tests, "ui": compare_forms}
"""How the outcome of a case is compared, by its kind."""
