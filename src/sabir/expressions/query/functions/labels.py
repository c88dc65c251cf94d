"""to_label and its kin: names that DNS, Kubernetes and Google Cloud accept, out of any text.

They give the same names as Unfurl does, because what is deployed already carries these.
"""

from __future__ import annotations

import hashlib
from base64 import b32encode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace as changed

from sabir.diagnostics.decoding import explain_decode_error
from sabir.expressions.patterns import PatternError, compile_pattern, matches_whole
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.functions.call import FunctionCall, Matches
from sabir.expressions.query.functions.registry import Function, Implementation, table
from sabir.expressions.query.values import (
    build_unknown,
    holds_unknown,
    is_sensitive,
    mark_sensitive,
    reveal_deep,
)

_LONGEST_PART: Final = 9999
_SHORT: Final = 32


class _Form(Struct, frozen=True, forbid_unknown_fields=True):
    """What a label may look like; `allowed`, `start` and `end` are ranges of characters."""

    allowed: str = r"\w"
    replace: str = ""
    start: str = "a-zA-Z"
    start_prepend: str = "x"
    end: str | None = None
    max: int = 63
    case: Literal["any", "lower", "upper"] = "any"
    sep: str = ""
    digest: str | None = None
    digestlen: int = -1

    @property
    def marks(self) -> int:
        """How many characters of a digest tell labels apart that were cut."""
        wanted = self.digestlen if self.digestlen >= 0 else 2 if self.max < _SHORT else 3
        return min(self.max, wanted)


_ALNUM: Final = "a-zA-Z0-9"
_FORMS: Final = {
    "to_label": _Form(),
    "to_dns_label": _Form(allowed="a-zA-Z0-9-", replace="--", case="lower", end=_ALNUM),
    "to_kubernetes_label": _Form(allowed=r"\w.-", replace="__", start=_ALNUM, end=_ALNUM),
    "to_googlecloud_label": _Form(allowed=r"\w-", replace="__", case="lower"),
}


def _label_function(form: _Form) -> Implementation:
    def run(call: FunctionCall, context: QueryContext) -> Any:
        value = call.value(context)
        if holds_unknown(value):
            return build_unknown(value)
        keywords = {name: reveal_deep(call.keyword(context, name)) for name in call.keywords}
        try:
            wanted = convert({**_form_fields(form), **keywords}, _Form)
        except ValidationError as error:
            call.fail(context, f"{call.function.name}: {explain_decode_error(error)}")
        if wanted.max < 1:
            call.fail(context, f"{call.function.name}: a label of at most {wanted.max} characters is none")
        try:
            label = _build_label(reveal_deep(value), wanted)
        except PatternError as error:
            call.fail(context, f"{call.function.name}: no range of characters: {error}")
        return Matches([mark_sensitive(label) if is_sensitive(value) else label])

    return run


def _form_fields(form: _Form) -> dict[str, Any]:
    return {name: getattr(form, name) for name in form.__struct_fields__}


def _build_label(value: Any, form: _Form) -> Any:
    if isinstance(value, Mapping):
        names = changed(form, digest=None)
        return {
            _build_label(key, names): _build_label(item, form)
            for key, item in value.items()
            if item is not None
        }
    if isinstance(value, list):
        return _join_labels([str(item) for item in value], form)
    return _text_label(value, form) if isinstance(value, str) else value


def _join_labels(parts: list[str], form: _Form) -> str:
    """The labels of the parts with the separator between; too long ones give way to the shorter ones."""
    if not parts:
        return ""
    whole = changed(form, digest=None, digestlen=0, max=_LONGEST_PART)
    labels = [_text_label(part, whole) for part in parts]
    room = form.max - min(len(form.sep) * (len(parts) - 1), form.max - 1)
    if sum(map(len, labels)) <= room and form.digest is None:
        return form.sep.join(labels)[: form.max]
    share = max(room // len(parts), 1)
    share += sum(max(share - len(label), 0) for label in labels) // len(labels)
    shortened = form.sep.join(_shorten_label(label, form.replace, share) for label in labels)
    if not form.marks:
        return shortened[: form.max]
    digest = _label_digest("".join(parts), form)
    left = form.max - len(form.sep) - form.marks
    return digest if left <= 0 else shortened[:left] + form.sep + digest


def _text_label(text: str, form: _Form) -> str:
    label = text
    if text and not _is_in_ranges(form.start, text[0]):
        label = form.start_prepend + text
    # Where characters are short, those that are not allowed are left out.
    stand_in = "" if len(label) > form.max else form.replace
    label = "".join(character if _is_in_ranges(form.allowed, character) else stand_in for character in label)
    while form.end is not None and label and not _is_in_ranges(form.end, label[-1]):
        label = label[:-1]
    label = {"lower": label.lower(), "upper": label.upper()}.get(form.case, label)
    if form.marks and (form.digest is not None or len(label) > form.max):
        return _shorten_label(label, form.replace, form.max - form.marks) + _label_digest(text, form)
    return _shorten_label(label, form.replace, form.max)


def _is_in_ranges(characters: str, character: str) -> bool:
    ranges = characters[1:-1] if characters[:1] == "[" and characters[-1:] == "]" else characters
    return matches_whole(compile_pattern(f"[{ranges}]"), character)


def _shorten_label(label: str, gap: str, room: int) -> str:
    """The beginning and the end of a long label."""
    if len(label) <= room:
        return label
    kept = room - len(gap)
    if kept <= 8:
        return label[:room]
    return label[: kept - kept // 2] + gap + label[-(kept // 2) :]


def _label_digest(text: str, form: _Form) -> str:
    raw = hashlib.sha1((text + (form.digest or "")).encode(), usedforsecurity=False).digest()
    if form.case == "any":
        code = urlsafe_b64encode(raw).decode().strip("=").replace("_", "").replace("-", "")
    else:
        code = b32encode(raw).decode().strip("=")
    return (code.lower() if form.case == "lower" else code)[: form.marks]


FUNCTIONS: Final = table(
    *(
        Function(name, _label_function(form), keywords=tuple(_Form.__struct_fields__))
        for name, form in _FORMS.items()
    )
)
