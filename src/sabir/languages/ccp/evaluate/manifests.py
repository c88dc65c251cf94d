"""Objects as files, each made when it is asked for: the texts of a large deployment are never there at once."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView

from sabir.languages.ccp.evaluate.render import KubernetesObject
from sabir.source.yaml.write import yaml_document

__all__ = ["ObjectFiles"]

_LIST = "kustomization.yaml"


class ObjectFiles(Mapping[str, str]):
    """Files by name, in the order in which the objects are to be sent; `listed`: with a list of them, for kustomize.

    Going through the items makes each object once. Asking for a single file makes those before it again.
    """

    def __init__(self, objects: Callable[[], Iterator[KubernetesObject]], *, listed: bool) -> None:
        self._objects = objects
        self._listed = listed

    def stream(self) -> Iterator[tuple[str, str]]:
        names: list[str] = []
        for object_ in self._objects():
            name = _file_name(object_)
            if self._listed:
                names.append(name)
            yield name, yaml_document(object_.data)
        if self._listed:
            listing = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
            yield _LIST, yaml_document({**listing, "resources": names})

    def __iter__(self) -> Iterator[str]:
        yield from (_file_name(object_) for object_ in self._objects())
        if self._listed:
            yield _LIST

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> str:
        for other, text in self.stream():
            if other == name:
                return text
        raise KeyError(name)

    def items(self) -> ItemsView[str, str]:
        return _Items(self)

    def values(self) -> ValuesView[str]:
        return _Values(self)


class _Items(ItemsView[str, str]):
    _mapping: ObjectFiles

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return self._mapping.stream()


class _Values(ValuesView[str]):
    _mapping: ObjectFiles

    def __iter__(self) -> Iterator[str]:
        return (text for _, text in self._mapping.stream())


def _file_name(one: KubernetesObject) -> str:
    return f"{one.kind.lower()}-{one.name}.yaml"
