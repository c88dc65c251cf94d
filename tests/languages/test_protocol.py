"""Every language that is installed has what the rest of sabir asks of it."""

from __future__ import annotations

import pytest

from sabir.languages.language import Language
from sabir.plugins import LANGUAGES, load_plugins, plugin_names


@pytest.mark.parametrize("name", plugin_names(LANGUAGES))
def test_a_language_has_all_calls(name: str) -> None:
    language = load_plugins(LANGUAGES).loaded[name]
    calls = [call for call in vars(Language) if not call.startswith("_")]
    assert {call for call in calls if not hasattr(language, call)} == set()
