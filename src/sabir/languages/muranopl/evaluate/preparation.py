"""From a package and a request to a session with a loaded model, with all findings on the way.

Class configuration comes from one file per class, in the directory that `class_configs` of `[engine]` names.
Inputs of the request are properties of the root object, overrides those of any object.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.reasons import explain_error
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import InputError, UsageError
from sabir.graph.origin import How, Origin
from sabir.graph.values import reveal_all
from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.model_file import (
    MODEL_NAMES,
    ModelFile,
    build_model,
    find_model,
    read_model,
)
from sabir.languages.muranopl.evaluate.packages import MuranoPackage, PackageRegistry
from sabir.languages.muranopl.evaluate.previous import restore_model
from sabir.languages.muranopl.evaluate.runtime import Report, Runtime
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.evaluate.system import SystemClass
from sabir.languages.muranopl.library import core_package_in
from sabir.languages.muranopl.model.definitions import MODEL_FORM, find_definitions
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.heat_templates import FORMAT as HEAT
from sabir.languages.muranopl.syntax.manifest import MANIFEST, MISSING_PACKAGE, read_manifest
from sabir.languages.muranopl.worlds.settings import EngineSettings, read_settings
from sabir.session import Trust
from sabir.source.packages import LoadedPackage, is_below
from sabir.source.packages.file_access import read_named_file
from sabir.source.packages.limits import PackageReadError
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar, compose, plain_data
from sabir.text import Place, Source

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.recording.recorder import RunRecorder
    from sabir.languages.muranopl.worlds.effects import World


class ClassConfiguration(Struct, frozen=True):
    """Property values by class, and their locations."""

    values: Mapping[str, Mapping[str, Any]] = {}
    places: Mapping[tuple[str, str], Place] = {}


def read_class_configuration(path: Path, trust: Trust) -> ClassConfiguration:
    """Read the class configuration. `path` is the directory, or an ini file that names it (`[engine]
    class_configs`).
    """
    folder = path if path.is_dir() else _folder_of(path, trust)
    if folder is None:
        return ClassConfiguration()
    values: dict[str, Mapping[str, Any]] = {}
    places: dict[tuple[str, str], Place] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix not in (".yaml", ".yml", ".json"):
            continue
        if not (trust.outside or is_below(file, folder)):
            raise InputError(_leads_out(f"class configuration {str(file)!r}"))
        source = Source(str(file), _read_config_text(file))
        stream = compose(source)
        if stream.broken:
            raise InputError(f"class configuration {str(file)!r}: {stream.findings[0].message}")
        documents = [document for document in stream.documents if document is not None]
        data = plain_data(documents[0]) if documents else {}
        if not isinstance(data, dict):
            raise InputError(f"class configuration {str(file)!r} is no mapping of properties to values")
        values[file.stem] = {str(key): value for key, value in data.items()}
        if documents:
            places.update(_config_places(file.stem, documents[0], source))
    return ClassConfiguration(values, places)


def configuration_of(source: Source, node: YamlNode) -> ClassConfiguration:
    """Return the class configuration of data that is already parsed: class name to properties."""
    data: Any = plain_data(node)
    if not isinstance(data, dict) or not all(isinstance(section, dict) for section in data.values()):
        raise InputError(
            f"the class configuration in {source.name} is no mapping of classes to their properties"
        )
    places: dict[tuple[str, str], Place] = {}
    for key, value in node.items() if isinstance(node, YamlMapping) else ():
        if isinstance(key, YamlScalar):
            places.update(_config_places(str(key.value), value, source))
    return ClassConfiguration({str(key): value for key, value in data.items()}, places)


def _config_places(cls: str, node: YamlNode, source: Source) -> Iterator[tuple[tuple[str, str], Place]]:
    for key, value in node.items() if isinstance(node, YamlMapping) else ():
        if isinstance(key, YamlScalar):
            yield (cls, str(key.value)), Place(source, value.span)


def _read_config_text(file: Path) -> str:
    try:
        return read_named_file(file).decode("utf-8-sig")
    except (PackageReadError, UnicodeDecodeError) as error:
        reason = "is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(f"class configuration {str(file)!r} {reason}") from error


def _leads_out(subject: str) -> str:
    return f"{subject} leads out of its folder and is not followed: allow it with --trust outside"


def _folder_of(path: Path, trust: Trust) -> Path | None:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(_read_config_text(path), source=str(path))
    except configparser.Error as error:
        raise InputError(f"{str(path)!r} is no ini file: {explain_error(error)}") from error
    written = parser.get("engine", "class_configs", fallback=None)
    if written is None:
        return None
    folder = path.parent / Path(written.strip())
    if not (trust.outside or is_below(folder, path.parent)):
        raise InputError(_leads_out(f"class_configs of {str(path)!r}"))
    if not os.path.isdir(folder):
        raise InputError(f"class_configs of {str(path)!r} is no folder: {str(folder)!r}")
    return folder


def apply_overrides(model: Any, request: EvaluationRequest) -> dict[tuple[str, str], How | Origin]:
    """Set the values of a request in a model that was just read; return which ones, by object id and property."""
    done: dict[tuple[str, str], How | Origin] = {}
    if not request.inputs and not request.overrides:
        return done
    objects = find_definitions(model)
    header = model.get("?")
    root = str(header.get("id")) if isinstance(header, Mapping) else ""
    for name, value in request.inputs.items():
        model[name] = reveal_all(value)
        done[root, name] = request.input_origins.get(name, How.INPUT)
    for subject, value in request.overrides.items():
        instance, dot, name = subject.rpartition(".")
        if not dot:
            raise UsageError(f"--set {subject!r}: write it as OBJECT.PROPERTY=VALUE")
        id_ = _find_object_id(instance, objects)
        definition: Any = objects[id_]
        definition[name] = value
        done[id_, name] = How.OVERRIDE
    return done


def _find_object_id(instance: str, objects: Mapping[str, Mapping[Any, Any]]) -> str:
    if instance in objects:
        return instance
    names = {str(raw["?"]["name"]): id_ for id_, raw in objects.items() if raw["?"].get("name") is not None}
    if instance in names:
        return names[instance]
    hint = did_you_mean(instance, {*objects, *names})
    raise UsageError(f"the model has no object {instance!r}" + (f": {hint}" if hint else ""))


COMPILE_LIMITS = RunLimits(steps=2_000_000, seconds=20.0)
"""Constructors and contracts run when a model is evaluated, whoever wrote them."""


class PreparedRun(Struct, frozen=True, kw_only=True):
    """The result of a preparation. `session` is None if the classes or the model could not be loaded."""

    findings: tuple[Finding, ...]
    session: MuranoRun | None = None
    file: ModelFile | None = None

    @property
    def failed(self) -> bool:
        return self.session is None or has_errors(self.findings)


def prepare_run(
    loaded: LoadedPackage,
    request: EvaluationRequest,
    *,
    limits: RunLimits | None = None,
    report: Report | None = None,
    note_writes: bool = False,
    recorder: RunRecorder | None = None,
    system: Iterable[SystemClass] = (),
    sleeps: bool = False,
    world: World | None = None,
    may_remove: bool = False,
    file: ModelFile | None = None,
) -> PreparedRun:
    """Read the package, build its classes, load the model.

    `note_writes`: remember where code wrote properties; `recorder`: record the provenance of every value;
    `system`: Python implementations of system classes for this run; `sleeps`: really wait where code does;
    `world`: performs the effects; `may_remove`: a model without objects deletes what the last run created;
    `file`: the model, if it is already read.
    """
    manifest, findings = read_manifest(loaded)
    if manifest is None:
        return PreparedRun(findings=findings)
    if manifest.format_name not in ("MuranoPL", HEAT):
        message = f"a package of format {manifest.format_name} has no classes to evaluate"
        return PreparedRun(findings=(MISSING_PACKAGE.about_file(MANIFEST, message),))
    package = MuranoPackage(manifest, loaded)
    findings += package.read_all()
    config = _class_configuration(request)
    runtime = Runtime(
        PackageRegistry(
            [package],
            (*request.search_path, *(() if request.core_library is None else (request.core_library,))),
            beside=None if loaded.path is None else loaded.path.absolute().parent,
        ),
        config=config.values,
        limits=limits or run_limits(request, COMPILE_LIMITS),
        report=report,
        system=system,
        recorder=recorder,
        clock=request.session.clock,
        sleeps=sleeps,
        world=world,
        settings=_read_engine_settings(request),
        core=None if request.core_library is None else core_package_in(request.core_library),
    )
    runtime.config_places = config.places
    runtime.written = {} if note_writes else None
    if not has_errors(findings):
        findings += _build_classes(runtime, package)
    if has_errors(findings):
        return PreparedRun(findings=findings)
    if file is None:
        file = _model_file(loaded, request)
    return _load_model(MuranoRun(runtime), file, request, findings, may_remove=may_remove)


def run_limits(request: EvaluationRequest, usual: RunLimits) -> RunLimits:
    """Return the limits of the session, completed with the defaults."""
    limits = request.session.limits
    return replace(
        usual,
        steps=usual.steps if limits.steps is None else limits.steps,
        seconds=usual.seconds if limits.seconds is None else limits.seconds,
        memory=usual.memory if limits.memory is None else limits.memory,
        objects=limits.instances,
    )


def _class_configuration(request: EvaluationRequest) -> ClassConfiguration:
    document = request.documents.get("config")
    if document is not None:
        return configuration_of(document.source, document.node)
    if request.config is None:
        return ClassConfiguration()
    return read_class_configuration(request.config, request.session.trust)


def _read_engine_settings(request: EvaluationRequest) -> EngineSettings:
    """Read the engine settings from the ini file that also names the class configuration."""
    if request.config is None or not request.config.is_file():
        return EngineSettings()
    return EngineSettings(groups=read_settings(request.config))


def has_errors(findings: Iterable[Finding]) -> bool:
    """Tell whether one of the findings is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def error_findings(error: MuranoError) -> tuple[Finding, ...]:
    """Return the findings of a failure and of the independent ones attached to it."""
    return tuple(failure.finding() for failure in (error, *error.also))


