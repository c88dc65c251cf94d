"""Processes that stay: started once, known by a pid file that says which operation started them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import socket
import time
from typing import Any

from sabir.deployments.hands.commands import environment_for, has_ended, started
from sabir.deployments.hands.place import Fields, HandError, Place

__all__ = ["Process"]

# The shell writes the pid file and then becomes the process: there is no moment in which it runs and nobody knows.
_AROUND = """\
sabir_umask=$(umask) && umask 077
printf '{"pid": %s, "operation": "%s", "digest": "%s"}' "$$" "$SABIR_OPERATION" "$SABIR_DIGEST" > "$SABIR_PID.new" \
&& mv "$SABIR_PID.new" "$SABIR_PID" && : >> "$SABIR_LOG" && umask "$sabir_umask" && exec "$@" >> "$SABIR_LOG" 2>&1 < /dev/null
"""
_STARTS_WITHIN = 5.0
_STOPS_WITHIN = 10.0


class Process:
    def read(self, fields: Fields, place: Place) -> Fields:
        noted = self._noted(fields, place)
        if noted is None or has_ended(noted["pid"]) or not _is_ours(noted, self._file(fields, place)):
            return {"exists": False, "fields": {}}
        seen = {"name": fields["name"], "digest": noted["digest"]}
        return {"exists": True, "fields": seen, "results": {"pid": noted["pid"]}}

    def apply(self, task: Fields, place: Place) -> Fields:
        fields = task["fields"]
        digest = digest_of(fields)
        seen = self.read(fields, place)
        if seen["exists"] and seen["fields"]["digest"] == digest:
            return {"changed": False, "results": seen["results"]}
        if seen["exists"]:
            self._stop(fields, place)
        return self._started(task, place, digest)

    def delete(self, task: Fields, place: Place) -> Fields:
        running = self.read(task["fields"], place)["exists"]
        if running:
            self._stop(task["fields"], place)
        file = self._file(task["fields"], place)
        if os.path.exists(file):
            os.unlink(file)
        return {"changed": running}

    def observe(self, task: Fields, place: Place) -> Fields:
        seen = self.read(task["fields"], place)
        if task["action"] == "delete":
            return {"sighting": "not done" if seen["exists"] else "done"}
        begun = os.path.isdir(os.path.join(place.operations, task["operation"]))
        end = time.monotonic() + 2.0
        while begun and not seen["exists"] and time.monotonic() < end:
            time.sleep(0.05)  # the shell may be just about to write its pid
            seen = self.read(task["fields"], place)
        if seen["exists"] and seen["fields"]["digest"] == digest_of(task["fields"]):
            return {"sighting": "done", "results": seen["results"]}
        return {"sighting": "not done"}

    def _file(self, fields: Fields, place: Place) -> str:
        return place.path(fields.get("pid_file") or f"run/{fields['name']}.pid")

    def _noted(self, fields: Fields, place: Place) -> Fields | None:
        try:
            with open(self._file(fields, place), encoding="utf-8") as file:
                noted = json.load(file)
        except (OSError, ValueError):
            return None
        return noted if isinstance(noted, dict) and isinstance(noted.get("pid"), int) else None

    def _started(self, task: Fields, place: Place, digest: str) -> Fields:
        fields = task["fields"]
        file = self._file(fields, place)
        log = place.path(fields.get("log") or f"log/{fields['name']}.log")
        directory = place.path(fields["directory"]) if fields.get("directory") else place.root
        for path in (file, log, os.path.join(directory, "x")):
            place.make_parent(path)
        if os.path.exists(file):
            os.unlink(file)
        place.make_mark(task["operation"])
        variables = environment_for(fields)
        variables.update(
            SABIR_PID=file, SABIR_LOG=log, SABIR_OPERATION=task["operation"], SABIR_DIGEST=digest
        )
        process = started(["/bin/sh", "-c", _AROUND, "sabir", *_words(fields["run"])], directory, variables)
        self._wait(process, fields, file, log)
        # Nobody waits for it from now on; without this the interpreter warns that it still runs.
        process.returncode = 0
        return {"changed": True, "results": {"pid": process.pid}}

    def _wait(self, process: Any, fields: Fields, file: str, log: str) -> None:
        """Until it is ready: listens on its port, or has stayed alive for a moment."""
        port = fields.get("port")
        end = time.monotonic() + float(fields.get("ready_within") or _STARTS_WITHIN)
        settled = time.monotonic() + 0.2
        while True:
            if process.poll() is not None:
                raise HandError(f"it ended at once with status {process.returncode}{_last(log)}")
            if os.path.exists(file) and (_listens(port) if port else time.monotonic() >= settled):
                return
            if time.monotonic() >= end:
                what_for = f"listen on port {port}" if port else "start"
                raise HandError(f"it did not {what_for} in time{_last(log)}")
            time.sleep(0.02)

    def _stop(self, fields: Fields, place: Place) -> None:
        noted = self._noted(fields, place)
        if noted is None:
            return
        end = time.monotonic() + float(fields.get("stop_within") or _STOPS_WITHIN)
        _signal(noted["pid"], signal.SIGTERM)
        while not _gone(noted["pid"]):
            if time.monotonic() >= end:
                _signal(noted["pid"], signal.SIGKILL)
                end = time.monotonic() + 1.0
            time.sleep(0.02)


def digest_of(fields: Fields) -> str:
    """Tells whether a running process is the wanted one; secrets in its environment are not given away by it."""
    told = {name: fields.get(name) for name in ("run", "directory", "environment", "port")}
    text = json.dumps(told, sort_keys=True, default=str).encode("utf-8")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _words(run: Any) -> list[str]:
    return ["/bin/sh", "-c", f"exec {run}"] if isinstance(run, str) else [str(word) for word in run]


def _is_ours(noted: Fields, file: str) -> bool:
    """A process that began after its pid file was written has only got the number of ours."""
    try:
        with open(f"/proc/{noted['pid']}/stat", encoding="utf-8", errors="replace") as opened:
            ticks = int(opened.read().rpartition(")")[2].split()[19])
        with open("/proc/stat", encoding="utf-8") as opened:
            boot = next(int(line.split()[1]) for line in opened if line.startswith("btime"))
    except (OSError, ValueError, StopIteration):
        return False
    began = boot + ticks / os.sysconf("SC_CLK_TCK")
    return began <= os.stat(file).st_mtime + 2.0


def _signal(process: int, number: int) -> None:
    try:
        os.killpg(process, number)
    except ProcessLookupError:
        pass
    except PermissionError as error:
        raise HandError(f"process {process} cannot be stopped: it belongs to somebody else") from error


def _gone(process: int) -> bool:
    with contextlib.suppress(ChildProcessError, OSError):
        os.waitpid(process, os.WNOHANG)
    return has_ended(process)


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", int(port)), timeout=0.5):
            return True
    except OSError:
        return False


def _last(log: str) -> str:
    try:
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file.readlines()[-20:] if line.strip()]
    except OSError:
        return ""
    return f": {lines[-1]}" if lines else ""
