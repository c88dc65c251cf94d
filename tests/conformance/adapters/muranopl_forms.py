"""Drives the forms of MuranoPL packages: a UI definition, what is filled in, what the cloud offers."""

from __future__ import annotations

from typing import Any

from sabir.errors import SabirError
from sabir.languages.muranopl.evaluate.forms.cloud import Offers
from sabir.languages.muranopl.evaluate.forms.definition import read_definition
from sabir.languages.muranopl.evaluate.forms.models import Wizard
from sabir.text import Source
from tests.conformance.runner.deploy_muranopl import DeployCase

__all__ = ["run_forms"]

CLASS = "cases.Ui.App"


def run_forms(case: DeployCase) -> dict[str, Any]:
    """The outcome in the form of `expect`."""
    raw = case.raw
    try:
        definition = read_definition(Source("UI/ui.yaml", raw["ui"]))
        offers = Offers(cloud=raw.get("cloud") or {})
        wizard = Wizard(definition, CLASS, offers=offers, parameters=raw.get("parametersResult"))
        filled = wizard.fill(raw.get("input") or {})
    except SabirError as error:
        return {"error": str(error)}
    if filled.errors:
        return {"forms": filled.forms, "errors": filled.errors}
    return {"forms": filled.forms, "data": filled.values, "model": filled.model}
