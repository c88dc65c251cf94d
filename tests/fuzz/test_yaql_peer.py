"""The texts that are put to the peer; the comparison itself runs where the peer is (`SABIR_YAQL_PYTHON`)."""

from __future__ import annotations

import random

from sabir.expressions.yaql import Dialect, Engine, is_expression
from tests.fuzz.yaql_peer import expressions, run


def test_the_texts_are_expressions() -> None:
    texts = expressions(300, random.Random(5))
    assert len(texts) == 300
    engine = Engine(dialect=Dialect.MURANO)
    assert sum(is_expression(text, engine.dialect) for text in texts) > 280


def test_no_differences_but_the_documented() -> None:
    assert run(200, 3) == []
