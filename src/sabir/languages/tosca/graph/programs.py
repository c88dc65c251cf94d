"""How an operation is run: the program that its file asks for, and what surrounds it.

A shell comes first: it writes the inputs into a file, sources a script of Bash and hands back the variables that carry the names of
outputs. What the script writes into the file of outputs itself wins.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from shlex import quote
from typing import Final

from sabir.errors import DeployError

__all__ = ["INPUTS", "is_variable", "words"]

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
  local name value members= lines= written
  for name in NAMES; do
    [ -n "${!name+set}" ] || continue
    value=${!name}
    lines+="$name=${value//$'\\n'/ }"$'\\n'
    value=${value//\\\\/\\\\\\\\}; value=${value//\\"/\\\\\\"}
    value=${value//$'\\n'/\\\\n}; value=${value//$'\\t'/\\\\t}; value=${value//$'\\r'/\\\\r}
    members+="${members:+,}\\"$name\\":\\"$value\\""
  done
  [ -n "$members" ] || return 0
  written=$(cat "$SABIR_OUTPUTS")
  written=${written#"${written%%[![:space:]]*}"}
  case $written in
    '') written="{$members}" ;;
    '{'*) written=${written#?}; written=${written#"${written%%[![:space:]]*}"}
      case $written in '}'*) written="{$members$written" ;; *) written="{$members,$written" ;; esac ;;
    *) written=$lines$written ;;
  esac
  printf '%s\\n' "$written" > "$SABIR_OUTPUTS"
}
trap __sabir_ended EXIT
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
    if file.endswith((".yaml", ".yml")):
        raise DeployError(f"{file} is an Ansible playbook: these cannot be run yet")
    return ["bash", "-c", first + 'exec "$0"', file]


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
