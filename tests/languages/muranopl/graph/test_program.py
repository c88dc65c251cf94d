"""Programs as resources: what they want, what is foreseen, what they leave, and how the next one goes on from there."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl import LANGUAGE
from sabir.languages.muranopl.evaluate.model_file import ModelFile
from sabir.languages.muranopl.graph.driver import ProgramTarget
from sabir.languages.muranopl.graph.program import ProgramCall, routes_to, run_program
from sabir.languages.muranopl.worlds.deployed import ServedEffects
from sabir.languages.muranopl.worlds.effects import EffectKind, EffectRequest, WorldError
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld
from sabir.resources.resource import DesiredResources
from sabir.resources.target import Target
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files

CLASSES = """\
Name: Root
Extends: std:Application
Properties:
  count: {Contract: $.int(), Default: 1}
  runs: {Contract: $.int(), Usage: Out, Default: 0}
  mood: {Contract: $.string(), Usage: InOut, Default: calm}
  parts: {Contract: [$.class(Part)], Usage: Out}
Methods:
  deploy:
    Body:
      - $.runs: $.runs + 1
      - $.mood: busy
      - $.parts: range($.count).select(new(Part, $this, name => str($)))
  greet:
    Scope: Public
    Arguments:
      - who: {Contract: $.string().notNull()}
      - loud: {Contract: $.bool(), Default: false}
    Body:
      - $.mood: greeting
      - Return: format('hello {0}{1}', $who, switch($loud => '!', true => ''))
---
Name: Part
Properties:
  name: {Contract: $.string()}
"""
MODEL = "'?': {id: root, type: demo.Root}\ncount: 2\n"


def _wanted(model: str = MODEL, classes: str = CLASSES, **request: Any) -> DesiredResources:
    package = MemoryPackage(files(classes, model))
    evaluation = LANGUAGE.evaluate(package, EvaluationRequest(**request))
    assert not evaluation.findings, evaluation.findings
    return evaluation.wanted()


def _target(wanted: DesiredResources) -> ProgramTarget:
    (target,) = wanted.targets
    assert isinstance(target, ProgramTarget)
    return target


def _storage(wanted: DesiredResources, method: str | None = None, **arguments: Any) -> Any:
    target = _target(wanted)
    assert isinstance(target.file, ModelFile)
    call = ProgramCall(file=target.file, method=method, arguments=arguments)
    end = run_program(target.program, call, SimulatedWorld())
    assert not end.findings, end.findings
    return end.storage


def test_a_model_is_one_program_that_is_run_when_something_changes() -> None:
    (resource,) = _wanted().resources
    assert (str(resource.address), resource.kind) == ("root", "murano-program")
    assert resource.desired["root"] == {"?": {"id": "root", "type": "demo.Root"}, "count": 2}
    (same,) = _wanted().resources
    (other,) = _wanted(MODEL.replace("2", "3")).resources
    (edited,) = _wanted(classes=CLASSES.replace("busy", "tired")).resources
    assert resource.desired == same.desired
    assert resource.desired != other.desired
    changed = {name for name in resource.desired if resource.desired[name] != edited.desired[name]}
    assert changed == {"package demo"}


def test_what_code_left_is_gone_on_from() -> None:
    storage = _storage(_wanted())
    assert (storage["Objects"]["runs"], storage["Objects"]["mood"]) == (1, "busy")
    later = _wanted(observed={"root|storage": storage})
    again = _storage(later)
    assert again["Objects"]["runs"] == 2, "an Out property is as the last run left it"
    told = _storage(_wanted(MODEL + "mood: gay\n", observed={"root|storage": storage}), "root.greet", who="x")
    assert told["Objects"]["mood"] == "greeting"


def test_the_graph_shows_what_was_deployed() -> None:
    storage = _storage(_wanted())
    package = MemoryPackage(files(CLASSES, MODEL))
    graph = LANGUAGE.evaluate(package, EvaluationRequest(observed={"root|storage": storage})).graph
    root = graph.get("root")
    assert root is not None
    assert (root.attributes["runs"], len(root.relations["parts"])) == (1, 2)


def test_public_methods_can_be_called() -> None:
    (operation,) = _wanted().operations
    assert (str(operation.address), operation.name, [*operation.arguments]) == (
        "root",
        "greet",
        ["who", "loud"],
    )
    (called,) = operation.resources({"who": "sailor", "loud": None})
    assert called.desired == {"call": "root.greet", "arguments": {"who": "sailor"}}
    assert str(called.results["storage"]) == "root|storage"


def test_a_root_without_id_is_refused() -> None:
    wanted = _wanted("'?': {type: demo.Root}\n")
    assert [finding.code for finding in wanted.findings] == ["MRUN:E070"]
    assert not wanted.resources


def test_effects_are_foreseen() -> None:
    classes = CLASSES.replace("      - $.mood: busy\n", "      - sleep(3600)\n      - $.fail()\n")
    (resource,) = _wanted(classes=classes).resources
    assert resource.foreseen is not None
    (line,) = resource.foreseen()
    assert line.startswith("the dry run ends here:")


@pytest.mark.parametrize(
    ("drivers", "machines", "kinds"),
    [
        ([], False, set[str]()),
        (["machines"], True, {"machine.claim"}),
        (["openstack-heat"], False, {"heat.create"}),
        (["openstack-heat", "machines"], False, {"heat.create", "machine.claim"}),
        (["openstack-heat", "amqp"], False, {"heat.create", "agent.call"}),
    ],
)
def test_targets_do_what_their_drivers_do(drivers: list[str], machines: bool, kinds: set[str]) -> None:
    routes = routes_to(Target(name=f"t-{driver}", driver=driver) for driver in drivers)
    told = {EffectKind.MACHINE_CLAIM, EffectKind.STACK_CREATE, EffectKind.AGENT_CALL} & routes.effects.keys()
    assert routes.has_machines is machines
    assert {kind.value for kind in told} == kinds


STACK = """\
Name: Root
Extends: std:Object
Methods:
  deploy:
    Body:
      - $stack: new('io.murano.system.HeatStack', $this, name => own)
      - $stack.setTemplate(dict(heat_template_version => '2014-10-16', resources => dict(one => dict(type => 'OS::Heat::Value'))))
      - $stack.push()
