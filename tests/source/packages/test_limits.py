"""What may be wrong with the files of a package: the rule goes with the reason."""

from __future__ import annotations

import pytest

from sabir.diagnostics.rules import Rule
from sabir.source.packages.limits import LEADS_OUT, NOT_UTF8, TOO_MUCH, UNREADABLE, PackageReadError
from sabir.source.packages.package import PackageFile


@pytest.mark.parametrize("rule", [UNREADABLE, TOO_MUCH, LEADS_OUT], ids=lambda rule: rule.code)
def test_a_file_that_cannot_be_read_shows_the_rule_and_the_reason(rule: Rule) -> None:
    def read() -> bytes:
        raise PackageReadError(rule, "cannot be read: it is encrypted")

    file = PackageFile("secret.yaml", read)
    assert file.raw() == b""
    assert file.defect is not None
    assert (file.defect.code, file.defect.filename) == (rule.code, "secret.yaml")
    assert file.defect.message == "cannot be read: it is encrypted"
    assert file.yaml.findings == (file.defect,)
    assert file.yaml.documents == ()


def test_bytes_that_are_no_text() -> None:
    file = PackageFile("latin.yaml", "name: café\n".encode("latin-1"))
    assert file.defect is not None
    assert file.defect.code == NOT_UTF8.code
    assert file.source.text == "name: caf\ufffd\n"


def test_a_file_without_defects() -> None:
    assert PackageFile("fine.yaml", b"name: web\n").defect is None
