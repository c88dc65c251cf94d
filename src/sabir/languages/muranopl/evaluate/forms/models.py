"""Object models from user input: by the forms of a package, or by the contracts of its class.

The wizard fills the forms of a definition one after the other, as the dashboard does; each form sees the
values of those before it. A package without forms gets its model from contracts: required values are passed
by the caller or asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from msgspec import Struct, field

from sabir.errors import InputError
from sabir.expressions.yaql import YaqlError
from sabir.languages.language import ModelQuestion
from sabir.languages.muranopl.evaluate.forms.cloud import Offers
from sabir.languages.muranopl.evaluate.forms.definition import (
    FieldSpec,
    FormDefinition,
    FormExpression,
    FormExpressions,
    FormSpec,
    with_ids,
)
from sabir.languages.muranopl.evaluate.forms.fields import FieldError, FormField, escape_initial
from sabir.languages.muranopl.evaluate.forms.schema import class_argument_name, contract_calls, is_required
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.syntax.nodes import ListValue, MapValue

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.model.properties import PropertyDeclaration


_GIVEN: Final = frozenset({"In", "InOut", "Const"})
_DEEPEST: Final = 20
Ask = Callable[[ModelQuestion], Any]
"""Asks a person for the value of a property: its path, and what the contract wants."""


class ContractModel:
    """Creates an object of a class, and of every class that its contracts require.

    `values` are property values by path: `port`, `instance.flavor`. `missing` receives the required paths
    without a value.
    """

    def __init__(self, values: Mapping[str, Any], ask: Ask | None = None) -> None:
        self._values = values
        self._ask = ask
        self.unused = {*values}
        self.missing: list[str] = []

    def make(self, cls: MuranoClass, path: str = "", depth: int = 0) -> dict[str, Any]:
        name = self._take(f"{path}?.type") if f"{path}?.type" in self._values else None
        if name is not None:
            cls = cls.runtime.find_class(str(name), cls.package)
        model: dict[str, Any] = {"?": {"type": cls.name, "id": str(uuid4())}}
        for property_name, declaration in sorted(cls.members.items()):
            if declaration.usage in _GIVEN:
                self._add(model, property_name, declaration, f"{path}{property_name}", depth)
        return model

    def _take(self, path: str) -> Any:
        self.unused.discard(path)
        return self._values[path]

    def _add(
        self, model: dict[str, Any], name: str, declaration: PropertyDeclaration, path: str, depth: int
    ) -> None:
        if path in self._values:
            model[name] = self._take(path)
            return
        wanted = _find_contract_class(declaration)
        has_parts = any(key.startswith(f"{path}.") for key in self._values)
        if wanted is not None and depth < _DEEPEST and (has_parts or is_required(declaration)):
            model[name] = self.make(wanted, f"{path}.", depth + 1)
        elif is_required(declaration):
            self._require(model, name, declaration, path)

    def _require(self, model: dict[str, Any], name: str, declaration: PropertyDeclaration, path: str) -> None:
        contract = declaration.node.contract
        if isinstance(contract, ListValue | MapValue):
            return  # an empty list or mapping needs no values
        if self._ask is not None:
            model[name] = self._ask(ModelQuestion(name=path, text=getattr(contract, "text", "")))
        else:
            self.missing.append(path)


def _find_contract_class(declaration: PropertyDeclaration) -> MuranoClass | None:
    cls = declaration.cls
    for call in contract_calls(declaration.node.contract):
        name = class_argument_name(call) if call.name == "class" else None
        if name is not None:
            try:
                return cls.runtime.class_named(name, cls)
            except MuranoError:
                return None
    return None


LAST_FORM: Final = "workflowManagement"
WHOLE_FORM: Final = "__all__"
"""Under this name stands what is wrong with a form and not with one of its fields."""


class FormResult(Struct, frozen=True, kw_only=True):
    """The displayed `forms`, and either `errors` by form and field, or the cleaned values and the model."""

    forms: list[dict[str, Any]]
    errors: dict[str, dict[str, list[str]]] = field(default_factory=dict[str, dict[str, list[str]]])
    values: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    model: dict[str, Any] | None = None


class Wizard:
    """Displays the forms of a definition in order; each form knows the values entered before it."""

    def __init__(
        self,
        definition: FormDefinition,
        class_name: str,
        *,
        offers: Offers | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self._definition = definition
        self._class_name = class_name
        self._offers = offers or Offers()
        self._expressions = FormExpressions(definition.templates)
        self._values: dict[str, dict[str, Any]] = {}
        self._parameters: dict[str, Any] = {}
        for name, value in {**definition.parameters, **(parameters or {})}.items():
            if str(name)[:1].isalpha():
                self._parameters[name] = self._evaluate(value, {}, f"parameter {name!r}")

    def forms(self) -> Iterator[tuple[FormSpec, list[FormField]]]:
        """Yield the forms, each with its fields as they are displayed once the earlier forms are filled in."""
        forms = [*self._definition.forms]
        if self._definition.asks_for_a_name:
            forms.append(_last_form(self._class_name))
        for form in forms:
            yield form, [*self._fields(form)]

    def fill(self, values: Mapping[str, Mapping[str, Any]]) -> FormResult:
        """Return the model for the values, or the reasons for rejecting them. Missing values are the proposed
        ones.
        """
        shown: list[dict[str, Any]] = []
        for form, fields in self.forms():
            shown.append({"name": form.name, "fields": [field_.summarize() for field_ in fields]})
            errors = self.fill_form(form, fields, values.get(form.name, {}))
            if errors:
                return FormResult(forms=shown, errors={form.name: errors})
        return FormResult(forms=shown, values=self._values, model=self.model())

    def fill_form(
        self, form: FormSpec, fields: list[FormField], values: Mapping[str, Any]
    ) -> dict[str, list[str]]:
        """Accept the values of one form; return what is wrong with them, by field."""
        cleaned: dict[str, Any] = {}
        errors: dict[str, list[str]] = {}
        for field_ in fields:
            if cleaned:
                self._values[form.name] = cleaned
            enabled = field_.spec.keys.get("enabled", True)
            is_enabled = bool(self._evaluate(enabled, self._values, f"`enabled` of {field_.name!r}"))
            try:
                cleaned[field_.name] = field_.clean(
                    field_.resolve_value(values), self._evaluator, enabled=is_enabled
                )
            except FieldError as refusal:
                errors[field_.name] = [*refusal.messages]
        if not errors:
            self._values[form.name] = cleaned
            wrong = [*self._wrong_together(form, fields, cleaned)]
            errors = {WHOLE_FORM: wrong} if wrong else {}
        return errors

    def model(self) -> dict[str, Any]:
        """Return the application as it would be added to an environment."""
        application = dict(self._definition.application)
        if self._definition.asks_for_a_name:
            name = self._values[LAST_FORM]["application_name"]
            application["?"] = {**application.get("?", {}), "name": name}
        model = with_ids(self._evaluate(application, self._values, "Application"))
        assert isinstance(model, dict)
        return model

    def _fields(self, form: FormSpec) -> Iterator[FormField]:
        for spec in form.fields:
            field_ = self._field(spec)
            yield field_
            if spec.kind == "password" and spec.literal("confirmInput", default=True):
                yield FormField(spec, None, field_.initial, label="Confirm password", confirms=spec.name)

    def _field(self, spec: FieldSpec) -> FormField:
        choices = self._offers.choices(spec)
        written = spec.keys.get("initial")
        initial = (
            self._evaluate(written, self._values, f"`initial` of {spec.name!r}")
            if isinstance(written, FormExpression)
            else escape_initial(written)
        )
        if spec.kind == "flavor" and choices is not None:
            medium = next((id_ for id_, name in choices if "medium" in name), None)
            initial = medium if medium is not None else initial
        elif choices is not None and len(choices) == 2 and choices[0][0] == "" and _chooses_by_itself(spec):
            initial = choices[1][0]
        label = spec.literal("label")
        return FormField(spec, choices, initial, None if label is None else str(label))

    def _wrong_together(
        self, form: FormSpec, fields: list[FormField], cleaned: Mapping[str, Any]
    ) -> Iterator[str]:
        """Return errors of the form as a whole: its validators, then passwords that differ from their
        repetition.
        """
        wrong = False
        for validator in form.validators:
            if not self._evaluate(validator.get("expr"), self._values, f"a validator of {form.name!r}"):
                wrong = True
                yield str(validator.get("message", "Validation Error occurred"))
        for field_ in fields if not wrong else ():
            original = field_.confirms
            if original is not None and field_.spec.is_required and cleaned[original] != cleaned[field_.name]:
                yield f"{field_.spec.literal('label')}s don't match"
                return

    def _evaluator(self, value: Any) -> Any:
        """Return the function that evaluates the validators of a field, with `$` as its value."""
        return lambda expression: self._expressions.evaluate(expression, {"$": value})

    def _evaluate(self, value: Any, data: Mapping[str, Any], what: str) -> Any:
        variables = self._expressions.variables(data, self._parameters)
        try:
            return self._expressions.evaluate(value, variables)
        except YaqlError as error:
            raise InputError(f"{what} of the UI definition cannot be evaluated: {error}") from None


def _chooses_by_itself(spec: FieldSpec) -> bool:
    """Tell whether a field proposes its only choice: a key pair or an application."""
    return spec.kind == "keypair" or isinstance(spec.kind, tuple) or "." in spec.kind


def _last_form(class_name: str) -> FormSpec:
    keys = {
        "label": "Application Name",
        "description": "The name of the application: A-Z, a-z, 0-9, dash and underline.",
        "regexpValidator": r"^[-\w]+$",
        "initial": class_name.rpartition(".")[2],
    }
    return FormSpec(LAST_FORM, (FieldSpec("application_name", "string", keys),))
