"""lookup: Ansible's lookups env, file and url, and Unfurl's own; plug-ins may add others, and Ansible itself where it is installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.query.access import FILE_NOT_FOUND, absolute, base_directory, read_bytes
from sabir.expressions.query.context import Context
from sabir.expressions.query.errors import expression_rule
from sabir.expressions.query.functions.call import Call
from sabir.expressions.query.functions.environment import variable
from sabir.expressions.query.functions.registry import Function, Lookup, load_plugins, table
from sabir.expressions.query.values import reveal_deep

__all__ = ["FUNCTIONS", "LOOKUPS", "run_lookup"]

UNKNOWN_LOOKUP: Final = expression_rule(
    "EXPR:E005",
    title="a lookup that does not exist",
    why="env, file, url and unfurl are there; others come with plug-ins.",
)


def lookup_function(call: Call, context: Context) -> Any:
    spec = call.argument
    if not isinstance(spec, Mapping) or not spec:
        call.fail(context, "lookup needs a map: the lookup's name with its argument, then its keywords")
    name, *_ = spec
    value = reveal_deep(call.value(context, spec[name]))
    keywords = {key: reveal_deep(call.value(context, raw)) for key, raw in spec.items() if key != name}
    found = run_lookup(str(name), value, keywords, call, context)
    return found[0] if len(found) == 1 else found


def run_lookup(name: str, value: Any, keywords: Mapping[str, Any], call: Call, context: Context) -> list[Any]:
    run = LOOKUPS.get(name.removeprefix("ansible.builtin.")) or load_plugins().lookups.get(name)
    terms = value if isinstance(value, list) else [value]
    if run is None:
        answer = _of_ansible(name, terms, keywords, call, context)
        if answer is not None:
            return answer
        there = [*LOOKUPS, *load_plugins().lookups]
        hint = did_you_mean(name, there) or (
            f"there are {', '.join(there)}; a plug-in can add others, and with --trust scripts those of ansible-core run where it is installed"
        )
        call.fail(context, f"there is no lookup {name!r}", UNKNOWN_LOOKUP, hint)
    return run(terms, keywords, call, context)


def _of_ansible(
    name: str, terms: list[Any], keywords: Mapping[str, Any], call: Call, context: Context
) -> list[Any] | None:
    """What Ansible answers, where it is installed and may run; None: it has no such lookup."""
    if not context.session.work.trust.scripts:
        return None
    from sabir.expressions.query.functions.ansible import ansible_lookup

    return ansible_lookup(name, terms, keywords, call, context)


def env(terms: list[Any], keywords: Mapping[str, Any], call: Call, context: Context) -> list[Any]:
    """S-89: the second item is the default."""
    default = keywords.get("default", "")
    if len(terms) == 2:
        terms, default = terms[:1], terms[1]
    if not all(isinstance(term, str) for term in terms):
        call.fail(context, "lookup env needs the name of a variable")
    values = [variable(term, call, context) for term in terms]
    return [default if value is None else value for value in values]


def file(terms: list[Any], keywords: Mapping[str, Any], call: Call, context: Context) -> list[Any]:
    found: list[Any] = []
    for term in terms:
        path = absolute(str(term), context.directory or base_directory(context))
        raw = read_bytes(path, call, context)
        if raw is None:
            call.fail(context, f"there is no file {str(path)!r}", FILE_NOT_FOUND)
        text = raw.decode("utf-8", errors="replace")
        text = text.rstrip() if keywords.get("rstrip", True) else text
        found.append(text.lstrip() if keywords.get("lstrip", False) else text)
    return found


def url(terms: list[Any], keywords: Mapping[str, Any], call: Call, context: Context) -> list[Any]:
    from sabir.expressions.query.network import fetch

    found: list[Any] = []
    for term in terms:
        raw = fetch(str(term), keywords, call, context)
        text = raw.decode("utf-8", errors="replace")
        found.extend(text.splitlines() if keywords.get("split_lines", True) else [text])
    return found


def unfurl(terms: list[Any], keywords: Mapping[str, Any], call: Call, context: Context) -> list[Any]:
    """Expressions, from where the template stands."""
    from sabir.expressions.query.values import plain

    del keywords
    return [plain(call.single(context, term)) for term in terms]


LOOKUPS: Final[Mapping[str, Lookup]] = {"env": env, "file": file, "url": url, "unfurl": unfurl}
FUNCTIONS: Final = table(
    Function("lookup", lookup_function),
)
