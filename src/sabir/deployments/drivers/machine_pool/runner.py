"""Runs one execution plan on the machine it is sent to, and writes the answer of an agent. It imports nothing of sabir.

Format 2: `Body` is Python that calls scripts by their names; a script is an application, a Puppet module or a Chef recipe, with files
that go along or are downloaded. Format 1 is PowerShell: scripts that define functions, and commands that call them.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import textwrap
import time
import urllib.request
from typing import Any

_BAD_PLAN = 2
_BAD_VERSION = 9
_SCRIPT_FAILED = 100
_NEWEST = (2, 2)
_TYPES = ("Application", "Chef", "Puppet")
_BERKSHELF = ("useBerkshelf", "berksfilePath")
_OWN_VARIABLES = ("SABIR_MARK", "SABIR_OUTPUTS")


class PlanError(Exception):
    def __init__(self, code: int, message: str, info: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.info = info


class AttributeDict(dict):  # type: ignore[type-arg]  # plans read their parameters as attributes
    """A dictionary whose entries can be read as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def main(plan: dict[str, Any]) -> None:
    """Run a plan, and write the answer where whoever sent it looks for it."""
    outputs = os.environ["SABIR_OUTPUTS"]
    for name in _OWN_VARIABLES:
        os.environ.pop(name, None)
    answer = answer_to(plan)
    with open(outputs, "w", encoding="utf-8") as file:
        json.dump({"answer": answer}, file, default=str)


def answer_to(plan: dict[str, Any]) -> dict[str, Any]:
    """The answer of an agent to a plan."""
    if str(plan.get("FormatVersion") or "1.0.0").startswith("1."):
        return _first_answer(plan)
    folder = tempfile.mkdtemp(prefix="plan-")
    before = os.getcwd()
    try:
        check_plan(plan)
        return _build_result(plan, 0, _run_body(plan, PlanFiles(plan.get("Files") or {}, folder)))
    except PlanError as error:
        return _build_result(plan, error.code, {"Message": str(error), "AdditionalInfo": error.info})
    except Exception as error:  # noqa: BLE001  whatever a plan raises is its answer
        return _build_result(plan, 1, {"Message": str(error), "AdditionalInfo": None})
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)


def _build_result(plan: dict[str, Any], code: int, body: Any) -> dict[str, Any]:
    return {
        "FormatVersion": "2.0.0",
        "SourceID": plan.get("ID"),
        "Action": "Execution:Result",
        "ErrorCode": code,
        "Body": body,
        "Time": time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()),
    }


# -- what is wrong with a plan ------------------------------------------------------------------------------------------


def check_plan(plan: dict[str, Any]) -> None:
    """Plans are refused for what agents refuse them for, under the same numbers."""
    version = _parse_version(plan["FormatVersion"])
    if version > _NEWEST:
        raise PlanError(
            _BAD_VERSION, f"Unsupported format version {plan['FormatVersion']} (I support versions <=2.2.0)"
        )
    for name in ("Scripts", "Files"):
        if name not in plan:
            raise PlanError(_BAD_PLAN, f"{name} is not in the execution plan")
        if not isinstance(plan[name], dict):
            raise PlanError(_BAD_PLAN, f"{name} is not a dictionary")
    for name, script in plan["Scripts"].items():
        _check_script(name, script, version, plan["Files"])
    for key, file in plan["Files"].items():
        _check_file(key, file, version)


def _parse_version(text: Any) -> tuple[int, int]:
    match = re.match(r"(\d+)(?:\.(\d+))?", str(text))
    if match is None:
        raise PlanError(_BAD_VERSION, f"Unsupported format version {text} (I support versions <=2.2.0)")
    return int(match[1]), int(match[2] or 0)


