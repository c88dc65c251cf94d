"""A constructor that stands where a relation is set: the owner of the relation can be one of its identifying values.

With `index File(host, path)` and `Host.files [0:] -- File.host [1]`, `host.files += File(path="/etc/motd")` means
`File(host=host, path="/etc/motd")`.
"""

from __future__ import annotations

from msgspec.structs import replace

from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.project import Namespace

__all__ = ["with_owner"]


def with_owner(
    value: nodes.Expression,
    relation: str,
    owner: nodes.Expression,
    definitions: Definitions,
    space: Namespace,
) -> nodes.Expression:
    """The value set to a relation, its constructors completed by the owner where they need it."""

    def inside(part: nodes.Expression) -> nodes.Expression:
        return with_owner(part, relation, owner, definitions, space)

    if isinstance(value, nodes.Construct):
        name = _missing(value, relation, definitions, space)
        if name is None:
            return value
        argument = nodes.Argument(value.start, value.end, name, owner, False)
        return replace(value, arguments=(*value.arguments, argument))
    if isinstance(value, nodes.ListLiteral):
        return replace(value, items=tuple(inside(item) for item in value.items))
    if isinstance(value, nodes.Conditional):
        return replace(value, then=inside(value.then), otherwise=inside(value.otherwise))
    if isinstance(value, nodes.Comprehension):
        return replace(value, element=inside(value.element))
    return value


def _missing(node: nodes.Construct, relation: str, definitions: Definitions, space: Namespace) -> str | None:
    """The one identifying relation that the constructor leaves out, when it is the reverse of the one being set."""
    entity = definitions.constructed(node, space)
    if entity is None or not entity.indexes or any(argument.unpack for argument in node.arguments):
        return None
    named = {argument.name for argument in node.arguments} | set(entity.defaults)
    missing = {name for index in entity.indexes for name in index.attributes} - named
    if len(missing) != 1:
        return None
    name = missing.pop()
    reverse = entity.all_properties[name].reverse
    return name if reverse is not None and reverse.name == relation else None
