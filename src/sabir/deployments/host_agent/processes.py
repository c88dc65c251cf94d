"""Processes that stay: started once, known by a pid file that says which operation started them.

A process is started in a session of its own, whose number is in the pid file. It runs as long as a process of the session does, and
is stopped with all of them. Its port is looked up in the sockets that these processes hold, so that another server on the same port
is not taken for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import socket
import time
from typing import Any

from sabir.deployments.host_agent.commands import environment_for, start_process
from sabir.deployments.host_agent.root import Fields, HostAgentError, HostRoot

__all__ = ["Process"]

# The shell writes the pid file and then becomes the process: there is no moment in which it runs and nobody knows.
_AROUND = """\
sabir_umask=$(umask) && umask 077
printf '{"pid": %s, "operation": "%s", "digest": "%s"}' "$$" "$SABIR_OPERATION" "$SABIR_DIGEST" > "$SABIR_PID.new" \
&& mv "$SABIR_PID.new" "$SABIR_PID" && : >> "$SABIR_LOG" && umask "$sabir_umask" && exec "$@" >> "$SABIR_LOG" 2>&1 < /dev/null
"""
_STARTS_WITHIN = 5.0
_STOPS_WITHIN = 10.0
_LOG_LINES = 10
_LISTENING = "0A"  # in /proc/net/tcp


class Process:
    def read(self, fields: Fields, place: HostRoot) -> Fields:
        noted = self._read_pid_file(fields, place)
        if noted is None or not _is_ours(noted, self._file(fields, place)):
            return {"exists": False, "fields": {}}
        seen = {"name": fields["name"], "digest": noted["digest"]}
        return {"exists": True, "fields": seen, "results": {"pid": noted["pid"]}}

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        digest = digest_of(fields)
        seen = self.read(fields, place)
        if seen["exists"] and seen["fields"]["digest"] == digest:
            return {"changed": False, "results": seen["results"]}
        if seen["exists"]:
            self._stop(fields, place)
        return self._start_process(task, place, digest)

    def delete(self, task: Fields, place: HostRoot) -> Fields:
        running = self.read(task["fields"], place)["exists"]
        if running:
            self._stop(task["fields"], place)
        file = self._file(task["fields"], place)
        if os.path.exists(file):
            os.unlink(file)
        return {"changed": running}

    def observe(self, task: Fields, place: HostRoot) -> Fields:
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

    def _file(self, fields: Fields, place: HostRoot) -> str:
        return place.path(fields.get("pid_file") or f"run/{fields['name']}.pid")

    def _read_pid_file(self, fields: Fields, place: HostRoot) -> Fields | None:
        try:
            with open(self._file(fields, place), encoding="utf-8") as file:
                noted = json.load(file)
        except (OSError, ValueError):
            return None
        return noted if isinstance(noted, dict) and isinstance(noted.get("pid"), int) else None

    def _start_process(self, task: Fields, place: HostRoot, digest: str) -> Fields:
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
        logged = os.path.getsize(log) if os.path.exists(log) else 0
        process = start_process(
            ["/bin/sh", "-c", _AROUND, "sabir", *_command_arguments(fields["run"])], directory, variables
        )
        try:
            notes = self._wait(process, fields, file)
        except HostAgentError as error:
            _stop_all(process.pid, float(fields.get("stop_within") or _STOPS_WITHIN))
            process.poll()
            with contextlib.suppress(OSError):
                os.unlink(file)
            raise HostAgentError(f"{error}{_last_lines(log, logged)}") from None
        # Nobody waits for it from now on; without this the interpreter warns that it still runs.
        process.returncode = 0
        return {"changed": True, "results": {"pid": process.pid}, "log": notes}

    def _wait(self, process: Any, fields: Fields, file: str) -> list[str]:
        """Wait until it is ready: it holds its port, or has stayed alive for a moment. Return what people should know."""
        port = fields.get("port")
        within = float(fields.get("ready_within") or _STARTS_WITHIN)
        end = time.monotonic() + within
        settled = time.monotonic() + 0.2
        while True:
            status = process.poll()
            # A line such as `server &` ends, and leaves its process behind.
            if status is not None and (status != 0 or not _members(process.pid)):
                when = f"before it listened on port {port}" if port else "at once"
                raise HostAgentError(f"it ended {when} with status {status}")
            holder = _Holder.of(int(port), process.pid) if port else None
            if os.path.exists(file) and (holder.is_ready if holder else time.monotonic() >= settled):
                return holder.notes if holder else []
            if time.monotonic() >= end:
                if holder is None:
                    raise HostAgentError(f"it did not start within {within:g} s")
                raise HostAgentError(f"it did not listen on port {port} within {within:g} s{holder.words}")
            time.sleep(0.02)

    def _stop(self, fields: Fields, place: HostRoot) -> None:
        noted = self._read_pid_file(fields, place)
        if noted is None:
            return
        _stop_all(noted["pid"], float(fields.get("stop_within") or _STOPS_WITHIN))


def digest_of(fields: Fields) -> str:
    """Tells whether a running process is the wanted one; secrets in its environment are not given away by it."""
    told = {name: fields.get(name) for name in ("run", "directory", "environment", "port")}
    text = json.dumps(told, sort_keys=True, default=str).encode("utf-8")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _command_arguments(run: Any) -> list[str]:
    return ["/bin/sh", "-c", run] if isinstance(run, str) else [str(word) for word in run]


def _is_ours(noted: Fields, file: str) -> bool:
    """Whether the process runs, and has not only got the number of ours: then it began after the pid file was written."""
    members = _members(noted["pid"])
    if noted["pid"] not in members:
        return any(_was_started_by(noted.get("operation"), member) for member in members)
    try:
        ticks = members[noted["pid"]]
        with open("/proc/stat", encoding="utf-8") as opened:
            boot = next(int(line.split()[1]) for line in opened if line.startswith("btime"))
    except (OSError, ValueError, StopIteration):
        return False
    began = boot + ticks / os.sysconf("SC_CLK_TCK")
    return began <= os.stat(file).st_mtime + 2.0


def _was_started_by(operation: Any, process: int) -> bool:
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return f"SABIR_OPERATION={operation}".encode() in file.read().split(b"\0")
    except OSError:
        return False


def _members(leader: int) -> dict[int, int]:
    """Find the living processes of a session, and what they started, each with the time when it began."""
    parents: dict[int, int] = {}
    began: dict[int, int] = {}
    found: list[int] = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        process, words = int(name), _status_words(int(name))
        if words is None:
            continue
        parents[process], began[process] = int(words[1]), int(words[19])
        if process == leader or leader in (int(words[2]), int(words[3])):
            found.append(process)
    children: dict[int, list[int]] = {}
    for process, parent in parents.items():
        children.setdefault(parent, []).append(process)
    members = dict.fromkeys(found)
    for process in found:
        for child in children.get(process, ()):
            if child not in members:
                members[child] = None
                found.append(child)
    return {process: began[process] for process in members}


def _stop_all(leader: int, within: float) -> None:
    """Ask all processes of a session to end, and kill those that have not after a while."""
    end = time.monotonic() + within
    number = signal.SIGTERM
    asked = _members(leader)
    _signal_all(asked, number)
    while True:
        with contextlib.suppress(ChildProcessError, OSError):
            os.waitpid(leader, os.WNOHANG)
        left = {**_still(asked), **_members(leader)}
        if not left:
            return
        fresh = {process: began for process, began in left.items() if asked.get(process) != began}
        if time.monotonic() >= end and number is signal.SIGKILL:
            raise HostAgentError(f"process {min(left)} did not end when it was killed")
        if time.monotonic() >= end:
            number, fresh = signal.SIGKILL, left
            end = time.monotonic() + _STOPS_WITHIN
        _signal_all(fresh, number)
        asked = {**asked, **fresh}
        time.sleep(0.02)


def _still(processes: dict[int, int]) -> dict[int, int]:
    """Those that live: one that left the session when its parent ended is not found there any more."""
    return {process: began for process, began in processes.items() if _began(process) == began}


def _began(process: int) -> int | None:
    words = _status_words(process)
    return None if words is None else int(words[19])


def _status_words(process: int) -> list[str] | None:
    """The words behind the name in its `stat`; None when it has ended."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            words = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if words[0] in "ZX" else words