def _check_script(name: str, script: dict[str, Any], version: tuple[int, int], files: dict[str, Any]) -> None:
    for key in ("Type", "EntryPoint"):
        if not isinstance(script.get(key), str):
            raise PlanError(_BAD_PLAN, f"Incorrect {key} entry in script {name}")
    type_, entry = script["Type"], script["EntryPoint"]
    if version < (2, 1) and type_ != "Application":
        raise PlanError(_BAD_PLAN, f"Type {type_} is not valid for format {version[0]}.{version[1]}.0")
    if type_ not in _TYPES:
        raise PlanError(_BAD_PLAN, f"Script has not a valid type {type_}")
    if type_ == "Application" and entry not in files:
        raise PlanError(_BAD_PLAN, f"Script {name} misses entry point {entry}")
    if type_ != "Application" and "::" not in entry:
        raise PlanError(_BAD_PLAN, f"Wrong EntryPoint {entry} for Puppet/Chef executors. :: needed")
    for option in script.get("Options") or {}:
        if option in _BERKSHELF and (version < (2, 2) or type_ != "Chef"):
            place = f"version {version[0]}.{version[1]}.0" if version < (2, 2) else f"type {type_}"
            raise PlanError(_BAD_PLAN, f"Script has an option {option} invalid for {place}")
    for file in script.get("Files") or ():
        if (next(iter(file)) if isinstance(file, dict) else file) not in files:
            raise PlanError(_BAD_PLAN, f"Script {name} misses file {file}")


def _check_file(key: str, file: dict[str, Any], version: tuple[int, int]) -> None:
    if version < (2, 1) and ("Type" in file or "URL" in file):
        raise PlanError(_BAD_PLAN, f"Download file is {key} not valid for this version")
    if "Type" not in file and "Body" not in file:
        raise PlanError(_BAD_PLAN, f"Invalid file {key}: {file}")
    for name in ("URL", "Name") if "Type" in file else ("BodyType", "Name"):
        if name not in file:
            raise PlanError(_BAD_PLAN, f"Incorrect {name} entry in file {key}")
    if "Type" not in file and file["BodyType"] not in ("Text", "Base64"):
        raise PlanError(_BAD_PLAN, f"Incorrect BodyType in file {key}")


# -- the body -----------------------------------------------------------------------------------------------------------


def _run_body(plan: dict[str, Any], files: PlanFiles) -> Any:
    """The body runs inside of a function, so that it can return."""
    names: dict[str, Any] = {"args": AttributeDict(plan.get("Parameters") or {})}
    for name, script in (plan.get("Scripts") or {}).items():
        names[name] = Script(name, script, files)
    body = textwrap.indent(textwrap.dedent((plan.get("Body") or "pass").expandtabs(4)), "    ")
    exec(f"def plan_body():\n{body}\n", names)  # noqa: S102  that is what a plan is
    return names["plan_body"]()


