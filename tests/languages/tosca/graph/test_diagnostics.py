"""Descriptors without programs: the plan says what deploying them means."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.main import main

VNFD = """\
tosca_definitions_version: tosca_simple_profile_for_nfv_1_0
topology_template:
  node_templates:
    port:
      type: tosca.nodes.nfv.VduCp
      properties: {order: 1}
      requirements: [{virtual_binding: server}, {virtual_link: net}]
    server:
      type: tosca.nodes.nfv.Vdu.Compute
      properties: {name: front}
      capabilities:
        virtual_compute:
          properties:
            virtual_cpu: {num_virtual_cpu: 2}
            virtual_memory: {virtual_mem_size: 4 GB}
    net: {type: tosca.nodes.nfv.VnfVirtualLink}
"""


def test_the_plan_of_a_descriptor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "vnfd.yaml"
    path.write_text(VNFD, encoding="utf-8")
    assert main(["plan", str(path)]) == 0
    out, err = capsys.readouterr()
    assert out == "nothing to do\n"
    assert "TOSCA:W090 deploying this runs nothing here: its 3 nodes have no operation" in err
    notes = [
        line.split(": ", 1)[1] for line in err.splitlines() if line.startswith("   ") and "vnfd.yaml:" in line
    ]
    assert notes[0].startswith(
        "server (tosca.nodes.nfv.Vdu.Compute): name front, virtual_compute.virtual_cpu."
    )
    assert "num_virtual_cpu 2" in notes[0]
    assert "virtual_mem_size 4 GB" in notes[0]
    assert notes[-1] == "port (tosca.nodes.nfv.VduCp): order 1; virtual_binding → server, virtual_link → net"


def test_other_parts_of_an_environment_are_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "vnfd.yaml").write_text(VNFD, encoding="utf-8")
    (tmp_path / "sabir.yaml").write_text(
        "sabir: 1\nname: site\nparts:\n"
        "  function: {language: tosca, path: vnfd.yaml}\n"
        "  files: {language: resources, model: {resources: {note: {kind: file, fields: {path: note, content: x}}}}}\n",
        encoding="utf-8",
    )
    assert main(["plan", str(tmp_path)]) == 3
    assert "W090" not in capsys.readouterr().err