def _build_classes(runtime: Runtime, package: MuranoPackage) -> tuple[Finding, ...]:
    """Build every class, so that one run reports all mistakes."""
    findings: dict[tuple[str, str, object], Finding] = {}
    for name in sorted(package.class_names()):
        try:
            runtime.find_class(name, package)
        except MuranoError as error:
            finding = error.finding()
            findings.setdefault((finding.code, finding.message, finding.location), finding)
    return tuple(findings.values())


def _load_model(
    session: MuranoRun,
    file: ModelFile | None,
    request: EvaluationRequest,
    findings: tuple[Finding, ...],
    *,
    may_remove: bool,
) -> PreparedRun:
    if file is None:
        finding = MODEL_FORM.about_file(
            MANIFEST,
            "there is no object model to evaluate",
            hint=f"name one with --model, or put {MODEL_NAMES[0]} beside the manifest",
        )
        return PreparedRun(findings=(*findings, finding))
    findings += file.findings
    if file.model is None and not (file.removes and may_remove):
        if file.removes:
            findings = (
                *findings,
                MODEL_FORM.about_file(file.source, "there is no object left in the model: Objects is null"),
            )
        return PreparedRun(findings=findings)
    runtime = session.runtime
    if file.model is not None:
        runtime.overridden = apply_overrides(file.model, request)
    try:
        session.begin(
            file.model,
            previous=file.previous,
            attributes=file.attributes,
            positions=file.positions,
            goes_on=file.goes_on,
            ends=may_remove or not file.goes_on,
        )
        session.destroy_vanished()
    except MuranoError as error:
        return PreparedRun(findings=(*findings, *runtime.warnings, *error_findings(error)))
    return PreparedRun(findings=(*findings, *runtime.warnings), session=session, file=file)


def _model_file(loaded: LoadedPackage, request: EvaluationRequest) -> ModelFile | None:
    document = request.documents.get("model")
    if document is not None:
        file = build_model(document.source, document.node)
    else:
        source = find_model(loaded, request.model)
        if source is None:
            return None
        file = read_model(source)
    return restore_model(file, request.observed)
