"""The functions of `std` that models commonly call."""

from sabir.languages.inmanta.evaluate.plugins.api import Recorder, recording

RECORDER = Recorder()
"""What the modules below register, kept for every evaluation."""

with recording(RECORDER):
    from sabir.languages.inmanta.library.std.plugins import (
        addresses,
        collections,
        resources,
        system,
        texts,
        validation,
    )

__all__ = ["RECORDER", "addresses", "collections", "resources", "system", "texts", "validation"]
