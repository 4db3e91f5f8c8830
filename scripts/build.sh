# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by run and test: configuring and building. Output of compilers is shown only if something fails; on a terminal
# one line shows the progress. Needs `root`, the repository.
: "${root:?}"

# How many compilers at once: one a core, but at least 2 GB of memory for each, of the machine or of the container.
build_jobs() {
  local cores bytes limit jobs
  cores=$(nproc)
  bytes=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo) * 1024))
  if limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null) && [ "$limit" != max ] && [ "$limit" -lt "$bytes" ]; then
    bytes=$limit
  fi
  jobs=$((bytes / 2000000000))
  if [ "$jobs" -gt "$cores" ]; then jobs=$cores; fi
  if [ "$jobs" -lt 1 ]; then jobs=1; fi
  echo "$jobs"
}

# show_steps LOG: copies stdin to LOG. On a terminal, stderr shows Ninja's counter ([12/40]) in one line, and no more in
# the end.
show_steps() {
  local line shown=
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    if [ -t 2 ] && [[ $line =~ ^(\[[0-9]+/[0-9]+\]) ]]; then
      printf '\r%s' "${BASH_REMATCH[1]}" >&2
      shown=1
    fi
  done 3>"$1"
  if [ -n "$shown" ]; then printf '\r\033[K' >&2; fi
}

# quietly LOG COMMAND...: shows what the command printed only if it failed; of compilers also their warnings.
quietly() {
  local log=$1
  shift
  if ! "$@" </dev/null 2>&1 | show_steps "$log"; then
    cat "$log" >&2
    echo "failed: $*" >&2
    return 1
  fi
  grep -E -A 5 'warning( #[^:]*)?:' "$log" >&2 || true
}

# make_folder FOLDER: makes the build folder, with a file to lock it by; fails where it cannot be written to.
make_folder() {
  if ! { mkdir -p "$1" && : >>"$1/.lock"; } 2>/dev/null; then
    echo "$0: cannot write to $1; copy the repository to a folder of your own and build there" >&2
    return 1
  fi
}

# build PRESET FOLDER TARGET...: builds the targets in FOLDER, the build folder of the preset, and configures it first,
# with the options of the array configure_options if there is one.
# Two at once, from two terminals say, would spoil each other's objects: the second waits.
build() {
  local preset=$1 folder=$2 configuration tool
  shift 2
  for tool in cmake ninja c++; do
    if ! command -v "$tool" >/dev/null; then
      echo "$0: nothing can be built without $tool: scripts/setup.sh installs it, or names the package" >&2
      return 1
    fi
  done
  configuration="$preset ${configure_options[*]-}"
  make_folder "$folder" || return 1
  (
    flock 9
    if [ ! -f "$folder/build.ninja" ] || [ "$(cat "$folder/configured" 2>/dev/null)" != "$configuration" ]; then
      quietly "$folder/configure.log" \
        cmake -S "$root" --preset "$preset" ${configure_options[@]+"${configure_options[@]}"}
      echo "$configuration" >"$folder/configured" # from now on Ninja configures when CMake's files change
    fi
    quietly "$folder/build.log" nice cmake --build "$folder" --parallel "$(build_jobs)" --target "$@"
  ) 9>>"$folder/.lock"
}
