"""What can go wrong with a template, as findings; the language that renders it says under which rules."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.text import Place

__all__ = ["TemplateDefect", "TemplateFailed", "TemplateFinding", "TemplateRules"]


class TemplateDefect(Enum):
    SYNTAX = "syntax"
    UNDEFINED = "undefined"
    UNSAFE = "unsafe"
    LIMIT = "limit"
    FAILED = "failed"


class TemplateFinding(Finding, frozen=True, kw_only=True):
    """A finding that also tells its parts, for those who must word it for another place than where it was rendered."""

    defect: TemplateDefect
    reason: str
    """In the words of Jinja2 or of the limit, without what the message says around it."""
    name: str | None = None
    """The name that is not defined, as far as it can be told with its path: `web.prot`."""


class TemplateFailed(Exception):
    def __init__(self, findings: tuple[TemplateFinding, ...]) -> None:
        super().__init__("; ".join(finding.message for finding in findings))
        self.findings = findings


class TemplateRules(Struct, frozen=True, kw_only=True):
    """The rules of a language for the templates it renders, one for each way in which a template can fail."""

    syntax: Rule
    undefined: Rule
    unsafe: Rule
    limit: Rule
    failed: Rule
    defining: str | None = None
    """Where to define a name that resembles no other."""

    def finding(
        self,
        defect: TemplateDefect,
        reason: str,
        place: Place,
        *,
        name: str | None = None,
        hint: str | None = None,
    ) -> TemplateFinding:
        rule: Rule = getattr(self, defect.value)
        message = f"{_BEFORE_REASON[defect]}: {reason}"
        if name is not None:
            message = f"the template uses {name!r}, which is not defined"
        finding = rule.at(place, message, hint=hint)
        return finding.widened(TemplateFinding, defect=defect, reason=reason, name=name)

    def undefined_name(self, name: str, names: Iterable[str], place: Place) -> TemplateFinding:
        """`names` are defined where this one was looked for."""
        parent, _, last = name.rpartition(".")
        hint = did_you_mean(last, names)
        if hint and parent:
            hint = hint.replace("did you mean '", f"did you mean '{parent}.")
        reason = f"{name!r} is not defined"
        return self.finding(TemplateDefect.UNDEFINED, reason, place, name=name, hint=hint or self.defining)

    def unreadable(self, reason: str, place: Place, filters: Iterable[str]) -> TemplateFinding:
        return self.finding(TemplateDefect.SYNTAX, reason, place, hint=_syntax_hint(reason, filters))


_BEFORE_REASON = {
    TemplateDefect.SYNTAX: "not readable as a Jinja2 template",
    TemplateDefect.UNDEFINED: "the template cannot be rendered",
    TemplateDefect.UNSAFE: "the template is refused",
    TemplateDefect.LIMIT: "the template cannot be rendered",
    TemplateDefect.FAILED: "the template cannot be rendered",
}


def _syntax_hint(reason: str, filters: Iterable[str]) -> str | None:
    """What to do about the slips that are made most."""
    if reason.startswith("unexpected '}'") or "expected token 'end of print statement'" in reason:
        return "an expression is closed by two braces: {{ … }}"
    if reason.startswith(("Unexpected end of template", "unexpected end of template")):
        return "close the statement, or remove it: {% if … %} … {% endif %}"
    if reason.startswith("No filter named"):
        return did_you_mean(reason.split("'")[1], filters)
    return None
