"""How and where an operation runs: program, host, login, environment variables.

A shell script wraps each program. It writes the inputs to a file, sources Bash scripts, and returns the
variables that have the names of outputs. Values that the script itself writes to the output file take
precedence. An operation runs on the Compute node under its node. The login uses the address of that node, the
port of its endpoint, and the credential of either.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from shlex import quote
from typing import Any, Final

from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import MISSING, reveal_deep
from sabir.graph.address import Address
from sabir.graph.values import Sensitive, Unknown, Value, reveal_value
from sabir.languages.tosca.evaluate.entities import FileArtifact
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import RelationshipInstance
from sabir.languages.tosca.graph.addresses import Subject, id_of, node_of
from sabir.languages.tosca.graph.origins import plain_value
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.languages.tosca.syntax.nodes import Implementation
from sabir.languages.tosca.syntax.scopes import TypeKind

_COMPUTE: Final = "tosca.nodes.Compute"
_ORCHESTRATOR: Final = "ORCHESTRATOR"
_ADDRESSES: Final = ("public_address", "private_address")
_HERE: Final = frozenset({"", "localhost", "127.0.0.1", "::1"})


def program_of(subject: Subject, implementation: Implementation) -> tuple[str, str | None]:
    """Return the file of an implementation and the type of its artifact.

    The implementation is an inline artifact, the name of an artifact of the node, or a file.
    """
    artifact = implementation.artifact
    node = node_of(subject)
    if artifact is None:
        artifact = node.artifact_definitions.get(implementation.name)
    if artifact is not None:
        return FileArtifact(artifact, node.ensemble).location or implementation.name, artifact.type
    directory = implementation.origin.directory
    name = implementation.name
    return (name if directory is None else str(directory / name)), None


def host_of(subject: Subject, operation: str, operation_host: str | None) -> NodeInstance | None:
    """Return the Compute node that an operation runs on; None for the machine where sabir runs."""
    if operation_host == _ORCHESTRATOR:
        return None
    node: object
    if isinstance(subject, NodeInstance):
        node = subject
    else:
        at_target = operation in ("add_source", "remove_source") or operation.endswith("configure_target")
        is_target = operation_host == "TARGET" or (operation_host != "SOURCE" and at_target)
        node = subject.target if is_target else subject.source
    types = subject.ensemble.model.types
    while isinstance(node, NodeInstance):
        if types.is_a(TypeKind.NODE, node.type, _COMPUTE):
            return node
        node = node.parent
    return None


def target_of(host: NodeInstance | None) -> str | None:
    """Return the target of a host: the name of its node if it is another machine, else None.

    A host whose address is not known yet is another machine if one of its operations sets the address.
    """
    if host is None:
        return None
    address = reveal_value(address_of(host))
    if isinstance(address, Unknown):
        return host.name if _gives_address(host) else None
    return None if str(address) in _HERE else host.name


def _gives_address(host: NodeInstance) -> bool:
    """Return whether one of the operations of a host sets its address."""
    targets = {
        output.target
        for interface in host.interfaces.values()
        for operation in interface.operations.values()
        for output in operation.outputs.values()
    }
    return any(("SELF", key) in targets for key in _ADDRESSES)


def address_of(host: NodeInstance) -> Value:
    """Return the address of a host; unknown if no operation has set it yet."""
    for key in _ADDRESSES:
        try:
            value = host.get(key)
        except QueryError:
            value = MISSING
        if value is not MISSING and value is not None and not isinstance(value, Unknown):
            return plain_value(value)
    return Unknown(of=f"{id_of(host)}|{_ADDRESSES[0]}", why="the machine has no address yet")


def attribute_address(subject: Subject, target: tuple[str, ...]) -> Address:
    """Return the address of the attribute that an output is mapped to."""
    first, *path, attribute = target
    node: NodeInstance | None
    if isinstance(subject, NodeInstance):
        named = subject.ensemble.instances(first)
        node = subject if first == "SELF" else named[0] if named else None
    else:
        node = subject.target if first == "TARGET" else subject.source
    key = first if node is None else node.key
    return Address(".capabilities.".join([key, *path[:1]])).of(attribute)


def build_variables(subject: Subject, operation: NodeOperation, host: NodeInstance | None) -> dict[str, str]:
    """Return the environment variables that an operation gets in addition to its inputs."""
    node = node_of(subject)
    variables = {
        "SABIR_NODE": node.template_name,
        "SABIR_INSTANCE": node.name,
        "SABIR_INTERFACE": operation.interface,
        "SABIR_OPERATION": operation.name,
        "SABIR_HOST": _ORCHESTRATOR if host is None else host.name,
    }
    if isinstance(subject, RelationshipInstance) and subject.target is not None:
        target = subject.target
        capability = subject.target_capability
        incoming = [] if capability is None else capability.relationships
        sources = [
            link.source.name for link in incoming if link.name == subject.name and link.source is not None
        ]
        targets = [
            link.target.name
            for link in node.requirements
            if link.name == subject.name and link.target is not None
        ]
        variables |= {"SOURCE": node.name, "TARGET": target.name}
        variables |= {"SOURCES": ",".join(sources or [node.name]), "TARGETS": ",".join(targets)}
    return variables


def login_of(host: NodeInstance) -> dict[str, Value]:
    """Return the settings of an SSH target for a host: address, port, user, password or key."""
    endpoint = host.capability("endpoint") or host.capability("admin_endpoint")
    credential = _read_value(host, "credential") or (
        None if endpoint is None else _read_value(endpoint, "credential")
    )
    port = None if endpoint is None else _read_value(endpoint, "port")
    settings: dict[str, Value] = {"host": address_of(host), "root": "/"}
    if isinstance(port, int):
        settings["port"] = port
    return settings | (_read_credential(credential) if isinstance(credential, Mapping) else {})


def _read_credential(credential: Mapping[str, Any]) -> dict[str, Value]:
    """Return the login of a tosca.datatypes.Credential; its first key is the private key file."""
    login: dict[str, Value] = {}
    if credential.get("user"):
        login["user"] = str(credential["user"])
    if credential.get("token") and credential.get("token_type", "password") == "password":
        login["password"] = Sensitive(str(credential["token"]))
    keys = credential.get("keys")
    if isinstance(keys, Mapping) and keys:
        login["key"] = str(next(iter(keys.values())))
    return login


def _read_value(resource: QueryResource, key: str) -> Any:
    try:
        value = resource.get(key)
    except QueryError:
        return None
    return None if value is MISSING else reveal_deep(value)


_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BASH: Final = ".Implementation.Bash"
_PYTHON: Final = ".Implementation.Python"

INPUTS: Final = "SABIR_INPUTS_TEXT"
"""The variable that holds the inputs for the shell; it is unset before the program starts."""
_INPUTS: Final = """\
export SABIR_INPUTS="$SABIR_MARK/inputs"
(umask 077; printf %s "$SABIR_INPUTS_TEXT" > "$SABIR_INPUTS") || exit 125
unset SABIR_INPUTS_TEXT
"""
# The last of two entries of one name counts, in JSON and in lines: the script's own output is put last.
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


# Ansible returns values as custom statistics; its output is not meant to be parsed.
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
    """Return whether a name can be a shell variable."""
    return _VARIABLE.fullmatch(name) is not None


def build_command(
    file: str,
    type_: str | None,
    *,
    inputs: Collection[str],
    outputs: Collection[str],
    variables: Mapping[str, str],
) -> list[str]:
    """Return the arguments of the command that runs a file.

    The artifact type `type_`, if known, and the file extension select the program. An input overrides a
    variable of the same name, except those of sabir.
    """
    kind = f".{type_ or ''}"
    first = _INPUTS + _build_export_lines(variables, inputs)
    if kind.endswith(_BASH) or (file.endswith(".sh") and not kind.endswith(_PYTHON)):
        return ["bash", "-c", first + _build_source_lines(inputs, outputs), file]
    if kind.endswith(_PYTHON) or file.endswith(".py"):
        return ["bash", "-c", first + 'exec python3 "$0"', file]
    if is_playbook(file):
        return ["bash", "-c", first + _build_playbook(variables), file]
    return ["bash", "-c", first + 'exec "$0"', file]


def is_playbook(file: str) -> bool:
    """Return whether a file is an Ansible playbook, by its extension."""
    return file.endswith((".yaml", ".yml"))


def _build_playbook(variables: Mapping[str, str]) -> str:
    """Return the shell text that runs a playbook locally, against the host of the node."""
    host = variables.get("SABIR_HOST", "")
    here = "localhost" if host in ("", "ORCHESTRATOR") else host
    text = _PLAYBOOK.replace("@HOST@", quote(here)).replace(
        "@BESIDE@", quote(str(Path(sys.executable).parent))
    )
    return text.replace("@PLUGIN@", quote(_PLUGIN))


def _build_export_lines(variables: Mapping[str, str], inputs: Collection[str]) -> str:
    told = (
        f"export {name}={quote(text)}\n"
        for name, text in variables.items()
        if name.startswith("SABIR_") or name not in inputs
    )
    return "".join(told)


def _build_source_lines(inputs: Collection[str], outputs: Collection[str]) -> str:
    names = [name for name in outputs if is_variable(name)]
    unset = [name for name in names if name not in inputs]
    text = f"unset {' '.join(unset)}\n" if unset else ""
    if names:
        text += _SOURCED.replace("NAMES", " ".join(names))
    return text + 'source "$0"'
