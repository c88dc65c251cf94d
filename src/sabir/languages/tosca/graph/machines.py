"""Other machines as targets: a Compute with an address that is not this machine's is reached by ssh.

Who logs in is said by a credential: of the node, or of its endpoint. An operator who names a target like the node says all of it himself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sabir.languages.tosca.graph.lifecycles import Lifecycles
from sabir.languages.tosca.graph.logins import login_of
from sabir.resources.target import Target

__all__ = ["machine_targets"]


def machine_targets(lifecycles: Lifecycles, named: Collection[str]) -> Iterator[Target]:
    """A target for each machine that operations run on; `named` are those that the environment has."""
    seen: set[str] = set()
    for _, command in lifecycles.all_commands():
        name, host = command.target, command.host
        if name is None or host is None or name in seen or name in named:
            continue
        seen.add(name)
        yield Target(name=name, driver="ssh", settings=login_of(host))
