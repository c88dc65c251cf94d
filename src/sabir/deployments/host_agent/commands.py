"""Commands and scripts, which cannot be looked up by what they did: each leaves marks under its operation id.

A small shell around the command writes `begun` before and `exit` after it, so that the outcome is there even when nobody waited
for it any more: the command goes on when sabir is killed, and is found the next time.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import time
from typing import Any

from sabir.deployments.host_agent.root import Fields, HostAgentError, HostRoot, write_file

__all__ = ["Command", "environment_for", "has_ended", "start_process", "text_of"]

# The marks are for their owner alone; the command has the umask that it would have without them.
_AROUND = """\
sabir_umask=$(umask) && umask 077
: > "$SABIR_MARK/stdout" && : > "$SABIR_MARK/stderr" || exit 125
echo $$ > "$SABIR_MARK/begun.new" && mv "$SABIR_MARK/begun.new" "$SABIR_MARK/begun" || exit 125
umask "$sabir_umask"
"$@" > "$SABIR_MARK/stdout" 2> "$SABIR_MARK/stderr" < /dev/null
status=$?
umask 077
echo $status > "$SABIR_MARK/exit.new" && mv "$SABIR_MARK/exit.new" "$SABIR_MARK/exit"
exit $status
"""
_LOG_BYTES = 64_000
_GRACE = 5.0
_HIDDEN = ("SABIR_KEY",)


class Command:
    """`run` (a line for the shell, or a list of words), `script` (the text of a program) or both: the script's words.

    With `undo` alone there is nothing to run until it is deleted.
    """

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        if fields.get("run") is None and fields.get("script") is None and fields.get("undo") is not None:
            return {"changed": False}
        return self._run_command(task, place, task["fields"])

    def delete(self, task: Fields, place: HostRoot) -> Fields:
        """Undone by what `undo` says, when it says something."""
        fields = task["fields"]
        if fields.get("undo") is None:
            return {"changed": False}
        guards = dict.fromkeys(("creates", "unless", "onlyif"))
        undo = dict(fields, **guards, run=fields["undo"], script=None, outputs=None)
        return self._run_command(task, place, undo)

    def observe(self, task: Fields, place: HostRoot) -> Fields:
        mark = self._mark(task, place)
        fields = task["fields"]
        if not os.path.isdir(mark):
            return {"sighting": "not done"}
        if not os.path.exists(os.path.join(mark, "begun")):
            time.sleep(0.2)  # the shell may be just about to
        begun = _read_number(os.path.join(mark, "begun"))
        if begun is None:
            return {"sighting": "not done"}
        while not has_ended(begun) and not os.path.exists(os.path.join(mark, "exit")):
            time.sleep(0.05)
        status = _read_number(os.path.join(mark, "exit"))
        if status is None:
            return {"sighting": "cannot tell", "look_at": f"{mark}: it was begun and did not end"}
        try:
            ended = self._build_result(status, mark, fields)
        except HostAgentError:
            return {"sighting": "not done"}
        return dict(ended, sighting="done")

    def _mark(self, task: Fields, place: HostRoot) -> str:
        return os.path.join(place.operations, task["operation"])

    def _run_command(self, task: Fields, place: HostRoot, fields: Fields) -> Fields:
        directory = place.path(fields["directory"]) if fields.get("directory") else place.root
        if not os.path.isdir(directory):
            raise HostAgentError(f"there is no directory {directory} to run it in")
        if self._is_needless(fields, place, directory, task.get("timeout")):
            return {"changed": False}
        mark = self._mark(task, place)
        shutil.rmtree(mark, ignore_errors=True)  # of an attempt that failed
        place.make_mark(task["operation"])
        words = self._words(fields, mark)
        variables = environment_for(fields)
        outputs = os.path.join(mark, "outputs")
        write_file(outputs, b"", 0o600)
        variables.update(SABIR_MARK=mark, SABIR_OUTPUTS=outputs)
        try:
            process = start_process(["/bin/sh", "-c", _AROUND, "sabir", *words], directory, variables)
        except OSError as error:
            if error.errno != errno.E2BIG:
                raise
            raise HostAgentError(_too_long(words, variables)) from None
        status = _wait_for_exit(process, task.get("timeout"), task.get("stopped"))
        if status is None:
            raise HostAgentError("it was left running")
        try:
            return self._build_result(status, mark, fields)
        finally:
            _forget_script(mark)

    def _is_needless(self, fields: Fields, place: HostRoot, directory: str, timeout: float | None) -> bool:
        """Whether what it is run for is there already."""
        creates, unless, onlyif = (fields.get(name) for name in ("creates", "unless", "onlyif"))
        if creates is not None and os.path.lexists(place.path(creates)):
            return True
        if unless is not None and _is_condition_met(unless, fields, directory, timeout):
            return True
        return onlyif is not None and not _is_condition_met(onlyif, fields, directory, timeout)

    def _words(self, fields: Fields, mark: str) -> list[str]:
        run, script = fields.get("run"), fields.get("script")
        if script is None:
            if run is None:
                raise HostAgentError("it says neither what to run nor a script")
            return _command_arguments(run)
        file = os.path.join(mark, "script")
        data = script if isinstance(script, bytes) else script.encode("utf-8", "surrogateescape")
        write_file(file, data, 0o700)
        interpreter = fields.get("interpreter")
        first = interpreter.split() if isinstance(interpreter, str) else list(interpreter or ())
        if not first and not data.startswith(b"#!"):
            first = ["/bin/sh"]
        rest = [] if run is None else ([run] if isinstance(run, str) else list(run))
        return [*first, file, *map(str, rest)]

    def _build_result(self, status: int, mark: str, fields: Fields) -> Fields:
        log = _read_log_lines(os.path.join(mark, "stdout")) + _read_log_lines(os.path.join(mark, "stderr"))
        if status not in (fields.get("success") or (0,)):
            last = next((line for line in reversed(log) if line.strip()), "it said nothing")
            raise HostAgentError(f"it ended with status {status}: {last}")
        results = _read_outputs(os.path.join(mark, "outputs"))
        missing = [name for name in fields.get("outputs") or () if name not in results]
        if missing:
            raise HostAgentError(f"it did not give {', '.join(missing)} (in the file SABIR_OUTPUTS)")
        return {"changed": True, "results": results, "log": log}


def _command_arguments(run: Any) -> list[str]:
    return ["/bin/sh", "-c", run] if isinstance(run, str) else [str(word) for word in run]


def _is_condition_met(run: Any, fields: Fields, directory: str, timeout: float | None) -> bool:
    """Whether a condition holds; a program that is not there is one that failed."""
    try:
        process = start_process(_command_arguments(run), directory, environment_for(fields))
    except OSError:
        return False
    return _wait_for_exit(process, timeout, None) == 0


def start_process(words: list[str], directory: str, variables: dict[str, str]) -> Any:
    """A program in a session of its own, so that it lives on when this process does not."""
    return subprocess.Popen(
        words,
        cwd=directory,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _too_long(words: list[str], variables: dict[str, str]) -> str:
    """What no system hands over to a program, by its name: it may be secret."""
    sizes = {
        f"the variable {name}": len(value.encode("utf-8", "replace")) for name, value in variables.items()
    }
    sizes.update((f"word {number} of the command", len(word)) for number, word in enumerate(words))
    largest = max(sizes, key=lambda name: sizes[name])
    return (
        f"{largest} has {sizes[largest]} bytes, more than this system hands over to a program (Linux: "
        "131071 for each): give it in a file"
    )


def environment_for(fields: Fields) -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if name not in _HIDDEN}
    for name, value in (fields.get("environment") or {}).items():
        if value is not None:
            variables[name] = text_of(value)
    return variables


def text_of(value: Any) -> str:
    """A value as programs see it: text as it is, everything else as compact JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def has_ended(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _wait_for_exit(process: Any, timeout: float | None, stopped: Any) -> int | None:
    """Its status; None when it is to be left alone. Over its time it and what it started are ended."""
    end = None if timeout is None else time.monotonic() + timeout
    pause = 0.001
    while True:
        try:
            status: int = process.wait(pause)
            return status
        except subprocess.TimeoutExpired:
            pass
        if stopped is not None and stopped():
            return None
        if end is not None and time.monotonic() >= end:
            _end_group(process)
            raise HostAgentError(f"it took longer than {timeout:g} seconds and was ended")
        pause = min(pause * 2, 0.05)


def _end_group(process: Any) -> None:
    for number, grace in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, _GRACE)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        try:
            process.wait(grace)
            if number is signal.SIGTERM:
                continue  # what it started may not have heard
        except subprocess.TimeoutExpired:
            pass


def _read_number(path: str) -> int | None:
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


def _read_log_lines(path: str) -> list[str]:
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _LOG_BYTES))
            return file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def _read_outputs(path: str) -> dict[str, Any]:
    """One JSON object, or lines of NAME=value."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return {}
    if text.lstrip().startswith("{"):
        try:
            data: dict[str, Any] = json.loads(text)
        except json.JSONDecodeError as error:  # words of ours are not at hand where this runs
            place = f"line {error.lineno}, column {error.colno}"
            raise HostAgentError(f"what it gave out begins like JSON and is none at {place}") from error
        except RecursionError as error:
            raise HostAgentError("what it gave out begins like JSON and is nested too deeply") from error
        return data
    lines = (line.partition("=") for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return {name.strip(): value for name, equals, value in lines if equals}


def _forget_script(mark: str) -> None:
    """It may hold secrets; the marks beside it do not."""
    script = os.path.join(mark, "script")
    if os.path.exists(script):
        os.unlink(script)