class Script:
    """A script as the body sees it: called by its name, or with the name of a function behind it."""

    def __init__(self, name: str, script: dict[str, Any], files: PlanFiles) -> None:
        self._name = name
        self._script = script
        self._files = files
        self._options = script.get("Options") or {}

    def __getattr__(self, function: str) -> Script:
        return self

    def __call__(self, commandline: Any = None, input: Any = None, **more: Any) -> Any:  # noqa: A002  as plans call it
        commandline = more.pop("recipe_attributes", commandline)
        for file in self._script.get("Files") or ():
            self._files.put(file, self._name)
        run = {"Application": self._application, "Puppet": self._puppet, "Chef": self._chef}
        return AttributeDict(run[self._script["Type"]](commandline, input))

    def _application(self, commandline: Any, text: Any) -> dict[str, Any]:
        path = self._files.put(self._script["EntryPoint"], self._name)
        os.chmod(path, 0o500)
        words = f'"./{os.path.basename(path)}" {commandline or ""}'
        return self._run_verified(words, os.path.dirname(path), text)

    def _puppet(self, attributes: Any, text: Any) -> dict[str, Any]:
        folder = self._files.folder(self._name)
        module, recipe = self._script["EntryPoint"].rsplit("::", 1)
        cls = f"{module}::{recipe}" if recipe else module
        _write_text(os.path.join(folder, "manifest.pp"), f"node 'default' {{ class {{ {cls}:}}}}")
        if attributes is not None:
            data = {f"{module}::{name}": value for name, value in attributes.items()}
            # JSON is YAML, and needs no library.
            _write_text(os.path.join(folder, "default.yaml"), json.dumps(data))
        hierarchy = [{"name": "plan", "path": "default.yaml"}]
        settings = {
            "version": 5,
            "defaults": {"datadir": folder, "data_hash": "yaml_data"},
            "hierarchy": hierarchy,
        }
        _write_unless_there(os.path.join(folder, "hiera.yaml"), json.dumps(settings))
        words = f"puppet apply --hiera_config=hiera.yaml --modulepath '{folder}' manifest.pp"
        return self._module_ended(words, folder, text)

    def _chef(self, attributes: Any, text: Any) -> dict[str, Any]:
        folder = self._files.folder(self._name)
        cookbook, recipe = self._script["EntryPoint"].rsplit("::", 1)
        node: dict[str, Any] = {"run_list": [f"recipe[{cookbook}::{recipe}]"]}
        if attributes:
            node[cookbook] = dict(attributes)
        settings = os.path.join(folder, "solo.rb")
        _write_unless_there(settings, f'cookbook_path "{self._cookbooks(folder, cookbook, text)}"')
        _write_text(os.path.join(folder, "node.json"), json.dumps(node))
        return self._module_ended(f"chef-solo -j node.json -c '{settings}'", folder, text)

    def _cookbooks(self, folder: str, cookbook: str, text: Any) -> str:
        """Where cookbooks are: beside each other, or where Berkshelf puts them with what they need."""
        if not self._options.get("useBerkshelf"):
            return folder
        berksfile = os.path.join(folder, self._options.get("berksfilePath") or f"{cookbook}/Berksfile")
        if not os.path.isfile(berksfile):
            raise PlanError(_SCRIPT_FAILED, f"Berskfile {berksfile} not found")
        path = os.path.join(folder, "berks-cookbooks")
        os.makedirs(path, exist_ok=True)
        ended = self._module_ended(f"berks vendor --berksfile='{berksfile}' '{path}'", folder, text)
        if ended[
            "exitCode"
        ]:  # without its cookbooks there is no recipe, whatever the script says of its status
            raise PlanError(_SCRIPT_FAILED, "Berks returned error code", ended)
        return path

    def _module_ended(self, words: str, folder: str, text: Any) -> dict[str, Any]:
        """How Puppet or Chef ended: failures have the name of the recipe, and what it told of errors is among the errors."""
        result = self._output(words, folder, text)
        told = [line for line in (result["stdout"] or "").splitlines() if "ERROR" in line]
        if told and self._options.get("captureStderr", True):
            result["stderr"] = "\n".join([*filter(None, [result["stderr"]]), *told])
        return self._check_exit_code(result, self._script["EntryPoint"])

    def _run_verified(self, words: str, folder: str, text: Any) -> dict[str, Any]:
        return self._check_exit_code(self._output(words, folder, text), self._name)

    def _check_exit_code(self, result: dict[str, Any], name: str) -> dict[str, Any]:
        """A command that failed is a failure unless the script says that its status does not count."""
        if result["exitCode"] and self._options.get("verifyExitcode", True):
            raise PlanError(_SCRIPT_FAILED, f"Script {name} returned error code", result)
        return result

    def _output(self, words: str, folder: str, text: Any) -> dict[str, Any]:
        """What a command of the shell wrote, and how it ended."""
        captured = [
            subprocess.PIPE if self._options.get(option, True) else None
            for option in ("captureStdout", "captureStderr")
        ]
        process = subprocess.Popen(
            words,
            shell=True,
            cwd=folder,
            stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
            stdout=captured[0],
            stderr=captured[1],
            universal_newlines=True,
            errors="replace",
            preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL),
        )
        stdout, stderr = process.communicate(text)
        return {"exitCode": process.returncode, "stdout": _strip_text(stdout), "stderr": _strip_text(stderr)}


def _strip_text(text: str | None) -> str | None:
    return text.strip() if text else None


