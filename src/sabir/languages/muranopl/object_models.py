"""Object models created from the forms of a package, or from the contracts of its class if it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import InputError, UsageError
from sabir.languages.language import EvaluationRequest, ModelCall, ModelQuestion, ModelResult
from sabir.languages.muranopl.check.view import PackageView
from sabir.languages.muranopl.evaluate.forms.cloud import Offers, read_cloud
from sabir.languages.muranopl.evaluate.forms.definition import FormDefinition, read_definition
from sabir.languages.muranopl.evaluate.forms.fields import REQUIRED, FormField
from sabir.languages.muranopl.evaluate.forms.models import ContractModel, Wizard
from sabir.languages.muranopl.evaluate.forms.schema import class_schema, method_schema
from sabir.languages.muranopl.evaluate.methods import Method
from sabir.languages.muranopl.evaluate.packages import MuranoPackage, PackageRegistry
from sabir.languages.muranopl.evaluate.preparation import (
    COMPILE_LIMITS,
    error_findings,
    has_errors,
    run_limits,
)
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.evaluate.serialisation import plain_result
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.heat_templates import read_template
from sabir.languages.muranopl.syntax.manifest import read_manifest
from sabir.source.packages import LoadedPackage

_REFUSED = "a validator of the form refuses this value"


def make_model(package: LoadedPackage, request: EvaluationRequest, call: ModelCall) -> ModelResult:
    """Return the model of the application of a package, its schema, or its forms."""
    manifest, findings = read_manifest(package)
    if manifest is None:
        return ModelResult(findings=findings)
    described = MuranoPackage(manifest, package)
    registry = PackageRegistry([described], request.search_path)
    runtime = Runtime(
        registry, limits=run_limits(request, COMPILE_LIMITS), clock=request.session.clock, sleeps=False
    )
    form = PackageView.of(package).ui_file
    file = None if form is None else package.get_file(form)
    source = None if file is None else file.source
    if source is None and described.is_template:
        template = read_template(package)
        if isinstance(template, Finding):
            return ModelResult(findings=(template,))
        source = template.form_source(described.name, manifest.name)
    if source is not None and call.cls is None and not call.schema:
        return _from_forms(read_definition(source), described, runtime, call)
    findings += described.read_all()
    if has_errors(findings):
        return ModelResult(findings=findings)
    try:
        cls = runtime.find_class(call.cls or _main_class(described), described)
        if call.schema:
            schema = (
                class_schema(cls)
                if call.method is None
                else method_schema(_find_public_method(cls, call.method))
            )
            return ModelResult(findings=findings, document=schema)
        return _from_contracts(ContractModel(call.values, call.ask), cls)
    except MuranoError as error:
        return ModelResult(findings=(*findings, *error_findings(error)))


def _main_class(package: MuranoPackage) -> str:
    """Return the main class of a package: the one with its name, or the only one."""
    names = sorted(package.class_names())
    if package.name in names:
        return package.name
    if len(names) == 1:
        return names[0]
    if not names:
        raise UsageError(f"{package.name} has no classes in its manifest, and so nothing to make a model of")
    raise UsageError(f"{package.name} has several classes, say which with --class: {', '.join(names)}")


def _find_public_method(cls: MuranoClass, name: str) -> Method:
    """Return a method that can be called from outside."""
    method = cls.lookup(name)
    if method is None or not method.is_exposed:
        names = sorted(each.name for each in cls.list_public_methods())
        there = did_you_mean(name, names) or f"it has {', '.join(names) or 'none'}"
        raise UsageError(f"{cls.name} has no public method {name!r}: {there}")
    return method


def _from_contracts(maker: ContractModel, cls: Any) -> ModelResult:
    model = maker.make(cls)
    errors = [f"{path}: {cls.name} needs a value, give it with --set {path}=VALUE" for path in maker.missing]
    errors += [f"{path}: there is no such property in {cls.name}" for path in sorted(maker.unused)]
    return ModelResult(document=model, errors=tuple(errors))


def _from_forms(
    definition: FormDefinition, package: MuranoPackage, runtime: Runtime, call: ModelCall
) -> ModelResult:
    header = definition.application.get("?")
    name = header.get("type") if isinstance(header, Mapping) else None
    parameters = _call_parameters_source(definition, str(name or package.name), package, runtime)
    offers = Offers(cloud=None if call.cloud is None else read_cloud(call.cloud))
    wizard = Wizard(definition, package.name, offers=offers, parameters=parameters)
    values = call.values
    if call.forms:
        return ModelResult(
            document={"forms": [_form_data(form.name, fields) for form, fields in wizard.forms()]}
        )
    unused = {*values}
    errors: list[str] = []
    for form, fields in wizard.forms():
        given = {
            field.name: key
            for field in fields
            if (key := _find_value_key(form.name, field, values)) is not None
        }
        unused.difference_update(given.values())
        sent = {name: values[key] for name, key in given.items()}
        _complete_values(sent, form.name, fields, call)
        wrong = wizard.fill_form(form, fields, sent)
        while wrong and _ask_again(sent, form.name, fields, wrong, call):
            wrong = wizard.fill_form(form, fields, sent)
        errors = [
            f"{form.name}.{name}: {message or _REFUSED}{_set_option_hint(message, form.name, name)}"
            for name, messages in wrong.items()
            for message in messages
        ]
        if errors:
            return ModelResult(errors=tuple(errors))
    fields_ = [f"{form.name}.{field.name}" for form in definition.forms for field in form.fields]
    errors = [f"{key}: there is no such field{_key_suggestion(key, fields_)}" for key in sorted(unused)]
    return ModelResult(errors=tuple(errors)) if errors else ModelResult(document=wizard.model())


def _complete_values(sent: dict[str, Any], form: str, fields: list[FormField], call: ModelCall) -> None:
    """Repeat passwords, and ask for missing values if someone can answer."""
    for field in fields:
        if field.confirms is not None:
            if field.confirms in sent:
                sent.setdefault(field.name, sent[field.confirms])
        elif call.ask is not None and field.name not in sent and not field.spec.is_hidden:
            answer = call.ask(_build_question(form, field))
            if answer is not None:
                sent[field.name] = answer


def _ask_again(
    sent: dict[str, Any],
    form: str,
    fields: list[FormField],
    wrong: Mapping[str, Sequence[str]],
    call: ModelCall,
) -> bool:
    """Ask again for rejected values. A rejected value from the command line is an error instead."""
    refused = [field for field in fields if field.name in wrong and field.confirms is None]
    if call.ask is None or any(
        field.spec.is_hidden or _find_value_key(form, field, call.values) is not None for field in refused
    ):
        return False
    before = dict(sent)
    for field in refused:
        reason = " ".join(filter(None, wrong[field.name])) or _REFUSED
        sent[field.name] = call.ask(replace(_build_question(form, field), refused=reason))
        sent.update({clone.name: sent[field.name] for clone in fields if clone.confirms == field.name})
    return sent != before  # the same value would be rejected again


def _set_option_hint(message: str, form: str, name: str) -> str:
    return f" Give it with --set {form}.{name}=VALUE" if message == REQUIRED else ""


def _key_suggestion(key: str, known: list[str]) -> str:
    hint = did_you_mean(key, known)
    return f"; {hint}" if hint else f"; there are {', '.join(known)}"


def _find_value_key(form: str, field: FormField, values: Mapping[str, Any]) -> str | None:
    """Return the key by which a value of a field was passed: `form.field`, or the field alone."""
    return next((key for key in (f"{form}.{field.name}", field.name) if key in values), None)


def _build_question(form: str, field: FormField) -> ModelQuestion:
    label = field.label or field.name
    offered = [str(value) for value, _ in field.choices or () if value not in ("", [None, None])]
    choices = f" ({', '.join(offered)})" if offered else ""
    initial = "" if field.initial is None else f" [{field.initial}]"
    return ModelQuestion(
        name=f"{form}.{field.name}",
        text=f"{label}{choices}{initial}",
        is_secret=field.spec.kind == "password",
    )


def _form_data(name: str, fields: list[FormField]) -> dict[str, Any]:
    return {"name": name, "fields": [field.describe() for field in fields]}


def _call_parameters_source(
    definition: FormDefinition, class_name: str, package: MuranoPackage, runtime: Runtime
) -> Mapping[str, Any]:
    """Return the form parameters that the static method named by `ParametersSource` computes."""
    if definition.parameters_source is None:
        return {}
    cls, _, method = definition.parameters_source.rpartition(".")
    session = MuranoRun(runtime)
    try:
        result = plain_result(session.call(runtime.find_class(cls or class_name, package), method))
    except MuranoError as error:
        raise InputError(f"ParametersSource {definition.parameters_source} failed: {error}") from None
    return result if isinstance(result, dict) else {}
