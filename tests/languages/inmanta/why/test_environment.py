"""The law across languages: the Inmanta part of the shipped environment feeds the others, and their chains end in its lines."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sabir.graph.graph import Graph
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluation import evaluate_path
from tests.languages.inmanta.why.models import named_lines, values
from tests.languages.inmanta.why.test_law import changes

SHOP = Path(__file__).resolve().parents[4] / "examples" / "shop"
MODEL = "network/main.cf"


def graph(folder: Path, *, full: bool = False) -> Graph | None:
    evaluation = evaluate_path(folder, EvaluationRequest(full_provenance=full)).evaluation
    return None if evaluation.findings else evaluation.graph


@pytest.mark.slow
def test_every_line_that_changes_a_value_anywhere_is_in_its_chain(tmp_path: Path) -> None:
    shop = Path(shutil.copytree(SHOP, tmp_path / "shop"))
    whole = graph(shop, full=True)
    assert whole is not None
    before = values(whole)
    lines = (shop / MODEL).read_text().split("\n")
    missing: list[str] = []
    reached: set[str] = set()
    for number, line in enumerate(lines, 1):
        if number < 23:  # entities and relations
            continue
        for new in dict.fromkeys(changes(line, ["front", "back"])):
            (shop / MODEL).write_text("\n".join([*lines[: number - 1], new, *lines[number:]]))
            changed = graph(shop)
            if changed is None:
                continue
            after = values(changed)
            for value, shown in before.items():
                if after.get(value, shown) == shown or shown.startswith("→"):
                    continue
                reached.add(whole[value[0]].language if value[0] is not None else "output")
                if (MODEL, number) not in named_lines(whole, value):
                    missing.append(f"{value}: {shown} → {after[value]} by line {number}: {new}")
    assert missing == []
    assert reached == {"inmanta", "tosca", "ccp", "muranopl", "resources", "output"}
