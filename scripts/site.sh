#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the site of the pages in docs, with the reference of all public names: scripts/site.sh FOLDER
# FOLDER/index.html opens in a browser as a file. Needs mkdocs with its theme Material, and doxygen
# (scripts/setup.sh site).
set -euo pipefail
root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
if [ $# -ne 1 ]; then
  echo "usage: scripts/site.sh FOLDER" >&2
  exit 2
fi
for tool in mkdocs doxygen; do
  if ! command -v "$tool" >/dev/null; then
    echo "scripts/site.sh: there is no $tool: scripts/setup.sh site installs it" >&2
    exit 1
  fi
done
mkdir -p -- "$1"
folder=$(readlink -f -- "$1")
mkdocs build --strict --quiet --config-file "$root/mkdocs.yml" --site-dir "$folder"
style=/usr/share/doxygen-awesome-css/doxygen-awesome.css # without it Doxygen's own
EVENLY_VERSION=$(sed -n 's/^project(evenly VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt") \
  EVENLY_SOURCE=$root EVENLY_API=$folder/api EVENLY_API_STYLE=$([ ! -f "$style" ] || echo "$style") \
  doxygen "$root/docs/api/Doxyfile"
