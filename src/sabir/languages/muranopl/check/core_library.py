"""Tables of the core library: its classes with their members, and the functions of expressions.

The tables repeat what the engine's own registry holds, because loading the engine would more than double the
time that a check of a small package takes. A test compares the two. The members of a class are parsed when it
is first requested.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct

_BY_NAMESPACE: Final = {
    "io.murano": (
        "Object Environment CloudRegion CloudResource Application Exception StackTrace SharedIp SharedIpRange File "
        "User Project"
    ),
    "io.murano.configuration": "Linux",
    "io.murano.resources": (
        "Network Instance LinuxInstance LinuxMuranoInstance ConfLangInstance HeatSWConfigInstance "
        "HeatSWConfigLinuxInstance LinuxUDInstance WindowsInstance NeutronNetworkBase NeutronNetwork "
        "ExistingNeutronNetwork NovaNetwork Volume CinderVolume ExistingCinderVolume CinderVolumeBackup "
        "CinderVolumeSnapshot MetadataAware InstanceAffinityGroup"
    ),
    "io.murano.system": (
        "Agent AgentListener HeatStack Resources InstanceNotifier Logger StatusReporter NetworkExplorer "
        "SecurityGroupManager NeutronSecurityGroupManager AwsSecurityGroupManager DummySecurityGroupManager "
        "MistralClient MetadefBrowser GC"
    ),
    "io.murano.metadata": "Description HelpText ModelBuilder Title",
    "io.murano.metadata.forms": "Hidden Position Section",
    "io.murano.metadata.engine": "Serialize Synchronize",
    "io.murano.test": "TestFixture TestFixtureWithEnvironment DummyNetwork",
    "io.murano.applications": (
        "ReplicaProvider ReplicationGroup CloneReplicaProvider CompositeReplicaProvider PoolReplicaProvider "
        "RoundrobinReplicaProvider Event ServerGroup ServerList CompositeServerGroup SingleServerGroup "
        "ServerReplicationGroup TemplateServerProvider Installable Configurable OpenStackSecurityConfigurable "
        "SoftwareComponent SingleServerApplication MultiServerApplication MultiServerApplicationWithScaling"
    ),
}

NAMESPACES: Final = frozenset(_BY_NAMESPACE)
CLASSES: Final = frozenset(
    f"{namespace}.{name}" for namespace, names in _BY_NAMESPACE.items() for name in names.split()
)


_FILE: Final = Path(__file__).with_name("core_members.txt")


class CoreClass(Struct, frozen=True):
    """The parents and member names of one class of the core library."""

    parents: tuple[str, ...]
    inputs: frozenset[str]
    """Properties that code cannot assign to: Usage In and Const."""
    properties: frozenset[str]
    """The other properties."""
    methods: frozenset[str]


def core_class(name: str) -> CoreClass | None:
    """Return a class of the core library; None if its members are not all known."""
    line = _read_index_lines().get(name)
    return None if line is None else _parse_class_line(line)


def core_heirs(name: str) -> tuple[str, ...]:
    """Return the classes of the core library that extend the given one, directly or not."""
    return _find_subclasses(name) if name in _read_index_lines() else ()


@cache
def _find_subclasses(name: str) -> tuple[str, ...]:
    heirs = [heir for heir, line in _read_index_lines().items() if name in _parse_class_line(line).parents]
    return (*heirs, *(further for heir in heirs for further in _find_subclasses(heir)))


@cache
def _read_index_lines() -> dict[str, str]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(":") for line in lines if not line.startswith("#"))
    return {name: rest for name, _, rest in pairs}


@cache
def _parse_class_line(line: str) -> CoreClass:
    parents, inputs, properties, methods = (part.split() for part in (*line.split(";"), "", "", "")[:4])
    return CoreClass(tuple(parents), frozenset(inputs), frozenset(properties), frozenset(methods))


_LAZY: Final = """
    accumulate aggregate all any as assert coalesce def distinct examine filter generate generateMany
    groupBy indexWhere join lastIndexWhere map mergeWith orderBy orderByDescending pselect psuper
    reduce replaceBy search searchAll select selectAllCases selectCase selectMany skipWhile
    sliceWhere splitWhere super switch switchCase takeWhile thenBy thenByDescending toDict where
"""
_EAGER: Final = """
    abs add append base64decode base64encode bind bitwiseAnd bitwiseNot bitwiseOr bitwiseXor bool
    call cast characters concat config contains containsKey containsValue count cycle datetime decryptData
    defaultIfEmpty delete deleteAll dict difference dump endsWith enumerate escapeRegex find findAll
    first firstOrDefault flatten float format get hex id indexOf insert insertMany int intersect
    isBoolean isDatetime isDict isEmpty isInteger isIterable isList isNumber isObject isRegex isSet
    isString isTimespan items keys last lastIndexOf len let limit list localtz logger matches max
    memorize metadata min name new norm now patch pow random randomName range regex remove repeat
    replace replaceMany require reverse rightSplit round sequence set shiftBitsLeft shiftBitsRight
    sign single skip sleep slice split splitAt startsWith str substr substring sum
    symmetricDifference take timespan toCharArray toList toLower toSet toUpper trim trimLeft
    trimRight tuple type typeinfo union unpack utctz values with zip zipLongest
"""
# Methods of every object, settings of the engine, and the mock functions of test fixtures.
_OTHER: Final = "getAttr setAttr config inject originalMethod withOriginal"

# Functions with a lambda argument, often evaluated item by item: inside it `$` may be the item. `let` and
# `with` change the meaning of `$` after an arrow.
LAMBDA_FUNCTIONS: Final = frozenset((*_LAZY.split(), "let", "with"))
FUNCTIONS: Final = frozenset((*_EAGER.split(), *_OTHER.split())) | LAMBDA_FUNCTIONS
