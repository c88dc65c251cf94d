"""How an operation is run: the program that its file asks for, and what surrounds it.

A shell comes first: it writes the inputs into a file, sources a script of Bash and hands back the variables that carry the names of
outputs. What the script writes into the file of outputs itself wins.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from shlex import quote
from typing import Final

__all__ = ["INPUTS", "is_playbook", "is_variable", "words"]

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BASH: Final = ".Implementation.Bash"
_PYTHON: Final = ".Implementation.Python"

INPUTS: Final = "SABIR_INPUTS_TEXT"
"""The variable that the shell takes the inputs from; the program does not see it."""
_INPUTS: Final = """\
export SABIR_INPUTS="$SABIR_MARK/inputs"
(umask 077; printf %s "$SABIR_INPUTS_TEXT" > "$SABIR_INPUTS") || exit 125
unset SABIR_INPUTS_TEXT
"""
# JSON keeps the last of two members of one name, and so do lines: what the script wrote stands behind the variables.
_SOURCED: Final = """\
__sabir_ended() {
  local __sabir_name __sabir_value __sabir_members= __sabir_lines= __sabir_written
  for __sabir_name in NAMES; do
    [ -n "${!__sabir_name+set}" ] || continue
    __sabir_value=${!__sabir_name}
    __sabir_lines+="$__sabir_name=${__sabir_value//$'\\n'/ }"$'\\n'
    __sabir_value=${__sabir_value//\\\\/\\\\\\\\}; __sabir_value=${__sabir_value//\\"/\\\\\\"}
    __sabir_value=${__sabir_value//$'\\n'/\\\\n}; __sabir_value=${__sabir_value//$'\\t'/\\\\t}; __sabir_value=${__sabir_value//$'\\r'/\\\\r}
    __sabir_members+="${__sabir_members:+,}\\"$__sabir_name\\":\\"$__sabir_value\\""
  done
  [ -n "$__sabir_members" ] || return 0
  __sabir_written=$(cat "$SABIR_OUTPUTS")
  __sabir_written=${__sabir_written#"${__sabir_written%%[![:space:]]*}"}
  case $__sabir_written in
    '') __sabir_written="{$__sabir_members}" ;;
    '{'*) __sabir_written=${__sabir_written#?}; __sabir_written=${__sabir_written#"${__sabir_written%%[![:space:]]*}"}
      case $__sabir_written in '}'*) ;; *) __sabir_members+=, ;; esac
      __sabir_written="{$__sabir_members$__sabir_written" ;;
    *) __sabir_written=$__sabir_lines$__sabir_written ;;
  esac
  printf '%s\\n' "$__sabir_written" > "$SABIR_OUTPUTS"
}
trap __sabir_ended EXIT
"""


# Ansible's own way to give something back are custom statistics; no output of its own is made to be read.
_PLUGIN: Final = """\
DOCUMENTATION = '''
name: sabir_outputs
type: aggregate
short_description: hands custom statistics back
description: Writes what set_stats gave into the file SABIR_OUTPUTS.
'''
import json
import os

from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "sabir_outputs"
    CALLBACK_NEEDS_ENABLED = True

    def _failed(self, result):
        data = result._result
        words = data.get("msg") or data.get("stderr") or data.get("stdout") or "it failed"
        with open(os.environ["SABIR_MARK"] + "/failure", "a") as file:
            file.write(f"{result._task.get_name()}: {' '.join(str(words).split())}\\n")

    def v2_runner_on_failed(self, result, ignore_errors=False):
        if not ignore_errors:
            self._failed(result)

    def v2_runner_on_unreachable(self, result):
        self._failed(result)

    def v2_playbook_on_stats(self, stats):
        outputs = {}
        for host in sorted(stats.custom, key=lambda name: name == "_run"):
            outputs.update(stats.custom[host])
        if outputs:
            with open(os.environ["SABIR_OUTPUTS"], "w") as file:
                json.dump(outputs, file)
