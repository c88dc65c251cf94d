"""Jinja2 templates as Ansible users expect them: native types, Ansible's filters and tests, strict about undefined names.

A template is compiled once for a session, by its text. One expression keeps its type; text that reads as a Python literal becomes
that value; anything touched by a sensitive value is sensitive as a whole, unless the items can be told apart (`items`).

The environment belongs to one evaluation: it counts what the template does that is being rendered.

The first line with which a template of Ansible chooses its own signs: `#jinja2: variable_start_string: '<%', …`.

Functions that templates call by name: Ansible's lookup and query, and now.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC
from types import CodeType
from typing import Any, Final

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, pass_context
from jinja2.nativetypes import NativeEnvironment
from jinja2.runtime import Context as JinjaContext

from sabir.diagnostics.reasons import explain_error
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.patterns import PatternRefusedError
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import TOO_MUCH, QueryError, expression_rule
from sabir.expressions.query.functions.call import FunctionCall
from sabir.expressions.query.functions.lookups import run_lookup
from sabir.expressions.query.functions.registry import find_function
from sabir.expressions.query.values import MISSING, build_unknown, plain_value
from sabir.expressions.template.environment import MeteredEnvironment
from sabir.expressions.template.exposure import TemplateRendering
from sabir.expressions.template.instrumentation import add_counting
from sabir.expressions.template.limits import TemplateLimitError, refuse_no_data
from sabir.expressions.template.native import (
    ITEM_FILTERS,
    TEXT_FILTERS,
    Path,
    keep_backslashes,
    path_of,
    stays_text,
    track_items,
    value_of,
    walk_path,
)
from sabir.graph.values import Sensitive

HEADER: Final = "#jinja2:"
_SIGNS: Final = tuple(
    f"{kind}_{end}_string" for kind in ("variable", "block", "comment") for end in ("start", "end")
)
_FLAGS: Final = ("trim_blocks", "lstrip_blocks", "keep_trailing_newline")
_OPTION: Final = re.compile(r"\s*(\w+)\s*:\s*('[^']{1,20}'|\"[^\"]{1,20}\"|True|False)\s*(?:,|$)")


def split_header(text: str) -> tuple[dict[str, Any], str]:
    """The options of the first line, and the text after it. TemplateSyntaxError for a line that cannot be read."""
    if not text.startswith(HEADER):
        return {}, text
    line, _, rest = text.partition("\n")
    options: dict[str, Any] = {}
    at = len(HEADER)
    while line[at:].strip():
        match = _OPTION.match(line, at)
        if match is None or match[1] not in (*_SIGNS, *_FLAGS):
            name = match[1] if match is not None else line[at:].strip()
            hint = did_you_mean(name, (*_SIGNS, *_FLAGS))
            raise TemplateSyntaxError(f"{HEADER} knows no {name!r}" + (f": {hint}" if hint else ""), 1)
        options[match[1]] = ast.literal_eval(match[2])
        at = match.end()
    return options, rest


TEMPLATE: Final = expression_rule(
    "EXPR:E010",
    title="a template that fails",
    why="Jinja2 cannot read it, or a name in it is not defined; `default` gives a value to what may be missing.",
)

_MOST_CODES: Final = 4096


class _AnsibleUndefinedValue(StrictUndefined):
    """Reaching into something undefined stays undefined, so that `a.b | default(1)` works; using it is an error."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        return self

    def __getitem__(self, key: Any) -> Any:
        return self


class _Names(JinjaContext):
    """Names are looked up in the scope of the expression when they are used, not copied before."""

    rendering: TemplateRendering

    def resolve_or_missing(self, key: str) -> Any:
        if key in self.vars:
            return self.vars[key]
        return self.rendering.name(key, lambda: super(_Names, self).resolve_or_missing(key))


