"""Keys of a manifest that hold something of the wrong shape."""

from __future__ import annotations

import pytest

from sabir.operations.check import check_package
from sabir.source.packages import MemoryPackage


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param("Classes: []", "MAN:E074", marks=pytest.mark.rows("V-061")),
        pytest.param("Classes: {a.B: ../x.yaml}", "MAN:E079", marks=pytest.mark.rows("V-063")),
        pytest.param('Require: {"a b": null}', "MAN:E005", marks=pytest.mark.rows("V-065")),
    ],
)
def test_found(line: str, code: str) -> None:
    manifest = f"Format: 1.4\nType: Library\nFullName: com.acme.lib\n{line}\n"
    report = check_package(MemoryPackage({"manifest.yaml": manifest}))
    places = [(finding.code, finding.location.line) for _, finding in report.findings()]
    assert (code, 4) in places
