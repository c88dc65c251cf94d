"""Keys of encrypted values."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from sabir.deployments.store.store import StateStore
from sabir.errors import DeployError
from sabir.graph.values import Sensitive


def test_a_lost_key(tmp_path: Path) -> None:
    store = StateStore.open(str(tmp_path / "state.db"), "env", create=True)
    sealed = store.codec.write({"x": Sensitive("canary")})
    assert "canary" not in sealed
    assert store.codec.read(sealed) == {"x": Sensitive("canary")}
    (tmp_path / "key").unlink()
    store.close()
    with (
        closing(StateStore.open(str(tmp_path / "state.db"), "env")) as other,
        pytest.raises(DeployError, match="key"),
    ):
        other.codec.read(sealed)
