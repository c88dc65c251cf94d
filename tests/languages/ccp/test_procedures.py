"""Actions and upgrades: read, checked, and what is run when they are called."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.checks.application import Application
from sabir.errors import UsageError
from sabir.graph.values import reveal_all
from sabir.languages.ccp import LANGUAGE
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.resources.resource import Operation, Resource
from sabir.source.packages import MemoryPackage
from tests.languages.ccp.procedures import ACTIONS, FILES, UPGRADE


def _evaluated(**changed: str) -> Evaluation:
    files = {**FILES, **{name.replace("__", "/") + ".yaml": text for name, text in changed.items()}}
    return LANGUAGE.evaluate(MemoryPackage(files), EvaluationRequest())


def _operation(evaluation: Evaluation, name: str) -> Operation:
    return next(one for one in evaluation.wanted().operations if one.name == name)


def _objects(resource: Resource) -> dict[str, Any]:
    objects: Any = reveal_all(resource.desired["objects"])
    return {f"{one['kind']}/{one['metadata']['name']}": one for one in objects}


def test_an_action_is_a_job_with_its_files_and_parameters() -> None:
    operation = _operation(_evaluated(), "backup")
    assert operation.arguments == {"db": "shop"}
    (resource,) = operation.resources({"db": "orders"})
    objects = _objects(resource)
    assert [*objects] == [
        "ConfigMap/action-backup-files",
        "ConfigMap/action-backup-meta",
        "ConfigMap/action-backup-role",
        "ConfigMap/action-backup-service-config",
        "Job/action-backup",
    ]
    job = objects["Job/action-backup"]
    assert job["spec"]["backoffLimit"] == 0
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    assert job["metadata"]["labels"]["ccp-action"] == "true"
    assert '"db": "orders"' in objects["ConfigMap/action-backup-service-config"]["data"][
        "service-config"
    ].replace("'", '"')
    assert '"db/db"' in objects["ConfigMap/action-backup-role"]["data"]["backup"]


def test_an_upgrade_is_its_steps_one_after_the_other() -> None:
    resources = _operation(_evaluated(), "upgrade").resources({})
    names = [str(resource.address).rpartition("/")[2] for resource in resources]
    assert names == ["configuration", "backup", "stop", "sync", "roll"]
    before = [[str(address) for address in resource.requires] for resource in resources]
    assert before == [[], *([str(resource.address)] for resource in resources[:-1])]
    backup = _objects(resources[1])["Job/upgrade-shop-backup"]["spec"]["template"]["spec"]
    assert {"name": "backup-dir", "hostPath": {"path": "/var/backup"}} in backup["volumes"]
    stopped = _objects(resources[2])
    assert {name: one["spec"]["replicas"] for name, one in stopped.items()} == {"Deployment/web": 0}
    assert "sync 1" in _objects(resources[3])["ConfigMap/upgrade-shop-role"]["data"]["sync"]
    rolled = _objects(resources[4])
    assert {"Deployment/web", "StatefulSet/db", "DaemonSet/agent", "ConfigMap/web-role"} <= rolled.keys()
    assert not any(name.startswith("Job/") for name in rolled)


def test_a_daemon_set_is_stopped_by_a_node_that_is_not_there() -> None:
    upgrade = UPGRADE.replace("backup.j2", "upgrade.j2").replace("services: [web]", "services: [agent]")
    resources = _operation(_evaluated(service__upgrade__default=upgrade), "upgrade").resources({})
    spec = _objects(resources[2])["DaemonSet/agent"]["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"sabir/stopped": "true"}


def test_steps_run_on_the_nodes_that_a_role_gives_them() -> None:
    config = """\
images: {tag: '1.0'}
kubernetes: {cluster_nodes: [n1, n2]}
nodes: {n1: {roles: [all]}, n2: {roles: [backup]}}
roles: {all: [db, web, agent], backup: [backup]}
"""
    resources = _operation(_evaluated(ccp=config), "upgrade").resources({})
    pod = _objects(resources[1])["Job/upgrade-shop-backup"]["spec"]["template"]["spec"]
    assert "'values': ['n2']" in str(pod["affinity"])


def test_both_are_instances_of_their_component() -> None:
    graph = _evaluated().graph
    action, upgrade = graph["action/backup"], graph["upgrade/memory"]
    assert action.type == "ccp::Action"
    assert action.attributes["parameters"] == {"db": "shop"}
    assert action.owner == upgrade.owner
    assert upgrade.type == "ccp::Upgrade"


def test_what_is_known_to_fail_is_not_begun() -> None:
    evaluation = LANGUAGE.evaluate(
        MemoryPackage({**FILES, "service/files/backup.j2": "{{ nothing.there }}"}), EvaluationRequest()
    )
    with pytest.raises(UsageError, match="nothing was begun"):
        _operation(evaluation, "backup").resources({})


def _upgrade(old: str, new: str) -> str:
    return UPGRADE.replace("backup.j2", "upgrade.j2").replace(old, new)


@pytest.mark.parametrize(
    ("name", "text", "code", "words"),
    [
        ("service/actions/backup.yaml", ACTIONS.replace("image: tools", "imgae: tools"), "E011", "imgae"),
        ("service/actions/backup.yaml", ACTIONS.replace("[db]", "[dbb]"), "E040", "'dbb'"),
        ("service/actions/backup.yaml", ACTIONS.replace("backup.j2", "bakcup.j2"), "E032", "bakcup.j2"),
        ("service/actions/backup.yaml", ACTIONS + ACTIONS.partition("\n")[2], "E018", "action 'backup'"),
        ("service/actions/backup.yaml", "action: []\n", "E011", "'action'"),
        (
            "service/actions/backup.yaml",
            ACTIONS.replace("backup --db", "backup {{ no.way }}"),
            "W035",
            "'no'",
        ),
        ("service/actions/other.yaml", "actions: [\n", "E001", ""),
        ("service/upgrade/default.yaml", _upgrade("[web]", "[wep]"), "E052", "'wep'"),
        ("service/upgrade/default.yaml", _upgrade("kill-services", "kill-service"), "E014", "kill-service"),
        ("service/upgrade/default.yaml", _upgrade("[backup]", "[bakcup]"), "E030", "bakcup"),
        ("service/upgrade/default.yaml", _upgrade("web.level", "web.levle"), "E003", "web.levle"),
        ("service/upgrade/default.yaml", _upgrade("name: stop", "name: sync"), "E018", "step 'sync'"),
        ("service/upgrade/default.yaml", _upgrade("command: backup.sh", "type: single"), "E010", "command"),
        ("service/upgrade/default.yaml", _upgrade("name: upgrade-shop", f"name: {'u' * 60}"), "E015", "Job"),
    ],
)
def test_slips_are_said_at_their_places(name: str, text: str, code: str, words: str) -> None:
    package = MemoryPackage({**FILES, name: text})
    findings = [one for one in Application().run(package, LANGUAGE.validators()) if one.code == f"CCP:{code}"]
    assert any(words in one.message for one in findings), findings
    assert {one.place.source.name for one in findings} == {name}


def test_a_key_that_no_role_lists() -> None:
    config = "images: {tag: '1.0'}\nkubernetes: {cluster_nodes: [n1]}\nnodes: {n1: {roles: [all]}}\nroles: {all: [db, web, agent]}\n"
    package = MemoryPackage({**FILES, "ccp.yaml": config})
    findings = Application().run(package, LANGUAGE.validators())
    assert any("no role lists 'backup'" in one.message for one in findings)
