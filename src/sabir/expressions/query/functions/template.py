"""template: text or a file as an Ansible-flavoured Jinja2 template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.expressions.query.access import read_text
from sabir.expressions.query.context import Context
from sabir.expressions.query.functions.call import Call, Matches
from sabir.expressions.query.functions.registry import function
from sabir.expressions.query.values import reveal_deep

__all__: list[str] = []


@function("template")
def template(call: Call, context: Context) -> Any:
    from sabir.expressions.template.ansible import compile_template

    argument = call.argument
    if isinstance(argument, Mapping) and "path" in argument:
        path = call.text(context, "the path of a template", argument["path"])
        return compile_template(read_text(path, call, context)).render(context)
    # The text itself is the template: it must not be rendered as a value first.
    if not isinstance(argument, str):
        argument = reveal_deep(call.value(context))
    if not isinstance(argument, str):
        return Matches([argument])
    return compile_template(argument).render(context)
