"""The shipped package `io.murano.applications`: it loads for whoever requires it, and runs up to the cloud."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.preparation import prepare_run
from sabir.languages.muranopl.evaluate.serialisation import plain_result
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.library import load_bundled_package
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import MANIFEST, files

REQUIRE = "Require:\n  io.murano.applications: 0\n"


def _session(classes: str, model: str) -> MuranoRun:
    written = files(
        "  apps: io.murano.applications\n" + classes, model, **{"manifest.yaml": MANIFEST + REQUIRE}
    )
    prepared = prepare_run(MemoryPackage(written), EvaluationRequest(), world=SimulatedWorld())
    assert prepared.session is not None, prepared.findings
    return prepared.session


def _call(session: MuranoRun, id_: str, method: str, *args: Any) -> Any:
    return plain_result(session.call(session.find_object(id_), method, args))


def test_every_class_can_be_built() -> None:
    package = load_bundled_package("io.murano.applications")
    assert not package.read_all()
    session = _session("Name: Root\n", "'?': {id: root, type: demo.Root}\n")
    for name in package.class_names():
        cls = session.find_class(name)
        assert cls.name == name
        for method in cls.own_methods.values():
            method._compile()


# -- applications on servers -------------------------------------------------------------------------------------------

SOFTWARE = """\
Name: Root
Extends: apps:MultiServerApplicationWithScaling
Properties:
  done:
    Contract: []
    Usage: Out
  broken:
    Contract: [$.string()]
Methods:
  onInstallServer:
    Arguments:
      - server: {Contract: $}
      - serverGroup: {Contract: $}
    Body:
      - If: $server.name in $.broken
        Then:
          - Throw: Broken
      - $.done: $.done.append('install ' + $server.name)
  onConfigureServer:
    Arguments:
      - server: {Contract: $}
      - serverGroup: {Contract: $}
    Body:
      - $.done: $.done.append('configure ' + $server.name)
  getConfigurationKey:
    Body:
      Return: always
"""
SCALED = """\
'?': {id: env, type: io.murano.Environment}
name: production
applications:
  - '?': {id: app, type: demo.Root, name: shop}
    allowedInstallFailures: ALLOWED
    broken: [BROKEN]
    servers:
      '?': {id: group, type: io.murano.applications.ServerReplicationGroup, name: web}
      numItems: 2
      maxItems: 3
      provider:
        '?': {id: provider, type: io.murano.applications.TemplateServerProvider}
        serverNamePattern: 'web-{0}'
        template:
          '?': {type: io.murano.resources.LinuxMuranoInstance}
          flavor: m1.small
          image: ubuntu
"""


def _scaled(allowed: str = "none", broken: str = "") -> MuranoRun:
    return _session(SOFTWARE, SCALED.replace("ALLOWED", allowed).replace("BROKEN", broken))


def test_scaling() -> None:
    session = _scaled()
    _call(session, "env", "deploy")
    app, group = session.find_object("app"), session.find_object("group")
    assert app.properties["done"] == ["install web-1", "install web-2", "configure web-1", "configure web-2"]
    assert [one.name for one in group.properties["items"]] == ["Server 1 (web)", "Server 2 (web)"]
    _call(session, "app", "scaleOut")
    assert app.properties["done"][4:] == ["install web-3", "configure web-3"]
    _call(session, "app", "scaleOut")
    assert len(group.properties["items"]) == 3, "no more than maxItems"
    _call(session, "app", "scaleIn")
    assert [one.properties["name"] for one in group.properties["items"]] == ["web-1", "web-2"]
    assert session.find_object("provider").properties["allocated"] == 2


@pytest.mark.parametrize(
    ("allowed", "broken", "fails"),
    [
        ("none", "web-1", True),
        ("one", "web-1", False),
        ("one", "web-1, web-2", True),
        ("two", "web-1, web-2", False),
        ("any", "web-1, web-2", False),
        ("quorum", "web-1", True),
        ("quorum", "", False),
    ],
)
def test_failures(*, allowed: str, broken: str, fails: bool) -> None:
    session = _scaled(allowed, broken)
    if not fails:
        _call(session, "env", "deploy")
        return
    with pytest.raises(MuranoError) as caught:
        _call(session, "env", "deploy")
    assert caught.value.names == ("io.murano.applications.TooManyInstallationErrors",)


def test_one_server() -> None:
    session = _session(
        "Name: Root\nExtends: apps:SingleServerApplication\n",
        "'?': {id: env, type: io.murano.Environment}\nname: production\napplications:\n"
        "  - '?': {id: app, type: demo.Root, name: shop}\n    server:\n"
        "      '?': {id: vm, type: io.murano.resources.LinuxMuranoInstance}\n      name: vm\n      flavor: small\n"
        "      image: ubuntu\n",
    )
    _call(session, "env", "deploy")
    assert session.find_object("vm").owner is session.find_object("app")
    assert plain_result(session.storage()["Attributes"]) is not None


# -- events and replicas -------------------------------------------------------------------------------------------------

PARTS = """\
Name: Root
Properties:
  heard: {Contract: [], Usage: Out}
  event: {Contract: $.class(apps:Event), Default: {name: opened}}
  providers: {Contract: {$.string(): $.class(apps:ReplicaProvider)}}
  group: {Contract: $.class(apps:ReplicationGroup)}
