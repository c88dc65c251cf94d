"""Descriptions of clouds: names stand for entries, and what is not as it should be is named."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.errors import InputError
from sabir.languages.muranopl.evaluate.forms.cloud import read_cloud


@pytest.mark.parametrize(
    ("described", "read"),
    [
        ({"keypairs": ["k"]}, {"keypairs": ["k"]}),
        ({"flavors": ["small"]}, {"flavors": [{"id": "small", "name": "small"}]}),
        ({"zones": [{"name": "nova"}]}, {"zones": [{"id": "nova", "name": "nova"}]}),
        (
            {"flavors": [{"id": "f", "name": "n", "ram": 1}]},
            {"flavors": [{"id": "f", "name": "n", "ram": 1}]},
        ),
    ],
)
def test_descriptions(described: Any, read: Any) -> None:
    assert read_cloud(described) == read


@pytest.mark.parametrize(
    ("described", "words"),
    [
        ([], "is a mapping with keypairs"),
        ({"flavours": []}, r"a cloud has no 'flavours'; did you mean 'flavors'\?"),
        ({"flavors": "small"}, "flavors of a cloud is a list"),
        ({"flavors": [{"ram": 1}]}, r"flavors\[0\] of a cloud has neither id nor name"),
        ({"networks": [3]}, r"networks\[0\] of a cloud is a mapping, not 3"),
        ({"keypairs": [{"name": "k"}]}, r"keypairs\[0\] of a cloud is a name"),
        ({"packages": [{}]}, r"packages\[0\] of a cloud has no 'fqn'"),
        (
            {"applications": [{"?": {"type": "x"}}]},
            r"applications\[0\] of a cloud has no '\?' with type and id",
        ),
    ],
)
def test_what_is_wrong_is_named(described: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_cloud(described)
