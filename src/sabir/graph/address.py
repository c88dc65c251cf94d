"""Addresses: stable names of instances and attributes.

An address consists of what the project itself states: names, ids, the values of an index, the statement that created
something. It does not depend on the order of lines or on the version of sabir, so that whatever is stored about an
instance (the state of a deployment, a saved graph) is found again. The text form is

    part/instance[item]|attribute

`part` occurs only in an environment. `item` distinguishes instances that one statement creates several times. Where
one of these characters belongs to a name, it is written as `%` and two hexadecimal digits. The id of an instance in
the graph is the text of its address. Users need not write it: commands also accept names, and a dot before the
attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from sabir.lazy import lazy_pattern

if TYPE_CHECKING:
    from hashlib import blake2b

    Hash: TypeAlias = blake2b


_BYTES = 6


class Address(NamedTuple):  # states and plans use hundreds of thousands as keys
    """The components of an address, unescaped."""

    instance: str
    """The name inside its package: the `?` id, the name of a template, the entity and its index."""
    part: str | None = None
    item: str | None = None
    attribute: str | None = None

    def __str__(self) -> str:
        text = escape_name(self.instance)
        if self.part is not None:
            text = f"{self.part}/{text}" if text else self.part
        if self.item is not None:
            text = f"{text}[{escape_name(self.item)}]"
        return text if self.attribute is None else f"{text}|{escape_name(self.attribute)}"

    @staticmethod
    def parse(text: str, parts: Collection[str] = ()) -> Address:
        """Parse the text form of an address.

        `parts` are the parts of the environment: in a graph without parts, a slash belongs to the name.
        """
        rest, bar, attribute = text.partition("|")
        part: str | None = None
        head, slash, tail = rest.partition("/")
        if head in parts and (slash or tail == ""):
            part, rest = head, tail
        item: str | None = None
        if rest.endswith("]") and "[" in rest:
            rest, _, item = rest[:-1].partition("[")
        return Address(
            unquote(rest),
            part,
            None if item is None else unquote(item),
            unquote(attribute) if bar else None,
        )

    def of(self, attribute: str) -> Address:
        """Return the address of one of its attributes."""
        return self._replace(attribute=attribute)


def escape_name(text: str) -> str:
    """Escape a name for the text form of an address."""
    if _reserved().search(text) is None:
        return text
    return _reserved().sub(lambda match: f"%{ord(match[0]):02X}", text)


def digest_text(*words: str, size: int = _BYTES) -> str:
    """Return a short hexadecimal digest of a description, the same in every run and every version."""
    return digest_bytes("\0".join(words).encode("utf-8", "surrogatepass"), size)


def digest_bytes(description: bytes, size: int = _BYTES) -> str:
    """Return the digest of a description in bytes, see `digest_text`."""
    text: str = start_digest(description, size).hexdigest()
    return text


def start_digest(description: bytes, size: int = _BYTES) -> Hash:
    """Return the digest of a prefix that many descriptions share: copying and continuing it halves the work."""
    begun: Hash = _load_blake2b()(description, digest_size=size)
    return begun


@cache
def _load_blake2b() -> Callable[..., Any]:
    # A loop computes one digest per instance: BLAKE2 is twice as fast as SHA-256, and hashlib also loads 3 MB of
    # OpenSSL.
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return blake2b


_reserved: Final = lazy_pattern(r"[%|\[\]\x00-\x1f]")
