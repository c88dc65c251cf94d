"""`io.murano.system.Agent` and `AgentListener`: execution plans for machines, and their results."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.plans import ReadResource, build_plan, resource_file
from sabir.languages.muranopl.evaluate.system.registry import SystemClass, caller_class, perform_effect
from sabir.languages.muranopl.model.errors import NativeError
from sabir.languages.muranopl.model.objects import MuranoObject, unwrap_object
from sabir.languages.muranopl.worlds.effects import EffectKind

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.runtime import Runtime


AGENT: Final = SystemClass("io.murano.system.Agent")
AGENT_LISTENER: Final = SystemClass("io.murano.system.AgentListener")
_FAILED: Final = "murano.engine.system.agent.AgentException"
_TIMEOUT: Final = "murano.common.exceptions.TimeoutException"
_FORBIDDEN: Final = "murano.common.exceptions.PolicyViolationException"
_READY: Final[Mapping[str, Any]] = {"Body": "return", "FormatVersion": "2.0.0", "Scripts": {}}
_PATIENCE: Final = 100  # seconds to wait for the answer of an agent that may not be ready


@AGENT.method("enabled")
def is_agent_enabled(this: MuranoObject, _variables: Variables) -> bool:
    """Tell whether the engine settings enable agents."""
    return _is_enabled(this)


@AGENT.method("queueName")
def queue_name(this: MuranoObject, _variables: Variables) -> str:
    """Return the name of the queue on which the agent receives plans."""
    return _queue_name(this)


@AGENT.method("signingKey")
def signing_key(this: MuranoObject, _variables: Variables, line_prefix: str) -> str:
    """Return the public key that verifies plans of this engine; empty if plans are not signed."""
    from sabir.languages.muranopl.evaluate.system.plans import public_key

    path = this.cls.runtime.settings.get("engine", "signing_key")
    key = public_key(path) if path else ""
    return "".join((line_prefix or "") + line for line in key.splitlines(keepends=True))


@AGENT.method("call")
def call(this: MuranoObject, variables: Variables, template: Any, resources: Any, timeout: Any) -> Any:
    """Build the plan of a template, send it and return the agent's result; fail after `timeout` seconds."""
    _check_enabled(this)
    return _call_agent(this, _build_plan(this, variables, template, resources), timeout)


@AGENT.method("send")
def send(this: MuranoObject, variables: Variables, template: Any, resources: Any) -> None:
    """Build the plan of a template and send it, without waiting for the result."""
    _check_enabled(this)
    _send_plan(this, _build_plan(this, variables, template, resources))


@AGENT.method("callRaw")
def call_raw(this: MuranoObject, _variables: Variables, plan: Any, timeout: Any) -> Any:
    """Send a complete plan and return the agent's result."""
    _check_enabled(this)
    return _call_agent(this, dict(plan), timeout)


@AGENT.method("sendRaw")
def send_raw(this: MuranoObject, _variables: Variables, plan: Any) -> None:
    """Send a complete plan, without waiting for the result."""
    _check_enabled(this)
    _send_plan(this, dict(plan))


@AGENT.method("waitReady")
def wait_ready(this: MuranoObject, _variables: Variables, timeout: Any) -> None:
    """Wait until the agent answers an empty plan; fail after `timeout` seconds."""
    _check_enabled(this)
    _call_agent(this, dict(_READY), _PATIENCE if timeout is None else timeout)


@AGENT.method("isReady")
def is_ready(this: MuranoObject, variables: Variables, timeout: Any) -> bool:
    """Tell whether the agent answers within `timeout` seconds; failures other than a timeout are raised."""
    try:
        wait_ready(this, variables, timeout)
    except NativeError as failure:
        if failure.kind != _TIMEOUT:
            raise
        return False
    return True


@AGENT.method("buildExecutionPlan")
def build_execution_plan(this: MuranoObject, variables: Variables, template: Any, resources: Any) -> Any:
    """Return the plan of a template with the files it needs, without sending it."""
    return _build_plan(this, variables, template, resources)


@AGENT_LISTENER.method("queueName")
def results_queue(this: MuranoObject, _variables: Variables) -> str:
    """Return the name of the queue on which results of plans arrive."""
    return _results_queue(this)


@AGENT_LISTENER.method("enabled")
def listener_enabled(this: MuranoObject, _variables: Variables) -> bool:
    """Tell whether the engine settings enable agents."""
    return _is_enabled(this)


@AGENT_LISTENER.method("start")
def start(_this: MuranoObject, _variables: Variables) -> None:
    """Do nothing: `call` waits for results where a plan is sent."""


@AGENT_LISTENER.method("stop")
def stop(_this: MuranoObject, _variables: Variables) -> None:
    """Do nothing: `start` starts nothing."""


# -- what is sent -----------------------------------------------------------------------------------------------------


def _build_plan(this: MuranoObject, variables: Variables, template: Any, resources: Any) -> dict[str, Any]:
    clock = _Stamps(this)
    return build_plan(
        template,
        _resource_reader(this, variables, resources),
        new_id=lambda: _new_id(this.cls.runtime),
        stamp=clock.next,
    )


