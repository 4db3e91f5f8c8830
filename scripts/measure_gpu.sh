#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks and measures everything that needs a GPU, on a machine that has one.
#
#   scripts/measure_gpu.sh BUILD OUT [STEP ...]
#
# BUILD: a build folder, or one folder with bin/evenly, libexec/evenly with its folder peers, the program
# evenly_cuda_tests, and bench_ with grid_sync, primitives, primitives_cpu, small, octree_cpu,
# coalescing, explained.
# OUT: the folder for JSON and logs. Exits with a non-zero status if a check fails; only right results are timed.
# STEP: tests, memcheck, racecheck, synccheck, spmv_float ...: only these steps; by default all.
set -uo pipefail
build=${1:?usage: scripts/measure_gpu.sh BUILD OUT [STEP ...]}
out=${2:?usage: scripts/measure_gpu.sh BUILD OUT [STEP ...]}
wanted=" ${*:3} "
mkdir -p "$out"
failed=0

program() { find "$build" -name "$1" -type f -perm -u+x | head -n 1; }
step() { # NAME COMMAND...: runs it, keeps its log, says how it went
  local name=$1 start=$SECONDS
  shift
  if [[ $wanted != "  " && $wanted != *" $name "* ]]; then return; fi
  if "$@" >"$out/$name.log" 2>&1; then
    echo "ok      $name ($((SECONDS - start)) s)"
  else
    echo "FAILED  $name (exit $?, $((SECONDS - start)) s):"
    tail -n 15 "$out/$name.log"
    failed=1
  fi
}

