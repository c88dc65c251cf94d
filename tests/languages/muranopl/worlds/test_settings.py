from __future__ import annotations

from pathlib import Path

import pytest

from sabir.languages.muranopl.worlds.settings import EngineSettings, read_settings


def test_a_file_gives_values_of_the_right_type(tmp_path: Path) -> None:
    file = tmp_path / "murano.conf"
    file.write_text(
        "[DEFAULT]\nhome_region = One\n[rabbitmq]\nhost = broker\nport = 5673\nssl = True\n"
        "[networking]\ndefault_dns = 192.0.2.1, 192.0.2.2\n"
    )
    settings = EngineSettings(groups=read_settings(file))
    assert settings.get("DEFAULT", "home_region") == "One"
    assert settings.get("rabbitmq", "port") == 5673
    assert settings.get("rabbitmq", "ssl") is True
    assert settings.get("networking", "default_dns") == ("192.0.2.1", "192.0.2.2")


def test_what_is_not_set_is_as_usual() -> None:
    assert EngineSettings().group("rabbitmq")["port"] == 5672
    with pytest.raises(KeyError):
        EngineSettings().get("rabbitmq", "colour")
