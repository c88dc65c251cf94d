"""A cloud that only writes down what it is asked: stacks, plans for agents, networks, in their order.

It stands in for the services that workflows talk to, so that a deployment can be looked at before there is a cloud: which
template would be pushed, which plan which machine would get, and when.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.registry import SystemClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError
from sabir.languages.muranopl.model.objects import MuranoObject

__all__ = ["RecordingCloud"]

Action = dict[str, Any]
Template = dict[str, Any]


class RecordingCloud:
    """`actions` are what was asked for, in order; `system` are the classes to give to a runtime."""

    def __init__(self) -> None:
        self.actions: list[Action] = []
        self._templates: dict[str, Template] = {}
        self.system = (self._stack(), self._agent(), self._machine(), self._network(), *self._others())

    def record(self, kind: str, object_: MuranoObject, **details: Any) -> None:
        self.actions.append({"action": kind, "object": object_.id, "type": object_.cls.name, **details})

    # -- stacks ------------------------------------------------------------------------------------------------------

    def _template(self, stack: MuranoObject) -> Template:
        return self._templates.setdefault(stack.id, {})

    def _stack(self) -> SystemClass:
        cls = SystemClass("io.murano.system.HeatStack")

        @cls.method("current")
        def current(this: MuranoObject, _variables: Variables) -> Template:
            return self._template(this)

        @cls.method("setTemplate")
        def set_template(this: MuranoObject, _variables: Variables, template: Template) -> None:
            self._templates[this.id] = template

        @cls.method("updateTemplate")
        def update_template(this: MuranoObject, _variables: Variables, template: Template) -> None:
            self._templates[this.id] = merged(self._template(this), template)

        @cls.method("push")
        def push(this: MuranoObject, _variables: Variables, _async: Any) -> None:
            self.record("stack", this, template=copy.deepcopy(self._template(this)))

        @cls.method("delete")
        def delete(this: MuranoObject, _variables: Variables) -> None:
            self._templates.pop(this.id, None)
            self.record("stack", this, template=None)

        for name in ("output", "parameters"):
            cls.methods[name] = _nothing_known
        for name in ("reload", "setParameters", "setFiles", "setHotEnvironment"):
            cls.methods[name] = _done
        return cls

    # -- machines ----------------------------------------------------------------------------------------------------

    def _agent(self) -> SystemClass:
        cls = SystemClass("io.murano.system.Agent")

        def send(this: MuranoObject, _variables: Variables, plan: Any, *_rest: Any) -> None:
            host = this.properties.get("host")
            self.record("plan", host if isinstance(host, MuranoObject) else this, plan=plan)

        for name in ("call", "send", "callRaw", "sendRaw"):
            cls.methods[name] = send
        cls.methods["prepare"] = _done
        cls.methods["isReady"] = lambda _this, _variables, *_rest: True
        cls.methods["queueName"] = lambda this, _variables: f"agent-{this.id}"
        return cls

    def _machine(self) -> SystemClass:
        cls = SystemClass("io.murano.resources.Instance")

        @cls.method("beginDeploy")
        def begin(this: MuranoObject, variables: Variables) -> None:
            names = ("flavor", "image", "keyname", "availabilityZone")
            properties = {
                name: this.properties[name] for name in names if this.properties.get(name) is not None
            }
            server = {
                "type": "OS::Nova::Server",
                "properties": {"name": this.properties["name"], **properties},
            }
            self._call_stack(this, "updateTemplate", {"resources": {this.properties["name"]: server}})
            del variables

        @cls.method("endDeploy")
        def end(this: MuranoObject, variables: Variables) -> None:
            self._call_stack(this, "push")
            del variables

        for name in ("beginReleaseResources", "endReleaseResources", "releaseResources"):
            cls.methods[name] = self._noted("release")
        for name in ("prepareUserData", "setSharedIp", "attachVolume"):
            cls.methods[name] = _done
        return cls

    def _call_stack(self, object_: MuranoObject, method: str, *args: Any) -> None:
        """The stack of the environment that the object is in."""
        environment = object_.nearest_owner(object_.cls.runtime.core_class("io.murano.Environment"))
        stack = environment.properties.get("stack") if environment is not None else None
        if not isinstance(stack, MuranoObject):
            raise MuranoError(UNUSABLE_VALUE, f"{object_!r} is in no environment, so it has no stack")
        method_ = stack.cls.lookup(method)
        assert method_ is not None
        method_.invoke(stack, {}, *args)

    # -- the rest ----------------------------------------------------------------------------------------------------

    def _network(self) -> SystemClass:
        cls = SystemClass("io.murano.resources.Network")
        cls.methods["deploy"] = self._noted("network")
        cls.methods["joinInstance"] = self._noted("join")
        cls.methods["describe"] = _nothing_known
        return cls

    def _others(self) -> list[SystemClass]:
        groups = SystemClass("io.murano.system.SecurityGroupManager")

        @groups.method("addGroupIngress")
        def add_ingress(this: MuranoObject, _variables: Variables, rules: Any, group: Any) -> None:
            self.record("security group", this, rules=rules, group=group)

        notifier = SystemClass("io.murano.system.InstanceNotifier")
        for name in ("trackApplication", "untrackApplication", "trackCloudInstance", "untrackCloudInstance"):
            notifier.methods[name] = _done
        volume = SystemClass("io.murano.resources.Volume")
        volume.methods["deploy"] = self._noted("volume")
        volume.methods["releaseResources"] = self._noted("release")
        return [groups, notifier, volume]

    def _noted(self, kind: str) -> Callable[..., Any]:
        def note(this: MuranoObject, _variables: Variables, *args: Any) -> None:
            del args
            self.record(kind, this)

        return note


def merged(old: Any, new: Any) -> Any:
    """Dictionaries are joined key by key, everything else is replaced."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{key: merged(old.get(key), value) for key, value in new.items()}}
    return new


def _done(_this: MuranoObject, _variables: Variables, *_args: Any) -> None:
    return None


def _nothing_known(_this: MuranoObject, _variables: Variables, *_args: Any) -> dict[str, Any]:
    return {}