# Runs a command of evenly on each input, and joins the results to one report.
each() { # NAME FILE INPUT... -- COMMAND OPTION...
  local name=$1 file=$2 input inputs=() parts=() part
  shift 2
  while [ "$1" != -- ]; do
    inputs+=("$1")
    shift
  done
  shift
  for input in "${inputs[@]}"; do
    part=$out/parts/$file-${#parts[@]}.json
    mkdir -p "$out/parts"
    step "$name" "$(program evenly)" "$1" "$input" "${@:2}" --json "$part"
    if [ -f "$part" ]; then parts+=("$part"); fi
  done
  if [ ${#parts[@]} -gt 0 ]; then "$(dirname "$0")/join_results.py" "$out/$file.json" "${parts[@]}"; fi
}

# Results are named after the card.
card=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | grep -oiE -m1 'h[0-9]+00' | head -n 1)
card=${card,,}
card=${card:-gpu}

workloads=(great-britain_osm cit-Patents web-NotreDame regular8 circuit5M as-Skitter kron_g500-logn20 band27
  one-dense-row mostly-empty)

step tests "$(program evenly_cuda_tests)"
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck synccheck; do
    step "$tool" compute-sanitizer --tool "$tool" --error-exitcode 3 "$(program evenly_cuda_tests)" \
      --gtest_filter='*Reduced*'
  done
else
  echo "skipped memcheck, racecheck and synccheck: there is no compute-sanitizer"
fi
uniform=()
for size in 1 4 16 64 256 1024 4096 16384; do uniform+=("regular:rows=$((16777216 / size)),size=$size"); done
step spmv_float "$(program evenly)" compare "${workloads[@]}" --on cuda --json "$out/spmv-$card.json"
step packed "$(program evenly)" compare "${workloads[@]}" --format packed --on cuda --json "$out/packed-$card.json"
step expand "$(program evenly)" compare "${workloads[@]}" --op expand --on cuda --json "$out/expand-$card.json"
# Less than 10^5 atoms: what a kernel's start leaves to win.
small=(regular:rows=1000,size=8 regular:rows=12000,size=8 powerlaw:rows=10000,avg=8,sd=30,max=3000)
step small "$(program evenly)" compare "${small[@]}" --on cuda --json "$out/small-$card.json"
step small_expand "$(program evenly)" compare "${small[@]}" --op expand --on cuda --json "$out/small-expand-$card.json"
step grid_sync "$(program bench_grid_sync)" --json "$out/grid-sync-$card.json"
step spmv_cpu taskset -c 0,1 "$(program evenly)" compare regular:rows=1.25e6,size=8 regular:rows=625e3,size=16 \
  banded:rows=4e5,width=27 band27:scale=0.25 grid:x=2000,y=1500 one-dense-row as-Skitter:scale=0.5 --on cpu \
  --threads 2 --beside eigen,even_split --json "$out/spmv-cpu-eigen.json"
dense=(as-Skitter:scale=0.05 regular8:scale=0.25 "grid:x=1000,y=1000" web-NotreDame)
each spmm_cpu peers-spmm-cpu "${dense[@]}" -- spmm --width 8 --on cpu --threads 1 --beside eigen,graphblas,scipy
each spgemm_cpu spgemm-cpu "${dense[@]}" -- spgemm --on cpu --threads 1 --beside eigen,cholmod,scipy
each spmm "peers-spmm-$card" regular8 as-Skitter great-britain_osm "grid:x=3000,y=3000" kron_g500-logn20 \
  -- spmm --type float --on cuda
each spgemm "spgemm-$card" regular8 great-britain_osm "grid:x=3000,y=3000" web-NotreDame as-Skitter \
  -- spgemm --type float --on cuda --beside cusparse
if [ -n "${EVENLY_DATA:-}" ]; then
  files=()
  for name in web-NotreDame dblp-2010 ego-twitter email-Enron CA-HepPh; do
    files+=("$EVENLY_DATA/matrices/$name.mtx.xz")
  done
  step spmv_files "$(program evenly)" compare "${files[@]}" --on cuda --json "$out/spmv-files-$card.json"
fi
few=thread_mapped,warp_mapped,dynamic_group_per_tile,merge_path,nonzero_split
step formats_grid "$(program evenly)" compare grid:x=1000,y=1000 --format csr,csc,coo,ell,bcsr,dia,pattern \
  --type double --warm --on cuda --schedule "$few" --json "$out/formats-grid-$card.json"
step formats_road "$(program evenly)" compare great-britain_osm --format csr,csc,coo,ell,bcsr,pattern \
  --type double --warm --on cuda --schedule "$few" --json "$out/formats-road-$card.json"
step compact "$(program evenly)" compare "${workloads[@]}" --format csr,half,bfloat16,pattern --on cuda \
  --schedule "$few" --json "$out/compact-$card.json"
step primitives "$(program bench_primitives)" --json "$out/primitives-$card.json"
step primitives_cpu taskset -c 0,1 "$(program bench_primitives_cpu)" --threads 2 --json "$out/primitives-cpu.json"
for op in reduce scan; do
  step "segmented_$op" "$(program evenly)" compare "${workloads[@]}" "${uniform[@]}" --op "segmented_$op" --on cuda \
    --json "$out/segmented-$op-$card.json"
  step "segmented_${op}_cpu" taskset -c 0,1 "$(program evenly)" compare "${uniform[@]}" --op "segmented_$op" --on cpu \
    --threads 2 --json "$out/segmented-$op-cpu.json"
done
step plans "$(program bench_small)" --json "$out/plans-$card.json"
graph_inputs=(kron_g500-logn20 as-Skitter regular8)
thin_inputs=(great-britain_osm "grid:x=3000,y=3000" "grid:x=30,y=20000")
if [ -n "${EVENLY_DATA:-}" ]; then
  graph_inputs+=("$EVENLY_DATA/matrices/web-NotreDame.mtx.xz" "$EVENLY_DATA/matrices/ego-twitter.mtx.xz")
  thin_inputs=("$EVENLY_DATA/edgelists/USA-road-d.NY.gr.xz" "${thin_inputs[@]}")
fi
each graph_schedules "graph-schedules-$card" "${graph_inputs[@]}" -- bfs --on cuda --schedule all
each graph_thin "graph-thin-$card" "${thin_inputs[@]}" -- bfs --on cuda --schedule all --source random:2
each graph_resident "graph-resident-$card" "${graph_inputs[@]}" "${thin_inputs[@]}" -- bfs --on cuda
cpu_graphs=(kron_g500-logn20:scale=0.25 regular8 as-Skitter:scale=0.5 great-britain_osm:scale=0.25
  "grid:x=1000,y=1000")
for search in bfs sssp; do
  each "${search}_cpu" "$search-cpu" "${cpu_graphs[@]}" -- "$search" --on cpu --threads 1 --source random:3 \
    --beside boost_graph,scipy
done
path_inputs=(kron_g500-logn20 as-Skitter web-NotreDame regular8 great-britain_osm "grid:x=3000,y=3000")
if [ -n "${EVENLY_DATA:-}" ]; then
  path_inputs=("$EVENLY_DATA/matrices/web-NotreDame.mtx.xz" "$EVENLY_DATA/matrices/ego-twitter.mtx.xz" regular8
    as-Skitter kron_g500-logn20 "$EVENLY_DATA/edgelists/USA-road-d.NY.gr.xz" great-britain_osm "grid:x=3000,y=3000")
fi
each paths "paths-$card" "${path_inputs[@]}" -- sssp --on cuda
each paths_forms "paths-forms-$card" "${path_inputs[@]}" -- sssp --on cuda --schedule all
searches=(fib:n=25 fib:n=35 fib:n=40 "fib:n=35,join=1" nqueens:n=12 nqueens:n=14 "uts:t=geo,a=fixed,d=10,b=4,r=19")
each tasks "tasks-$card" "${searches[@]}" -- tasks --on cuda
each tasks_cpu tasks-cpu fib:n=25 fib:n=35 nqueens:n=14 uts:t=geo,a=fixed,d=10,b=4,r=19 -- tasks --on cpu --threads 2
each octree "octree-$card" uniform:n=1e6 tube:n=1e6 uniform:n=1e7 tube:n=1e7 -- octree --on cuda
step octree_cpu taskset -c 0,1 "$(program bench_octree_cpu)" --threads 2 --json "$out/octree-cgal-cpu.json"
each reorganize "reorganize-$card" md:n=12288 md:n=73728 md:n=4e6 \
  -- reorganize --on cuda --iterations 20 --change-every 10
large_layouts=hilbert_lists,hilbert_lists_share,commit_hilbert,commit_hilbert_share,by_neighbours_lists,reorder_hilbert
large_layouts=$large_layouts,reorder_by_neighbours,share_hilbert,sort_threads_hilbert,sort_threads_by_neighbours
each reorganize_few "reorganize-few-$card" md:n=4e6,k=16 md:n=4e6,k=32 -- reorganize --on cuda --iterations 20 \
  --change-every 10 --layout "none,$large_layouts"
each reorganize_large "reorganize-large-$card" md:n=2e7 -- reorganize --on cuda --iterations 20 --change-every 10 \
  --layout "none,$large_layouts"
each reorganize_plans "reorganize-plans-$card" md:n=4e6 -- reorganize --on cuda --iterations 20 --change-every 10 \
  --layout \
  none,pad,pad_simple,share_accumulate,reorder_hubs_first,reorder_first_access,share_working_sets,share_propagated
each reorganize_cpu "reorganize-cpu" md:n=4e6 -- reorganize --on cpu --threads 2 --iterations 10 --change-every 10 \
  --layout none,hilbert_lists,reorder_hilbert,by_neighbours_lists
each reorganize_random "reorganize-random-$card" random:threads=67108864,elements=16777216 -- reorganize --on cuda \
  --iterations 20 --change-every 10 --layout none,sort_threads,sort_threads_left,duplicate,duplicate_half,share_sorted
# The text's workloads, the lists that order cannot help, and automatic beside every arm.
each reorganize_workloads "reorganize-workloads-$card" irreg:n=8e6 irreg:n=8e6,lists=random nbf:n=4096000 \
  nbf:n=4096000,lists=random cfd:n=6e6 cg:n=1048576 unwrap:size=4096 nn:n=8388608,chunk=4194304 merge -- \
  reorganize --on cuda --iterations 100 --change-every 10 --layout \
  "none,automatic,duplicate,pad,share,share_by_neighbours,reorder_by_neighbours,sort_threads"
step study_reorganize "$(program evenly)" study reorganize --on cuda --json "$out/study-reorganize-$card.json" \
  --report "$out/study-reorganize-$card.html"
each reorganize_chosen "reorganize-chosen-never-$card" md:n=12288 md:n=73728 md:n=1e5 md:n=4e6 \
  random:threads=1000,elements=1000 random:threads=100000,elements=100000,k=8 \
  random:threads=4194304,elements=4194304,k=8 merge cg:n=1048576 -- reorganize --on cuda --iterations 500 --layout \
  none,automatic,pipeline
each reorganize_chosen "reorganize-chosen-10-$card" md:n=12288 md:n=73728 md:n=1e5 md:n=4e6 \
  random:threads=1000,elements=1000 random:threads=100000,elements=100000,k=8 \
  random:threads=4194304,elements=4194304,k=8 merge cg:n=1048576 -- reorganize --on cuda --iterations 500 \
  --change-every 10 --layout none,automatic,pipeline
step reorganize_chosen "$(dirname "$0")/join_results.py" "$out/reorganize-chosen-$card.json" \
  "$out/reorganize-chosen-never-$card.json" "$out/reorganize-chosen-10-$card.json"
each reorganize_chosen_large "reorganize-chosen-large-$card" md:n=2e7 -- reorganize --on cuda --iterations 100 \
  --change-every 10 --layout none,automatic
step reorganize_merge "$(program evenly)" reorganize merge --on cuda --json "$out/reorganize-merge-$card.json"
step reorganize_cg "$(program evenly)" reorganize cg:n=1048576 --on cuda --json "$out/reorganize-cg-$card.json"
step reorganize_counts "$(program evenly)" reorganize md:n=12288 --count --json "$out/reorganize-md-counts.json"
compiled=$(program evenly-study-compiled) # with kernels for every block size, where that target was built
step study "${compiled:-$(program evenly)}" study mapping --on cuda --json "$out/study-$card.json"
step ladder_reduce "$(program evenly)" ladder reduce --on cuda --json "$out/ladder-reduce-$card.json"
step ladder_reduce_float "$(program evenly)" ladder reduce --type float --on cuda \
  --json "$out/ladder-reduce-float-$card.json"
step ladder_scan "$(program evenly)" ladder scan --on cuda --json "$out/ladder-scan-$card.json"
step ladder_scan_float "$(program evenly)" ladder scan --type float --on cuda --json "$out/ladder-scan-float-$card.json"
step ladder_rotate "$(program evenly)" ladder rotate --on cuda --json "$out/ladder-rotate-$card.json"
for ladder in reduce scan rotate; do
  step "ladder_${ladder}_counts" "$(program evenly)" ladder "$ladder" --count --json "$out/ladder-$ladder-counts.json"
done
if command -v ncu >/dev/null; then
  step counters "$(dirname "$0")/counters.py" "$(program evenly)" "$out/counters-$card.json"
  counted=("$(program bench_coalescing)")
  for ladder in reduce scan rotate; do counted+=("$(program evenly) ladder $ladder --n 100000"); done
  step counted "$(dirname "$0")/counters_compare.py" "$out/counted-$card.json" "${counted[@]}"
  step explained "$(dirname "$0")/counters_compare.py" "$out/explained-$card.json" "$(program bench_coalescing)" \
    "$(program bench_explained)"
else
  echo "skipped counters, counted and explained: there is no ncu"
fi
exit $failed
