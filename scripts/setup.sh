#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing; the only place that lists them. Speaks on stderr only.
#   scripts/setup.sh           what building and testing need
#   scripts/setup.sh clang     also what ./test asan, tsan, clang and fuzz need
#   scripts/setup.sh develop   also what writing code needs
#   scripts/setup.sh bench     also what benchmarks stand beside, if it is there
# CUDA is not installed: the GPU parts are built where nvcc is found.
set -euo pipefail

packages=(
  build-essential cmake ninja-build ccache git python3
  libtbb-dev libboost-context-dev libboost-iostreams-dev libzip-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev
  libgtest-dev libeigen3-dev libpng-dev libmetis-dev
  clang-format-19 # no other version: each formats otherwise
)
for extra in "$@"; do
  case "$extra" in
    clang) packages+=(clang-19 libclang-rt-19-dev libomp-19-dev llvm-19) ;; # llvm-19: names in stack traces
    develop) packages+=(shellcheck) ;;
    bench) packages+=(libboost-graph-dev python3-scipy) ;; # what bench_graph_cpu stands beside
    *) echo "scripts/setup.sh: '$extra' is no set of packages; there are: clang, develop, bench" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg >/dev/null; then
  echo "scripts/setup.sh: no Debian system, so nothing is installed. Needed are the likes of: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  if [ "$state" != installed ]; then missing+=("$package"); fi
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "scripts/setup.sh: missing, and neither root nor sudo to install them: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

# sudo drops the environment, so the setting travels on the command line.
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

echo "installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt update && apt install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "scripts/setup.sh: the packages above could not be installed" >&2
  exit 1
fi
