"""Collects the running interpreter, Jinja2 and their libraries into a directory that runs in any image.

    python3 gather.py FOLDER

The directory goes into an image that provides the interpreter to containers without one. Any image for
the same processor works, because the loader and the C library are included. Call only
FOLDER/bin/python3, a shell script.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
import sysconfig

PACKAGES = ("jinja2", "markupsafe")
LEFT_OUT = (
    "__pycache__",
    "ensurepip",
    "idlelib",
    "lib2to3",
    "site-packages",
    "test",
    "tests",
    "tkinter",
    "config-*",
)
START = """\
#!/bin/sh
# Its home is for this interpreter alone: the runner takes it out of the environment of what it starts.
here=$(cd "${{0%/*}}/.." && pwd)
export CCP_PYTHONHOME="${{PYTHONHOME:-}}" PYTHONHOME="$here"
exec "$here/lib/{loader}" --library-path "$here/lib" "$here/bin/python3.real" "$@"
"""


def gather(folder: str) -> None:
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    library = os.path.join(folder, "lib", version)
    binary = os.path.join(folder, "bin", "python3.real")
    os.makedirs(os.path.dirname(binary))
    shutil.copytree(sysconfig.get_path("stdlib"), library, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for package in PACKAGES:
        source = os.path.dirname(os.path.realpath(__import__(package).__file__ or ""))
        target = os.path.join(library, "site-packages", package)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(os.path.realpath(sys.executable), binary)
    modules = glob.glob(os.path.join(library, "**", "*.so"), recursive=True)
    loader = _copy_libraries([binary, *modules], os.path.join(folder, "lib"))
    start = os.path.join(folder, "bin", "python3")
    with open(start, "w", encoding="utf-8") as script:
        script.write(START.format(loader=loader))
    os.chmod(start, 0o755)


def _copy_libraries(programs: list[str], folder: str) -> str:
    """Copy the shared libraries. Return the name of the loader."""
    libraries = {path for program in programs for path in _list_libraries(program)}
    loader = next(path for path in libraries if os.path.basename(path).startswith("ld-"))
    beside = os.path.dirname(next(path for path in libraries if os.path.basename(path).startswith("libc.")))
    # Names of hosts are looked up by libraries that nothing is linked with.
    libraries.update(
        glob.glob(os.path.join(beside, "libnss_[df]*.so.2")),
        glob.glob(os.path.join(beside, "libresolv.so.2")),
    )
    for path in libraries:
        shutil.copy2(os.path.realpath(path), os.path.join(folder, os.path.basename(path)))
    return os.path.basename(loader)


def _list_libraries(program: str) -> list[str]:
    listed = subprocess.run(
        ["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    words = (line.split("=>")[-1].split() for line in listed.stdout.splitlines())
    return [line[0] for line in words if line and line[0].startswith("/")]


if __name__ == "__main__":
    gather(sys.argv[1])
