"""The words beside an origin, with full provenance and without."""

from __future__ import annotations

from sabir.languages.inmanta.evaluate.sites import Site

__all__ = ["site_note"]


def site_note(site: Site) -> str | None:
    words = []
    if site.refinement is not None:
        words.append(f"implementation {site.refinement}")
    if site.commit is not None:
        words.append(f"commit {site.commit[:12]}")
    return ", ".join(words) or None
