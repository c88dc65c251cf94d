"""Functions of `std` for operating systems, types, facts and the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from sabir.graph.values import UNKNOWN, Unknown
from sabir.languages.inmanta.evaluate.plugins.api import Context, NotAllowed, PluginException
from sabir.languages.inmanta.evaluate.plugins.engine.exporting import NO_ENVIRONMENT
from sabir.languages.inmanta.evaluate.plugins.engine.references import Reference
from sabir.languages.inmanta.evaluate.plugins.signature import ModelType
from sabir.languages.inmanta.evaluate.values import ModelInstance, property_of
from sabir.languages.inmanta.library.std.plugins.registry import plugin

if TYPE_CHECKING:
    from sabir.session import Session

__all__: list[str] = []


@plugin
def familyof(member: Annotated[Any, ModelType["std::OS"]], family: str) -> bool:
    """Return whether an operating system is, or belongs to, the named family, whose root is included."""
    current: Any = member
    for _ in range(1000):
        if current is None:
            return False
        if property_of(current, "name") == family:
            return True
        current = property_of(current, "family")
    raise PluginException("the families of this operating system go in a circle")


@plugin(allow_unknown=True)
def is_unknown(value: Any) -> bool:
    return isinstance(value, Unknown)


@plugin
def getfact(context: Context, resource: Any, fact_name: str, default_value: Any = None) -> Any:
    """Return a fact, known only after deployment; before that the default, or unknown."""
    identity, value = context.fact(resource, fact_name)
    if value is not None:
        return value
    why = f"{identity or 'its resource'} has not told {fact_name!r} yet"
    return Unknown(why=why) if default_value is None else default_value


@plugin
def create_fact_reference(context: Context, resource: Any, fact_name: str) -> Any:
    """Return a reference to a fact, looked up when the resource that needs it is deployed."""
    from sabir.languages.inmanta.library.std.plugins.references import FactReference

    return FactReference(NO_ENVIRONMENT, context.resource_id(resource), fact_name)


@plugin
def create_environment_reference(name: str | Reference[str]) -> Any:
    """Return a reference to an environment variable, looked up during deployment."""
    from sabir.languages.inmanta.library.std.plugins.references import EnvironmentReference

    return EnvironmentReference(name)


@plugin
def create_int_reference(value: Any | Reference[Any]) -> Any:
    """Return a reference whose value is converted to an integer."""
    from sabir.languages.inmanta.library.std.plugins.references import IntReference

    return IntReference(value)


@plugin
def password(pw_id: str) -> Any:  # noqa: ARG001
    """Return a password, which is stored outside the model and therefore unknown during evaluation."""
    return UNKNOWN


@plugin
def generate_password(pw_id: str, length: int = 20) -> Any:  # noqa: ARG001
    return UNKNOWN


@plugin
def environment() -> str:
    return "00000000-0000-0000-0000-000000000000"


@plugin
def environment_name() -> str:
    return "sabir"


@plugin
def environment_server() -> str:
    return "localhost"


@plugin
def server_ca() -> str:
    return ""


@plugin
def server_ssl() -> bool:
    return False


@plugin
def server_token(client_types: list[Any] | None = None) -> str:  # noqa: ARG001
    return ""


@plugin
def server_port() -> int:
    return 8888


@plugin
def get_env(session: Session, name: str, default_value: str | None = None) -> Any:
    """Return an environment variable."""
    value = _read_variable(session, name)
    return _default_or_unknown(default_value) if value is None else value


@plugin
def get_env_int(session: Session, name: str, default_value: int | None = None) -> Any:
    text = _read_variable(session, name)
    if text is None:
        return _default_or_unknown(default_value)
    try:
        return int(text)
    except ValueError:
        raise PluginException(f"the environment variable {name!r} is no whole number") from None


def _read_variable(session: Session, name: str) -> str | None:
    if not session.trust.allows_variable(name):
        raise NotAllowed(
            f"the environment variable {name!r} is not read: the model is not trusted with it",
            hint=f"allow it with --trust env:{name}, or all variables with --trust env",
        )
    return session.environment.get(name)


def _default_or_unknown(value: Any) -> Any:
    """Return the default of an unset variable; without one it is unknown (recorded behavior)."""
    return Unknown() if value is None else value


@plugin
def timestamp(session: Session, dummy: Any = None) -> int:  # noqa: ARG001
    """Return the seconds since 1970, which differ between runs."""
    return int(session.clock().timestamp())


@plugin
def item(objects: list[Any], index: int) -> Any:
    return objects[index]


@plugin("type")
def type_(obj: Any) -> str:
    """Return the name of a value's type."""
    names = {bool: "bool", int: "int", float: "float", str: "string", list: "list", dict: "dict"}
    name = names.get(obj.__class__)
    if name is None:
        name = "null" if obj is None else str((obj.entity if isinstance(obj, ModelInstance) else obj).name)
    return name


@plugin
def inlineif(conditional: bool, a: Any, b: Any) -> Any:  # noqa: FBT001
    return a if conditional else b


@plugin
def invert(value: bool) -> bool:  # noqa: FBT001
    return not value


@plugin
def unique_file(prefix: str, seed: str, suffix: str, length: int = 20) -> str:  # noqa: ARG001
    """Return a file name that is the same for the same seed. As in Inmanta, the length is ignored."""
    import hashlib

    return prefix + hashlib.md5(seed.encode(), usedforsecurity=False).hexdigest() + suffix
