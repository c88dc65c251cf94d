"""The Jinja2 environment of the sandbox. Imported only when there is a template to render."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, wraps
from types import CodeType, FrameType
from typing import Any, Final

from jinja2 import BaseLoader, StrictUndefined, Template, TemplateNotFound, TemplateSyntaxError, Undefined
from jinja2.nodes import Template as TemplateTree
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from sabir.diagnostics.reasons import explain_error
from sabir.expressions.template.findings import Piece
from sabir.expressions.template.instrumentation import COUNTING, mark_outputs
from sabir.expressions.template.limits import RenderMeter, TemplateLimitError, TemplateLimits, refuse_no_data
from sabir.expressions.template.undefined import LenientRecorder, UndefinedRecorder, UndefinedUse
from sabir.text import Source

_LARGEST_RANGE = 100_000
_DEEPEST_INCLUDE = 50
_COMPILED = 4096
_GROWING = frozenset({"join", "indent", "format"})
"""Filters that may give much for a short argument, also without a further one."""
_OF_ANYTHING = frozenset({"format", "join"})
"""Filters that write all that they are given into one text."""
_OF_TEXTS = frozenset(
    {
        "string",
        "upper",
        "lower",
        "title",
        "capitalize",
        "trim",
        "replace",
        "indent",
        "escape",
        "e",
        "forceescape",
    }
    | {
        "center",
        "truncate",
        "wordwrap",
        "quote",
        "hash",
        "b64encode",
        "to_json",
        "to_yaml",
        "tojson",
        "urlencode",
    }
)
"""Filters that write their value as a text, whatever it is."""
_DROPPED_FILTERS = frozenset({"urlize", "pprint", "xmlattr"})


_TOO_DEEP: Final = "the template nests blocks or expressions too deeply"


class MeteredEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox that counts. `count` (or `mark`) must have rewritten the trees of its templates."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(
        self,
        limits: TemplateLimits | None = None,
        undefined: type[Undefined] = StrictUndefined,
        **settings: Any,
    ) -> None:
        self.meter = RenderMeter(limits or TemplateLimits())
        super().__init__(undefined=undefined, finalize=self._put_out, **settings)
        known: dict[str, Any] = self.globals
        known["range"] = self._range
        del known["lipsum"]
        self.add_filters({name: one for name, one in self.filters.items() if name not in _DROPPED_FILTERS})
        for name in _DROPPED_FILTERS:
            self.filters.pop(name, None)
        filters: dict[str, Any] = self.filters
        filters.update(COUNTING)

    # What Python's own compiler cannot take is a fault of the template: it nests too deeply.

    def _parse(self, source: str, name: str | None, filename: str | None) -> TemplateTree:
        try:
            return super()._parse(source, name, filename)
        except RecursionError:
            raise TemplateSyntaxError(_TOO_DEEP, 1, name, filename) from None

    def _generate(self, source: Any, name: Any, filename: Any, defer_init: bool = False) -> str:  # noqa: FBT001, FBT002  jinja2's
        try:
            return super()._generate(source, name, filename, defer_init)
        except RecursionError:
            raise TemplateSyntaxError(_TOO_DEEP, 1, name, filename) from None
        except (
            TypeError,
            ValueError,
            ArithmeticError,
        ) as error:  # of an expression of constants, computed here
            raise TemplateSyntaxError(explain_error(error), 1, name, filename) from None

    def _compile(self, source: str, filename: str) -> CodeType:
        try:
            return super()._compile(source, filename)
        except (SyntaxError, RecursionError):
            raise TemplateSyntaxError(_TOO_DEEP, 1, None, filename) from None

    def add_filters(self, filters: Mapping[str, Callable[..., Any]]) -> None:
        self.filters.update({name: self._wrap_filter(name, one) for name, one in filters.items()})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        self.meter.binary(operator, left, right)
        return self.meter.check_size(super().call_binop(context, operator, left, right))

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        __self.meter.call(__obj, args, kwargs)
        return __self.meter.check_size(super().call(__context, __obj, *args, **kwargs))

    @staticmethod
    def _put_out(value: Any) -> Any:
        """What stands in `{{ }}`."""
        return value if type(value) is str else refuse_no_data(value)

    def _range(self, *args: int) -> range:
        numbers = range(*args)
        # len() of a range beyond the machine's integers overflows, so the distance is computed.
        if abs((numbers.stop - numbers.start) // numbers.step) > _LARGEST_RANGE:
            raise TemplateLimitError(f"range{args} is longer than {_LARGEST_RANGE:,}")
        return numbers

    def _wrap_filter(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        meter = self.meter
        skip = 1 if getattr(function, "jinja_pass_arg", None) is not None else 0
        alone = skip + 1

        takes_text, writes_all = name in _OF_TEXTS, name in _OF_ANYTHING

        @wraps(function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            if len(args) > skip and (takes_text or callable(args[skip])):
                refuse_no_data(args[skip])
            if writes_all:
                args = (*args[:skip], *map(_only_data, args[skip:]))
                kwargs = {key: _only_data(value) for key, value in kwargs.items()}
            if len(args) > alone or kwargs or name in _GROWING:
                meter.arguments(name, args[skip:], kwargs)
            result = function(*args, **kwargs)
            if isinstance(result, Iterator):
                return meter.limit_items(result)
            return meter.check_size(result)

        return counted


def _only_data(value: Any) -> Any:
    """The value, or an iterator that refuses what it gives as soon as it is no data."""
    return map(refuse_no_data, value) if isinstance(value, Iterator) else refuse_no_data(value)


class BoundedEnvironment(MeteredEnvironment):
    """A sandbox that counts, and whose templates know the place of what they put out."""

    def __init__(
        self,
        *,
        load: Callable[[str], Source | None] = lambda _: None,
        limits: TemplateLimits | None = None,
        keep_trailing_newline: bool = True,
    ) -> None:
        self.pieces: dict[str, tuple[Piece, ...]] = {}
        self.records: list[UndefinedUse] = []
        self._sources: dict[str, Source] = {}
        self._templates: dict[str, tuple[str, Template]] = {}
        super().__init__(
            limits, loader=_Loader(load), keep_trailing_newline=keep_trailing_newline, cache_size=0
        )

    def template(self, source: Source) -> Template:
        known = self._templates.get(source.name)
        if known is not None and known[0] == source.text:
            return known[1]
        code, pieces = self.compile_source(source)
        self.pieces[source.name] = pieces
        self._sources[source.name] = source
        template: Template = self.template_class.from_code(self, code, self.make_globals(None), None)
        self._templates[source.name] = (source.text, template)
        return template

    def compile_source(self, source: Source) -> tuple[CodeType, tuple[Piece, ...]]:
        """The code of a template and the pieces that it puts out."""
        return _compile_source(source.text, source.name, trailing=self.keep_trailing_newline)

    def source_of(self, name: str | None, fallback: Source) -> Source:
        return self._sources.get(name or "", fallback)

    @contextmanager
    def record_undefined(self, *, lenient: bool = False) -> Generator[None, None, None]:
        """Note undefined names instead of failing on them; `lenient` fails where Jinja2's own undefined value does."""
        self.records.clear()
        self.undefined = (
            type("LenientRecorder", (LenientRecorder,), {"notebook": self})
            if lenient
            else type("Recorder", (UndefinedRecorder,), {"notebook": self})
        )
        try:
            yield
        finally:
            self.undefined = StrictUndefined

    def getattr(self, obj: Any, attribute: str) -> Any:
        # A key of the configuration wins over a method of dict: `web.items` is what the user wrote there.
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


