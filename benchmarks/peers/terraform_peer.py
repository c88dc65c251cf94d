"""Terraform's side of the workloads of files: any Python runs it, `terraform` is found on the PATH.

Its providers cannot be had everywhere, so what it writes is written by a shell for each file, with the resource that is built in.
"""

import json
import os
import subprocess
import tempfile


def _configured(size):
    folder = tempfile.mkdtemp()
    resources = {
        f"f{number}": {
            "input": f"text {number}",
            "provisioner": [
                {"local-exec": {"command": f"mkdir -p d && printf 'text {number}' > d/{number}"}}
            ],
        }
        for number in range(size)
    }
    with open(os.path.join(folder, "main.tf.json"), "w") as file:
        json.dump({"resource": {"terraform_data": resources}}, file)
    _terraform(folder, "init", "-input=false")
    return folder


def _terraform(folder, *words):
    environment = dict(os.environ, CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1")
    done = subprocess.run(
        ["terraform", words[0], "-no-color", *words[1:]],
        cwd=folder,
        env=environment,
        capture_output=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.decode())


def files(folder, size):
    configured = _configured(size)

    def apply():
        _terraform(configured, "apply", "-auto-approve", "-input=false")
        return len(os.listdir(os.path.join(configured, "d")))

    return apply


def unchanged(folder, size):
    configured = _configured(size)
    _terraform(configured, "apply", "-auto-approve", "-input=false")

    def plan():
        _terraform(configured, "plan", "-detailed-exitcode", "-input=false")
        return 0

    return plan