"""


@pytest.mark.parametrize(
    ("drivers", "told"),
    [
        ([], "no target does heat.create, a deployment would stop there: name one in sabir.yaml"),
        (["amqp"], "no target does heat.create"),
        (["machines"], None),
        (["openstack-heat"], None),
    ],
)
def test_a_plan_says_what_no_target_does(drivers: list[str], told: str | None) -> None:
    targets = [Target(name=driver, driver=driver, settings={}) for driver in drivers]
    (resource,) = _wanted("'?': {id: root, type: demo.Root}\n", STACK, targets=targets).resources
    assert resource.foreseen is not None
    first, *others = resource.foreseen()
    assert first.startswith("heat.create own")
    assert [line[: len(told or "")] for line in others] == ([] if told is None else [told])


class Refusing:
    """A world that nothing may reach."""

    def perform(self, effect: EffectRequest) -> Any:
        raise AssertionError(effect)

    begin = perform

    def open_branches(self, parent: Any, group: int, size: int) -> None: ...

    def report(self, report: Any) -> None: ...


def test_what_no_target_does_fails_before_it_is_begun() -> None:
    world = ServedEffects(Refusing(), (), {'["", "kept"]': {}})
    read = EffectRequest(kind=EffectKind.STACK_READ, arguments={"stack": "never"})
    assert world.perform(read) is None, "what nobody can have made is not there"
    kept = EffectRequest(kind=EffectKind.STACK_DELETE, arguments={"stack": "kept"})
    with pytest.raises(WorldError, match=r"no target does heat.delete: name one in sabir.yaml"):
        world.begin(kept)
    with pytest.raises(WorldError, match=r"plans go to agents through `driver: amqp`: name one"):
        world.begin(EffectRequest(kind=EffectKind.AGENT_CALL, arguments={}))