def _write_text(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _write_unless_there(path: str, text: str) -> None:
    """A plan may bring settings of its own."""
    if not os.path.exists(path):
        _write_text(path, text)


# -- files --------------------------------------------------------------------------------------------------------------


class PlanFiles:
    """The files of a plan; each script has a folder with those it names."""

    def __init__(self, files: dict[str, Any], folder: str) -> None:
        self._files = files
        self._folder = folder

    def folder(self, script: str) -> str:
        path = os.path.join(self._folder, script)
        os.makedirs(path, exist_ok=True)
        return path

    def put(self, file: Any, script: str) -> str:
        """Bring a file, by its id, into the folder of a script."""
        key = next(iter(file)) if isinstance(file, dict) else file
        entry = self._files[key]
        folder = self.folder(script)
        path = os.path.normpath(os.path.join(folder, entry["Name"]))
        if not path.startswith(folder + os.sep):
            raise PlanError(_BAD_PLAN, f"file {key} has a name that leads out of its folder: {entry['Name']}")
        if not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            (_download_file if entry.get("Type") == "Downloadable" else _unpack_file)(entry, path)
        return path


def _unpack_file(entry: dict[str, Any], path: str) -> None:
    body = entry["Body"]
    data = base64.b64decode(body) if entry["BodyType"] == "Base64" else body.encode("utf-8")
    with open(path, "wb") as file:
        file.write(data)


def _download_file(entry: dict[str, Any], path: str) -> None:
    address = entry["URL"]
    if address.startswith(("git://", "git+http://", "git+https://")) or address.endswith(".git"):
        _run_fetch(
            ["git", "clone", "--quiet", "--", address[4:] if address.startswith("git+") else address, path]
        )
    elif address.startswith("svn://") or re.search("https?://.*/svn/", address):
        _run_fetch(["svn", "checkout", "--quiet", "--non-interactive", "--", address, path])
    elif address.startswith(("http://", "https://")):
        os.makedirs(path)
        name = os.path.join(path, address.rsplit("/", 1)[1])
        with urllib.request.urlopen(address) as source, open(name, "wb") as file:
            shutil.copyfileobj(source, file)
    else:
        raise PlanError(_BAD_PLAN, f"Provided URL is not valid {address}")


def _run_fetch(words: list[str]) -> None:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PlanError(1, f"Error to fetch {words[-2]}: {done.stderr.strip()}")


# -- format 1 -----------------------------------------------------------------------------------------------------------


def _first_answer(plan: dict[str, Any]) -> dict[str, Any]:
    """Scripts of format 1 are PowerShell, whose functions the commands call."""
    shell = shutil.which("pwsh") or shutil.which("powershell")
    if shell is None:
        message = "a plan of format 1 is PowerShell, and this machine has none"
        return {"IsException": True, "Result": ["NotImplementedException", message]}
    folder = tempfile.mkdtemp(prefix="plan-")
    try:
        return _run_powershell(plan, shell, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_powershell(plan: dict[str, Any], shell: str, folder: str) -> dict[str, Any]:
    scripts = [base64.b64decode(script).decode("utf-8") for script in plan.get("Scripts") or ()]
    results: list[dict[str, Any]] = []
    for command in plan.get("Commands") or ():
        path = os.path.join(folder, "command.ps1")
        _write_text(path, "\n".join(["$ErrorActionPreference = 'Stop'", *scripts, _command_line(command)]))
        done = subprocess.run(
            [shell, "-NoProfile", "-NonInteractive", "-File", path],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            failure = ["ScriptException", done.stderr.strip(), command.get("Name"), None]
            return {"IsException": False, "Result": [*results, {"IsException": True, "Result": failure}]}
        results.append({"IsException": False, "Result": done.stdout.splitlines()})
    return {"IsException": False, "Result": results}


def _command_line(command: dict[str, Any]) -> str:
    arguments = command.get("Arguments") or {}
    words = " ".join(
        f"-{name} (ConvertFrom-Json '{_quote_value(value)}')" for name, value in arguments.items()
    )
    return f"{command['Name']} {words}"


def _quote_value(value: Any) -> str:
    return json.dumps(value).replace("'", "''")
