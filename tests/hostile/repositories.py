"""Repositories of strangers: made by git itself, with everything in their configuration that could run a program."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

__all__ = ["REPOSITORIES"]

_PROJECT: Final = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template: {}\n"


def git(folder: Path, *words: str, data: bytes | None = None) -> str:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *words], input=data, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def _committed(folder: Path, files: Mapping[str, str] | None = None) -> None:
    git(folder, "init", "-q")
    for name, text in {"service.yaml": _PROJECT, **(files or {})}.items():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")
    (folder / "service.yaml").write_text(f"{_PROJECT}# changed\n", encoding="utf-8")


def _ran(folder: Path) -> str:
    return f"touch {folder}/RAN; cat"


def _filters(folder: Path) -> None:
    _committed(folder, {".gitattributes": "* filter=x diff=x merge=x\n"})
    for name in ("smudge", "clean", "process"):
        git(folder, "config", f"filter.x.{name}", _ran(folder))
    git(folder, "config", "filter.x.required", "true")
    git(folder, "config", "diff.x.textconv", _ran(folder))
    git(folder, "config", "diff.x.command", _ran(folder))
    git(folder, "config", "diff.external", _ran(folder))


def _programs(folder: Path) -> None:
    _committed(folder)
    for name in (
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "core.askPass",
        "credential.helper",
        "gpg.program",
        "uploadpack.packObjectsHook",
        "alias.rev-parse",
    ):
        git(folder, "config", name, f"!{_ran(folder)}" if name.startswith("alias") else _ran(folder))
    for name in ("post-checkout", "post-index-change", "fsmonitor-watchman", "reference-transaction"):
        hook = folder / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {folder}/RAN\n", encoding="utf-8")
        hook.chmod(0o755)


def _promises(folder: Path) -> None:
    """Objects that are missing, and a remote that would be asked for them."""
    _committed(folder)
    blob = git(folder, "rev-parse", "HEAD:service.yaml")
    (folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    git(folder, "config", "extensions.partialClone", "origin")
    git(folder, "config", "core.repositoryFormatVersion", "1")
    git(folder, "config", "remote.origin.promisor", "true")
    git(folder, "config", "remote.origin.url", str(folder))
    git(folder, "config", "remote.origin.uploadpack", f"touch {folder}/RAN; git-upload-pack")


def _submodule(folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir(parents=True)
    _committed(inner)
    git(inner, "config", "core.fsmonitor", _ran(folder))
    (folder / ".gitmodules").write_text(
        f'[submodule "inner"]\n\tpath = inner\n\turl = ext::sh -c touch% {folder}/RAN\n\tupdate = !touch RAN\n',
        encoding="utf-8",
    )
    git(folder, "init", "-q")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{git(inner, 'rev-parse', 'HEAD')},inner")
    _committed(folder)


def _links(folder: Path) -> None:
    (folder / "out").symlink_to("../secret.yaml")
    (folder / "service.link").symlink_to("/etc/passwd")
    _committed(folder, {"uses.yaml": f"{_PROJECT}imports: [out]\n"})


def _bomb(folder: Path) -> None:
    """Ten levels of folders with ten folders each: a few objects, ten thousand million files."""
    _committed(folder)
    blob = git(folder, "hash-object", "-w", "--stdin", data=b"x")
    tree = git(folder, "mktree", data="".join(f"100644 blob {blob}\tf{n}\n" for n in range(10)).encode())
    for _ in range(9):
        tree = git(folder, "mktree", data="".join(f"040000 tree {tree}\td{n}\n" for n in range(10)).encode())
    git(folder, "update-ref", "HEAD", git(folder, "commit-tree", tree, "-m", "x"))


def _large(folder: Path) -> None:
    """Three files of 1 GB that are a few kilobytes each in the repository."""
    _committed(folder)
    with (folder / "zeros").open("wb") as file:
        file.truncate(1 << 30)
    blob = git(folder, "hash-object", "-w", "zeros")
    (folder / "zeros").unlink()
    tree = git(folder, "mktree", data="".join(f"100644 blob {blob}\tf{n}\n" for n in range(3)).encode())
    git(folder, "update-ref", "HEAD", git(folder, "commit-tree", tree, "-m", "x"))


REPOSITORIES: Final[Mapping[str, Callable[[Path], None]]] = {
    "filters that run programs": _filters,
    "hooks and settings that run programs": _programs,
    "a remote that missing objects are fetched from": _promises,
    "a submodule with settings of its own": _submodule,
    "links that lead outside": _links,
    "ten thousand million files in a few objects": _bomb,
    "3 GB in a few kilobytes": _large,
}
