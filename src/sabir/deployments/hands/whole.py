"""What kinds that belong to a machine as a whole share: they run the programs of the system, and compare field by field."""

from __future__ import annotations

import os
import subprocess

from sabir.deployments.hands.place import Fields, HandError, Place

__all__ = ["Whole", "must", "run", "said"]


def run(*words: str, timeout: float = 1800.0) -> subprocess.CompletedProcess[str]:
    variables = dict(os.environ, DEBIAN_FRONTEND="noninteractive", LC_ALL="C")
    try:
        return subprocess.run(
            words,
            capture_output=True,
            text=True,
            env=variables,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError:
        raise HandError(f"there is no program {words[0]!r} on this machine") from None
    except subprocess.TimeoutExpired:
        raise HandError(f"{words[0]} took longer than {timeout:g} seconds") from None


def must(*words: str) -> None:
    done = run(*words)
    if done.returncode:
        last = said(done)
        raise HandError(f"{' '.join(words[:2])}: {last}", passing="lock" in last.lower())


def said(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1] if lines else f"status {done.returncode}"


class Whole:
    """Kinds that are compared field by field."""

    def read(self, fields: Fields, place: Place) -> Fields:
        raise NotImplementedError

    def observe(self, task: Fields, place: Place) -> Fields:
        seen = self.read(task["fields"], place)
        if task["action"] == "delete":
            return {"sighting": "not done" if seen["exists"] else "done"}
        return {"sighting": "done" if self.fits(task["fields"], seen) else "not done"}

    def fits(self, fields: Fields, seen: Fields) -> bool:
        return bool(seen["exists"]) and all(
            seen["fields"].get(name) == value for name, value in fields.items() if value is not None
        )

    def brought(self, fields: Fields, place: Place, *words: str) -> Fields:
        """Made by a program of the system. One that somebody who is gone had begun may end just before: then it is there."""
        try:
            must(*words, "--", fields["name"])
        except HandError:
            if not self.fits(fields, self.read(fields, place)):
                raise
        return {"changed": True}

    def needs_whole(self, place: Place) -> None:
        if place.root != "/":
            raise HandError("it belongs to the machine as a whole, and this target is a folder of it")
