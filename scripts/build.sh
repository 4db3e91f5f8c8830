# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by run and test: configuring and building, quietly unless something fails. Needs `root`, the repository.
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

# quietly LOG COMMAND...: shows what the command printed only if it failed; of compilers also their warnings.
quietly() {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    echo "failed: $*" >&2
    return 1
  fi
  grep -E -A 5 'warning( #[^:]*)?:' "$log" >&2 || true
}

# build PRESET FOLDER TARGET: configures the preset, whose build folder is FOLDER, and builds TARGET.
# Two at once, from two terminals say, would spoil each other's objects: the second waits.
build() {
  local preset=$1 folder=$2 target=$3
  mkdir -p "$folder"
  (
    flock 9
    quietly "$folder/configure.log" cmake -S "$root" --preset "$preset"
    quietly "$folder/build.log" nice cmake --build "$folder" --target "$target" --parallel "$(build_jobs)"
  ) 9>"$folder/.lock"
}