def _resource_reader(this: MuranoObject, variables: Variables, resources: Any) -> ReadResource:
    """Return the reader of files of the package whose code created the `Resources` object, else of the calling one."""
    owner = unwrap_object(resources)
    cls = (
        owner.native
        if isinstance(owner, MuranoObject) and owner.native is not None
        else caller_class(variables)
    )
    return lambda name: resource_file(cls or this.cls, name).raw()


class _Stamps:
    """Increasing numbers: the time in tenths of milliseconds, or the last number plus one."""

    def __init__(self, agent: MuranoObject) -> None:
        self._agent = agent

    def next(self) -> int:
        now = int(perform_effect(self._agent.cls.runtime, EffectKind.CLOCK) * 10_000)
        self._agent.native = stamp = max(now, (self._agent.native or 0) + 1)
        return stamp


def _new_id(runtime: Runtime) -> str:
    words = perform_effect(runtime, EffectKind.RANDOM, length=24)
    return hashlib.blake2b(words.encode(), digest_size=16).hexdigest()


def _call_agent(this: MuranoObject, plan: dict[str, Any], timeout: Any) -> Any:
    runtime = this.cls.runtime
    seconds = runtime.settings.get("engine", "agent_timeout") if timeout is None else timeout
    answer = perform_effect(runtime, EffectKind.AGENT_CALL, **_build_message(this, plan), timeout=seconds)
    if answer is None:
        raise NativeError(_TIMEOUT, f"The murano-agent did not respond within {seconds} seconds")
    if str(answer.get("FormatVersion", "1.0.0")).startswith("1."):
        return _first_result(answer, runtime)
    return _second_result(answer)


def _send_plan(this: MuranoObject, plan: dict[str, Any]) -> None:
    perform_effect(this.cls.runtime, EffectKind.AGENT_SEND, **_build_message(this, plan))


def _build_message(this: MuranoObject, plan: dict[str, Any]) -> dict[str, Any]:
    region = _find_region(this)
    stack = None if region is None else region.properties.get("stack")
    return {
        "broker": _broker_settings(region, this.cls.runtime),
        "queue": _queue_name(this),
        "host": this.properties["host"].properties.get("name"),
        "stack": stack.properties.get("name") if isinstance(stack, MuranoObject) else None,
        "replyTo": None if region is None else _results_queue(region),
        "plan": plan,
    }


# -- what comes back --------------------------------------------------------------------------------------------------


def _first_result(answer: Mapping[str, Any], runtime: Runtime) -> Any:
    results = answer.get("Result") or []
    if answer.get("IsException"):
        raise _first_failure(results, "execution_plan", runtime)
    if not results:
        return None
    last = results[-1]
    if last.get("IsException"):
        raise _first_failure(last.get("Result") or [], "command", runtime)
    return last.get("Result")


def _first_failure(parts: list[Any], source: str, runtime: Runtime) -> NativeError:
    names = ("type", "message", "command", "details")
    values = [*parts, None, None, None, None]
    extra = dict(zip(names, values, strict=False))
    return _agent_failure({**extra, "timestamp": _current_time(runtime), "source": source})


def _current_time(runtime: Runtime) -> str:
    return datetime.fromtimestamp(perform_effect(runtime, EffectKind.CLOCK), UTC).isoformat()


def _second_result(answer: Mapping[str, Any]) -> Any:
    code = answer.get("ErrorCode") or 0
    body = answer.get("Body")
    if not code:
        return body
    rest = dict(body or {})
    raise _agent_failure(
        {
            "message": rest.pop("Message", None),
            "details": rest.pop("AdditionalInfo", None),
            "errorCode": code,
            "time": answer.get("Time"),
            "extra": rest or None,
        }
    )


def _agent_failure(facts: dict[str, Any]) -> NativeError:
    return NativeError(_FAILED, str(facts), extra=facts)


# -- names of queues and brokers --------------------------------------------------------------------------------------


def _is_enabled(this: MuranoObject) -> bool:
    return not this.cls.runtime.settings.get("engine", "disable_murano_agent")


def _check_enabled(this: MuranoObject) -> None:
    if not _is_enabled(this):
        raise NativeError(_FORBIDDEN, "Use of murano-agent is disallowed by the server configuration")


def _queue_name(this: MuranoObject) -> str:
    host = this.properties["host"]
    environment = host.nearest_owner(this.cls.runtime.core_class("io.murano.Environment"))
    return f"e{environment.id if environment else ''}-h{host.id}".lower()


def _results_queue(this: MuranoObject) -> str:
    listener = this if this.cls.name == AGENT_LISTENER.name else this.properties.get("agentListener")
    name = listener.properties.get("name") if isinstance(listener, MuranoObject) else None
    return f"-execution-results-{str(name or '').lower()}"


def _find_region(this: MuranoObject) -> MuranoObject | None:
    host = this.properties["host"]
    method = host.cls.lookup("getRegion")
    region = unwrap_object(method.invoke(host, {})) if method is not None else None
    return region if isinstance(region, MuranoObject) else None


def _broker_settings(region: MuranoObject | None, runtime: Runtime) -> dict[str, Any]:
    """Return the message broker of a region: its own configuration, else that of the engine."""
    method = None if region is None else region.cls.lookup("getConfig")
    configured = method.invoke(region, {}) if method is not None else None
    broker: dict[str, Any] = runtime.settings.group("rabbitmq")
    return {**broker, **((configured or {}).get("agentRabbitMq") or {})}
