"""The forms of a port (S-62): `8080`, `"8080"`, `8080:30080`, `{8080: 30080}`, `{cont: , node: , ingress: }`."""

from __future__ import annotations

from typing import Final

from sabir.languages.ccp.syntax.nodes import Port
from sabir.languages.ccp.syntax.reading import BAD_FORMAT, EMPTY, OUT_OF_RANGE, Reading, dns_subdomain_pattern
from sabir.lazy import lazy_pattern
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar

__all__ = ["PortRange", "read_port"]

_number_pattern: Final = lazy_pattern(r"[0-9]{1,9}")
_pair_pattern: Final = lazy_pattern(r"([0-9]{1,9}):([0-9]{1,9})")
_KEYS: Final = ("cont", "node", "ingress")
_LOWEST, _HIGHEST = 1, 65535

PortRange = tuple[int, int]


def read_port(reading: Reading, node: YamlNode, path: str, node_ports: PortRange) -> Port | None:
    if isinstance(node, YamlMapping):
        return _from_mapping(reading, node, path, node_ports)
    # A plain 80:53 is a base-60 number to YAML 1.1; here its text counts.
    if isinstance(node, YamlScalar) and ":" in node.text and not isinstance(node.value, bool):
        pair = _pair_pattern().fullmatch(node.text.strip())
        if pair is None:
            _bad_text(reading, node, path)
            return None
        return _checked(reading, node, path, int(pair[1]), int(pair[2]), node_ports=node_ports)
    number = _number(reading, node, path)
    return None if number is None else _checked(reading, node, path, number, None, node_ports=node_ports)


def _bad_text(reading: Reading, node: YamlScalar, path: str) -> None:
    message = f"{path} must be a port or internal:external, not {node.text!r}"
    reading.fail(BAD_FORMAT, path, node, message, hint="as in 8080 or 8080:30080")


def _number(reading: Reading, node: YamlNode, path: str) -> int | None:
    if isinstance(node, YamlScalar):
        if type(node.value) is int:
            return node.value
        if isinstance(node.value, str):
            if _number_pattern().fullmatch(node.value.strip()):
                return int(node.value)
            if not node.value.strip():
                reading.fail(EMPTY, path, node, f"{path} must not be empty")
            else:
                _bad_text(reading, node, path)
            return None
    reading.wrong_type(node, path, "a port")
    return None


def _checked(
    reading: Reading, node: YamlNode, path: str, internal: int, external: int | None, *, node_ports: PortRange
) -> Port:
    problems = [
        text for text in (_internal_problem(internal), _external_problem(external, node_ports)) if text
    ]
    if problems:
        reading.fail(
            OUT_OF_RANGE, path, node, f"{path}: {' and '.join(problems)}", hint=_range_hint(problems)
        )
    return Port(path=path, place=reading.place(node), internal=internal, external=external)


def _internal_problem(port: int) -> str | None:
    return None if _LOWEST <= port <= _HIGHEST else f"{port} is no port ({_LOWEST}..{_HIGHEST})"


def _external_problem(port: int | None, node_ports: PortRange) -> str | None:
    low, high = node_ports
    if port is None or low <= port <= high:
        return None
    return f"{port} is outside the range of node ports ({low}..{high})"


def _range_hint(problems: list[str]) -> str | None:
    if any("node ports" in problem for problem in problems):
        return "the second number is the port on every node; kubernetes.node_port_range changes the range"
    return None


def _from_mapping(reading: Reading, node: YamlMapping, path: str, node_ports: PortRange) -> Port | None:
    if len(node.entries) == 1:
        key, value = node.entries[0].key, node.entries[0].value
        if isinstance(key, YamlScalar) and _number_pattern().fullmatch(key.text):
            external = _number(reading, value, path)
            return _checked(reading, node, path, int(key.text), external, node_ports=node_ports)
    entries = reading.keys(node, path, _KEYS, required=("cont",))
    if node.entries:
        reading.feature((0, 1, 0), path, node.entries[0])
    numbers: dict[str, int | None] = {"cont": None, "node": None}
    for key_name in numbers:
        if key_name not in entries:
            continue
        value, value_path = entries[key_name].value, f"{path}.{key_name}"
        number = _number(reading, value, value_path)
        numbers[key_name] = number
        if number is not None:
            problem = (
                _internal_problem(number) if key_name == "cont" else _external_problem(number, node_ports)
            )
            if problem:
                message = f"{value_path}: {problem}"
                reading.fail(OUT_OF_RANGE, value_path, value, message, hint=_range_hint([problem]))
    ingress = None
    if "ingress" in entries:
        wanted = "a host name without its domain"
        ingress = reading.matching(
            entries["ingress"].value, f"{path}.ingress", dns_subdomain_pattern(), wanted
        )
    internal = numbers["cont"]
    if internal is None:
        return None
    return Port(
        path=path,
        place=reading.place(node),
        internal=internal,
        external=numbers["node"],
        ingress=ingress or None,
    )
