"""Texts that must not be shown are found in whatever form they stand."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.graph import Sensitive, Value
from sabir.graph.secrets import Secrets, holds_sensitive, secret_texts

texts = st.text(min_size=6, max_size=20).filter(lambda text: not re.fullmatch("[a-z]{,10}", text))


@given(texts, st.text(max_size=9), st.text(max_size=9))
def test_a_text_is_found_however_it_is_written(secret: str, before: str, behind: str) -> None:
    secrets = Secrets([secret])
    whole = f"{before}{secret}{behind}"
    data = whole.encode("utf-8", "surrogatepass")
    for form in (
        whole,
        whole.upper() if secret.isascii() else whole,
        json.dumps(whole),
        quote(data, safe=""),
    ):
        assert secrets.are_in(form)
        assert secret not in secrets.redact(whole)
    assert secrets.are_in(b64encode(data).decode())


@pytest.mark.parametrize(
    ("value", "marked"),
    [
        ("hush", Sensitive("hush")),
        ("mysql://root:hush@db", Sensitive("mysql://root:hush@db")),
        ("calm", "calm"),
        (4711, Sensitive(4711)),
        (True, True),
        (None, None),
        ({"a": ["hush", 1], "b": 2}, {"a": [Sensitive("hush"), 1], "b": 2}),
        (Sensitive("hush"), Sensitive("hush")),
    ],
)
def test_marks(value: Value, marked: Value) -> None:
    assert Secrets(["hush", "4711"]).mark_sensitive(value) == marked


def test_short_texts_are_not_looked_for() -> None:
    assert not Secrets(["ab"])
    assert Secrets(["ab"]).redact("about") == "about"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("service/files/web.j2: line 3", "service/files/web.j2: line 3"),
        ("etc/service", "etc/service"),
        ("a service-account, services, service.yaml", "a service-account, services, service.yaml"),
        ("the service.", "the <<REDACTED>>."),
        ("password: service", "password: <<REDACTED>>"),
        ("mysql://root:service@db/shop", "mysql://root:<<REDACTED>>@db/shop"),
        ("mysqldump -uroot -pservice shop", "mysqldump -uroot -p<<REDACTED>> shop"),
        ('{"key": "SERVICE"}', '{"key": "<<REDACTED>>"}'),
        ("c2VydmljZQ==", "<<REDACTED>>Q=="),  # the last character also holds bits of what may come behind
    ],
)
def test_a_plain_word_hides_no_longer_word_or_path(text: str, shown: str) -> None:
    assert Secrets(["service"]).redact(text) == shown


def test_too_many_to_look_for_hide_everything() -> None:
    assert Secrets(f"secret-{number}" for number in range(600)).redact("calm") == "<<REDACTED>>"


def test_what_is_sensitive_in_a_value() -> None:
    assert secret_texts({"a": [Sensitive({"b": "hush", "n": 12})], "c": "calm"}) == ("12", "hush")
    assert secret_texts(["calm"]) is None
    assert holds_sensitive([Sensitive(None)])
    assert not holds_sensitive("calm")


@pytest.mark.parametrize(
    ("secret", "value", "marked"),
    [
        ("rabbitmq", {"name": "rabbitmq"}, {"name": "rabbitmq"}),
        ("rabbitmq", {"labels": {"app": "rabbitmq"}}, {"labels": {"app": "rabbitmq"}}),
        ("rabbitmq", {"name": "P", "value": "rabbitmq"}, {"name": "P", "value": Sensitive("rabbitmq")}),
        ("rabbitmq", {"command": ["rabbitmq"]}, {"command": [Sensitive("rabbitmq")]}),
        ("rabbitmq", {"name": "a rabbitmq"}, {"name": Sensitive("a rabbitmq")}),
        # What nobody calls a thing, or no plain word, is hidden wherever it stands.
        ("hush", {"name": "hush"}, {"name": Sensitive("hush")}),
        ("web2", {"name": "web2"}, {"name": Sensitive("web2")}),
        ("rabbitmq", {"name": Sensitive("rabbitmq")}, {"name": Sensitive("rabbitmq")}),
    ],
)
def test_a_name_stays_though_a_password_is_the_same_word(secret: str, value: Value, marked: Value) -> None:
    secrets = Secrets([secret], names=["rabbitmq", "web2"])
    assert secrets.mark_sensitive(value) == marked
    assert secret not in secrets.redact(f"password: {secret}")
