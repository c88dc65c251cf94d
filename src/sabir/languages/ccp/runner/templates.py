"""Templates in a container: files and commands, over one set of variables, functions and macros."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Mapping
from typing import Any

from .network import address_function, url_host, url_hostname

__all__ = ["RunnerTemplates", "TemplateRenderError", "import_line", "is_template", "raise_exception"]

FILTERS = {"host": url_host, "hostname": url_hostname, "gethostbyname": socket.gethostbyname}


class TemplateRenderError(Exception):
    """Raised if a template could not be rendered, with its line if known."""


def is_template(text: str) -> bool:
    return "{{" in text or "{%" in text or "{#" in text


def raise_exception(message: str = "raised by the template") -> None:
    """Raise an error on behalf of a template that rejects its input."""
    raise ValueError(message)


def import_line(names: Iterable[str]) -> str:
    """Return the imports of shared macros as one line before the template, so that no line moves."""
    stems = [(name, os.path.splitext(name)[0]) for name in sorted(names)]
    return "".join("{%% import %r as %s with context %%}" % pair for pair in stems if pair[1].isidentifier())  # noqa: UP031


class RunnerTemplates:
    """The templates of one container. Undefined names are empty and false, unless `strict`."""

    def __init__(
        self,
        variables: Mapping[str, Any],
        mapping: Mapping[str, str],
        *,
        folder: str,
        strict: bool,
    ) -> None:
        self._variables = variables
        exports = os.path.join(folder, "exports")
        self._imports = import_line(os.listdir(exports) if os.path.isdir(exports) else ())
        self._environment = _build_environment([os.path.join(folder, "files"), exports], strict=strict)
        functions = {"address": address_function(variables, mapping), "raise_exception": raise_exception}
        self._environment.globals.update(functions)
        self._environment.filters.update(FILTERS)

    def render(self, text: str) -> str:
        """Return the rendered text; raise `TemplateRenderError`."""
        try:
            rendered: str = self._environment.from_string(self._imports + text).render(self._variables)
        except Exception as error:  # whatever an expression of the template does wrong
            line = getattr(error, "lineno", None) or _template_line(error)
            where = f"line {line}: " if line else ""
            raise TemplateRenderError(f"{where}{type(error).__name__}: {error}") from error
        return rendered

    def command(self, text: str) -> str:
        """Return a rendered command: what the definition protects by `raw` is rendered here."""
        if not is_template(text):
            return text
        try:
            return self.render(text)
        except TemplateRenderError as error:
            raise TemplateRenderError(f"the command {text!r}: {error}") from error


def _template_line(error: BaseException) -> int | None:
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _build_environment(folders: list[str], *, strict: bool) -> Any:
    import jinja2

    class KeyFirst(jinja2.Environment):
        """A key of the configuration wins over a method of dict, as it does when definitions are rendered."""

        def getattr(self, obj: Any, attribute: str) -> Any:
            if isinstance(obj, dict) and attribute in obj:
                return obj[attribute]
            return super().getattr(obj, attribute)

    undefined = jinja2.StrictUndefined if strict else jinja2.Undefined
    return KeyFirst(loader=jinja2.FileSystemLoader(folders), undefined=undefined)
