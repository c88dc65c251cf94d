"""Plan files: a plan with a checksum and an optional signature, applied exactly as it is or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sabir.deployments.plan.document import (
    FORMAT,
    build_stored_document,
    document_checksum,
    is_signed_by,
    plan_digest,
    sign_document,
)
from sabir.deployments.plan.steps import Plan
from sabir.errors import DeployError, InputError, UsageError
from sabir.operations.deployment.state import read_document
from sabir.source.packages.file_access import read_named_file
from sabir.source.packages.limits import PackageReadError
from sabir.text import format_json

Result = TypeVar("Result")


def plan_text(plan: Plan, key_file: Path | None = None) -> str:
    """Return a plan in the format that `sabir deploy PATH FILE` reads, signed if there is a private key."""
    document = build_stored_document(plan)
    if key_file is not None:
        document["signature"] = _with_key(key_file, lambda key: sign_document(document, key))
    return format_json(document, indent=2) + "\n"


def read_plan_file(file: Path, key_file: Path | None = None) -> Mapping[str, Any]:
    """Read a plan file; verify its checksum and, with a public key, its signature."""
    try:
        stored = read_document(read_named_file(file), Any, f"the plan {str(file)!r} cannot be read")
    except PackageReadError as error:
        raise InputError(f"the plan {str(file)!r} {error}") from error
    if not isinstance(stored, Mapping) or stored.get("format") != FORMAT:
        raise InputError(f"{str(file)!r} is no plan: `sabir plan ENV -o FILE` writes one")
    if key_file is not None:
        _check_signature(file, stored, key_file)
    if stored.get("checksum") != document_checksum(stored):
        raise DeployError(f"the plan {str(file)!r} was changed after it was made: plan again")
    return stored


def refuse_other_plan(stored: Mapping[str, Any], plan: Plan) -> None:
    """Raise an error unless the current plan is exactly the stored one."""
    if stored.get("environment") != plan.environment:
        raise DeployError(f"this is a plan for {stored.get('environment')!r}, not for {plan.environment!r}")
    if stored.get("state") != plan.serial:
        raise DeployError(
            f"the state has moved from {stored.get('state')} to {plan.serial} since the plan was made: plan again"
        )
    if stored.get("digest") != plan_digest(plan):
        raise DeployError("the description has changed since the plan was made: plan again")


def _check_signature(file: Path, stored: Mapping[str, Any], key_file: Path) -> None:
    if "signature" not in stored:
        raise DeployError(
            f"the plan {str(file)!r} is not signed: `sabir plan ENV -o FILE --sign KEY` signs one"
        )
    if not _with_key(key_file, lambda key: is_signed_by(stored, key)):
        raise DeployError(
            f"the plan {str(file)!r} was changed after it was signed, or the key {str(key_file)!r} is not of who signed it"
        )


def _with_key(file: Path, use: Callable[[bytes], Result]) -> Result:
    try:
        return use(read_named_file(file))
    except PackageReadError as error:
        raise UsageError(f"the key {str(file)!r} {error}") from error
    except UsageError as error:
        raise UsageError(f"{str(file)!r}: {error}") from error
    except ModuleNotFoundError as error:
        raise UsageError(f"signatures need {error.name}: pip install 'sabir[deploy]'") from error