def _signal_all(processes: dict[int, int], number: int) -> None:
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass
        except PermissionError as error:
            raise HostAgentError(
                f"process {process} cannot be stopped: it belongs to another user"
            ) from error


class _Holder:
    """Which process listens on a port."""

    def __init__(self, *, is_ready: bool, words: str = "", notes: list[str] | None = None) -> None:
        self.is_ready = is_ready
        self.words = words
        """Why it is not the one that was started, for the end of a message."""
        self.notes = notes or []

    @staticmethod
    def of(port: int, leader: int) -> _Holder:
        sockets = _listening_sockets(port)
        if sockets is None:
            return _Holder._answering(port)
        if not sockets:
            return _Holder(is_ready=False)
        unreadable = []
        for process in _members(leader):
            held = _held_by(process, sockets)
            if held:
                return _Holder(is_ready=True)
            if held is None:
                unreadable.append(process)
        other = next(
            (name for name in os.listdir("/proc") if name.isdigit() and _held_by(int(name), sockets)), None
        )
        if other is not None:
            return _Holder(is_ready=False, words=f": another process listens on it ({_title(other)})")
        if unreadable:
            note = f"port {port} is in use, but sabir may not see whether process {unreadable[0]} holds it"
            return _Holder(is_ready=True, notes=[note])
        return _Holder(is_ready=False, words=": another process listens on it")

    @staticmethod
    def _answering(port: int) -> _Holder:
        """Without a list of sockets: whoever answers may be another."""
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=0.5):
                note = (
                    f"port {port} accepts connections, but which process holds it is unknown on this system"
                )
                return _Holder(is_ready=True, notes=[note])
        except OSError:
            return _Holder(is_ready=False)


