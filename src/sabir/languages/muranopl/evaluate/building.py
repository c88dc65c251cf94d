"""Classes from their nodes: parents first, then members, then tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.languages.muranopl.evaluate.extensions import add_extensions
from sabir.languages.muranopl.evaluate.methods import Method
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.contracts import compile_contract
from sabir.languages.muranopl.model.engines import ClassEngine
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.properties import PropertyDeclaration
from sabir.languages.muranopl.syntax.nodes import ClassNode, PropertyNode
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.packages import Package
    from sabir.languages.muranopl.evaluate.runtime import Runtime

__all__ = ["build_class"]

ROOT = "io.murano.Object"


def build_class(
    node: ClassNode, package: Package, runtime: Runtime, parents: tuple[MuranoClass, ...]
) -> MuranoClass:
    """A class whose parents are built. Its properties refer to classes by name, looked up at first use."""
    cls = MuranoClass(node, package, runtime, parents)
    imports = tuple(_imported(name.text, name.span, cls) for name in node.imports)
    engine = runtime.engine_for(package.format, imports)
    if extends := any(
        method.usage == "Extension" for class_ in cls.lineage for method in class_.node.methods
    ):
        engine = runtime.own_engine(engine)  # its own extension methods can be called on values, too
    cls.engine = ClassEngine(cls, engine)
    make_method: type[Method] = Method
    if runtime.recorder is not None:
        make_method = runtime.recorder.watch_class(cls)
        cls.engine.unseen = runtime.recorder.unseen
    for declaration in node.properties:
        cls.own_properties[declaration.name] = _property(declaration, cls)
    for method in node.methods:
        cls.own_methods[method.name] = make_method(method, cls)
    runtime.attach_native(cls)
    if extends:
        add_extensions(engine.library, (cls,))
    cls.link()
    return cls


def _imported(name: str, span: Any, cls: MuranoClass) -> MuranoClass:
    try:
        return cls.resolve(name)
    except MuranoError as error:
        error.place = error.place or Place(cls.node.source, span)
        raise


def _property(node: PropertyNode, cls: MuranoClass) -> PropertyDeclaration:
    contract = compile_contract(node.contract, cls)
    default = None if node.default is None else cls.engine.guarded_value(node.default)
    declaration = PropertyDeclaration(node, cls, contract, default)
    configured = cls.runtime.config.get(cls.name, {})
    if node.name in configured and not declaration.is_static:
        value = configured[node.name]
        declaration.default = lambda _variables: value
        declaration.configured = True
        declaration.configured_place = cls.runtime.config_places.get((cls.name, node.name))
    return declaration