@lru_cache(maxsize=2)
def _compiler_environment(*, trailing: bool) -> BoundedEnvironment:
    return BoundedEnvironment(keep_trailing_newline=trailing)


@lru_cache(maxsize=_COMPILED)
def _compile_source(text: str, name: str, *, trailing: bool) -> tuple[CodeType, tuple[Piece, ...]]:
    """The code of a template, by its content."""
    environment = _compiler_environment(trailing=trailing)
    tree = environment.parse(text, name, name)
    pieces = mark_outputs(tree, Source(name, text))
    return environment.compile(tree, name, name), pieces


class _Loader(BaseLoader):
    """What includes and imports find; everything goes through the bounded environment."""

    def __init__(self, find: Callable[[str], Source | None]) -> None:
        self._find = find

    def load(self, environment: Any, name: str, globals: Any = None) -> Template:  # noqa: A002, ARG002
        if _count_nested() > _DEEPEST_INCLUDE:
            # Left to itself Python would run out of stack, and say so again whenever one of the generators is closed.
            raise TemplateLimitError("the template calls or includes itself without end")
        source = self._find(name)
        if source is None:
            raise TemplateNotFound(name)
        template: Template = environment.template(source)
        return template


def _count_nested() -> int:
    """How many templates are being rendered, one in another."""
    count = 0
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  `inspect` is expensive to import
    while frame is not None:
        count += frame.f_code.co_name == "root" and "__jinja_template__" in frame.f_globals
        frame = frame.f_back
    return count
