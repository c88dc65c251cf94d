"""sensitive, secret, local, external.

What an ensemble says of itself: its metadata, the namespace it is in, the images it names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import NOT_FOUND
from sabir.expressions.query.functions.call import FunctionCall, Matches
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.values import (
    MISSING,
    External,
    build_unknown,
    holds_unknown,
    is_sensitive,
    mark_sensitive,
    plain_value,
    reveal_deep,
)


def evaluate_sensitive(call: FunctionCall, context: QueryContext) -> Any:
    value = call.value(context)
    return None if value is None else mark_sensitive(value)


class _Values(External):
    """The values a project keeps outside the description, each computed when asked for."""

    __slots__ = ("_context", "_secret", "_values")

    def __init__(self, values: Mapping[str, Any], context: QueryContext, *, secret: bool) -> None:
        self._values = values
        self._context = context
        self._secret = secret

    def get(self, key: str) -> Any:
        from sabir.expressions.query.forms import compile_value

        raw = self._values.get(key, MISSING)
        if raw is MISSING:
            return MISSING
        compiled = compile_value(raw)
        value = raw if compiled is None else compiled(self._context)
        return mark_sensitive(plain_value(value)) if self._secret else value

    def result(self) -> Any:
        return {key: self.get(key) for key in self._values}


def _local_values(context: QueryContext) -> _Values:
    return _Values(context.session.project.locals, context, secret=False)


def _secret_values(context: QueryContext) -> _Values:
    return _Values(context.session.project.secrets, context, secret=True)


def read_local(call: FunctionCall, context: QueryContext) -> Any:
    """S-85: short for {eval: {external: local}, select: name}."""
    return _local_values(context).get(call.text(context, "the name of a local value"))


def read_secret(call: FunctionCall, context: QueryContext) -> Any:
    return _secret_values(context).get(call.text(context, "the name of a secret"))


def find_external(call: FunctionCall, context: QueryContext) -> Any:
    name = call.text(context, "the name of an external")
    if name == "local":
        return _local_values(context)
    if name == "secret":
        return _secret_values(context)
    found = context.session.externals.get(name)
    if found is None:
        known = ["local", "secret", *context.session.externals]
        hint = did_you_mean(name, known) or "known are " + ", ".join(known)
        call.fail(context, f"there is no external {name!r}", NOT_FOUND, hint)
    return found


SECRET_FUNCTIONS: Final = table(
    Function("sensitive", evaluate_sensitive),
    Function("local", read_local),
    Function("secret", read_secret),
    Function("external", find_external),
)


_NAMESPACE: Final = "unfurl.nodes.K8sNamespace"


def get_ensemble_metadata(call: FunctionCall, context: QueryContext) -> Any:
    """Outside a deployment there is none."""
    project = context.session.project
    if project.job is None:
        return Matches([{}])
    metadata = {
        "deployment": project.directory.name if project.directory else "",
        "job": project.job.id,
    }
    key = reveal_deep(call.value(context))
    return Matches([metadata.get(str(key), "") if key else metadata])


def kubernetes_current_namespace(call: FunctionCall, context: QueryContext) -> Any:
    """The name of the nearest namespace that the instance is in."""
    del call
    for above in context.resource.ancestors():
        if _NAMESPACE in above.types:
            name = above.get("name")
            return None if name is MISSING else name
    return None


def container_image(call: FunctionCall, context: QueryContext) -> Any:
    """The name of an image as registries take it: everything before the tag or digest in small letters."""
    value = call.value(context)
    if holds_unknown(value):
        return build_unknown(value)
    written = reveal_deep(value)
    if written is None or written == "":
        return None
    if not isinstance(written, str):
        call.fail(context, f"container_image needs the name of an image, not {written!r}")
    name, at, digest = written.strip().lstrip("/").partition("@")
    folder, slash, last = name.rpartition("/")
    last, colon, tag = last.partition(":")
    image = (folder + slash + last).lower() + colon + tag + at + digest
    return mark_sensitive(image) if is_sensitive(value) else image


ENSEMBLE_FUNCTIONS: Final = table(
    Function("get_ensemble_metadata", get_ensemble_metadata),
    Function("kubernetes_current_namespace", kubernetes_current_namespace),
    Function("container_image", container_image),
)

FUNCTIONS: Final[Mapping[str, Function]] = {**SECRET_FUNCTIONS, **ENSEMBLE_FUNCTIONS}