class _Environment(MeteredEnvironment, NativeEnvironment):
    """The sandbox that counts, with native types."""

    context_class = _Names
    concat = staticmethod(value_of)

    def __init__(self) -> None:
        from sabir.expressions.template.filters import FILTERS
        from sabir.expressions.template.predicates import PREDICATES

        super().__init__(
            undefined=_AnsibleUndefinedValue, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"]
        )
        self.running = 0
        """Templates that are being rendered inside one another: they share one budget."""
        self.ready: dict[str, tuple[Template, Path | None]] = {}
        self.add_filters(FILTERS)
        filters: dict[str, Any] = self.filters
        filters.update(ITEM_FILTERS)
        filters.update({name: stays_text(filters[name]) for name in TEXT_FILTERS})
        self.tests.update(PREDICATES)
        self.globals.update(GLOBALS)

    @staticmethod
    def _put_out(value: Any) -> Any:
        return value if isinstance(value, Iterator) else refuse_no_data(value)

    def template(self, text: str, codes: _Codes) -> tuple[Template, Path | None]:
        """TemplateError for a text that is none."""
        ready = self.ready.get(text)
        if ready is None:
            compiled = codes.get(text)
            if compiled is None:
                compiled = codes[text] = self._compile_text(text)
            code, path = compiled
            ready = self.ready[text] = Template.from_code(self, code, self.globals, None), path
        return ready

    def _compile_text(self, text: str) -> tuple[CodeType, Path | None]:
        # Unfurl strips the outer white space of a template before it renders it.
        options, body = split_header(text.strip())
        reading = self.overlay(**options) if options else self
        tree = reading.parse(keep_backslashes(body, reading))
        path = path_of(tree)
        track_items(tree)
        add_counting(tree)
        return self.compile(tree), path

    def value(self, template: Template, rendering: TemplateRendering) -> Any:
        names = _Names(self, self.globals, None, template.blocks)
        names.rendering = rendering
        if not self.running:
            self.meter.restart()
        self.running += 1
        try:
            return rendering.finish(self.concat(self.meter.limit_items(template.root_render_func(names))))
        finally:
            self.running -= 1


class _Codes(dict[str, tuple[CodeType, "Path | None"]]):
    """Compiled templates by their text, shared by the evaluations of a session."""

    def __setitem__(self, text: str, compiled: tuple[CodeType, Path | None]) -> None:
        if len(self) >= _MOST_CODES:
            self.clear()
        super().__setitem__(text, compiled)


def render_template(text: str, context: QueryContext) -> Any:
    """The value of a template in a context; QueryError at the place of its use when it fails."""
    session = context.session
    environment = session.tool(_Environment)
    rendering = TemplateRendering(context)
    try:
        template, path = environment.template(text, session.work.cache(_Codes))
        value = environment.value(template, rendering)
        return value if path is None or not rendering.sensitive else _part_value(value, path, context)
    except QueryError:
        raise
    except RecursionError as error:
        raise QueryError.of(TOO_MUCH, "the template leads to itself", place=context.place) from error
    except (TemplateLimitError, PatternRefusedError, OverflowError, MemoryError) as error:
        raise _template_error(TOO_MUCH, error, text, context) from error
    except Exception as error:
        if rendering.unknown:  # no filter takes what is not known yet
            return build_unknown(rendering.unknown)
        raise _template_error(TEMPLATE, error, text, context) from error


def _part_value(value: Any, path: Path, context: QueryContext) -> Any:
    """What a path gives, marked as it is there: that something beside it is a secret makes it none."""
    name, keys = path
    part = walk_path(context.scope.find(name), keys)
    if part is MISSING or not isinstance(value, Sensitive):
        return value
    if isinstance(part, Mapping | list):
        return plain_value(part)
    return value if isinstance(part, Sensitive) else value.value


def _template_error(rule: Rule, error: Exception, text: str, context: QueryContext) -> QueryError:
    return QueryError.of(
        rule, f"template {_shorten_text(text)!r}: {explain_error(error)}", place=context.place
    )


def _shorten_text(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 80 else text[:77] + "…"


@pass_context
def lookup(names: Any, name: str, *terms: Any, **keywords: Any) -> Any:
    """`lookup('env', 'HOME')`: several results are joined by commas unless `wantlist`."""
    want_list = keywords.pop("wantlist", False)
    found = _run_lookups(names, name, terms, keywords)
    return found if want_list else found[0] if len(found) == 1 else ",".join(map(str, found))


@pass_context
def query(names: Any, name: str, *terms: Any, **keywords: Any) -> Any:
    keywords.pop("wantlist", None)
    return _run_lookups(names, name, terms, keywords)


def _run_lookups(names: Any, name: str, terms: tuple[Any, ...], keywords: Mapping[str, Any]) -> list[Any]:
    context: QueryContext = names.rendering.context
    context.session.rests_outside()
    function = find_function("lookup")
    assert function is not None
    flat = [item for term in terms for item in (term if isinstance(term, list) else [term])]
    # As a function call the terms are names, never a name and its default.
    results: list[Any] = []
    for term in flat or [None]:
        results += run_lookup(name, term, keywords, FunctionCall(function, {name: term}, {}), context)
    return results


@pass_context
def now(names: Any, *, utc: bool = False, fmt: str | None = None) -> Any:
    session = names.rendering.context.session
    session.rests_outside()
    moment = session.work.clock().astimezone(UTC if utc else None)
    return moment.strftime(fmt) if fmt else moment


GLOBALS: Final[Mapping[str, Callable[..., Any]]] = {"lookup": lookup, "query": query, "q": query, "now": now}
