"""`io.murano.system.HeatStack`: a template in memory, pushed as a whole.

A template that the stack already has is not pushed again. A push in the background waits until the program
has ended, and a later one of the same stack replaces it, so that many objects that vanish together cause one
update.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.registry import SystemClass, pause_run, perform_effect
from sabir.languages.muranopl.model.errors import NativeError, format_value
from sabir.languages.muranopl.model.objects import MuranoObject, unwrap_object
from sabir.languages.muranopl.worlds.effects import EffectKind

HEAT_STACK: Final = SystemClass("io.murano.system.HeatStack")
_VERSION: Final = "2013-05-23"
_CONFLICT: Final = "heatclient.exc.HTTPConflict"
_NOT_FOUND: Final = "heatclient.exc.HTTPNotFound"
_PAUSE: Final = 3.0  # seconds before an operation that collided with another one is retried

_TEXTS: Final = (str, type(None))

Template = dict[str, Any]


class Stack:
    """The state of one stack in the program: template, parameters, files, and whether they are pushed."""

    def __init__(self, this: MuranoObject) -> None:
        properties = this.properties
        self.runtime = this.cls.runtime
        self.name: str = properties["name"]
        self.region: str | None = properties.get("regionName")
        self.description: str | None = properties.get("description")
        self.template: Template | None = None
        self.parameters: dict[str, Any] = {}
        self.files: dict[str, Any] = {}
        self.environment: Any = {}
        self.is_applied = True

    def ask(self, kind: EffectKind, **arguments: Any) -> Any:
        return perform_effect(self.runtime, kind, region=self.region or "", stack=self.name, **arguments)

    def current(self) -> Template:
        """Return the template, read from the cloud if the program has none yet."""
        template = self.template
        if template is None:
            there = self.ask(EffectKind.STACK_READ)
            template = self.template = there["template"] if there else {}
            self.parameters = {
                name: value
                for name, value in (there["parameters"] if there else {}).items()
                if not name.startswith("OS::")
            }
            self.is_applied = True
        return template

    def update(self, template: Template) -> None:
        version = template.get("heat_template_version", _VERSION)
        if version != _VERSION:
            raise NativeError(
                "murano.engine.system.heat_stack.HeatStackError",
                f"Currently only heat_template_version {_VERSION} is supported.",
            )
        before = self.current()
        self.template = merge_templates(before, template)
        self.is_applied = self.is_applied and self.template == before

    def complete(self) -> None:
        """Add the keys that every template has when it is pushed."""
        assert self.template is not None
        self.template = dict(self.template)
        self.template.setdefault("heat_template_version", _VERSION)
        if self.description and "description" not in self.template:
            self.template["description"] = self.description

    def push(self, *, in_background: bool = False) -> None:
        template = copy.deepcopy(self.template)
        assert template is not None
        self._retry_conflicts(lambda: self._push(template, in_background=in_background))
        self.is_applied = self.template == template

    def _push(self, template: Template, *, in_background: bool) -> None:
        exists = self.ask(EffectKind.STACK_READ) is not None
        resources = template.get("resources") or template.get("Resources")
        if not resources:
            if exists:
                self.delete()
            return
        kind, wanted = EffectKind.STACK_CREATE, "CREATE_COMPLETE"
        if exists:
            kind, wanted = EffectKind.STACK_UPDATE, "UPDATE_COMPLETE"
        after = self.ask(
            kind,
            template=template,
            parameters=self.parameters,
            files=self.files,
            environment=self.environment,
            tags=",".join(self.runtime.settings.get("heat", "stack_tags")),
            in_background=in_background,
        )
        _check_status(after, wanted)

    def outputs(self) -> dict[str, Any]:
        there = self.ask(EffectKind.STACK_READ)
        outputs: dict[str, Any] = there["outputs"] if there else {}
        return outputs

    def delete(self) -> None:
        if not self.current():
            return
        try:
            self._retry_conflicts(lambda: self.ask(EffectKind.STACK_DELETE))
        except NativeError as failure:
            if failure.kind != _NOT_FOUND:
                raise
        self.template = {}
        self.is_applied = True

    def _retry_conflicts(self, operation: Callable[[], Any]) -> None:
        while True:
            try:
                operation()
            except NativeError as failure:
                if failure.kind != _CONFLICT:
                    raise
                pause_run(self.runtime, _PAUSE)
            else:
                return


def _check_status(stack: dict[str, Any] | None, wanted: str) -> None:
    status = stack["status"] if stack else "NOT_FOUND"
    if stack is None or status == wanted:
        return
    reason = f": {stack['reason']}" if stack.get("reason") else ""
    raise NativeError("OSError", f"Unexpected stack state {status}{reason}")


def merge_templates(old: Template, new: Template, place: str = "") -> Template:
    """Return two templates merged: dictionaries by key, lists without duplicates, everything else replaced.

    A value of a different type cannot replace an existing one; null does not replace a string, nor a string
    null.
    """
    result = dict(old)
    for key, value in new.items():
        before = old.get(key)
        if key not in old:
            result[key] = value
        elif isinstance(before, dict) and isinstance(value, dict):
            result[key] = merge_templates(before, value, f"{place}/{key}")
        elif isinstance(before, list) and isinstance(value, list):
            result[key] = [*before, *_new_items(value, before)]
        elif type(before) is type(value):
            result[key] = value
        elif not (isinstance(before, _TEXTS) and isinstance(value, _TEXTS)):
            explained = f"the template has {format_value(before)} at {place}/{key}, which {format_value(value)} cannot be joined with"
            raise NativeError("TypeError", "", explained=explained)
    return result


def _new_items(new: list[Any], old: list[Any]) -> list[Any]:
    others: list[Any] = []
    for item in new:
        if item not in old and item not in others:
            others.append(item)
    return others


def _native_stack(this: MuranoObject) -> Stack:
    if this.native is None:
        this.native = Stack(this)
    stack: Stack = this.native
    return stack


@HEAT_STACK.method("current")
def current_template(this: MuranoObject, _variables: Variables) -> Template:
    """Return the template of the stack, read from the cloud on first use."""
    return _native_stack(this).current()


@HEAT_STACK.method("parameters")
def stack_parameters(this: MuranoObject, _variables: Variables) -> dict[str, Any]:
    """Return the parameters of the stack, read from the cloud on first use."""
    stack = _native_stack(this)
    stack.current()
    return stack.parameters


@HEAT_STACK.method("reload")
def reload_template(this: MuranoObject, _variables: Variables) -> Template:
    """Return the template as the cloud has it, discarding changes that were not pushed."""
    stack = _native_stack(this)
    stack.template = None
    return stack.current()


@HEAT_STACK.method("setTemplate")
def set_template(this: MuranoObject, _variables: Variables, template: Template) -> None:
    """Replace the template, and clear the parameters."""
    stack = _native_stack(this)
    stack.template, stack.parameters, stack.is_applied = _plain_data(template), {}, False


@HEAT_STACK.method("setParameters")
def set_parameters(this: MuranoObject, _variables: Variables, values: dict[str, Any]) -> None:
    """Replace the parameters of the stack."""
    stack = _native_stack(this)
    stack.parameters, stack.is_applied = _plain_data(values), False


@HEAT_STACK.method("setFiles")
def set_files(this: MuranoObject, _variables: Variables, files: dict[str, Any]) -> None:
    """Replace the files that are sent with the template."""
    stack = _native_stack(this)
    stack.files, stack.is_applied = _plain_data(files), False


@HEAT_STACK.method("setHotEnvironment")
def set_environment(this: MuranoObject, _variables: Variables, environment: Any) -> None:
    """Replace the Heat environment of the stack."""
    stack = _native_stack(this)
    stack.environment, stack.is_applied = _plain_data(environment), False


@HEAT_STACK.method("updateTemplate")
def update_template(this: MuranoObject, _variables: Variables, template: Template) -> None:
    """Merge a template into the current one."""
    _native_stack(this).update(_plain_data(template))


@HEAT_STACK.method("push")
def push_stack(this: MuranoObject, _variables: Variables, *in_background: Any) -> None:
    """Push the template if it has changed; in the background, push it when the program has ended."""
    stack = _native_stack(this)
    if stack.is_applied or stack.template is None:
        return
    stack.complete()
    waiting = this.cls.runtime.at_end
    waiting.pop(this.id, None)
    if any(in_background):
        waiting[this.id] = lambda: stack.push(in_background=True)
    else:
        stack.push()


@HEAT_STACK.method("output")
def stack_outputs(this: MuranoObject, _variables: Variables) -> dict[str, Any]:
    """Return the outputs of the stack, after a deferred push if there is one."""
    run = this.cls.runtime.at_end.pop(this.id, None)
    if run is not None:
        run()
    return _native_stack(this).outputs()


@HEAT_STACK.method("delete")
def delete_stack(this: MuranoObject, _variables: Variables) -> None:
    """Delete the stack, and drop a deferred push."""
    this.cls.runtime.at_end.pop(this.id, None)
    _native_stack(this).delete()


def _plain_data(value: Any) -> Any:
    """Return a value as plain data, with objects as their ids."""
    value = unwrap_object(value)
    if isinstance(value, MuranoObject):
        return value.id
    if isinstance(value, dict):
        return {_plain_data(key): _plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain_data(item) for item in value]
    return value
