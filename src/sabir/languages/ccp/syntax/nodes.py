"""The typed definition. Nodes hold what was written, never its meaning, with path and location."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from msgspec import Struct

from sabir.expressions.template.findings import RenderedTemplate
from sabir.languages.ccp.syntax.reader import Feature
from sabir.languages.ccp.syntax.recording.statements import Trace
from sabir.source.yaml import YamlMapping
from sabir.text import Place


class WorkloadKind(Enum):
    DEPLOYMENT = "Deployment"
    DAEMON_SET = "DaemonSet"
    STATEFUL_SET = "StatefulSet"


class Stage(Enum):
    PRE = "pre"
    DAEMON = "daemon"
    POST = "post"


class LocatedNode(Struct, frozen=True, kw_only=True, eq=False):
    path: str
    """Where it stands in the definition: `service.containers[0].daemon`."""
    place: Place


class MappingNode(LocatedNode, frozen=True, kw_only=True, eq=False):
    """A node that was a mapping; `yaml` has the locations of its keys."""

    yaml: YamlMapping


class Reference(LocatedNode, frozen=True, kw_only=True, eq=False):
    """A name of something defined elsewhere."""

    name: str


class Port(LocatedNode, frozen=True, kw_only=True, eq=False):
    internal: int
    external: int | None = None
    ingress: str | None = None


class HttpProbe(Struct, frozen=True, kw_only=True, eq=False):
    path: str
    port: int
    scheme: str


class Probe(LocatedNode, frozen=True, kw_only=True, eq=False):
    """A check: a shell command or an HTTP request. `written` is the string or mapping as written."""

    action: str | HttpProbe
    written: Any
    timeout: int | None = None
    initial_delay: int | None = None


class Volume(LocatedNode, frozen=True, kw_only=True, eq=False):
    name: str
    host_path: str | None
    """None for an empty-dir."""
    mount_path: str
    mount_key: str
    """The key that gave the mount path."""
    read_only: bool

    @property
    def meaning(self) -> str:
        return f"host path {self.host_path}" if self.host_path is not None else "empty directory"


class Command(MappingNode, frozen=True, kw_only=True, eq=False):
    stage: Stage
    command: str
    name: str | None = None
    name_place: Place
    single: bool = False
    dependencies: tuple[Reference, ...] = ()
    files: tuple[Reference, ...] = ()
    secrets: tuple[Reference, ...] = ()
    user: str | None = None
    image: str | None = None


class Container(MappingNode, frozen=True, kw_only=True, eq=False):
    name: str
    name_place: Place
    image: str
    image_place: Place
    daemon: Command
    readiness: Probe | None = None
    liveness: Probe | None = None
    volumes: tuple[Volume, ...] = ()
    pre: tuple[Command, ...] = ()
    post: tuple[Command, ...] = ()
    env: tuple[Mapping[str, Any], ...] = ()
    privileged: bool = False
    privileged_place: Place | None = None
    lifecycle: Mapping[str, Any] | None = None

    @property
    def commands(self) -> tuple[Command, ...]:
        """All commands in the order they run."""
        return (*self.pre, self.daemon, *self.post)

    @property
    def local_commands(self) -> tuple[Command, ...]:
        """The commands that run in the container itself."""
        return tuple(command for command in self.commands if not command.single)

    @property
    def single_commands(self) -> tuple[Command, ...]:
        """The commands that run once per deployment, as Jobs."""
        return tuple(command for command in self.commands if command.single)


class Service(MappingNode, frozen=True, kw_only=True, eq=False):
    name: str
    """The name its objects get: the written one, or that of the instance."""
    name_place: Place
    kind: WorkloadKind = WorkloadKind.DEPLOYMENT
    containers: tuple[Container, ...] = ()
    ports: tuple[Port, ...] = ()
    host_network: bool = False
    host_pid: bool = False
    host_ipc: bool = False
    recreate: bool = False
    anti_affinity: str | None = None
    pod_annotations: Mapping[str, str]
    service_annotations: Mapping[str, str]
    headless: bool = False


class File(MappingNode, frozen=True, kw_only=True, eq=False):
    name: str
    destination: str
    content: str
    content_place: Place
    perm: str | None = None
    user: str | None = None


class Secret(MappingNode, frozen=True, kw_only=True, eq=False):
    name: str
    mount_path: str
    secret_name: str
    type: str = "Opaque"
    default_mode: int | None = None
    items: tuple[Mapping[str, Any], ...] = ()
    data: Mapping[str, str] | None = None


class Definition(Struct, frozen=True, kw_only=True, eq=False):
    """One service of a component: a definition file, rendered for itself or for a named instance."""

    component: str
    file: str
    """The name of the definition file in the package."""
    root: str
    """What stands before `service/` in the names of the component's files."""
    version: str
    version_place: Place
    service: Service
    written_name: str
    """The name in the definition; another than the service's for a named instance."""
    mapping: Mapping[str, str]
    """Service to instance, for dependencies and addresses (of a named instance)."""
    configs: Mapping[str, Any]
    """Variables of a named instance, over those of the deployment."""
    files: Mapping[str, File]
    secrets: Mapping[str, Secret]
    features: tuple[Feature, ...] = ()
    rendered: RenderedTemplate | None = None
    """The text after rendering, and the way back from it, when trees are kept."""
    trace: Trace | None = None
    """What each part of that text rests on, when it was asked for."""
