"""The codes of expressions (spec 004) with their documentation; the examples are templates whose output fails."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.errors import Kind
from sabir.languages.tosca.check.codes import template

__all__ = ["EXPRESSION_CODES"]


def _outputs(value: str) -> dict[str, str]:
    return template(
        "topology_template:\n  inputs: {zone: {type: string, default: north}}\n"
        f"  node_templates: {{one: {{type: tosca.nodes.Root}}}}\n  outputs:\n    o:\n      value: {value}\n"
    )


def _code(kind: Kind, title: str, why: str, bad: str, good: str, trust: tuple[str, ...] = ()) -> Rule:
    return Rule(
        code=kind.value,
        title=title,
        why=why,
        bad=_outputs(bad),
        good=_outputs(good),
        language="tosca",
        when="evaluate",
        trust=trust,
    )


EXPRESSION_CODES: Final = (
    _code(
        Kind.SYNTAX,
        "an expression that cannot be read",
        "The finding says at which column and what was expected. A key or test that needs $ [ ] : or ? goes through a variable.",
        "{eval: '::one[.name'}",
        "{eval: '::one[.name]'}",
    ),
    _code(
        Kind.UNDEFINED_VARIABLE,
        "a variable that is not defined",
        "Variables are given under 'vars:' beside 'eval:'; true, false, null and start are always there.",
        "{eval: $zone}",
        "{eval: $zone, vars: {zone: north}}",
    ),
    _code(
        Kind.UNKNOWN_SPECIAL_KEY,
        "a special key that does not exist",
        "Keys of instances that begin with a dot are built in; an attribute has no dot.",
        "{eval: '::one::.nmae'}",
        "{eval: '::one::.name'}",
    ),
    _code(
        Kind.UNKNOWN_FUNCTION,
        "a function that does not exist",
        "The map under 'eval:' must name a function; a plug-in may add more of them.",
        "{eval: {conat: [a, b]}}",
        "{eval: {concat: [a, b]}}",
    ),
    _code(
        Kind.UNKNOWN_LOOKUP,
        "a lookup that does not exist",
        "env, file and url are there; others come with plug-ins.",
        "{eval: {lookup: {envv: HOME}}}",
        "{eval: {lookup: {env: HOME}}}",
    ),
    _code(
        Kind.BAD_ARGUMENTS,
        "arguments that a function cannot take",
        "There are too few or too many, or one of them has the wrong type.",
        "{token: ['a:b', ':', 5]}",
        "{token: ['a:b', ':', 1]}",
    ),
    _code(
        Kind.MISSING_INPUT,
        "an input that is not there",
        "get_input names an input that the service template does not declare.",
        "{eval: {get_input: zoen}}",
        "{eval: {get_input: zone}}",
    ),
    _code(
        Kind.NOT_FOUND,
        "something named is not there",
        "An entity, property, folder, external or address that an expression needs does not exist.",
        "{eval: {external: elsewhere}}",
        "{eval: {external: local}}",
    ),
    _code(
        Kind.FILE_NOT_FOUND,
        "a file that is not there",
        "The path is relative to the directory of the template.",
        "{eval: {lookup: {file: sabir-no-such-file.txt}}}",
        "{eval: {q: sabir-no-such-file.txt}}",
    ),
    _code(
        Kind.TEMPLATE,
        "a template that fails",
        "Jinja2 cannot read it, or a name in it is not defined; `default` gives a value to what may be missing.",
        "'{{ nosuch }}'",
        "\"{{ nosuch | default('x') }}\"",
    ),
    _code(
        Kind.NO_RESULT,
        "an expression without a result",
        "It says 'strict: required' and matches nothing.",
        "{eval: nosuch, strict: required}",
        "{eval: nosuch}",
    ),
    _code(
        Kind.NULL_RESULT,
        "an expression whose result is null",
        "It says 'strict: notnull' and gives null.",
        "{eval: $null, strict: notnull}",
        "{eval: $null}",
    ),
    _code(
        Kind.NO_TASK,
        "a folder that exists only in a job",
        "operation and workflow name folders of a running deployment; while a template is only read there are none.",
        "{eval: {get_dir: operation}}",
        "{eval: {get_dir: nowhere}}",
    ),
    _code(
        Kind.PYTHON_NOT_FOUND,
        "a Python function that is not there",
        "The module cannot be imported, or it has no function of that name. A path to a file goes before '#', a module before the last dot.",
        "{eval: {python: builtins.calable}}",
        "{eval: {python: builtins.callable}}",
        ("python",),
    ),
    _code(
        Kind.PYTHON_RAISED,
        "a Python function that raised",
        "The finding repeats its exception. The function gets the context first and 'args' second.",
        "{eval: {python: builtins.len}}",
        "{eval: {python: builtins.callable}}",
        ("python",),
    ),
    _code(
        Kind.REFUSED,
        "something that the project is not trusted with",
        "Running Python, writing files and using the network are allowed by the owner: --trust python, write-files, network.",
        "{eval: {python: os.getcwd}}",
        "{eval: {q: os.getcwd}}",
    ),
    _code(
        Kind.TOO_MUCH,
        "an expression that asks for too much",
        "It is too long, nests or repeats itself without end, or reads something too large.",
        "'{{ range(99999999) | list }}'",
        "'{{ range(9) | list }}'",
    ),
    _code(
        Kind.VAULT,
        "a vault file that cannot be read or written",
        "There is no password, the password is not the right one, or the file is not vault encrypted. "
        "The password comes from UNFURL_VAULT_DEFAULT_PASSWORD.",
        "{eval: {tempfile: secret, encoding: vault}}",
        "{eval: {q: secret}}",
        ("write-files",),
    ),
)