Methods:
  handleOpened:
    Arguments:
      - sender: {Contract: $}
      - rest: {Contract: $, Usage: VarArgs}
      - more: {Contract: $, Usage: KwArgs}
    Body:
      - $.heard: $.heard.append([$sender, $rest, $more])
  other:
    Arguments:
      - sender: {Contract: $}
    Body:
      - $.heard: $.heard.append([other, $sender])
  nothing:
    Body: []
  events:
    Body:
      - $.event.subscribe($this)
      - $.event.subscribe($this)
      - $.event.notify(1, 2, x => 3)
      - $.event.unsubscribe($this)
      - $.event.notify(4)
      - $.event.unsubscribe($this)
      - $.event.notify(5)
      - $.event.subscribe($this, other)
      - $.event.notifyInParallel(6)
      - Return: $.heard
  wrong:
    Arguments:
      - name: {Contract: $}
    Body:
      - $.event.subscribe($this, $name)
  replicas:
    Arguments:
      - kind: {Contract: $}
      - count: {Contract: $}
    Body:
      - $provider: $.providers.get($kind)
      - $made: range($count).select($provider.createReplica($, $this))
      - $left: $provider.releaseReplicas($made.where($ != null))
      - Return: ([$made.select(switch($ = null => null, true => id($))), $left.select(id($))])
  grow:
    Arguments:
      - by: {Contract: $}
    Body:
      - $.group.scale($by)
      - Return: $.group.items.select(id($))
"""
PARTS_MODEL = """\
'?': {id: root, type: demo.Root}
providers:
  pool:
    '?': {id: pool, type: io.murano.applications.PoolReplicaProvider}
    pool:
      - '?': {id: a, type: io.murano.Object}
      - '?': {id: b, type: io.murano.Object}
  round:
    '?': {id: round, type: io.murano.applications.RoundrobinReplicaProvider}
    items: [a, b]
  composite:
    '?': {id: composite, type: io.murano.applications.CompositeReplicaProvider}
    providers:
      - '?': {id: small, type: io.murano.applications.PoolReplicaProvider}
        pool:
          - '?': {id: c, type: io.murano.Object}
      - pool
  clone:
    '?': {id: clone, type: io.murano.applications.CloneReplicaProvider}
    template: {'?': {type: io.murano.Object}}
group:
  '?': {id: group, type: io.murano.applications.ReplicationGroup}
  provider: pool
  minItems: 1
"""


@pytest.fixture
def parts() -> MuranoRun:
    return _session(PARTS, PARTS_MODEL)


def test_events(parts: MuranoRun) -> None:
    assert _call(parts, "root", "events") == [[1, [2], {"x": 3}], [4, [], {}], ["other", 6]]


@pytest.mark.parametrize(
    ("method", "name"), [("missing", "NoHandlerMethodException"), ("nothing", "WrongHandlerMethodException")]
)
def test_handlers_that_cannot_be(parts: MuranoRun, method: str, name: str) -> None:
    with pytest.raises(MuranoError) as caught:
        _call(parts, "root", "wrong", method)
    assert caught.value.names == (f"io.murano.applications.{name}",)


@pytest.mark.parametrize(
    ("kind", "count", "made", "left"),
    [
        ("pool", 3, ["a", "b", None], []),
        ("round", 3, ["a", "b", "a"], ["a", "b", "a"]),
        ("composite", 4, ["c", "a", "b", None], []),
    ],
)
def test_providers(parts: MuranoRun, kind: str, count: int, made: list[Any], left: list[Any]) -> None:
    assert _call(parts, "root", "replicas", kind, count) == [made, left]


def test_clones(parts: MuranoRun) -> None:
    made, left = _call(parts, "root", "replicas", "clone", 2)
    assert len(set(made)) == 2
    assert left == made


def test_groups_grow_and_shrink(parts: MuranoRun) -> None:
    assert _call(parts, "root", "grow", 1) == ["a", "b"]
    assert _call(parts, "root", "grow", 3) == ["a", "b"], "the pool has no more"
    assert _call(parts, "root", "grow", -9) == ["a"], "no less than minItems"
