"""Conversion of evaluation requests to worker tasks and back."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

from sabir.graph.json import decode_value, encode_value, origin_data
from sabir.graph.json.values import origin_of
from sabir.graph.values import Value
from sabir.languages.language import EvaluationRequest
from sabir.operations.worker.messages import Work, WorkerTask
from sabir.session import Session


def build_task(path: Path, request: EvaluationRequest, language: str | None, work: Work) -> WorkerTask:
    """Build the task for a worker from a request and the state of this process."""
    session = request.session
    return WorkerTask(
        work=work,
        path=os.fsencode(path),
        language=language,
        directory=os.fsencode(os.getcwd()),
        import_path=[os.fsencode(entry) for entry in sys.path],
        inputs=_encode_values(request.inputs),
        input_origins={name: origin_data(origin) for name, origin in request.input_origins.items()},
        overrides=_encode_values(request.overrides),
        model=None if request.model is None else os.fsencode(request.model),
        config=None if request.config is None else os.fsencode(request.config),
        search_path=[os.fsencode(folder) for folder in request.search_path],
        imports=[os.fsencode(word) for word in request.imports],
        std=request.std,
        observed=_encode_values(request.observed),
        sightings=request.sightings,
        full_provenance=request.full_provenance,
        trust=session.trust,
        limits=session.limits,
        environment=[(os.fsencode(name), os.fsencode(value)) for name, value in session.environment.items()],
        now=session.clock().timestamp(),
    )


def build_request(task: WorkerTask) -> EvaluationRequest:
    """Restore the request, without its progress callbacks."""
    return EvaluationRequest(
        inputs={name: decode_value(value) for name, value in task.inputs.items()},
        input_origins={name: origin_of(data, name) for name, data in task.input_origins.items()},
        overrides={name: decode_value(value) for name, value in task.overrides.items()},
        model=None if task.model is None else _decode_path(task.model),
        config=None if task.config is None else _decode_path(task.config),
        search_path=tuple(map(_decode_path, task.search_path)),
        imports=tuple(map(os.fsdecode, task.imports)),
        std=task.std,
        observed={name: decode_value(value) for name, value in task.observed.items()},
        sightings=task.sightings,
        full_provenance=task.full_provenance,
        session=_build_session(task),
    )


def _build_session(task: WorkerTask) -> Session:
    began, now = monotonic(), datetime.fromtimestamp(task.now, UTC)
    return Session(
        trust=task.trust,
        limits=task.limits,
        environment={os.fsdecode(name): os.fsdecode(value) for name, value in task.environment},
        # The owner's clock may be one that a test has set: it goes on here from what it showed there.
        clock=lambda: now + timedelta(seconds=monotonic() - began),
    )


def _encode_values(values: Mapping[str, Value]) -> dict[str, Any]:
    return {name: encode_value(value, reveal=True) for name, value in values.items()}


def _decode_path(sent: bytes) -> Path:
    return Path(os.fsdecode(sent))
