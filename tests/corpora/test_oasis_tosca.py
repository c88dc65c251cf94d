from __future__ import annotations

import pytest

from tests.corpora.oasis_tosca import DECIDED, errors_of, suite_folder, verdicts


@pytest.mark.slow
def test_every_file_is_accepted_or_refused_as_it_must_be() -> None:
    folder = suite_folder()
    if folder is None:
        pytest.skip("SABIR_TEST_CORPORA names no folder with the suite")
    wrong = [name for name, accept in verdicts(folder, []) if accept is bool(errors_of(folder / name))]
    assert set(wrong) <= DECIDED.keys()
