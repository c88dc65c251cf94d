"""Names that Python of other modules imports from `inmanta_plugins.std` in addition to its plugins."""

from __future__ import annotations

from typing import Any

from sabir.languages.inmanta.evaluate.plugins.api import Context, PluginException
from sabir.languages.inmanta.evaluate.plugins.engine.faults import OptionalValueException
from sabir.languages.inmanta.evaluate.plugins.engine.proxies import DynamicProxy
from sabir.languages.inmanta.evaluate.plugins.engine.references import Reference
from sabir.languages.inmanta.evaluate.views import InstanceView, instance_of
from sabir.languages.inmanta.library.std.plugins.references import FactReference

__all__ = ["FactReference", "JinjaDynamicProxy", "get_file_content"]


class JinjaDynamicProxy(DynamicProxy):
    """An instance for a template: a missing attribute or value is undefined instead of an error."""

    def __init__(self, instance: InstanceView) -> None:
        super().__init__(instance_of(instance))

    @classmethod
    def return_value(cls, value: object, *, context: Any = None) -> Any:
        if isinstance(value, Reference):
            path = "it" if context is None else context.path
            raise PluginException(
                f"Encountered reference in Jinja template for variable {path} (= `{value!r}`)"
            )
        return cls.wrap(DynamicProxy.return_value(value))

    @classmethod
    def wrap(cls, value: Any) -> Any:
        if isinstance(value, cls):
            return value
        if isinstance(value, InstanceView):
            return cls(value)
        if isinstance(value, list):
            return [cls.wrap(item) for item in value]
        if isinstance(value, dict):
            return {key: cls.wrap(item) for key, item in value.items()}
        return value

    def _get_delegate(self) -> Any:
        return DynamicProxy.return_value(instance_of(self))

    def __getattr__(self, name: str) -> Any:
        from jinja2.runtime import Undefined

        try:
            return self.wrap(getattr(self._get_delegate(), name))
        except (AttributeError, OptionalValueException):
            return Undefined(f"variable {name} not set on {instance_of(self)}", instance_of(self), name)


def get_file_content(ctx: Context, module_dir: str, path: str) -> str:
    """Return the text of a file of a module: `module/path` inside one of its directories."""
    return ctx.read_file(module_dir, path).decode()
