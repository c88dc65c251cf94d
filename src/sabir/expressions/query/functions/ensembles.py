"""What an ensemble says of itself: its metadata, the namespace it is in, the images it names."""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.query.context import Context
from sabir.expressions.query.functions.call import Call, Matches
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.values import MISSING, holds_unknown, is_sensitive, mark, resting_on, reveal_deep

__all__ = ["ENSEMBLE_FUNCTIONS"]

_NAMESPACE: Final = "unfurl.nodes.K8sNamespace"


def get_ensemble_metadata(call: Call, context: Context) -> Any:
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


def kubernetes_current_namespace(call: Call, context: Context) -> Any:
    """The name of the nearest namespace that the instance is in."""
    del call
    for above in context.resource.ancestors():
        if _NAMESPACE in above.types:
            name = above.get("name")
            return None if name is MISSING else name
    return None


def container_image(call: Call, context: Context) -> Any:
    """The name of an image as registries take it: everything before the tag or digest in small letters."""
    value = call.value(context)
    if holds_unknown(value):
        return resting_on(value)
    written = reveal_deep(value)
    if written is None or written == "":
        return None
    if not isinstance(written, str):
        call.fail(context, f"container_image needs the name of an image, not {written!r}")
    name, at, digest = written.strip().lstrip("/").partition("@")
    folder, slash, last = name.rpartition("/")
    last, colon, tag = last.partition(":")
    image = (folder + slash + last).lower() + colon + tag + at + digest
    return mark(image) if is_sensitive(value) else image


ENSEMBLE_FUNCTIONS: Final = table(
    Function("get_ensemble_metadata", get_ensemble_metadata),
    Function("kubernetes_current_namespace", kubernetes_current_namespace),
    Function("container_image", container_image),
)
