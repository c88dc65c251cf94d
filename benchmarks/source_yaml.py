"""Reading YAML: with the place of everything on our side, as plain data on the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.runner.workload import Workload

__all__ = ["WORKLOADS"]

_ENTRY = """\
- name: service-{number}
  image: "registry/app:{number}"
  ports: [{number}, 8080, 0x1F]
  enabled: yes
  limits: {{cpu: 0.5, memory: 512Mi}}
  Body:
    - $value: $.input.where($.size > {number}).select($.name)
    - If: $value.any()
      Then: |
        echo "first line"
        echo second
"""


def generate(size: int, folder: Path) -> None:
    """`size` entries of a list, about 280 characters each."""
    (folder / "input.yaml").write_text(
        "".join(_ENTRY.format(number=number) for number in range(size)), encoding="utf-8"
    )


def read_with_places(folder: str, size: int) -> Callable[[], object]:
    from sabir.source.yaml import compose, plain_data
    from sabir.text import Source

    text = Path(folder, "input.yaml").read_text(encoding="utf-8")

    def run() -> object:
        stream = compose(Source("input.yaml", text))
        document = stream.documents[0]
        assert document is not None
        data = plain_data(document)
        assert isinstance(data, list)
        return len(data)

    return run


def compose_only(folder: str, size: int) -> Callable[[], object]:
    from sabir.source.yaml import YamlSequence, compose
    from sabir.text import Source

    text = Path(folder, "input.yaml").read_text(encoding="utf-8")

    def run() -> object:
        document = compose(Source("input.yaml", text)).documents[0]
        assert isinstance(document, YamlSequence)
        return len(document)

    return run


WORKLOADS = (
    Workload(
        name="source-yaml",
        about="YAML with places and plain data, against yaml.load with PyYAML's C loader",
        sizes=(1_000, 4_000),
        generate=generate,
        sabir="benchmarks.source_yaml:read_with_places",
        peer="pyyaml_peer.py:load",
    ),
    Workload(
        name="source-yaml-compose",
        about="YAML with places, against yaml.compose with PyYAML's C loader",
        sizes=(1_000, 4_000),
        generate=generate,
        sabir="benchmarks.source_yaml:compose_only",
        peer="pyyaml_peer.py:compose",
    ),
)
