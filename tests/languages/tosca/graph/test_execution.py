"""Programs of operations, really run: what they see and what they hand back."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from sabir.languages.tosca.graph.execution import INPUTS, build_command, is_variable


def _run(folder: Path, file: str, text: str, *, outputs: list[str], **variables: str) -> tuple[int, str]:
    (folder / file).write_text(text)
    (folder / "outputs").write_text("")
    command = build_command(
        str(folder / file),
        None,
        inputs=variables,
        outputs=outputs,
        variables={"SABIR_NODE": "it's", "SOURCE": "a"},
    )
    environment = {
        "PATH": os.environ["PATH"],
        "SABIR_MARK": str(folder),
        "SABIR_OUTPUTS": str(folder / "outputs"),
    }
    environment |= {INPUTS: json.dumps(variables), **variables}
    done = subprocess.run(command, env=environment, cwd=folder, check=False)
    return done.returncode, (folder / "outputs").read_text().strip()


@pytest.mark.parametrize(
    ("text", "outputs", "status", "written"),
    [
        ("url=here", ["url"], 0, '{"url":"here"}'),
        ("url=here; exit 3", ["url"], 3, '{"url":"here"}'),
        (r"""url=$'a"b\\c\nd'""", ["url"], 0, r'{"url":"a\"b\\c\nd"}'),
        ('a=1; b=2; echo \'{"b": 3}\' > "$SABIR_OUTPUTS"', ["a", "b"], 0, '{"a":"1","b":"2","b": 3}'),
        ('a=1; echo " { }" > "$SABIR_OUTPUTS"', ["a"], 0, '{"a":"1"}'),
        ('a=1; echo b=2 > "$SABIR_OUTPUTS"', ["a"], 0, "a=1\nb=2"),
        ('echo "x=$0" > "$SABIR_OUTPUTS"', [], 0, "x=SCRIPT"),
        ('echo "x=$SABIR_NODE $SOURCE" > "$SABIR_OUTPUTS"', [], 0, "x=it's a"),
        ("true", ["url"], 0, ""),
        ("name=n value=v lines=l", ["name", "value", "lines"], 0, '{"name":"n","value":"v","lines":"l"}'),
    ],
)
def test_a_script_of_bash(tmp_path: Path, text: str, outputs: list[str], status: int, written: str) -> None:
    ended = _run(tmp_path, "run.sh", text, outputs=outputs)
    assert ended == (status, written.replace("SCRIPT", str(tmp_path / "run.sh")))


def test_an_input_of_the_name_of_an_output_is_seen(tmp_path: Path) -> None:
    assert _run(tmp_path, "run.sh", "url=$url/x", outputs=["url"], url="in") == (0, '{"url":"in/x"}')


def test_an_input_wins_over_a_variable_but_for_those_of_sabir(tmp_path: Path) -> None:
    text = 'echo "x=$SOURCE $SABIR_NODE" > "$SABIR_OUTPUTS"'
    assert _run(tmp_path, "run.sh", text, outputs=[], SOURCE="mine", SABIR_NODE="mine") == (0, "x=mine it's")


def test_all_inputs_are_in_a_file(tmp_path: Path) -> None:
    text = "import os\nprint(open(os.environ['SABIR_INPUTS']).read(), file=open(os.environ['SABIR_OUTPUTS'], 'w'))"
    assert _run(tmp_path, "run.py", text, outputs=[], one="1") == (0, '{"one": "1"}')


@pytest.mark.slow
def test_a_playbook_gets_inputs_as_variables_and_gives_back_statistics(tmp_path: Path) -> None:
    text = (
        "- hosts: all\n  gather_facts: false\n  tasks:\n"
        "    - ansible.builtin.set_stats: {data: {sum: '{{ number | int + 1 }}', host: '{{ inventory_hostname }}'}}\n"
    )
    status, outputs = _run(tmp_path, "play.yaml", text, outputs=["sum"], number="41")
    assert status == 0
    assert json.loads(outputs) == {"sum": 42, "host": "localhost"}


def test_a_playbook_is_for_the_host_of_its_node() -> None:
    (*_, script, file) = build_command(
        "play.yaml", None, inputs=(), outputs=(), variables={"SABIR_HOST": "the server"}
    )
    assert "ansible_host=%s%s%s%s\\n' 'the server' \"$SABIR_ADDRESS\"" in script
    assert file == "play.yaml"


@pytest.mark.parametrize(
    ("name", "fits"), [("a_1", True), ("1a", False), ("a-b", False), ("", False), ("a;b", False)]
)
def test_names_of_variables(name: str, fits: bool) -> None:
    assert is_variable(name) is fits
