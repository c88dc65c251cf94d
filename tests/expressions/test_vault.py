"""Vault files: ours can be read, and those that ansible-vault wrote."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabir.expressions.query import QueryError
from sabir.expressions.vault import VAULT, decrypt_vault, encrypt_vault, is_vault

# Written by `ansible-vault encrypt` (ansible-core 2.15) with the password "pw".
BY_ANSIBLE = b"""$ANSIBLE_VAULT;1.1;AES256
62663262306236316531383630643537393338643263633639663935383533653633636665363033
3230363464376433383232363861366635653064316132630a393736626434333332613237626437
39313838333163303366613032646638623538663530656261396166613236663233313230333161
3865623733633235310a383766323434633635616564646664373936303935613630356462393235
6437
"""


@pytest.mark.rows("U-099")
def test_what_ansible_wrote_is_read() -> None:
    assert decrypt_vault(BY_ANSIBLE, "pw") == b"kept secret"
    labelled = BY_ANSIBLE.replace(b"1.1;AES256", b"1.2;AES256;dev")
    assert decrypt_vault(labelled, "pw") == b"kept secret"


@settings(max_examples=15, deadline=None)
@given(st.binary(max_size=100), st.text(min_size=1, max_size=10))
def test_there_and_back(plain: bytes, password: str) -> None:
    written = encrypt_vault(plain, password)
    assert is_vault(written)
    assert max(map(len, written.splitlines())) <= 80
    assert decrypt_vault(written, password) == plain


@pytest.mark.parametrize(
    "raw",
    [
        BY_ANSIBLE,
        b"$ANSIBLE_VAULT;1.1;AES256\nzz\n",
        b"$ANSIBLE_VAULT;1.1;AES\n00\n",
        b"$ANSIBLE_VAULT;9;AES256\n",
        b"x",
    ],
    ids=["wrong password", "damaged", "cipher", "version", "none"],
)
def test_what_cannot_be_opened_says_so(raw: bytes) -> None:
    with pytest.raises(QueryError) as failure:
        decrypt_vault(raw, "other")
    assert failure.value.rule is VAULT


@pytest.mark.slow
def test_ansible_reads_what_we_wrote(tmp_path: Path) -> None:
    ansible = shutil.which("ansible-vault")
    if ansible is None:
        pytest.skip("ansible-vault is not installed")
    (tmp_path / "password").write_text("pw\n")
    (tmp_path / "file").write_bytes(encrypt_vault("grüße\n".encode(), "pw"))
    command = [ansible, "view", "--vault-password-file", str(tmp_path / "password"), str(tmp_path / "file")]
    shown = subprocess.run(command, capture_output=True, check=True)
    assert shown.stdout.decode().strip() == "grüße"