"""
_PLAYBOOK: Final = """\
command -v ansible-playbook > /dev/null || export PATH="$PATH:"@BESIDE@
command -v ansible-playbook > /dev/null || {
  echo "ansible-playbook is not installed: pip install ansible-core" >&2
  exit 127
}
mkdir -p "$SABIR_MARK/plugins" && printf %s @PLUGIN@ > "$SABIR_MARK/plugins/sabir_outputs.py" || exit 125
export ANSIBLE_CALLBACK_PLUGINS="$SABIR_MARK/plugins${ANSIBLE_CALLBACK_PLUGINS:+:$ANSIBLE_CALLBACK_PLUGINS}"
export ANSIBLE_CALLBACKS_ENABLED="sabir_outputs${ANSIBLE_CALLBACKS_ENABLED:+,$ANSIBLE_CALLBACKS_ENABLED}"
export ANSIBLE_RETRY_FILES_ENABLED=false ANSIBLE_NOCOLOR=1 LC_ALL="${LC_ALL:-C.UTF-8}"
if [ -n "$SABIR_ADDRESS" ]; then
  printf '%s ansible_host=%s%s%s%s\\n' @HOST@ "$SABIR_ADDRESS" "${SABIR_PORT:+ ansible_port=$SABIR_PORT}" \\
    "${SABIR_USER:+ ansible_user=$SABIR_USER}" "${SABIR_KEY:+ ansible_ssh_private_key_file=\\"$SABIR_KEY\\"}" \\
    > "$SABIR_MARK/inventory"
else
  printf '%s ansible_connection=local ansible_python_interpreter="{{ ansible_playbook_python }}"\\n' @HOST@ \\
    > "$SABIR_MARK/inventory"
fi
ansible-playbook -i "$SABIR_MARK/inventory" -e "@$SABIR_INPUTS" "$0"
__status=$?
# The last line is what people are shown of a failure; Ansible's own is a table of numbers.
[ "$__status" = 0 ] || [ ! -s "$SABIR_MARK/failure" ] || cat "$SABIR_MARK/failure" >&2
exit "$__status"
"""


def is_variable(name: str) -> bool:
    return _VARIABLE.fullmatch(name) is not None


def words(
    file: str,
    type_: str | None,
    *,
    inputs: Collection[str],
    outputs: Collection[str],
    variables: Mapping[str, str],
) -> list[str]:
    """The words of the command; `type_` is that of the artifact, where it has one.

    An input wins over a variable of its name, but for those of sabir.
    """
    kind = f".{type_ or ''}"
    first = _INPUTS + _exported(variables, inputs)
    if kind.endswith(_BASH) or (file.endswith(".sh") and not kind.endswith(_PYTHON)):
        return ["bash", "-c", first + _sourced(inputs, outputs), file]
    if kind.endswith(_PYTHON) or file.endswith(".py"):
        return ["bash", "-c", first + 'exec python3 "$0"', file]
    if is_playbook(file):
        return ["bash", "-c", first + _playbook(variables), file]
    return ["bash", "-c", first + 'exec "$0"', file]


def is_playbook(file: str) -> bool:
    return file.endswith((".yaml", ".yml"))


def _playbook(variables: Mapping[str, str]) -> str:
    """Run here, for the host: the host of the node, or this machine."""
    host = variables.get("SABIR_HOST", "")
    here = "localhost" if host in ("", "ORCHESTRATOR") else host
    text = _PLAYBOOK.replace("@HOST@", quote(here)).replace(
        "@BESIDE@", quote(str(Path(sys.executable).parent))
    )
    return text.replace("@PLUGIN@", quote(_PLUGIN))


def _exported(variables: Mapping[str, str], inputs: Collection[str]) -> str:
    told = (
        f"export {name}={quote(text)}\n"
        for name, text in variables.items()
        if name.startswith("SABIR_") or name not in inputs
    )
    return "".join(told)


def _sourced(inputs: Collection[str], outputs: Collection[str]) -> str:
    names = [name for name in outputs if is_variable(name)]
    unset = [name for name in names if name not in inputs]
    text = f"unset {' '.join(unset)}\n" if unset else ""
    if names:
        text += _SOURCED.replace("NAMES", " ".join(names))
    return text + 'source "$0"'
