"""Reader of `sabir.yaml`: from YAML to an `Environment`, with a finding for every invalid key or value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.environment.examples import environment_rule
from sabir.environment.nodes import Environment, Part
from sabir.graph.values import Value
from sabir.lazy import lazy_pattern
from sabir.resources.resource import Lifecycle
from sabir.resources.secrets import SecretSource, reference_to
from sabir.resources.target import Target
from sabir.source.packages import PackageFile
from sabir.source.yaml.access import find_unknown_keys
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data, text_of
from sabir.text import Place, Source, Span

NOT_AN_ENVIRONMENT: Final = environment_rule(
    "E001",
    "sabir.yaml is not an environment",
    "An environment is a mapping with the key parts: names, each with a path and, if need be, a language.",
)
MALFORMED_PART: Final = environment_rule(
    "E002",
    "a malformed part",
    "A part is named by letters, digits, _ and -, and is a mapping with a path; inputs is a mapping.",
)
UNKNOWN_KEY: Final = environment_rule(
    "E003",
    "an unknown key",
    "Keys that sabir does not know have no effect, most often because of a typing error.",
)
MALFORMED_TARGET: Final = environment_rule(
    "E012",
    "a malformed target",
    "A target has a name and a driver; parallel, timeout and retries are whole numbers, labels are a list. lifecycle names resources by their "
    "addresses.",
)

ENVIRONMENT_KEYS: Final = (
    "sabir",
    "name",
    "parts",
    "outputs",
    "rules",
    "targets",
    "lifecycle",
    "externals",
    "moved",
    "secrets",
)
PART_KEYS: Final = ("language", "path", "inputs", "model", "config", "search_path")
_VERSION: Final = 1

_name_pattern: Final = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]*")


def read_environment(file: PackageFile) -> tuple[Environment | None, tuple[Finding, ...]]:
    """Return the usable content of the file and the findings; None if nothing is usable."""
    findings = [*file.yaml.findings]
    if file.yaml.broken:
        return None, tuple(findings)
    first = file.yaml.documents[0] if file.yaml.documents else None
    if not isinstance(first, YamlMapping):
        message = "sabir.yaml must be a mapping with the key parts"
        return None, (*findings, NOT_AN_ENVIRONMENT.about_file(file.source, message))
    reader = _Reader(file.source, findings)
    return reader.environment(first), tuple(reader.findings)


class _Reader:
    def __init__(self, source: Source, findings: list[Finding]) -> None:
        self.source = source
        self.findings = findings

    def environment(self, root: YamlMapping) -> Environment | None:
        self._check_keys(root, ENVIRONMENT_KEYS, "an environment")
        self._version(root.get("sabir"))
        parts = root.get("parts")
        if not isinstance(parts, YamlMapping) or not len(parts):
            at = parts.span if parts is not None else Span(0, 0)
            message = "an environment needs its parts: a mapping of names"
            hint = "write parts: {web: {path: web/}}"
            self._find(at, NOT_AN_ENVIRONMENT, message, hint=hint)
            return None
        outputs = root.get("outputs")
        if outputs is not None and not isinstance(outputs, YamlMapping):
            self._find(outputs.span, NOT_AN_ENVIRONMENT, "outputs must be a mapping of names to values")
        moved = self._texts_by_name(
            root.get("moved"),
            "moved must be a mapping of old addresses to new ones",
            each="it must be the address that the resource has now",
        )
        return Environment(
            source=self.source,
            name=text_of(root.get("name")) or "environment",
            parts=tuple(part for key, value in parts.items() if (part := self._part(key, value)) is not None),
            outputs=outputs if isinstance(outputs, YamlMapping) else None,
            rules=self._texts(root.get("rules"), "rules"),
            targets=tuple(self._targets(root.get("targets"))),
            lifecycles=dict(self._lifecycles(root.get("lifecycle"))),
            externals=dict(
                self._texts_by_name(
                    root.get("externals"),
                    "externals must be a mapping of names to paths",
                    each="it must be the path of another environment",
                )
            ),
            secrets=tuple(self._secrets(root.get("secrets"))),
            moved={before: after for before, (after, _) in moved},
        )

    def _version(self, value: YamlNode | None) -> None:
        if value is not None and not (isinstance(value, YamlScalar) and value.value == _VERSION):
            message = f"this sabir reads environments of version {_VERSION}"
            self._find(value.span, NOT_AN_ENVIRONMENT, message, hint=f"write sabir: {_VERSION}")

    def _part(self, key: YamlNode, value: YamlNode) -> Part | None:
        name = text_of(key)
        if name is None or not _name_pattern().fullmatch(name):
            message = "a part is named by letters, digits, _ and -"
            self._find(key.span, MALFORMED_PART, message)
            return None
        if not isinstance(value, YamlMapping):
            self._find(value.span, MALFORMED_PART, f"part {name!r} must be a mapping with a path")
            return None
        self._check_keys(value, PART_KEYS, f"part {name!r}")
        path = value.get("path")
        written = text_of(path)
        described_here = (
            path is None and text_of(value.get("language")) == "resources" and value.get("model") is not None
        )
        if described_here:
            path, written = key, "."  # files that the resources name are relative to sabir.yaml
        if path is None or written is None:
            self._find(
                (path or key).span,
                MALFORMED_PART,
                f"part {name!r} needs its path, a text",
                hint="write path: DIRECTORY",
            )
            return None
        language = value.get("language")
        if language is not None and text_of(language) is None:
            self._find(language.span, MALFORMED_PART, "language must be the name of a language")
        inputs = value.get("inputs")
        if inputs is not None and not isinstance(inputs, YamlMapping):
            self._find(inputs.span, MALFORMED_PART, "inputs must be a mapping of names to values")
        return Part(
            name=name,
            span=key.span,
            path=written,
            path_span=path.span,
            described_here=described_here,
            language=text_of(language),
            language_span=language.span if language is not None else None,
            inputs=inputs if isinstance(inputs, YamlMapping) else None,
            model=value.get("model"),
            config=value.get("config"),
            search_path=tuple(text for text, _ in self._texts(value.get("search_path"), "search_path")),
        )

    def _targets(self, value: YamlNode | None) -> Iterator[Target]:
        for key, described in self._entries(value, "targets must be a mapping of names"):
            name = text_of(key)
            driver = text_of(described.get("driver")) if isinstance(described, YamlMapping) else None
            if name is None or driver is None or not isinstance(described, YamlMapping):
                self._find(
                    key.span,
                    MALFORMED_TARGET,
                    f"target {name!r} needs its driver",
                    hint="write driver: local",
                )
                continue
            settings = {
                text_of(setting) or "?": _read_setting(plain_data(node))
                for setting, node in described.items()
                if text_of(setting) not in ("driver", "parallel", "timeout", "retries", "labels")
            }
            yield Target(
                name=name,
                driver=driver,
                settings=cast("Mapping[str, Value]", settings),
                parallel=self._whole(described.get("parallel"), "parallel", least=1),
                timeout=self._whole(described.get("timeout"), "timeout", least=1),
                retries=self._whole(described.get("retries"), "retries", least=0),
                labels=tuple(text for text, _ in self._texts(described.get("labels"), "labels")),
                place=Place(self.source, key.span),
            )

    def _whole(self, node: YamlNode | None, key: str, *, least: int) -> int | None:
        value = node.value if isinstance(node, YamlScalar) else None
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        if node is not None:
            self._find(node.span, MALFORMED_TARGET, f"{key} must be a whole number of at least {least}")
        return None

    def _secrets(self, value: YamlNode | None) -> Iterator[SecretSource]:
        for key, described in self._entries(value, "secrets must be a mapping of names"):
            name = text_of(key)
            entries = list(described.items()) if isinstance(described, YamlMapping) else []
            provider = text_of(entries[0][0]) if len(entries) == 1 else None
            if name is None or provider is None:
                hint = (
                    "write {env: VARIABLE}, {file: PATH}, {command: […]}, {kubernetes: {…}} or {vault: {…}}"
                )
                self._find(described.span, MALFORMED_TARGET, f"secret {name!r} needs one provider", hint=hint)
                continue
            written = plain_data(entries[0][1])
            settings = written if isinstance(written, dict) else {"": written}
            yield SecretSource(
                name=name,
                provider=provider,
                settings=cast("Mapping[str, Value]", settings),
                place=Place(self.source, key.span),
            )

    def _texts_by_name(
        self, value: YamlNode | None, form: str, *, each: str
    ) -> Iterator[tuple[str, tuple[str, Span]]]:
        for key, node in self._entries(value, form):
            name, text = text_of(key), text_of(node)
            if name is None or text is None:
                self._find(node.span, MALFORMED_TARGET, each)
                continue
            yield name, (text, node.span)

    def _lifecycles(self, value: YamlNode | None) -> Iterator[tuple[str, Lifecycle]]:
        for key, described in self._entries(value, "lifecycle must be a mapping of addresses"):
            if not isinstance(described, YamlMapping):
                self._find(
                    described.span,
                    MALFORMED_TARGET,
                    "it must be a mapping with prevent_destroy or ignore_changes",
                )
                continue
            self._check_keys(described, ("prevent_destroy", "ignore_changes"), "a lifecycle")
            prevent = described.get("prevent_destroy")
            ignored = self._texts(described.get("ignore_changes"), "ignore_changes")
            yield (
                text_of(key) or "?",
                Lifecycle(
                    prevent_destroy=isinstance(prevent, YamlScalar) and prevent.value is True,
                    ignore_changes=tuple(text for text, _ in ignored),
                ),
            )

    def _entries(self, value: YamlNode | None, form: str) -> Iterator[tuple[YamlNode, YamlNode]]:
        """Yield the entries of an optional mapping; `form` describes the expected content in the finding."""
        if isinstance(value, YamlMapping):
            yield from value.items()
        elif value is not None:
            self._find(value.span, MALFORMED_TARGET, form)

    def _texts(self, value: YamlNode | None, key: str) -> tuple[tuple[str, Span], ...]:
        if value is None:
            return ()
        items = value.items if isinstance(value, YamlSequence) else (value,)
        for item in items:
            if text_of(item) is None:
                self._find(item.span, NOT_AN_ENVIRONMENT, f"{key} must be a path or a list of paths")
        return tuple((text, item.span) for item in items if (text := text_of(item)) is not None)

    def _check_keys(self, mapping: YamlMapping, names: Sequence[str], subject: str) -> None:
        for key, name, hint in find_unknown_keys(mapping, names):
            self._find(key.span, UNKNOWN_KEY, f"{subject} has no key {name!r}", hint=hint)

    def _find(self, span: Span, rule: Rule, message: str, *, hint: str | None = None) -> None:
        self.findings.append(rule.at(Place(self.source, span), message, hint=hint))


def _read_setting(value: Any) -> Any:
    """Return a target setting, with `{secret: NAME}` as a reference."""
    if isinstance(value, dict):
        if value.keys() == {"secret"} and isinstance(value["secret"], str):
            return reference_to(value["secret"])
        return {key: _read_setting(item) for key, item in value.items()}
    return [_read_setting(item) for item in value] if isinstance(value, list) else value
