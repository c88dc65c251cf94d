"""Labels, addresses, images and what an ensemble says of itself. The labels are those that Unfurl 1.2.0 gives."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.query.errors import BAD_ARGUMENTS
from tests.expressions.query.functions.calls import gives, says

LONG = "The Quick Brown Fox jumps over the lazy dog, and over the sleeping cat as well."
VALUES: list[tuple[Any, Any]] = [
    ({"to_label": "1a b"}, "x1ab"),
    ({"to_label": LONG}, "TheQuickBrownFoxjumpsoverthelazydogandoverthesleepingcataswell"),
    ({"to_label": LONG, "max": 20}, "TheQuickBcataswellMb"),
    ({"to_label": LONG, "digestlen": 0}, "TheQuickBrownFoxjumpsoverthelazydogandoverthesleepingcataswell"),
    ({"to_label": "ab", "digest": "x"}, "ab3l5"),
    ({"to_label": "a-b", "allowed": "[a-z]", "replace": "_", "case": "upper"}, "A_B"),
    ({"to_label": ["a_b", LONG, "c"], "sep": "-"}, "a_b-TheQuickBrownFoxleepingcataswell-c-5qA"),
    ({"to_label": ["a_b", "c"], "sep": "-"}, "a_b-c"),
    ({"to_label": ["a", "b"], "digest": "q", "sep": "."}, "a.b.daK"),
    ({"to_label": [LONG, LONG], "max": 4, "sep": "--"}, "PE"),
    ({"to_label": {"1 k": "v w", "n": None, "i": 3}}, {"x1k": "vw", "i": 3}),
    ({"to_label": []}, ""),
    ({"to_dns_label": ["a_b", "C"], "sep": "-"}, "a--b-c"),
    ({"to_dns_label": "My App!"}, "my--app"),
    ({"to_dns_label": LONG}, "thequickbrownfoxjumpsoverthelazydogandoverthesleepingcataswell"),
    ({"to_dns_label": "a-"}, "a"),
    ({"to_kubernetes_label": "1 My/App_"}, "1__My__App"),
    ({"to_kubernetes_label": LONG}, "TheQuickBrownFoxjumpsoverthelazydogandoverthesleepingcataswell"),
    (
        {"to_kubernetes_label": {"a/b": LONG}},
        {"a__b": "TheQuickBrownFoxjumpsoverthelazydogandoverthesleepingcataswell"},
    ),
    ({"to_googlecloud_label": "1 My/App_"}, "x1__my__app_"),
    ({"to_googlecloud_label": LONG}, "thequickbrownfoxjumpsoverthelazydogandoverthesleepingcataswell"),
    ({"to_googlecloud_label": [LONG, "x y"], "sep": "_", "max": 30}, "the__quic____well___x__y_el"),
    ({"urljoin": ["http", "h", 80, "p q", "a=b c", "f"]}, "http://h/p%20q?a%3Db+c#f"),
    ({"urljoin": ["https", "h", 8443, "/p"]}, "https://h:8443/p"),
    ({"urljoin": ["", "h", 80]}, "//h:80"),
    ({"urljoin": ["http", ""]}, "http:"),
    ({"urljoin": ["", "", None, "p"]}, "p"),
    ({"urljoin": ["", ""]}, None),
    (
        {"portspec": "80"},
        {"protocol": "tcp", "source": 80, "source_range": None, "target": 80, "target_range": None},
    ),
    (
        {"portspec": "80-90:8080/udp"},
        {"protocol": "udp", "source": None, "source_range": [80, 90], "target": 8080, "target_range": None},
    ),
    ({"portspec": ""}, None),
    ({"container_image": "Reg:80/A/b:V1"}, "reg:80/a/b:V1"),
    ({"container_image": "docker.io/a/B@sha256:ab"}, "docker.io/a/b@sha256:ab"),
    ({"container_image": ""}, None),
    ({"is_function_defined": "eq"}, True),
    ({"is_function_defined": "eqq"}, False),
    ({"get_ensemble_metadata": "job"}, {}),
    ({"kubernetes_current_namespace": None}, None),
    ({"lookup": {"unfurl": "::lid::a"}}, 2),
    ("{{ lookup('unfurl', '::lid::a') }}", 2),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: Any, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ({"to_label": "a", "max": 0}, "to_label: a label of at most 0 characters is none"),
        ({"to_label": "a", "max": "x"}, "to_label: max: a whole number is wanted here, not a text"),
        ({"urljoin": ["http"]}, "urljoin needs a list of 2 to 6 items, not ['http']"),
        ({"container_image": [1]}, "container_image needs the name of an image, not [1]"),
    ],
)
def test_errors(expression: Any, message: str) -> None:
    says(expression, BAD_ARGUMENTS, message)


def test_ports_that_are_none() -> None:
    hint = "write 80, 80:8080, 80-90:8080-8090 or 53/udp, with ports from 1 to 65535"
    says({"portspec": "80:x"}, BAD_ARGUMENTS, "portspec cannot read '80:x'", hint)
    says({"portspec": 70000}, BAD_ARGUMENTS, "portspec cannot read 70000", hint)
