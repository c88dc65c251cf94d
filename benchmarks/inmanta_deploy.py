"""Inmanta models deployed: files by sabir itself, and by a handler of a module in its process.

There is no peer to run beside it: the existing engine needs a server, a database and an agent. With release 14 it took 9 s to compile and
33 s to deploy 1,000 files.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from tempfile import mkdtemp

from benchmarks.runner.workload import Workload

__all__ = ["WORKLOADS"]

MODULE = """
entity File extends std::PurgeableResource:
    string path
    string content
    int mode
end
File.host [1] -- std::Host
index File(host, path)
implement File using std::none
"""
PLUGINS = """
import os
from pathlib import Path

from inmanta.agent.handler import CRUDHandler, ResourcePurged, provider
from inmanta.resources import PurgeableResource, resource

ROOT = Path(os.environ["BENCH_WORLD"])


@resource("bench::File", agent="host.name", id_attribute="path")
class File(PurgeableResource):
    fields = ("path", "content", "mode")


@provider("bench::File", name="bench")
class FileHandler(CRUDHandler):
    def read_resource(self, ctx, resource):
        path = ROOT / resource.path
        if not path.exists():
            raise ResourcePurged()
        resource.content = path.read_text()
        resource.mode = int(f"{path.stat().st_mode & 0o777:o}")

    def create_resource(self, ctx, resource):
        path = ROOT / resource.path
        path.write_text(resource.content)
        path.chmod(int(str(resource.mode), 8))
        ctx.set_created()

    def update_resource(self, ctx, changes, resource):
        self.create_resource(ctx, resource)
"""
_HOST = 'host = std::Host(name="local", os=std::linux)\n'


def generate_own(size: int, folder: Path) -> None:
    """Files of `std`, which has no handler."""
    _model(
        size,
        folder,
        f'{_HOST}for i in std::sequence({size}):\n    std::ConfigFile(host=host, path="/d/{{{{ i }}}}", content="text {{{{ i }}}}")\nend\n',
    )


def generate_handled(size: int, folder: Path) -> None:
    """Files of a module with a handler."""
    module = folder / "libs" / "bench"
    for inner in ("model", "plugins"):
        (module / inner).mkdir(parents=True)
    (module / "module.yml").write_text("name: bench\nversion: 1.0.0\nlicense: MIT\n")
    (module / "model" / "_init.cf").write_text(MODULE)
    (module / "plugins" / "__init__.py").write_text(PLUGINS)
    _model(
        size,
        folder,
        f'import bench\n{_HOST}for i in std::sequence({size}):\n    bench::File(host=host, path="{{{{ i }}}}", content="text {{{{ i }}}}", mode=644)\nend\n',
    )


def _model(_size: int, folder: Path, text: str) -> None:
    (folder / "project.yml").write_text("name: bench\nmodulepath: libs\n")
    (folder / "main.cf").write_text(text)


def _deploy(folder: Path, *words: str, world: Path) -> int:
    """`sabir deploy`, start-up and all: evaluated, exported, planned, deployed."""
    command = [sys.executable, "-m", "sabir.cli", "deploy", str(folder), "--yes", "--quiet", *words]
    return subprocess.run(
        command, check=False, stdout=subprocess.DEVNULL, env={**os.environ, "BENCH_WORLD": str(world)}
    ).returncode


def own(folder: Path, _size: int) -> Callable[[], int]:
    fresh = _fresh(folder)
    world = fresh / ".sabir" / "world" / "d"

    def deploy() -> int:
        _deploy(fresh, world=world)
        return len([*world.iterdir()])

    return deploy


def handled(folder: Path, _size: int) -> Callable[[], int]:
    fresh = _fresh(folder)
    world = Path(mkdtemp())

    def deploy() -> int:
        _deploy(fresh, "--here", "--trust", "python", "--trust", "scripts", world=world)
        return len([*world.iterdir()])

    return deploy


def _fresh(folder: Path) -> Path:
    """The same project, not deployed yet."""
    return Path(copytree(folder, Path(mkdtemp()) / "project"))


WORKLOADS = (
    Workload(
        name="inmanta-deploy-own",
        about="a model of files evaluated, exported and deployed by sabir itself",
        sizes=(100, 1_000),
        generate=generate_own,
        sabir="benchmarks.inmanta_deploy:own",
    ),
    Workload(
        name="inmanta-deploy-handled",
        about="a model of files evaluated, exported and deployed by the handler of its module",
        sizes=(100, 1_000),
        generate=generate_handled,
        sabir="benchmarks.inmanta_deploy:handled",
    ),
)
