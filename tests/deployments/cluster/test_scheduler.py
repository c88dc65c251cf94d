"""Addresses of a scheduler."""

from __future__ import annotations

import pytest

from sabir.deployments.cluster.scheduler import scheduler_address
from sabir.errors import UsageError


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://x", "write dask://HOST:PORT"),
        ("dask://", "write dask://HOST:PORT"),
        ("dask://x:y", "Port could not be cast to integer value as 'y'"),
        ("dask://example.org:1", "could be read on the way; write dask\\+tls://"),
    ],
)
def test_addresses_that_are_none(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        scheduler_address(url)


def test_addresses() -> None:
    assert str(scheduler_address("dask://127.0.0.1")) == "tcp://127.0.0.1:8786"
    assert str(scheduler_address("dask+tls://example.org:99")) == "tls://example.org:99"
