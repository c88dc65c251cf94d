"""Jinja2 templates in the scope of the call.

The free names of a template are resolved before rendering, so that a template is rendered once and
never waits half-way. Environments are sandboxed: a template is part of the model and is untrusted
input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sabir.diagnostics.reasons import explain_error
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.inmanta.evaluate.budget import LIMIT
from sabir.languages.inmanta.evaluate.calls import PLUGIN
from sabir.languages.inmanta.evaluate.interrupts import Stop, Unset, Wait
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.values import Frame, PendingSlot, Read, RelationValue
from sabir.languages.inmanta.evaluate.views import (
    InstanceView,
    UnknownException,
    UnknownView,
    instance_of,
    require_known,
    to_python,
    wrap_model_function,
)
from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME
from sabir.languages.inmanta.syntax.project import Namespace
from sabir.text import Place

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.nodes import Template as TemplateTree
    from jinja2.runtime import Context

    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler
    from sabir.languages.inmanta.evaluate.functions import PluginFunction


_OF_LOOPS = frozenset({"first", "index", "index0", "last", "length", "revindex", "revindex0"})
"""Of `loop` in a template: numbers and truth values, safe to hand out without a look at them."""


class _LoadedTemplate(Struct, eq=False):
    template: Template
    names: frozenset[str]
    shared: dict[str, Any]
    """What every template knows, flat: `Template.new_context` walks a chain of dicts each time."""

    def context(self, values: dict[str, Any]) -> Context:
        template = self.template
        environment = template.environment
        names = {**self.shared, **values}
        return environment.context_class(
            environment, names, template.name, template.blocks, globals=self.shared
        )


class ModelTemplates:
    """The templates of a project, compiled once for each namespace that uses them."""

    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler
        self._environments: dict[str, Any] = {}
        self._loaded: dict[tuple[str, str], _LoadedTemplate] = {}
        self._exhausted = 0

    def renderer(self, scope: BlockScope, place: Place) -> Callable[[Frame, str, Mapping[str, Any]], Any]:
        """Return a function that renders in a scope. Free names are compiled once per call site."""
        reads: dict[str, list[tuple[str, Read]]] = {}

        def render(frame: Frame, path: str, values: Mapping[str, Any]) -> Any:
            loaded = self._load(path, scope.space, place)
            context_reads = reads.get(path)
            if context_reads is None:
                context_reads = reads[path] = self._reads(loaded.names, scope, place)
            context: dict[str, Any] = {}
            for name, read in context_reads:
                if name not in values:
                    try:
                        context[name] = to_python(read(frame))
                    except Unset:
                        continue  # an optional relation without a value is not defined in the template
            context.update((name, to_python(value)) for name, value in values.items())
            for value in context.values():
                if type(value) is UnknownView:
                    return value.shown
            return self._render(loaded, context, scope, place)

        return render

    def _render(
        self, loaded: _LoadedTemplate, context: dict[str, Any], scope: BlockScope, place: Place
    ) -> Any:
        """Return the text, or an unknown if the template reads one."""
        import jinja2

        from sabir.expressions.template.limits import TemplateLimitError

        template = loaded.template
        meter = template.environment.meter  # type: ignore[attr-defined]  # ours, made below
        # Each template that took all its time leaves half of it to those that follow: many of them end soon, too.
        meter.restart(0.5**self._exhausted)
        size, most = 0, meter.limits.size
        parts: list[str] = []
        try:
            # What is put out is as long as the text and its loops and calls make it, and those are counted.
            for part in template.root_render_func(loaded.context(context)):
                parts.append(part)
                size += len(part)
                if size > most:
                    meter.room(size)
            return "".join(parts)
        except TemplateLimitError as error:
            self._exhausted += 1
            raise stop(LIMIT, f"template {template.name!r}: {error}", place) from None
        except UnknownException as reading:
            return reading.unknown.shown
        except jinja2.UndefinedError as error:
            raise self._explain_undefined(error, scope, place) from None
        except Stop:
            raise
        except RecursionError:
            raise stop(LIMIT, "the template includes itself without end", place) from None
        except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever a template does wrong is the model's mistake
            raise stop(PLUGIN, f"template {template.name!r} failed: {explain_error(error)}", place) from None

    def _explain_undefined(self, error: Exception, scope: BlockScope, place: Place) -> Stop:
        message = str(error)
        quoted = message.split("'")
        hint = did_you_mean(quoted[1], *scope.visible()) if len(quoted) > 2 else None
        return stop(UNKNOWN_NAME, f"in the template: {message}", place, hint=hint)

    def _reads(self, names: frozenset[str], scope: BlockScope, place: Place) -> list[tuple[str, Read]]:
        reads: list[tuple[str, Read]] = []
        for name in sorted(names):
            read = self.compiler.expressions.find(name, scope, place)
            if read is None:
                proxy = self._module(name, scope, place)
                if proxy is not None:
                    reads.append((name, _constant_read(proxy)))
            else:
                reads.append((name, read))
        return reads

    def _module(self, name: str, scope: BlockScope, place: Place) -> _ModuleProxy | None:
        """Return the proxy for `a.b.c`, which is `a::b::c` of the model (spec 002, "Templates"; decision S-58)."""
        imports = scope.space.imports
        if name in imports or any(alias.startswith(name + "::") for alias in imports):
            return _ModuleProxy(self, imports, name, place)
        return None

    def variable(self, home: str, name: str) -> Any:
        """Return a variable of a namespace; raise if it is not defined."""
        frame, slot = self.compiler.frame(home), self.compiler.scopes[home].names[name]
        value = frame[slot]
        if type(value) is PendingSlot:
            raise Wait(frame, slot)
        return to_python(value)

    def python(self, function: PluginFunction) -> Callable[..., Any]:
        """Return a function in the form that templates call."""
        return wrap_model_function(function.call)

    def _load(self, path: str, space: Namespace, place: Place) -> _LoadedTemplate:
        key = (space.name, path)
        loaded = self._loaded.get(key)
        if loaded is None:
            loaded = self._loaded[key] = self._compile(path, space, place)
        return loaded

    def _compile(self, path: str, space: Namespace, place: Place) -> _LoadedTemplate:
        import jinja2
        from jinja2 import meta

        environment = self._environments.get(space.name)
        if environment is None:
            environment = self._environments[space.name] = self._environment(space)
        try:
            names: set[str] = set()
            todo, seen = [path], {path}
            while todo:
                text, _, _ = environment.loader.get_source(environment, todo.pop())
                tree = environment.parse(text)
                names |= meta.find_undeclared_variables(tree)
                for other in meta.find_referenced_templates(tree):
                    if other is not None and other not in seen:
                        seen.add(other)
                        todo.append(other)
            template = environment.get_template(path)
            return _LoadedTemplate(template, frozenset(names), dict(template.globals))
        except jinja2.TemplateNotFound as error:
            raise self._missing(str(error.name or path), place) from None
        except jinja2.TemplateSyntaxError as error:
            where = f"{error.name or path}, line {error.lineno}"
            raise stop(PLUGIN, f"the template cannot be read ({where}): {error.message}", place) from None
        except RecursionError:
            raise stop(LIMIT, f"the template {path!r} is nested too deeply", place) from None

    def _missing(self, path: str, place: Place) -> Stop:
        module, _, inside = path.partition("/")
        modules = self.compiler.definitions.project.modules
        if module not in modules:
            hint = did_you_mean(module, modules) or "the path begins with the name of an imported module"
            return stop(
                PLUGIN,
                f"there is no template {path!r}: {module!r} is no loaded module",
                place,
                hint=hint,
            )
        templates = [file.removeprefix("templates/") for file in modules[module].data.list("templates")]
        return stop(
            PLUGIN,
            f"module {module!r} has no template {inside!r}",
            place,
            hint=did_you_mean(inside, templates)
            or f"templates are in {modules[module].data.shown}/templates",
        )

    def _environment(self, space: Namespace) -> Any:
        import jinja2
        from jinja2.runtime import LoopContext

        from sabir.expressions.template.environment import MeteredEnvironment
        from sabir.expressions.template.instrumentation import add_counting

        def source(path: str) -> str | None:
            module, _, inside = path.partition("/")
            home = self.compiler.definitions.project.modules.get(module)
            file = home.data.file(f"templates/{inside}") if home is not None else None
            return None if file is None else file.source.text

        class Sandbox(MeteredEnvironment):
            def _parse(self, source: str, name: str | None, filename: str | None) -> TemplateTree:
                tree = super()._parse(source, name, filename)
                add_counting(tree)
                return tree

            def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ARG002
                return not attr.startswith("_")

            def getattr(self, obj: Any, attribute: str) -> Any:
                if type(obj) is LoopContext and attribute in _OF_LOOPS:
                    return getattr(obj, attribute)
                if type(obj) is InstanceView and not attribute.startswith("_"):
                    instance = instance_of(obj)
                    slot = instance.entity.slots.get(attribute)
                    if slot is not None:
                        value = instance.values[slot]
                        if type(value) is not PendingSlot and type(value) is not RelationValue:
                            return require_known(to_python(value))
                return super().getattr(obj, attribute)

        environment = Sandbox(
            loader=jinja2.FunctionLoader(source),
            cache_size=-1,
            auto_reload=False,
        )
        for alias, home in space.imports.items():
            for full in self.compiler.functions:
                prefix, _, last = full.rpartition("::")
                function = self.compiler.functions.get(full) if prefix == home else None
                if function is not None and not function.refused and not function.context:
                    environment.add_filters({f"{alias}.{last}".replace("::", "."): self.python(function)})
        return environment


class _ModuleProxy:
    """A module inside a template: its variables, functions and inner namespaces by name."""

    def __init__(
        self, templates: ModelTemplates, imports: Mapping[str, str], path: str, place: Place
    ) -> None:
        self._templates = templates
        self._compiler = templates.compiler
        self._imports = imports
        self._path = path
        self._place = place

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        home = self._imports.get(self._path)
        if home is not None:
            scope = self._compiler.scopes.get(home)
            if scope is not None and name in scope.names:
                return self._templates.variable(home, name)
            function = self._compiler.functions.get(f"{home}::{name}")
            if function is not None and not function.refused and not function.context:
                return self._templates.python(function)
        inner = f"{self._path}::{name}"
        if inner in self._imports or any(alias.startswith(inner + "::") for alias in self._imports):
            return _ModuleProxy(self._templates, self._imports, inner, self._place)
        raise AttributeError(f"{self._path!r} has no member {name!r}")


def _constant_read(value: Any) -> Read:
    return lambda _: value
