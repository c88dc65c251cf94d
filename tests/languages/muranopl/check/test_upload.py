"""An uploaded Murano package: status and body of the answer (spec 001, "REST API impact")."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from sabir.diagnostics.rules import Example
from sabir.operations.check import check_upload
from tests.languages.muranopl.example_packages import LIBRARY, with_class


def packed(files: Example) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


@pytest.mark.rows("V-137")
def test_a_good_package_may_be_stored() -> None:
    status, body = check_upload(packed(LIBRARY))
    assert (status, body["valid"], body["findings"]) == (200, True, [])


@pytest.mark.rows("V-137", "V-138", "V-140")
def test_a_bad_one_is_refused_with_the_list_of_errors() -> None:
    status, body = check_upload(packed(with_class("Usage: Out", "Usage: Ot")))
    assert (status, body["valid"]) == (400, False)
    assert json.loads(json.dumps(body)) == body
    (finding,) = body["findings"]
    assert (finding["code"], finding["file"], finding["line"]) == ("MPL:E042", "Classes/Counter.yaml", 15)
    # What a page shows to the person who uploaded it.
    assert body["message"] == "the package has 1 error"
    assert "'Ot'" in finding["message"]
    assert "Out" in finding["hint"]
