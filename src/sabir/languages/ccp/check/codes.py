"""The codes of CCP: one for each kind of violation, with why it matters and an example that the tests run."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from sabir.diagnostics.rules import Rule
from sabir.languages.ccp.check.examples import BAD, GOOD
from sabir.languages.ccp.syntax.violation import Kind

__all__ = ["CODE_OF", "all_codes"]


class _Text(NamedTuple):
    number: str
    title: str
    why: str


_TEXTS: Final = {
    Kind.YAML_SYNTAX: _Text(
        "E001",
        "definition is not readable as YAML",
        "After its template is rendered a definition must be one YAML document. The line shown is that of the template, "
        "also when a loop or an include made the text.",
    ),
    Kind.TEMPLATE_SYNTAX: _Text(
        "E002",
        "definition is not readable as a template",
        "Definitions are Jinja2 templates over the configuration. A tag left open, an `endif` too few or a filter that "
        "does not exist keeps the whole file from being rendered.",
    ),
    Kind.UNDEFINED_VARIABLE: _Text(
        "E003",
        "template uses a name that is not defined",
        "An undefined name would silently become an empty text. Define it under `configs`, in the configuration or in "
        "`service/files/defaults.yaml` of a component, or mend the spelling.",
    ),
    Kind.TEMPLATE_FAILED: _Text(
        "E004",
        "template cannot be rendered",
        "An expression in the template fails on the values it is given: a sum of a text and a number, an include of a "
        "file that is not there, or the template's own `raise_exception`.",
    ),
    Kind.TEMPLATE_UNSAFE: _Text(
        "E005",
        "template reaches for the interpreter",
        "Templates work on the configuration. Attributes of Python objects that lead out of it are refused, whoever wrote "
        "the template.",
    ),
    Kind.TEMPLATE_LIMIT: _Text(
        "E006",
        "template does not end within bounds",
        "A rendering may take about half a second, some hundred thousand steps and some million characters. A description "
        "that needs more is a mistake, or meant to harm.",
    ),
    Kind.MISSING_KEY: _Text(
        "E010",
        "required key is missing",
        "The tables of the document mark some keys as required: without them there is nothing to deploy.",
    ),
    Kind.UNKNOWN_KEY: _Text(
        "E011",
        "key is not known here",
        "A key outside the tables has no effect, so a misspelt one is a setting that is silently lost.",
    ),
    Kind.WRONG_TYPE: _Text(
        "E012",
        "value has the wrong type",
        "Texts, numbers, booleans, arrays and mappings are not converted into each other: a permission written 0755 "
        "without quotes is the number 493.",
    ),
    Kind.EMPTY: _Text(
        "E013",
        "value is empty",
        "A blank text or an empty array where something is needed: leave the optional key out, or fill it.",
    ),
    Kind.BAD_ENUM: _Text(
        "E014",
        "value is not one of those allowed",
        "The key takes one of a few words, in exactly this spelling.",
    ),
    Kind.BAD_FORMAT: _Text(
        "E015",
        "text is not in the needed form",
        "Names become names of Kubernetes objects, paths are absolute, permissions are octal digits. Kubernetes or the "
        "container would refuse anything else, only later.",
    ),
    Kind.OUT_OF_RANGE: _Text(
        "E016",
        "number is out of range",
        "Ports are 1 to 65535; ports on the nodes lie in the range of the API server, which `kubernetes.node_port_range` "
        "changes.",
    ),
    Kind.CONFLICT: _Text(
        "E017",
        "two settings exclude each other",
        "Kubernetes can honour one of the two only: a node port given to two services, a volume name with two meanings, "
        "Recreate on a StatefulSet, replicas of a DaemonSet.",
    ),
    Kind.DUPLICATE_NAME: _Text(
        "E018",
        "name is used twice",
        "Services, and the containers and single commands of a service, are found by their names: by Kubernetes and by "
        "those who wait for them.",
    ),
    Kind.BAD_VERSION: _Text(
        "E020",
        "dsl_version is not MAJOR.MINOR.PATCH",
        "Versions are compared part by part, as numbers; there are always three of them.",
    ),
    Kind.VERSION_NEWER: _Text(
        "E021",
        "definition needs a newer framework",
        "Rule 1 of the document: when the framework is older than the definition they are incompatible.",
    ),
    Kind.VERSION_MAJOR: _Text(
        "E022",
        "definition is of another major version",
        "Rule 2 of the document: when the MAJOR parts differ they are incompatible.",
    ),
    Kind.UNKNOWN_FILE: _Text(
        "E030",
        "command names a file that is not defined",
        "`files` of a command lists keys of the `files` section of the same definition.",
    ),
    Kind.UNKNOWN_SECRET: _Text(
        "E031",
        "command names a secret that is not defined",
        "`secrets` of a command lists keys of the `secrets` section of the same definition.",
    ),
    Kind.MISSING_CONTENT: _Text(
        "E032",
        "content of a file is not there",
        "`content` is the name of a template under `service/files` of the same component.",
    ),
    Kind.UNKNOWN_DEPENDENCY: _Text(
        "E040",
        "dependency that nothing provides",
        "A dependency names a container, a single command or a service. The pod would wait until its time is up. Local "
        "commands cannot be waited for.",
    ),
    Kind.DEPENDENCY_CYCLE: _Text(
        "E041",
        "dependencies in a circle",
        "Each of them waits for the next, so none ever starts.",
    ),
    Kind.UNKNOWN_SERVICE: _Text(
        "E050",
        "configuration names a service that is not there",
        "Replicas and named instances are for services that are defined and, with a topology, part of it.",
    ),
    Kind.TOO_MANY_REPLICAS: _Text(
        "E051",
        "more replicas than nodes",
        "A service runs on the nodes of its roles, and there are fewer of them than replicas asked for.",
    ),
    Kind.NEWER_FEATURE: _Text(
        "W001",
        "key is newer than the dsl_version",
        "A framework of the version claimed would not know the key. Claim the least version that has it.",
    ),
    Kind.DUPLICATE_KEY: _Text(
        "W002",
        "key is given twice in one mapping",
        "YAML readers silently keep the last one, so the first value is lost without anybody noticing.",
    ),
    Kind.LIVENESS_TIMEOUT: _Text(
        "W010",
        "liveness probe without a timeout",
        "The default is one second; a busy container that answers later is killed, which makes the others busier.",
    ),
    Kind.SENSITIVE_HOST_PATH: _Text(
        "W011",
        "sensitive directory of the host can be written",
        "Whoever controls the container controls the node.",
    ),
    Kind.PRIVILEGED: _Text(
        "W012",
        "privileged container",
        "It has every right on its node. A reviewer should know why.",
    ),
    Kind.NO_READINESS: _Text(
        "W013",
        "container without a readiness check",
        "Those who wait for it start as soon as its daemon runs, whether it answers or not.",
    ),
    Kind.LATEST_TAG: _Text(
        "W014",
        "images with the tag latest",
        "Two pods of one service may run different programs, and nobody can say which. Set `images.tag`.",
    ),
    Kind.HOST_NAMESPACE: _Text(
        "W015",
        "pod shares a namespace of its host",
        "`hostPID` and `hostIPC` let the pod see and disturb every process of its node.",
    ),
    Kind.NOT_DEPLOYED: _Text(
        "W020",
        "waits for a service outside the topology",
        "The service is defined, but no role that a node has contains it; unless it is there already, the wait ends in "
        "an error.",
    ),
    Kind.UNMATCHED_TOPOLOGY: _Text(
        "W021",
        "part of the topology matches nothing",
        "A role that no node has, a pattern that no node matches, or a service that is not defined.",
    ),
    Kind.UNKNOWN_SECTION: _Text(
        "W022",
        "section of the configuration is not known",
        "It is not used. Its name is close to one that is.",
    ),
    Kind.FILE_TEMPLATE: _Text(
        "W030",
        "template of a file cannot be rendered as it stands",
        "Files are rendered inside the container, where more names are known than here; this one is known neither here "
        "nor there, so the container would fail to start.",
    ),
    Kind.UNUSED_FILE: _Text(
        "W031",
        "file that no command lists",
        "It is shipped with the service and written nowhere.",
    ),
    Kind.FILE_CLASH: _Text(
        "W032",
        "two files are written to one path",
        "The one written last wins; which that is depends on their names.",
    ),
    Kind.TOO_LARGE: _Text(
        "W033",
        "files too large for a ConfigMap",
        "Kubernetes refuses a ConfigMap of more than one mebibyte. Put large files into the image.",
    ),
}

CODE_OF: Final = {kind: f"CCP:{text.number}" for kind, text in _TEXTS.items()}


@cache
def all_codes() -> tuple[Rule, ...]:
    return tuple(
        Rule(
            code=CODE_OF[kind],
            title=text.title,
            why=text.why,
            bad=BAD[kind],
            good=GOOD.get(kind, GOOD[Kind.YAML_SYNTAX]),
            language="ccp",
        )
        for kind, text in _TEXTS.items()
    )
