#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws every schedule of the registry anew, and removes pictures of schedules that are gone; and the layouts of
# docs/reorganize.md and the search of docs/graphs.md.
#
#   scripts/draw_all.sh PROGRAM [FOLDER [LAYOUTS]]
#
# PROGRAM: evenly. FOLDER: where the pictures go (default: docs/pictures); NAME<4> becomes NAME_4.svg. LAYOUTS: where
# those of layouts go (default: docs/images).
set -euo pipefail
root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
program=${1:?usage: scripts/draw_all.sh PROGRAM [FOLDER]}
folder=${2:-$root/docs/pictures}
layouts=${3:-$root/docs/images}

# In the help: lines of names with commas between, under a heading.
names=$("$program" draw --help | sed -n '/^Schedules:$/,/^$/{/^Schedules:$/d;p}' | tr -d ' \n' | tr ',' '\n')
[ -n "$names" ] || { echo "$program names no schedules" >&2; exit 1; }

new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
for name in $names; do
  case $name in
    *warp*) warp=8 ;; # what warps do is better seen where a block is one: groups of 32 are cut to a block
    *) warp=4 ;;
  esac
  file=${name//</_}
  "$program" draw "$name" --warp "$warp" -o "$new/${file//>/}.svg"
done

mkdir -p "$folder"
rm -f "$folder"/*.svg
cp "$new"/*.svg "$folder"
for name in padding layouts sharing search; do
  "$program" draw "$name" -o "$layouts/$name.svg"
done
