"""Which objects an environment may change or delete.

An object is its own when the label `sabir/environment` names it and the state records the uid, or the operation that wrote the object.
Namespaces need more: one that existed before is used and never deleted, and one that this environment created is deleted only
when nothing else is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from sabir.deployments.drivers.kubernetes.compare import OPERATION
from sabir.deployments.drivers.kubernetes.objects import CREATED, ENVIRONMENT, environment_label
from sabir.resources.driver import RecordedState
from sabir.resources.step import Action, Task

EXISTING: Final = "existing:"
"""What the recorded id of a namespace starts with that existed before: it is used, and never changed or deleted."""
_SHOWN: Final = 8
_CONTROLLER: Final = "kube-controller-manager"
_TOKEN_OF: Final = "kubernetes.io/service-account.name"


class ContainedObject(Struct, frozen=True):
    """An object in a namespace: its kind, and its metadata as the cluster lists them."""

    group: str
    kind: str
    metadata: Mapping[str, Any]

    @property
    def title(self) -> str:
        return f"{self.kind}/{self.metadata.get('name')}"

    @property
    def is_built_in(self) -> bool:
        """Whether Kubernetes itself creates it in every namespace, or for another object there."""
        name = str(self.metadata.get("name"))
        match self.group, self.kind:
            case (("" | "events.k8s.io"), "Event"):
                return True
            case "", "ConfigMap":
                return name == "kube-root-ca.crt"
            case "", "ServiceAccount":
                return name == "default"
            case "", "Secret":
                account = (self.metadata.get("annotations") or {}).get(_TOKEN_OF)
                return account is not None and name.startswith(f"{account}-token-")
            case ("", "Endpoints") | ("discovery.k8s.io", "EndpointSlice"):
                managers = {entry.get("manager") for entry in self.metadata.get("managedFields") or ()}
                return managers == {_CONTROLLER}
            case _:
                return False


class Contents(Struct, frozen=True, kw_only=True):
    """What keeps a namespace from being deleted, as `Kind/name`."""

    foreign: tuple[str, ...] = ()
    """Objects that this environment did not create."""
    recorded: tuple[str, ...] = ()
    """Objects of this environment that are still recorded."""
    leaving: tuple[str, ...] = ()
    """Objects that are being deleted, or whose owner is not in the namespace any more."""


class Ownership(Struct, frozen=True, kw_only=True, eq=False):
    """What one environment owns in a cluster."""

    environment: str
    field_manager: str
    recorded: RecordedState | None = None

    @property
    def label(self) -> str:
        return environment_label(self.environment)

    def find_refusal(self, live: Mapping[str, Any], task: Task, subject: str) -> str | None:
        """Why a task may not touch an object that exists; None when it may."""
        other = other_environment(live, self.environment)
        if other is not None:
            return f"{subject} belongs to environment {other!r}"
        if self._is_own(live, task):
            return None
        adopt = f"adopt it: sabir adopt PATH {subject}"
        if task.id is not None:
            return (
                f"{subject} was created anew by someone else and is not the recorded object; "
                f"remove the record (sabir state rm PATH {subject}), then {adopt}"
            )
        if environment_of(live) is not None:
            return (
                f"{subject} already exists and is labeled for environment {self.label!r}, "
                f"but this state does not record it; {adopt}"
            )
        return f"{subject} already exists and is not managed by sabir; {adopt}"

    def _is_own(self, live: Mapping[str, Any], task: Task) -> bool:
        uid, operation = live["metadata"].get("uid"), read_annotation(live, OPERATION)
        if uid is not None and uid == task.id:
            return True
        if environment_of(live) is None:
            # What was adopted has no label before its first update, and a run does not know what is recorded.
            return task.action is Action.RUN and self._has_id(uid)
        if operation is not None and operation == task.operation_id:
            return True
        if task.action is Action.CREATE and task.recorded is None and not task.begun_before:
            return self._has_written(live, ran=True)
        if self.recorded is None:
            return task.id is None
        if self._has_written(live):
            return True
        # Records of failed steps had no uid, and runs have no records.
        return task.id is None and (task.recorded is not None or task.action is Action.RUN)

    def has_created(self, live: Mapping[str, Any], recorded_id: str | None) -> bool:
        """Whether it is proven that this environment created an object: it says so, or nobody else has ever written it."""
        metadata = live["metadata"]
        if environment_of(live) != self.label:
            return False
        is_recorded = recorded_id is not None and metadata.get("uid") == recorded_id
        created = read_annotation(live, CREATED)
        if created is not None:
            return is_recorded or (self.recorded is not None and self.recorded.has_operation(created))
        return is_recorded and self._was_applied_first(metadata)

    def _was_applied_first(self, metadata: Mapping[str, Any]) -> bool:
        """Of an object without the annotation: its only manager is ours, and has not written since the object was created."""
        entries: Sequence[Mapping[str, Any]] = metadata.get("managedFields") or ()
        created = metadata.get("creationTimestamp")
        return bool(entries) and all(
            (entry.get("manager"), entry.get("operation"), entry.get("time"))
            == (self.field_manager, "Apply", created)
            for entry in entries
        )

    def sort_contents(self, objects: Iterable[ContainedObject]) -> Contents:
        """The objects of a namespace that keep it from being deleted."""
        listed = {one.metadata["uid"]: one for one in objects if one.metadata.get("uid")}
        foreign, recorded, leaving = list[str](), list[str](), list[str]()
        for uid, one in listed.items():
            owners = [owner.get("uid") for owner in one.metadata.get("ownerReferences") or ()]
            if one.is_built_in or any(owner in listed for owner in owners):
                continue  # with an owner in the namespace, the owner decides
            if owners or one.metadata.get("deletionTimestamp"):
                leaving.append(one.title)
            elif self._has_id(uid):
                recorded.append(one.title)
            elif not self._was_run(one):
                foreign.append(one.title)
        return Contents(
            foreign=tuple(sorted(foreign)), recorded=tuple(sorted(recorded)), leaving=tuple(sorted(leaving))
        )

    def _was_run(self, one: ContainedObject) -> bool:
        """Whether it is left of something that this environment has run: a Job, which is not recorded."""
        manifest = {"metadata": one.metadata}
        return environment_of(manifest) == self.label and self._has_written(manifest)

    def _has_written(self, live: Mapping[str, Any], *, ran: bool = False) -> bool:
        """Whether an operation of this state wrote the object. A copy that another tool made has the same annotations."""
        operation = read_annotation(live, OPERATION)
        if self.recorded is None or operation is None:
            return False
        if not self.recorded.has_operation(operation, ran=ran):
            return False
        entries: Sequence[Mapping[str, Any]] = live["metadata"].get("managedFields") or ()
        return any(
            (entry.get("manager"), entry.get("operation")) == (self.field_manager, "Apply")
            for entry in entries
        )

    def _has_id(self, uid: str | None) -> bool:
        return self.recorded is not None and uid is not None and self.recorded.has_id(uid)


def list_titles(titles: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(titles[:_SHOWN])
    return shown if len(titles) <= _SHOWN else f"{shown}, … {len(titles) - _SHOWN} more"


def other_environment(live: Mapping[str, Any], environment: str) -> str | None:
    """The environment that an object belongs to, when it is not this one."""
    owner = environment_of(live)
    return None if owner == environment_label(environment) else owner


def environment_of(live: Mapping[str, Any]) -> str | None:
    labels: Mapping[str, str] = live["metadata"].get("labels") or {}
    return labels.get(ENVIRONMENT)


def read_annotation(manifest: Mapping[str, Any], name: str) -> str | None:
    annotations: Mapping[str, str] = manifest.get("metadata", {}).get("annotations") or {}
    return annotations.get(name)
