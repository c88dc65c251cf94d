"""What surrounds a piece of work."""

from __future__ import annotations

import pickle

import pytest
from msgspec.structs import asdict, replace

from sabir.session import TRUST_WORDS, Session, Trust


class _Texts(dict[str, str]):
    pass


def test_a_session_allows_and_knows_nothing_unless_said() -> None:
    session = Session()
    assert not any(asdict(session.trust).values())
    assert session.environment == {}
    assert session.clock().tzinfo is not None
    assert session.monotonic() <= session.monotonic()


@pytest.mark.parametrize("word", TRUST_WORDS)
def test_a_word_of_trust_allows_that_alone(word: str) -> None:
    allowed = asdict(Trust.of([word]))
    assert [name for name, value in allowed.items() if value] == [word.replace("-", "_")]


def test_an_unknown_word_of_trust_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing that can be allowed"):
        Trust.of(["everything"])


def test_single_variables() -> None:
    trust = Trust.of(["env:PORT", "python", "env:HOME", "env:PORT"])
    assert trust.words == ("python", "env:HOME", "env:PORT")
    assert trust.with_words(["network"]) == Trust(python=True, network=True, variables=("HOME", "PORT"))
    session = Session(trust=trust, environment={"PORT": "80", "SECRET": "x"})
    assert session.visible_environment == {"PORT": "80"}
    assert Session(trust=Trust(env=True), environment={"A": "b"}).visible_environment == {"A": "b"}


def test_a_session_has_one_cache_of_a_kind_and_shares_none() -> None:
    session, other = Session(), Session()
    session.cache(_Texts)["a"] = "b"
    assert session.cache(_Texts) == {"a": "b"}
    assert replace(session, trust=Trust(python=True)).cache(_Texts) is session.cache(_Texts)
    assert other.cache(_Texts) == {}


@pytest.mark.parametrize(("environment", "debugging"), [({}, False), ({"SABIR_DEBUG": "1"}, True)])
def test_debugging(environment: dict[str, str], debugging: bool) -> None:
    assert Session(environment=environment).debugging is debugging


def test_a_session_can_be_sent_to_another_process() -> None:
    sent = pickle.loads(pickle.dumps(Session(environment={"A": "b"}, trust=Trust(network=True))))
    assert (sent.environment, sent.trust.network) == ({"A": "b"}, True)
