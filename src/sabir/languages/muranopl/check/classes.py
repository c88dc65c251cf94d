"""The validator of class files (spec 001, "Class validation"), and rules for names and inheritance.

The reader of the language reports malformed class and namespace names; the rules here only recommend a style
(spec 001, "Class structure"). Inheritance is checked over all files of the package: cycles, and ancestries
that are deeper than the engine follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cached_property, partial
from typing import ClassVar, Final

from sabir.checks.check_task import CheckTask
from sabir.checks.selection import FileSelection
from sabir.diagnostics.finding import Finding
from sabir.expressions.yaql.nodes import Call, Node, Word, child_nodes
from sabir.languages.muranopl.check.class_members import (
    check_lost,
    check_methods,
    check_properties,
    check_writes,
)
from sabir.languages.muranopl.check.class_references import check_class_reference
from sabir.languages.muranopl.check.class_view import ClassDocument, PackageClasses, class_file
from sabir.languages.muranopl.check.code import check_locals
from sabir.languages.muranopl.check.contracts import Defaults, check_contract, contract_expressions
from sabir.languages.muranopl.check.facts import ClassFacts, Facts, MethodFacts
from sabir.languages.muranopl.check.inference import Inference
from sabir.languages.muranopl.check.names import Version, is_camel_case, is_lower_camel
from sabir.languages.muranopl.check.references import NameChecker
from sabir.languages.muranopl.check.validator import ViewValidator
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.classes import DEEPEST_CLASS
from sabir.languages.muranopl.syntax.expressions import (
    ExpressionText,
    parse_error_finding,
    parse_scalar,
    type_name,
)
from sabir.languages.muranopl.syntax.heads import ClassHead
from sabir.languages.muranopl.syntax.nodes import NameNode, Value
from sabir.languages.muranopl.syntax.report import FileReporter, kind_of
from sabir.languages.muranopl.syntax.values import NO_MAPPING
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, text_of

CLASS_NAME_STYLE: Final = package_rule(
    "MPL:W011",
    "a class name that is not CamelCase",
    "Readers tell classes from properties and methods by their capitals.",
)
NAMESPACE_STYLE: Final = package_rule(
    "MPL:W061",
    "a namespace that is not in lowerCamelCase",
    "The document recommends small letters at the beginning of every part.",
    off_by_default=True,
)
SHORT_NAMESPACE: Final = package_rule(
    "MPL:W062",
    "a namespace of a single part",
    "A namespace that begins with a domain of its author does not meet that of somebody else.",
    off_by_default=True,
)


def check_class_name(report: FileReporter, head: ClassHead) -> Iterator[Finding]:
    """Report a well-formed class name that is not in CamelCase, with a suggestion where one can be derived."""
    last = (head.written_name or "").removeprefix("=").removeprefix(":").rpartition(".")[2]
    if head.is_well_named and head.written_name is not None and not is_camel_case(last):
        better = "".join(part[:1].upper() + part[1:] for part in last.split("_"))
        hint = f"call it {better!r}" if is_camel_case(better) else "capitals begin the words, no underscores"
        yield report.at(head.span, CLASS_NAME_STYLE, f"the class name {last!r} is not CamelCase", hint=hint)


def check_namespace(report: FileReporter, prefix: str, namespace: NameNode) -> Iterator[Finding]:
    """Report unusual namespaces and prefixes. These rules are off by default."""
    name = namespace.text
    if not is_lower_camel(name):
        hint = "begin every part with a small letter"
        message = f"the namespace {name!r} is not in lowerCamelCase"
        yield report.at(namespace.span, NAMESPACE_STYLE, message, hint=hint)
    if prefix == "=" and "." not in name:
        hint = "begin it with a domain of your own, as in com.example.web"
        yield report.at(
            namespace.span, SHORT_NAMESPACE, f"the namespace {name!r} has a single part", hint=hint
        )


def inheritance_cycles(classes: Mapping[str, ClassDocument]) -> Iterator[tuple[str, ...]]:
    """Return the inheritance cycles, each starting with its first class by file name.

    Of cycles that share a class only one is returned. Every class is visited once, so the cost is linear in
    the number of classes.
    """
    order = sorted(classes, key=lambda name: (classes[name].source.name, name))
    rank = {name: number for number, name in enumerate(order)}
    done: set[str] = set()
    told: set[str] = set()
    for start in order:
        way: dict[str, Iterator[str]] = {}
        if start not in done:
            way[start] = _find_known_parents(classes, start)
        while way:
            name, parents = next(reversed(way.items()))
            parent = next(parents, None)
            if parent is None:
                del way[name]
                done.add(name)
            elif parent in way:
                names = [*way]
                cycle = names[names.index(parent) :]
                if not told.intersection(cycle):
                    told.update(cycle)
                    first = cycle.index(min(cycle, key=rank.__getitem__))
                    yield (*cycle[first:], *cycle[:first])
            elif parent not in done:
                way[parent] = _find_known_parents(classes, parent)


def deep_class(classes: Mapping[str, ClassDocument]) -> str | None:
    """Return the first class, by file name, with more levels of ancestors than the engine follows. Cycles do not
    count.
    """
    levels: dict[str, int] = {}
    deep = []
    for start in classes:
        way = {start: _find_known_parents(classes, start)} if start not in levels else {}
        while way:
            name, parents = next(reversed(way.items()))
            parent = next(parents, None)
            if parent is None:
                del way[name]
                above = (levels[parent] for parent in _find_known_parents(classes, name) if parent in levels)
                levels[name] = 1 + max(above, default=0)
                if levels[name] > DEEPEST_CLASS:
                    deep.append(name)
            elif parent not in way and parent not in levels:
                way[parent] = _find_known_parents(classes, parent)
    return min(deep, key=lambda name: (classes[name].source.name, name), default=None)


def _find_known_parents(classes: Mapping[str, ClassDocument], name: str) -> Iterator[str]:
    for parent in classes[name].head.extends:
        if parent.name is not None and parent.name in classes:
            yield parent.name


_LONGEST_WAY: Final = 20


_OFF_BY_DEFAULT: Final = frozenset({"MPL:W061", "MPL:W062", "MPL:W119"})

BROKEN_PROMISE: Final = package_rule(
    "MPL:E012",
    "the class is not the one that the manifest promises",
    "The engine finds a class by the name the manifest gives to its file; name and namespace in the file must agree.",
)
INHERITANCE_CYCLE: Final = package_rule(
    "MPL:E117",
    "a class that extends itself, or too many others",
    "Following Extends leads back to the class; the engine cannot load any class of the circle. "
    f"Nor does it follow Extends through more than {DEEPEST_CLASS} levels.",
)


class ClassValidator(ViewValidator):
    """Checks the classes of a package: their form, their code, and the names they use."""

    short_name: ClassVar[str] = "MPL"
    long_name: ClassVar[str] = "class"
    quiet: ClassVar[Set[str]] = _OFF_BY_DEFAULT

    @cached_property
    def _facts(self) -> Facts:
        return Facts(PackageClasses(self._view))

    @cached_property
    def _names(self) -> NameChecker:
        return NameChecker(self._facts.table, Inference(self._facts))

    @cached_property
    def _defaults(self) -> Defaults:
        return Defaults(self._version)

    @property
    def _version(self) -> Version | None:
        return None if self.package.single_file else self._view.format_version

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        for check in self.prepare_checks(files):
            yield from check.call()

    def prepare_checks(self, files: Iterable[str] | None = None) -> Iterator[CheckTask]:
        """Return one check per file, and one for what concerns all files together."""
        if not self.package.single_file and (
            self._view.manifest is None or self._view.format_name != "MuranoPL"
        ):
            return
        selection = FileSelection.of(files)
        yield self._check("inheritance", partial(self._inheritance_cycles, selection))
        for path in self._view.class_files:
            if path in selection:
                yield self._check(path, partial(self._file, path), file=path)

    def _check(self, name: str, call: Callable[[], Iterator[Finding]], file: str = "<check>") -> CheckTask:
        return CheckTask(
            validator=self.short_name, name=f"{type(self).__name__} of {name}", call=call, file=file
        )

    def _file(self, path: str) -> Iterator[Finding]:
        file = yield from self._readable(path)
        if file is None:
            return
        written = [document for document in file.yaml.documents if document is not None]
        odd = next((document for document in written if not isinstance(document, YamlMapping)), None)
        if not written or odd is not None:
            kind = "empty" if odd is None else kind_of(odd)
            yield FileReporter(file.source).whole(
                NO_MAPPING, f"a class file must hold mappings, one a class; this is {kind}"
            )
            return
        read = class_file(self._view, path)
        yield from read.findings
        for prefix, namespace in read.namespaces:
            yield from check_namespace(FileReporter(file.source), prefix, namespace)
        for document in read.documents:
            yield from self._class(document)
        yield from _report_duplicates(read.documents)
        yield from self._check_promised_names(path, read.documents)

    def _class(self, document: ClassDocument) -> Iterator[Finding]:
        facts = self._facts.of(document)
        report = facts.report
        yield from check_class_name(report, document.head)
        members = facts.document.members
        yield from members.findings
        if self._version is not None:
            yield from check_properties(report, members.properties, self._version)
            yield from check_methods(report, members.methods, self._version)
        yield from self._contracts(report, facts.document)
        if document.head.has_sure_namespaces:
            yield from self._type_references(report, document)
        for method in facts.methods:
            yield from self._method(facts, method)

    def _check_promised_names(self, path: str, documents: tuple[ClassDocument, ...]) -> Iterator[Finding]:
        """Compare the names that the manifest assigns to a file with the classes found in it."""
        if self.package.single_file or any(document.name is None for document in documents):
            return
        listed = [listing.name for listing in self._view.listed_classes or () if listing.path == path]
        defined = {document.name: document for document in documents}
        missing = [name for name in listed if name not in defined]
        surplus = [document for name, document in defined.items() if name not in listed]
        for position, name in enumerate(missing):
            at = surplus[min(position, len(surplus) - 1)] if surplus else documents[0]
            place = at.node.get("Name") or at.node
            message = f"the manifest promises the class {name!r} in this file; here is {at.name!r}"
            hint = "make Name and the namespace = of the file agree with Classes in the manifest"
            yield FileReporter(at.source).at(place, BROKEN_PROMISE, message, hint=hint)

    def _contracts(self, report: FileReporter, document: ClassDocument) -> Iterator[Finding]:
        for declared in document.members.properties:
            contract = declared.contract.node
            yield from check_contract(report, contract)
            yield from self._defaults.check(report, contract, _value_node(declared.default))
            yield from self._contract_types(report, document, contract)
        arguments = (argument for method in document.members.methods for argument in method.arguments)
        for argument in arguments:
            contract, default = argument.contract.node, _value_node(argument.default)
            yield from check_contract(report, contract)
            yield from self._contract_types(report, document, contract)
            if isinstance(default, YamlScalar) and (text_of(default) or "").startswith("$"):
                parsed = parse_scalar(report, default)
                if not isinstance(parsed, ExpressionText):
                    yield parse_error_finding(report, default, parsed)
            else:
                yield from self._defaults.check(report, contract, default)

    def _contract_types(
        self, report: FileReporter, document: ClassDocument, contract: YamlNode
    ) -> Iterator[Finding]:
        """Check the classes that a contract names: `$.class(x:Y)`, also without a prefix."""
        for expression in contract_expressions(report, contract):
            for node, written in _contract_classes(expression.tree):
                span = expression.span(node)
                yield from check_class_reference(report, self._facts.table, document, span, written)

    def _type_references(self, report: FileReporter, document: ClassDocument) -> Iterator[Finding]:
        for reference in (*document.head.extends, *document.head.imports):
            yield from check_class_reference(
                report, self._facts.table, document, reference.span, reference.written
            )

    def _method(self, facts: ClassFacts, method: MethodFacts) -> Iterator[Finding]:
        body = method.body
        yield from body.findings
        yield from self._names.check_method(facts, method)
        yield from check_writes(facts, method)
        yield from check_lost(facts, method)
        yield from check_locals(facts.report, body, method.arguments)

    def _inheritance_cycles(self, selection: FileSelection) -> Iterator[Finding]:
        """Report each cycle once, at the `Extends` of its first class by file name."""
        classes = self._facts.table.classes
        cycles = [*inheritance_cycles(classes)]
        for cycle in cycles:
            document = classes[cycle[0]]
            if document.source.name in selection:
                place = document.node.get("Extends") or document.node
                way = " → ".join(
                    (*cycle, cycle[0]) if len(cycle) <= _LONGEST_WAY else (cycle[0], "…", cycle[0])
                )
                yield FileReporter(document.source).at(
                    place, INHERITANCE_CYCLE, f"the class extends itself: {way}"
                )
        deep = None if cycles else deep_class(classes)
        if deep is not None and classes[deep].source.name in selection:
            place = classes[deep].node.get("Extends") or classes[deep].node
            message = f"the class {deep} has more than {DEEPEST_CLASS} ancestors"
            yield FileReporter(classes[deep].source).at(place, INHERITANCE_CYCLE, message)


def _report_duplicates(documents: tuple[ClassDocument, ...]) -> Iterator[Finding]:
    first: dict[str, ClassDocument] = {}
    for document in documents:
        if document.name is not None and first.setdefault(document.name, document) is not document:
            message = f"the class {document.name!r} is defined twice in this file"
            yield FileReporter(document.source).at(document.head.span, BROKEN_PROMISE, message)


def _value_node(value: Value | None) -> YamlNode | None:
    return None if value is None else value.node


def _contract_classes(tree: Node) -> Iterator[tuple[Node, str]]:
    """Return the class references of a contract; a bare word inside `class()` and `template()` is one as well."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        written = type_name(node)
        if written is not None:
            yield node, written
            continue
        if isinstance(node, Call) and node.name in ("class", "template"):
            yield from (
                (argument, argument.value) for argument in node.arguments if isinstance(argument, Word)
            )
        waiting.extend(child_nodes(node))
