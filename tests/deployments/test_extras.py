from __future__ import annotations

import pytest

from sabir.errors import DeployError
from sabir.extras import require_extra


def test_missing_library_names_its_extra() -> None:
    message = r"target 'web' needs no_such_library: pip install 'sabir\[ssh\]'"
    with pytest.raises(DeployError, match=message), require_extra("ssh", "target 'web'"):
        import no_such_library  # type: ignore[import-not-found]  # pyright: ignore[reportMissingImports,reportUnusedImport]  # noqa: F401


def test_other_faults_stay_what_they_are() -> None:
    with pytest.raises(ZeroDivisionError), require_extra("ssh", "it"):
        _ = 1 / 0
