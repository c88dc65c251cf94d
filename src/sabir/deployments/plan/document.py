"""The plan document, format `sabir.plan/1`: encoding, checksum and signature. It contains no sensitive value
in any form.

The checksum detects an accidental change of a stored plan. The Ed25519 signature also proves who approved it;
keys are read as OpenSSL and ssh-keygen write them. Both cover everything in the document except themselves.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.errors import UsageError
from sabir.graph.address import digest_text
from sabir.graph.json.values import encode_value
from sabir.interpreter import collector_paused
from sabir.resources.outcome import FieldChange
from sabir.resources.step import Action

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


FORMAT: Final = "sabir.plan/1"


@collector_paused()
def plan_document(plan: Plan) -> dict[str, Any]:
    """Return the document of a plan, as `sabir plan --format json` prints it."""
    steps = [_step_data(step) for step in plan.steps]
    document: dict[str, Any] = {
        "format": FORMAT,
        "environment": plan.environment,
        "state": plan.serial,
        "digest": plan_digest(plan),
        "counts": {action.value: plan.counts[action] for action in Action if plan.counts[action]},
        "unchanged": plan.unchanged,
        "steps": steps,
    }
    if plan.through:
        document["through"] = {key: list(requires) for key, requires in plan.through.items()}
    if plan.later:
        document["later"] = [{"address": address, "reason": reason} for address, reason in plan.later]
    if plan.waiting:
        document["waiting"] = [{"address": address, "reason": reason} for address, reason in plan.waiting]
    return document


def build_stored_document(plan: Plan) -> dict[str, Any]:
    """Return the document of a plan for a file: with a checksum, so that a manual change is detected."""
    document = plan_document(plan)
    return {**document, "checksum": document_checksum(document)}


def document_checksum(document: Mapping[str, Any]) -> str:
    """Return the checksum of a document; an existing checksum or signature does not count."""
    return digest_text(encode_plan(document).decode("utf-8"), size=16)


def encode_plan(document: Mapping[str, Any]) -> bytes:
    """Return the canonical encoding of a document: the input of checksums and signatures."""
    content = {name: value for name, value in document.items() if name not in ("checksum", "signature")}
    return msgspec.json.encode(content, order="sorted")


def plan_digest(plan: Plan) -> str:
    """Return a digest that is equal for two plans that do the same from the same state.

    The values of secrets do not count: the digest of a short one would reveal it.
    """
    steps = [(_step_data(step), encode_value(dict(step.placed.resource.desired))) for step in plan.steps]
    text = msgspec.json.encode([plan.environment, plan.serial, steps], order="sorted").decode("utf-8")
    return digest_text(text, size=16)


def _step_data(step: PlannedStep) -> dict[str, Any]:
    resource = step.placed.resource
    entry: dict[str, Any] = {
        "key": step.key,
        "action": step.action.value,
        "address": step.address,
        "kind": resource.kind,
        "target": step.placed.target.name,
        "driver": step.placed.driver.name,
        "reason": step.reason,
    }
    if step.replaces:
        entry["replaces"] = True
    if step.call is not None:
        entry["call"] = step.call.name
    if step.changes:
        entry["changes"] = [_change_data(change) for change in step.changes]
    if step.requires:
        entry["requires"] = list(step.requires)
    if step.unforeseen:
        entry["unforeseen"] = list(step.unforeseen)
    if step.only_if:
        entry["only_if"] = list(step.only_if)
    if step.left is not None:
        entry["left"] = step.left
    if step.effects:
        entry["effects"] = list(step.effects)
    if resource.origin is not None:
        location = resource.origin.location
        entry["origin"] = {"file": location.file, "line": location.line, "column": location.column}
    return entry


def _change_data(change: FieldChange) -> dict[str, Any]:
    return {"field": change.field, "before": encode_value(change.before), "after": encode_value(change.after)}


def sign_document(document: Mapping[str, Any], key: bytes) -> str:
    """Return the signature of a document by a private key. Raises `UsageError` for an invalid key."""
    return b64encode(_load_private_key(key).sign(encode_plan(document))).decode("ascii")


def is_signed_by(document: Mapping[str, Any], key: bytes) -> bool:
    """Tell whether a document carries a valid signature by a public key. Raises `UsageError` for an invalid
    key."""
    from cryptography.exceptions import InvalidSignature

    public = _load_public_key(key)
    try:
        public.verify(b64decode(str(document.get("signature", "")), validate=True), encode_plan(document))
    except (InvalidSignature, ValueError):
        return False
    return True


def _load_private_key(data: bytes) -> Ed25519PrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    is_ssh = b"OPENSSH PRIVATE KEY" in data
    load = serialization.load_ssh_private_key if is_ssh else serialization.load_pem_private_key
    try:
        key = load(data, password=None)
    except TypeError as error:
        raise UsageError(
            "the key is locked with a passphrase, and nobody is asked for one: unlock a copy"
        ) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UsageError("this is no private key: `openssl genpkey -algorithm ed25519` makes one") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError("plans are signed with Ed25519: `openssl genpkey -algorithm ed25519` makes a key")
    return key


def _load_public_key(data: bytes) -> Ed25519PublicKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    is_ssh = data.lstrip().startswith(b"ssh-")
    load = serialization.load_ssh_public_key if is_ssh else serialization.load_pem_public_key
    try:
        key = load(data.strip())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UsageError(
            "this is no public key: `openssl pkey -in KEY -pubout` writes that of a private one"
        ) from error
    if not isinstance(key, Ed25519PublicKey):
        raise UsageError("plans are signed with Ed25519, and this key is of another sort")
    return key
