"""Scalars of TOSCA: units, versions, timestamps."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from sabir.languages.tosca.model.scalars import is_integer, is_number, is_timestamp, scalar_unit
from sabir.languages.tosca.syntax.dialects import is_version, version_key


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("scalar-unit.size", "1 B", 1),
        ("scalar-unit.size", "10MB", 10_000_000),
        ("scalar-unit.size", "1 MiB", 2**20),
        ("scalar-unit.size", " 0.5 gb ", 500_000_000),
        ("scalar-unit.size", "1e3 B", 1000),
        ("scalar-unit.size", "-1 B", -1),
        ("scalar-unit.time", "2 h", 7200),
        ("scalar-unit.time", "3 m", 180),
        ("scalar-unit.frequency", "2.4 GHz", 2.4e9),
        ("scalar-unit.bitrate", "10 Mbps", 10_000_000),
        ("scalar-unit.bitrate", "1 Kibps", 1024),
        ("scalar-unit.size", "5 GHz", None),
        ("scalar-unit.size", "5", None),
        ("scalar-unit.size", "GB", None),
        ("scalar-unit.size", 5, None),
        ("scalar-unit.size", "1 2 GB", None),
    ],
)
def test_scalar_unit(kind: str, value: Any, expected: float | None) -> None:
    assert scalar_unit(kind, value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1", True),
        ("1.2", True),
        ("1.2.3", True),
        ("1.2.3.alpha-4", True),
        ("1.2-rc1", True),
        (1, True),
        (1.5, True),
        (-1, False),
        (True, False),
        ("one", False),
        ("", False),
        (None, False),
    ],
)
def test_is_version(value: Any, expected: bool) -> None:
    assert is_version(value) is expected


def test_versions_are_ordered_by_their_numbers() -> None:
    assert version_key("1.10") > version_key("1.9")
    assert version_key("2") > version_key("1.10.3")
    assert version_key(1.5) == version_key("1.5")
    assert version_key("1.0.0.beta") < version_key("1.0.0") < version_key("1.0.1.beta-2")
    assert version_key("1.0.0.beta-2") < version_key("1.0.0.beta-10")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2020-01-01", True),
        ("2020-01-01T12:00:00Z", True),
        (" 2020-01-01 12:00:00 ", True),
        (date(2020, 1, 1), True),
        ("yesterday", False),
        (20200101, False),
    ],
)
def test_is_timestamp(value: Any, expected: bool) -> None:
    assert is_timestamp(value) is expected


def test_a_flag_is_no_number() -> None:
    assert not is_integer(True)
    assert not is_number(False)
    assert is_integer(0)
    assert is_number(0.5)
    assert not is_integer(0.5)
