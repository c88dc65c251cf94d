"""ansible-core's side of the workloads of files, run by the Python that holds it: one play, a task for all files, on this machine
or on one behind a real sshd (with pipelining, which is the quicker way)."""

import atexit
import getpass
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

_SSHD = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
PidFile {folder}/pid
AuthorizedKeysFile {folder}/id.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
Subsystem sftp internal-sftp
"""


def _machine():
    folder = tempfile.mkdtemp()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    for name in ("host", "id"):
        subprocess.check_call(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(folder, name)]
        )
    with open(os.path.join(folder, "sshd_config"), "w") as file:
        file.write(_SSHD.format(port=port, folder=folder))
    with open(os.path.join(folder, "host.pub")) as key, open(os.path.join(folder, "known"), "w") as file:
        file.write(f"[127.0.0.1]:{port} {key.read()}")
    if os.getuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    process = subprocess.Popen(
        ["/usr/sbin/sshd", "-D", "-e", "-f", os.path.join(folder, "sshd_config")], stderr=subprocess.DEVNULL
    )
    atexit.register(process.terminate)
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return folder, port
        except OSError:
            time.sleep(0.02)
    raise RuntimeError("sshd does not answer")


def _play(size):
    folder = tempfile.mkdtemp()
    variables = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    _write_play(folder, size, variables)
    return folder


def _play_over_ssh(size):
    folder, port = _machine()
    variables = {
        "ansible_host": "127.0.0.1",
        "ansible_port": port,
        "ansible_user": getpass.getuser(),
        "ansible_ssh_private_key_file": os.path.join(folder, "id"),
        "ansible_ssh_common_args": "-o UserKnownHostsFile=" + os.path.join(folder, "known"),
        "ansible_python_interpreter": sys.executable,
        "ansible_pipelining": True,
    }
    _write_play(folder, size, variables)
    return folder


def _write_play(folder, size, variables):
    with open(os.path.join(folder, "hosts.json"), "w") as file:
        json.dump({"all": {"hosts": {"machine": variables}}}, file)
    place = os.path.join(folder, "d")
    tasks = [
        {"ansible.builtin.file": {"path": place, "state": "directory"}},
        {
            "ansible.builtin.copy": {"dest": os.path.join(place, "{{ item }}"), "content": "text {{ item }}"},
            "loop": list(range(size)),
        },
    ]
    with open(os.path.join(folder, "play.json"), "w") as file:
        json.dump([{"hosts": "machine", "gather_facts": False, "tasks": tasks}], file)


def _run(folder):
    environment = dict(os.environ, ANSIBLE_HOME=folder, LC_ALL="C.UTF-8", ANSIBLE_SSH_CONTROL_PATH_DIR=folder)
    # A connection that outlives the play would keep the pipes of this process open.
    environment["ANSIBLE_SSH_ARGS"] = "-C -o ControlMaster=auto -o ControlPersist=2s"
    program = os.path.join(os.path.dirname(sys.executable), "ansible-playbook")
    words = ["-i", "hosts.json", "play.json"]
    done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True)
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr).decode())


def _first(described):
    def play():
        _run(described)
        return len(os.listdir(os.path.join(described, "d")))

    return play


def _again(described):
    _run(described)

    def play():
        _run(described)
        return 0

    return play


def files(folder, size):
    return _first(_play(size))


def unchanged(folder, size):
    return _again(_play(size))


def files_over_ssh(folder, size):
    return _first(_play_over_ssh(size))


def unchanged_over_ssh(folder, size):
    return _again(_play_over_ssh(size))
