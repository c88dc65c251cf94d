#!/bin/sh
# Puts the file that came along with the plan where it belongs.
set -eu
target=$1
source=$(dirname "$0")/destinationFile
mkdir -p "$(dirname "$target")"
cp "$source" "$target"
