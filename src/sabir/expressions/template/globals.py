"""Functions that templates call by name: Ansible's lookup and query, and now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC
from typing import Any, Final

from jinja2 import pass_context

from sabir.expressions.query.context import Context
from sabir.expressions.query.functions.call import Call
from sabir.expressions.query.functions.lookups import run_lookup
from sabir.expressions.query.functions.registry import find

__all__ = ["GLOBALS"]


@pass_context
def lookup(names: Any, name: str, *terms: Any, **keywords: Any) -> Any:
    """`lookup('env', 'HOME')`: several results are joined by commas unless `wantlist`."""
    want_list = keywords.pop("wantlist", False)
    found = _found(names, name, terms, keywords)
    return found if want_list else found[0] if len(found) == 1 else ",".join(map(str, found))


@pass_context
def query(names: Any, name: str, *terms: Any, **keywords: Any) -> Any:
    keywords.pop("wantlist", None)
    return _found(names, name, terms, keywords)


def _found(names: Any, name: str, terms: tuple[Any, ...], keywords: Mapping[str, Any]) -> list[Any]:
    context: Context = names.rendering.context
    context.session.rests_outside()
    function = find("lookup")
    assert function is not None
    flat = [item for term in terms for item in (term if isinstance(term, list) else [term])]
    # As a function call the terms are names, never a name and its default.
    results: list[Any] = []
    for term in flat or [None]:
        results += run_lookup(name, term, keywords, Call(function, {name: term}, {}), context)
    return results


@pass_context
def now(names: Any, *, utc: bool = False, fmt: str | None = None) -> Any:
    session = names.rendering.context.session
    session.rests_outside()
    moment = session.work.clock().astimezone(UTC if utc else None)
    return moment.strftime(fmt) if fmt else moment


GLOBALS: Final[Mapping[str, Callable[..., Any]]] = {"lookup": lookup, "query": query, "q": query, "now": now}
