"""The compiles of the existing compiler's own test-suite, where the corpus is there."""

from __future__ import annotations

import sys

import pytest

from tests.corpora.inmanta_suite import DECIDED, compiles, disagreement, suite_folder

FOLDER = suite_folder()


@pytest.mark.skipif(FOLDER is None, reason="SABIR_TEST_CORPORA names no folder with inmanta-suite")
def test_nearly_all_compiles_agree() -> None:
    assert FOLDER is not None
    verdicts = {
        (number, case.test): case.test in DECIDED or disagreement(case, FOLDER) is None
        for number, case in enumerate(compiles(FOLDER))
    }
    others = [test for (_, test), agrees in verdicts.items() if not agrees]
    most = 0.03 if sys.version_info >= (3, 12) else 0.05  # some of the modules are written for that Python
    assert len(others) <= len(verdicts) * most, others
