"""template: text or a file as an Ansible-flavoured Jinja2 template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.expressions.query.access import read_text
from sabir.expressions.query.context import Context
from sabir.expressions.query.functions.call import Call
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.values import reveal_deep

__all__ = ["TEMPLATE_FUNCTIONS"]


def template(call: Call, context: Context) -> Any:
    from sabir.expressions.query.forms import is_template
    from sabir.expressions.template.ansible import render_template

    argument = call.argument
    if isinstance(argument, Mapping) and "path" in argument:
        path = call.text(context, "the path of a template", argument["path"])
        text: Any = read_text(path, call, context)
    else:
        # The text itself is the template: it must not be rendered as a value first.
        text = argument if isinstance(argument, str) else reveal_deep(call.value(context))
    if not isinstance(text, str):
        raise call.error(context, f"a template must be text or a map with 'path', not {type(text).__name__}")
    # Here a comment is one, also alone; text without tags is not read as a number or a list.
    return render_template(text, context) if is_template(text) or "{#" in text else text


TEMPLATE_FUNCTIONS: Final = table(
    Function("template", template),
)
