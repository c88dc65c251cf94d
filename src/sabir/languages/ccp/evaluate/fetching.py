"""Fetching components: a script that clones the repositories that a configuration lists, at the revisions it pins."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["fetch_script"]

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
