# Sourced by the scripts of this directory: interpreters of several versions, and environments with sabir and its tools.

# find_python VERSION: print an interpreter of this version, or fail.
find_python() {
  local candidate
  for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    "$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1 && { echo "$candidate"; return; }
  done
  return 1
}

# make_environment PYTHON DIRECTORY: an environment with everything that the tests import.
make_environment() {
  [ -x "$2/bin/sabir" ] && return
  if ! { "$1" -m venv "$2" && "$2/bin/pip" install -q -r requirements.lock && "$2/bin/pip" install -q --no-deps -e .; } >"$2.log" 2>&1; then
    rm -rf "$2"
    return 1
  fi
}

# for_version VERSION WHAT: set `environment` to one for this version of Python, or state why WHAT is skipped there and fail.
for_version() {
  local python
  environment=.venv-$1
  if ! python=$(find_python "$1"); then
    echo "$2 on Python $1: skipped, python$1 not found" >&2
    return 1
  fi
  if ! make_environment "$python" "$environment"; then
    echo "$2 on Python $1: skipped, its packages could not be installed ($environment.log)" >&2
    return 1
  fi
}