def _listening_sockets(port: int) -> set[str] | None:
    """Find the sockets that listen on a port, as the links of open files name them; None when the system has no list."""
    sockets: set[str] = set()
    is_listed = False
    for name in ("tcp", "tcp6"):
        try:
            with open(f"/proc/net/{name}", encoding="ascii", errors="replace") as file:
                lines = file.readlines()[1:]
        except OSError:
            continue
        is_listed = True
        for line in lines:
            words = line.split()
            if words[3] == _LISTENING and int(words[1].rpartition(":")[2], 16) == port:
                sockets.add(f"socket:[{words[9]}]")
    return sockets if is_listed else None


def _held_by(process: int, sockets: set[str]) -> bool | None:
    """Whether a process holds one of the sockets; None when its open files cannot be read."""
    folder = f"/proc/{process}/fd"
    try:
        names = os.listdir(folder)
    except PermissionError:
        return None
    except OSError:
        return False
    for name in names:
        with contextlib.suppress(OSError):
            if os.readlink(f"{folder}/{name}") in sockets:
                return True
    return False


def _title(process: str) -> str:
    try:
        with open(f"/proc/{process}/comm", encoding="utf-8", errors="replace") as file:
            return f"{file.read().strip()}, pid {process}"
    except OSError:
        return f"pid {process}"


def _last_lines(log: str, begin: int) -> str:
    """The end of what it wrote to its log since it was started."""
    try:
        with open(log, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(begin if begin <= size else 0, size - 16_000))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f": {'; '.join(lines[-_LOG_LINES:])}" if lines else ""
