"""Building of images, and fetching of component repositories.

The rendered Dockerfiles come with a script that builds base images first. Another script clones the
repositories that a configuration lists, at the pinned revisions.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from sabir.languages.ccp.model.units import start_order
from sabir.languages.ccp.syntax.configuration import Configuration
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.images import ImageFile, image_name

SCRIPT: Final = "build.sh"
_BUILD_HEADER: Final = """\
#!/bin/sh
# Builds the images of a deployment, those first that others are made from. Names of images as arguments: only these.
# ENGINE: docker or podman, whichever is there. PUSH=1: push each image once it is built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
ENGINE=${ENGINE:-$(command -v docker || command -v podman || true)}
[ -n "$ENGINE" ] || { echo "neither docker nor podman is there" >&2; exit 1; }
wanted=" $* "

is_wanted() { [ "$wanted" = "  " ] || case $wanted in *" $1 "*) ;; *) return 1 ;; esac; }

# context NAME FOLDER: a fresh folder with what lies beside the Dockerfile, then the Dockerfile
context() {
  rm -rf "$here/contexts/$1"
  mkdir -p "$here/contexts/$1"
  cp -R "$2/." "$here/contexts/$1"
  rm -f "$here/contexts/$1/Dockerfile.j2"
  cp -R "$here/$1/." "$here/contexts/$1"
}

# clone NAME SOURCE URL REF; copy NAME SOURCE FOLDER
clone() { git clone --quiet "$3" "$here/contexts/$1/$2" && git -C "$here/contexts/$1/$2" checkout --quiet "$4"; }
copy() { mkdir -p "$here/contexts/$1/$2" && cp -R "$3/." "$here/contexts/$1/$2"; }

build() {
  echo "building $2"
  "$ENGINE" build -t "$2" "$here/contexts/$1"
  [ -z "${PUSH:-}" ] || "$ENGINE" push "$2"
}
"""


def build_order(images: Sequence[ImageFile]) -> Iterator[tuple[ImageFile, ...]]:
    """Return images in waves: those of a wave are based only on images of earlier waves."""
    named = {image.name: image for image in images}
    by_full_name = {image.full_name: image.name for image in images}

    def parent(image: ImageFile) -> str | None:
        name = image.parent or by_full_name.get(image.base or "")
        return name if name in named else None

    needs = {name: tuple(filter(None, [parent(image)])) for name, image in named.items()}
    for wave in start_order(needs):
        yield tuple(named[name] for name in wave)


def build_files(images: Sequence[ImageFile], configuration: Configuration) -> dict[str, str]:
    """Return `NAME/Dockerfile` of each image with its rendered files, and the script."""
    files: dict[str, str] = {}
    lines = [_BUILD_HEADER]
    for wave in build_order(images):
        for image in wave:
            files[f"{image.name}/Dockerfile"] = image.text or ""
            files |= {f"{image.name}/{name}": text for name, text in image.rendered.items()}
            lines.append("\n".join(_list_build_steps(image, configuration.section("sources"))))
    return {**files, SCRIPT: "\n".join(lines) + "\n"}


def _list_build_steps(image: ImageFile, sources: Mapping[str, Any]) -> Iterator[str]:
    name = shlex.quote(image.name)
    path = image.package.path
    folder = str(path.resolve() / image.folder) if path is not None else image.folder
    yield f"if is_wanted {name}; then"
    yield f"  context {name} {shlex.quote(folder)}"
    for source in image.sources:
        yield f"  {_source_command(name, source, sources[source])}"
    yield f"  build {name} {shlex.quote(image.full_name)}"
    yield "fi"


def _source_command(image: str, name: str, origin: Mapping[str, Any]) -> str:
    if origin.get("source_dir"):
        return f"copy {image} {shlex.quote(name)} {shlex.quote(str(origin['source_dir']))}"
    url, ref = shlex.quote(str(origin.get("git_url"))), shlex.quote(str(origin.get("git_ref") or "HEAD"))
    return f"clone {image} {shlex.quote(name)} {url} {ref}"


def images_used(deployment: Deployment, services: Iterable[str]) -> list[str]:
    """Return the full names of all images that these services, actions and upgrades run, sorted."""
    wanted = set(services)
    names = {
        image
        for definition in deployment.definitions
        if definition.service.name in wanted
        for container in definition.service.containers
        for image in (container.image, *(command.image for command in container.single_commands))
    }
    names |= {procedure.image for procedure in deployment.procedures}
    return sorted(image_name(deployment.configuration, name) for name in names if name)


_FETCH_HEADER: Final = """\
#!/bin/sh
# Clones the repositories of a deployment below the folder it is run in. What is there already is left alone.
set -eu
mkdir -p {path}
cd {path}

# fetch NAME URL [REVISION]: complete, or not at all
fetch() {{
  if [ -d "$1" ]; then
    echo "$1: is there already"
    return
  fi
  rm -rf ".fetching-$1"
  git clone --quiet "$2" ".fetching-$1"
  [ -z "${{3:-}}" ] || git -C ".fetching-$1" checkout --quiet "$3"
  mv ".fetching-$1" "$1"
  echo "$1: $(git -C "$1" rev-parse HEAD)"
}}

"""


def fetch_script(repositories: Mapping[str, Any]) -> str:
    lines = [_FETCH_HEADER.format(path=shlex.quote(str(repositories.get("path") or ".")))]
    for repository in repositories.get("repos") or ():
        name, url = str(repository.get("name")), repository.get("git_url")
        words = [name, str(url), *filter(None, [repository.get("git_ref")])]
        if url is None:
            lines.append(f"# {name}: no git_url\n")
        else:
            lines.append(f"fetch {shlex.join(map(str, words))}\n")
    return "".join(lines)
