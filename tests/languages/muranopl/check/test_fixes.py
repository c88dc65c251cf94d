"""Mechanical repairs: what they write, which of them are safe, and that the finding is gone afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.checks.fixes import apply_fixes
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Example, Rule
from sabir.languages.muranopl.check import package_rules
from sabir.source.packages import PackageFile
from tests.languages.muranopl.check.test_codes import OFF, findings
from tests.languages.muranopl.example_packages import (
    APPLICATION,
    LIBRARY,
    with_class,
    with_manifest,
    with_ui,
)


def mended(example: Example, *, unsafe: bool = True) -> Example:
    texts = apply_fixes(findings(example, also=OFF), unsafe=unsafe)
    return {**example, **{one.source.name: one.text for one in texts}}


@pytest.mark.parametrize(
    "code", [code for code in package_rules() if code.fixable], ids=lambda code: code.code
)
def test_a_fix_takes_its_finding_away(code: Rule) -> None:
    before = sum(one.code == code.code for one in findings(code.bad))
    assert sum(one.code == code.code for one in findings(mended(code.bad))) < before


def test_a_misspelt_usage_is_an_unsafe_fix() -> None:
    bad = with_class("Usage: Out", "Usage: Ot")
    assert mended(bad, unsafe=False) == bad
    assert mended(bad) == LIBRARY


def test_a_number_as_a_name_is_put_in_quotes() -> None:
    bad = with_manifest("Name: Tools", "Name: 1.10")
    assert mended(bad, unsafe=False) == with_manifest("Name: Tools", 'Name: "1.10"')


def test_an_action_becomes_public() -> None:
    bad = with_class("  twice:\n", "  twice:\n    Usage: Action\n")
    assert mended(bad, unsafe=False) == with_class("  twice:\n", "  twice:\n    Scope: Public\n")


def test_an_unlisted_class_is_listed() -> None:
    new = {"Classes/sub/Old.yaml": "Namespaces: {=: com.example.old}\nName: Old\n"}
    good = mended({**LIBRARY, **new})
    assert good["manifest.yaml"] == LIBRARY["manifest.yaml"] + "  com.example.old.Old: sub/Old.yaml\n"
    assert findings(good) == []


# What is wrong, and what it becomes; `safe`: without --unsafe-fixes.
REPAIRED: dict[str, tuple[Example, Example, bool]] = {
    "usage-in-other-capitals": (with_class("Usage: Out", "Usage: OUT"), LIBRARY, True),
    "blank-behind-a-prefix": (with_class("Extends: std:Object", "Extends: {std: Object}"), LIBRARY, True),
    "a-tag-alone": (with_manifest("[tools]", "tools"), LIBRARY, True),
    "a-key-twice": (with_manifest("Name: Tools\n", "Name: Tools\nName: Tools\n"), LIBRARY, True),
    "a-section-twice": (
        with_class("    Usage: Out\n", "    Usage: Out\n    Contract: $.int()\n"),
        LIBRARY,
        True,
    ),
    "tabs": (
        with_class("  start:\n    Contract: $.int()", "\tstart:\n\t\tContract: $.int()"),
        with_class("  start:\n    Contract: $.int()", "\tstart:\n\t\tContract: $.int()"),
        True,
    ),
    "arguments-as-a-mapping": (
        with_class("      - step:\n          Contract:", "      step:\n        Contract:"),
        with_class("      - step:\n          Contract:", "      step:\n        Contract:"),
        True,
    ),
    "several-arguments-as-a-mapping": (
        with_class(
            "      - step:\n          Contract: $.int().notNull()\n          Default: 1\n",
            "      step:\n        Contract: $.int().notNull()\n        Default: 1\n      more:\n        Contract: $\n",
        ),
        with_class("          Default: 1\n", "          Default: 1\n      - more:\n          Contract: $\n"),
        True,
    ),
    "arguments-between-braces": (
        with_class(
            "\n      - step:\n          Contract: $.int().notNull()\n          Default: 1\n",
            " {step: {Contract: $, Default: 1}, more: {Contract: $}}\n",
        ),
        with_class(
            "\n      - step:\n          Contract: $.int().notNull()\n          Default: 1\n",
            " [{step: {Contract: $, Default: 1}}, {more: {Contract: $}}]\n",
        ),
        True,
    ),
    "a-misspelt-method": (with_class("$.next(1)", "$.nxet(1)"), LIBRARY, False),
    "a-misspelt-property": (with_class("$.start + $step", "$.strat + $step"), LIBRARY, False),
    "a-misspelt-variable": (with_class("Return: $first", "Return: $frist"), LIBRARY, False),
    "a-misspelt-argument": (with_class("step => 1", "setp => 1"), LIBRARY, False),
    "a-misspelt-prefix": (with_class("Extends: std:Object", "Extends: sdt:Object"), LIBRARY, False),
    "a-misspelt-class": (with_class("Extends: std:Object", "Extends: std:Objekt"), LIBRARY, False),
    "a-misspelt-contract": (with_class("$.int().notNull()", "$.int().notNul()"), LIBRARY, False),
    "a-type-for-a-contract": (with_class("$.int()\n    Usage", "int\n    Usage"), LIBRARY, False),
    "a-misspelt-file": (with_manifest("Counter.yaml", "Conuter.yaml"), LIBRARY, False),
    "an-undeclared-prefix": (
        with_class("Extends: std:Object", "Extends: [std:Object, res:Instance]"),
        with_class(
            "  =: com.example.tools\n  std: io.murano\n\nName: Counter\n\nExtends: std:Object",
            "  res: io.murano.resources\n  =: com.example.tools\n  std: io.murano\n\nName: Counter\n\n"
            "Extends: [std:Object, res:Instance]",
        ),
        False,
    ),
    "a-value-behind-break": (
        with_class(
            "      - $first: $.next(1)\n", "      - While: $first\n        Do:\n          - Break: now\n"
        ),
        with_class("      - $first: $.next(1)\n", "      - While: $first\n        Do:\n          - Break:\n"),
        True,
    ),
    "a-result-that-nobody-reads": (
        with_class("      - $first: $.next(1)\n", "      - $first: $.next(1)\n      - $x: $.next($first)\n"),
        with_class("      - $first: $.next(1)\n", "      - $first: $.next(1)\n      - $.next($first)\n"),
        False,
    ),
    "no-contract": (
        with_class("    Contract: $.int()\n    Usage: Out\n", "    Usage: Out\n"),
        with_class("    Contract: $.int()\n    Usage: Out\n", "    Contract: $\n    Usage: Out\n"),
        False,
    ),
    "a-number-in-quotes": (with_ui("maxLength: 80", "maxLength: '80'"), APPLICATION, True),
    "a-boolean-in-quotes": (with_ui("required: true", "required: 'True'"), APPLICATION, True),
    "a-misspelt-field": (with_ui("$.main.title", "$.main.titel"), APPLICATION, False),
    "a-misspelt-form": (with_ui("$.main.title", "$.mian.title"), APPLICATION, False),
    "a-misspelt-type": (with_ui("type: string", "type: sting"), APPLICATION, False),
    "a-property-that-is-not-there": (with_ui("  title: $", "  titel: $"), APPLICATION, False),
    "a-class-that-is-not-there": (with_ui("web.Site", "web.Siet"), APPLICATION, False),
    # No repair: which one is meant cannot be told, or the name is taken.
    "a-key-twice-with-two-values": (
        with_manifest("Name: Tools\n", "Name: Tools\nName: Other\n"),
        with_manifest("Name: Tools\n", "Name: Tools\nName: Other\n"),
        False,
    ),
    "a-key-that-is-there-already": (
        with_class("    Usage: Out\n", "    Usage: Out\n    Usge: In\n"),
        with_class("    Usage: Out\n", "    Usage: Out\n    Usge: In\n"),
        False,
    ),
    "an-anchor-in-what-would-go": (
        with_manifest("Name: Tools\n", "Name: Tools\nName: &n Tools\n"),
        with_manifest("Name: Tools\n", "Name: Tools\nName: &n Tools\n"),
        False,
    ),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_repaired(name: str) -> None:
    bad, good, safe = REPAIRED[name]
    assert mended(bad) == good
    assert mended(bad, unsafe=False) == (good if safe else bad)
    assert mended(good) == good
    assert {one.code for one in findings(good)} <= {one.code for one in findings(bad)}


def spoken(finding: Finding) -> tuple[str, str, str]:
    return finding.filename, finding.code, finding.message


TYPOS = st.sampled_from(["swap", "lower", "upper", "drop", "double the line", "tab"])


def misspelt(text: str, at: int, kind: str) -> str:
    """The text with one slip of the pen at a position."""
    at %= len(text)
    match kind:
        case "swap":
            return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
        case "lower":
            return text[:at] + text[at].lower() + text[at + 1 :]
        case "upper":
            return text[:at] + text[at].upper() + text[at + 1 :]
        case "drop":
            return text[:at] + text[at + 1 :]
        case "tab":
            return text.replace("  ", "\t", 1 + at % 5)
        case _:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1
            return text[:end] + text[start:end] + text[end:]


@given(
    st.sampled_from([LIBRARY, APPLICATION]),
    st.lists(st.tuples(st.integers(0, 10), st.integers(0, 2000), TYPOS), min_size=1, max_size=3),
)
def test_repairs_of_slips(package: Example, slips: list[tuple[int, int, str]]) -> None:
    """Whatever was written: a repair breaks no file, takes its finding away, and there is an end to it."""
    names = [name for name in package if name.endswith(".yaml")]
    bad = {**package}
    for file, at, kind in slips:
        name = names[file % len(names)]
        bad[name] = misspelt(bad[name], at, kind)
    before = findings(bad, also=OFF)
    for finding in before:
        if finding.fix is not None:
            (one,) = apply_fixes([finding], unsafe=True)
            after = {**bad, one.source.name: one.text}
            assert not PackageFile(one.source.name, one.text.encode()).yaml.broken
            left = [spoken(now) for now in findings(after, also=OFF)]
            assert left.count(spoken(finding)) < [*map(spoken, before)].count(spoken(finding))
    last: Example = bad
    for _ in range(10):
        last, previous = mended(last), last
        if last == previous:
            break
    assert mended(last) == last
