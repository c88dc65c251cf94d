"""What is wrong with rendered text is shown in the line of the template."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.languages.ccp.building import checked, service

BAD = "kind: Deploymint"
CONFIG = "configs: {web: {on: true, off: false, items: [1, 2, 3], many: [80, 0], port: 99999}}"

# The line of the violation is the one with the sign <<<.
TEXTS = {
    "if that drops lines": "{% if web.off %}\nhostPID: true\nhostIPC: true\n{% endif %}\nkind: Deploymint  # <<<",
    "if that keeps lines": "{% if web.on %}\nhostPID: true\nkind: Deploymint  # <<<\n{% endif %}",
    "loop": "{% for item in web['items'] %}\n# {{ item }}\n# more\n{% endfor %}\nkind: Deploymint  # <<<",
    "within a loop": "ports:\n{% for port in web.many %}\n  - {{ port }}  # <<<\n{% endfor %}",
    "whitespace control": "{%- if web.on %}\nhostPID: true\n{%- endif %}\nkind: Deploymint  # <<<",
    "comment over lines": "{# one\ntwo\nthree #}\nkind: Deploymint  # <<<",
    "commented tags": "# {% if web.on %}\nkind: Deploymint  # <<<\n# {% endif %}",
    "set block": "{% set text %}\na\nb\n{% endset %}\nkind: Deploymint  # <<<",
    "macro": "{% macro one() %}\nkind: Deploymint\n{% endmacro %}\n{{ one() }}  # <<<",
    "value of an expression": "ports: [{{ web.port }}]  # <<<",
    "expression over lines": "ports: [{{\n web.many[0] }}]\nkind: Deploymint  # <<<",
    "raw": "{% raw %}\n# {{ nothing }}\n{% endraw %}\nkind: Deploymint  # <<<",
    "undefined": "hostPID: true\nports: [{{ web.prot }}]  # <<<",
    "undefined in a loop": "{% for item in web['items'] %}\n# {{ item }}\n# {{ nothing }} <<<\n{% endfor %}",
    "syntax": "hostPID: true\nports: [{{ web. }}]  # <<<",
    "not YAML": "{% if web.on %}\nhostPID: true\n{% endif %}\nports: ]  # <<<",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_line_of_the_template(text: str) -> None:
    definition = service("web", head=text)
    result = checked({"web": definition}, CONFIG)
    line = next(number for number, line in enumerate(definition.splitlines(), 1) if "<<<" in line)
    assert [error.place.location.line for error in result.errors] == [line]
    assert result.errors[0].place.location.file == "service/web.yaml"


def test_include() -> None:
    files = {
        "web": service("web", head="{% include 'parts/kind.j2' %}"),
        "service/parts/kind.j2": "\n  kind: Deploymint\n",
    }
    (error,) = checked(files).errors
    assert str(error.place.location) == "service/parts/kind.j2:2:9"


def test_columns_are_exact() -> None:
    (error,) = checked({"web": service("web", head="{% if true %}\nkind: Deploymint\n{% endif %}")}).errors
    assert error.place.source.slice(error.place.span) == "Deploymint"


_lines = st.sampled_from(
    [
        "# text",
        "{% if web.on %}",
        "{% if web.off %}",
        "{% for item in web['items'] %}",
        "# {{ web.port }} and {{ web.on }}",
        "# {{ web\n.port }}",
        "{#\n#}",
        "{% set x = 1 %}",
    ]
)


@given(st.lists(_lines, max_size=12))
def test_law_lines_map_back(lines: list[str]) -> None:
    """However the text before it is made, a fault after it is found in its own line."""
    closing = [
        "{% endif %}" if "if" in line else "{% endfor %}"
        for line in reversed(lines)
        if "% if" in line or "% for" in line
    ]
    head = "\n".join([*lines, *closing, "kind: Deploymint  # <<<"])
    definition = service("web", head=head)
    (error,) = checked({"web": definition}, CONFIG).errors
    line = definition[: definition.index("<<<")].count("\n") + 1
    assert error.place.location.line == line
