"""`inmanta.protocol`: the part of the server API that models and handlers use to read facts.

There is no server. Facts of earlier deployments are returned from the state. Any other call raises
`NotImplementedError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NoReturn

from msgspec import Struct

__all__ = ["Client", "Result", "clients"]

Facts = Callable[[], Mapping[tuple[str, str], str]]


class Result(Struct, frozen=True):
    """A response: the HTTP status and the document."""

    code: int
    result: dict[str, Any] | None = None

    def get_result(self) -> dict[str, Any] | None:
        return self.result


class Client:
    """Reads facts synchronously; `clients` creates the classes that modules import."""

    facts: ClassVar[Mapping[str, Facts]]
    """One entry: a class that holds a function makes a method of it."""

    def __init__(self, name: str = "", timeout: int = 120) -> None:
        del timeout
        self.name = name

    def list_params(self, tid: object, query: object = None) -> Any:
        del tid, query
        return self._answer(
            Result(200, {"parameters": [_parameter_data(*fact) for fact in self._list_facts()]})
        )

    def get_param(self, tid: object, id: str, resource_id: str | None = None) -> Any:  # noqa: A002  # its name there
        del tid
        for resource, name, value in self._list_facts():
            if (resource, name) == (resource_id, id):
                return self._answer(Result(200, {"parameter": _parameter_data(resource, name, value)}))
        return self._answer(Result(404, {"message": f"{resource_id} has not told {id!r} yet"}))

    def get_facts(self, tid: object, rid: str) -> Any:
        del tid
        facts = [_parameter_data(*fact) for fact in self._list_facts() if fact[0] == rid]
        return self._answer(Result(200, {"data": facts}))

    def _list_facts(self) -> list[tuple[str, str, str]]:
        return [(resource, name, value) for (resource, name), value in type(self).facts["facts"]().items()]

    def _answer(self, result: Result) -> Any:
        return result

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(
            f"{name} is a call to the server of the existing engine, and there is none: only facts can be asked for"
        )


def clients(facts: Facts) -> dict[str, type]:
    """Return `Client`, whose calls are awaited, and `SyncClient`."""

    class Awaited(Client):
        def _answer(self, result: Result) -> Any:
            async def answer() -> Result:
                return result

            return answer()

    return {
        "Client": type("Client", (Awaited,), {"facts": {"facts": facts}}),
        "SyncClient": type("SyncClient", (Client,), {"facts": {"facts": facts}}),
    }


def _parameter_data(resource: str, name: str, value: str) -> dict[str, Any]:
    return {"resource_id": resource, "name": name, "value": value, "source": "fact"}
