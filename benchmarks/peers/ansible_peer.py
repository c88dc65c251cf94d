"""ansible-core's side of the workloads of files, run by the Python that holds it: one play on this machine, a task for all files."""

import json
import os
import subprocess
import sys
import tempfile


def _play(size):
    folder = tempfile.mkdtemp()
    tasks = [
        {"ansible.builtin.file": {"path": os.path.join(folder, "d"), "state": "directory"}},
        {
            "ansible.builtin.copy": {
                "dest": os.path.join(folder, "d", "{{ item }}"),
                "content": "text {{ item }}",
            },
            "loop": list(range(size)),
        },
    ]
    with open(os.path.join(folder, "play.json"), "w") as file:
        json.dump(
            [{"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}], file
        )
    return folder


def _run(folder):
    environment = dict(os.environ, ANSIBLE_LOCALHOST_WARNING="false", ANSIBLE_HOME=folder, LC_ALL="C.UTF-8")
    program = os.path.join(os.path.dirname(sys.executable), "ansible-playbook")
    words = ["-i", "localhost,", "-e", "ansible_python_interpreter=" + sys.executable, "play.json"]
    done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True)
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr).decode())


def files(folder, size):
    described = _play(size)

    def play():
        _run(described)
        return len(os.listdir(os.path.join(described, "d")))

    return play


def unchanged(folder, size):
    described = _play(size)
    _run(described)

    def play():
        _run(described)
        return 0

    return play
