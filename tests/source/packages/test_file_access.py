"""Reading one file: what it costs is what is in it, not what it might be."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from sabir.source.packages.file_access import read_named_file
from sabir.source.packages.limits import PackageLimits, PackageReadError


def test_a_small_file_costs_little_whatever_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "model.yaml"
    file.write_bytes(b"a: 1\n")
    tracemalloc.start()
    try:
        assert read_named_file(file, PackageLimits(file=1_000_000_000)) == b"a: 1\n"
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [0, 1, 1 << 20, (1 << 20) + 1, 3_000_000])
def test_all_of_a_file_is_read(tmp_path: Path, size: int) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * size)
    assert len(read_named_file(file, PackageLimits(file=3_000_000))) == size


def test_more_than_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 11)
    with pytest.raises(PackageReadError, match="11 bytes are too much to read: the limit is 10"):
        read_named_file(file, PackageLimits(file=10))
