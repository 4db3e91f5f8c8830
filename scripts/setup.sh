#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that are missing, on Debian and Ubuntu; the only place that lists them. On other systems it
# prints the packages and continues with what it finds. Prints to stderr only.
#   scripts/setup.sh           packages for building and testing
#   scripts/setup.sh program   only those for building and running the program
#   scripts/setup.sh clang     also those for ./test asan, tsan, clang and fuzz
#   scripts/setup.sh develop   also those for changing the code
#   scripts/setup.sh bench     also the libraries of --beside
#   scripts/setup.sh site      also those for scripts/site.sh
#   scripts/setup.sh python    also those for the Python package, except the packages that pip installs
# CUDA is not installed: the GPU parts are built where nvcc is found.
set -euo pipefail

packages=(
  build-essential cmake ninja-build ccache git
  libtbb-dev libboost-context-dev libarchive-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev libmetis-dev gnuplot-nox
)
tested_packages=(python3 pkgconf libgtest-dev libeigen3-dev libpng-dev libopenmpi-dev openmpi-bin)
# Without these the tests of the format, of the reference pages and of the site are skipped. No other version of
# clang-format: each formats otherwise. Some releases do not have it.
optional=(clang-format-19 doxygen doxygen-awesome-css)
if [ "${1-}" = program ]; then
  tested_packages=() optional=()
  shift
fi
packages+=("${tested_packages[@]}")
for extra in "$@"; do
  case "$extra" in
    clang) packages+=(clang-19 libclang-rt-19-dev libomp-19-dev llvm-19) ;; # llvm-19: names in stack traces
    develop) packages+=(shellcheck) ;;
    bench) # also for train_automatic.py
      packages+=(libboost-graph-dev libsuitesparse-dev libgraphblas-dev python3-scipy python3-sklearn libcgal-dev) ;;
    site) optional+=(mkdocs mkdocs-material) ;;
    python)
      packages+=(python3-dev python3-venv)
      if [ ${#tested_packages[@]} -gt 0 ]; then
        packages+=(python3-numpy python3-scipy python3-pytest python3-hypothesis)
        optional+=(python3-mpi4py) # a way of many in which ranks meet
      fi ;;
    *)
      echo "scripts/setup.sh: '$extra' is no set of packages;" \
        "there are: program, clang, develop, bench, site, python" >&2
      exit 2 ;;
  esac
done

# Other systems: what to say there. Their names of the first list above.
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  system=$(sed -n 's/^ID\(_LIKE\)\{0,1\}="\{0,1\}\([^"]*\)"\{0,1\}$/\2/p' /etc/os-release 2>/dev/null || true)
  case " ${system//$'\n'/ } $(uname -s) " in
    *" fedora "* | *" rhel "*)
      say="dnf install gcc-c++ cmake ninja-build ccache git python3 pkgconf tbb-devel boost-devel libarchive-devel"
      say+=" zlib-devel bzip2-devel xz-devel libzstd-devel"
      say+=" cli11-devel fmt-devel json-devel gtest-devel eigen3-devel libpng-devel metis-devel gnuplot"
      say+=" openmpi-devel" ;;
    *" arch "*)
      say="pacman -S --needed base-devel cmake ninja ccache git python pkgconf onetbb boost libarchive"
      say+=" zlib bzip2 xz zstd cli11 fmt nlohmann-json gtest eigen libpng metis gnuplot openmpi" ;;
    *" Darwin "*)
      say="brew install cmake ninja ccache git python pkgconf tbb boost libarchive"
      say+=" zlib bzip2 xz zstd cli11 fmt nlohmann-json googletest eigen libpng metis gnuplot open-mpi" ;;
    *) say="the likes of Debian's ${packages[*]}" ;;
  esac
  echo "scripts/setup.sh: nothing is installed on this system. If something is missing: $say" >&2
  exit 0
fi

# Those of the packages named that are not installed.
not_installed() {
  local package state
  for package in "$@"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    if [ "$state" != installed ]; then echo "$package"; fi
  done
}
mapfile -t missing < <(not_installed "${packages[@]}")
mapfile -t wanted < <(not_installed "${optional[@]}")
if [ ${#missing[@]} -eq 0 ] && compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then
  in_release=() absent=()
  for package in "${wanted[@]}"; do
    if apt-cache show "$package" >/dev/null 2>&1; then in_release+=("$package"); else absent+=("$package"); fi
  done
  wanted=("${in_release[@]}")
  if [ ${#absent[@]} -gt 0 ]; then
    echo "scripts/setup.sh: this release has no ${absent[*]}; some tests will be skipped" >&2
  fi
fi
if [ ${#missing[@]} -eq 0 ] && [ ${#wanted[@]} -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "scripts/setup.sh: missing, and neither root nor sudo to install them:" \
      "apt-get install ${missing[*]} ${wanted[*]}" >&2
    [ ${#missing[@]} -eq 0 ] # without what is only wanted one can go on
    exit
  fi
  as_root=(sudo)
fi

# sudo drops the environment, so the setting travels on the command line.
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

echo "installing" "${missing[@]}" "${wanted[@]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt update && { [ ${#missing[@]} -eq 0 ] ||
  apt install --no-install-recommends "${missing[@]}"; }; } >"$log" 2>&1
then
  cat "$log" >&2
  echo "scripts/setup.sh: the packages above could not be installed" >&2
  exit 1
fi
refused=()
for package in "${wanted[@]}"; do
  apt install --no-install-recommends "$package" >"$log" 2>&1 || refused+=("$package")
done
if [ ${#refused[@]} -gt 0 ]; then
  echo "scripts/setup.sh: ${refused[*]} could not be installed, some releases do not have it;" \
    "some tests will be skipped" >&2
fi
