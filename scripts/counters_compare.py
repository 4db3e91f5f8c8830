#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the counts of simt with those of Nsight Compute for the same kernels on a GPU.

    scripts/counters_compare.py OUT.json "PROGRAM ARGS" ["PROGRAM ARGS" ...]
    scripts/counters_compare.py OUT.json build/bench/bench_coalescing "build/bin/evenly ladder scan --n 100000"

There are three kinds of program:
  bench_explained, bench_coalescing
                     run under ncu as other programs are. By cudaProfilerStart and Stop they select the kernels that
                     count, without those of plans
  evenly ladder ...  run with --count, for simt's counts, and then under ncu once for each version. `fast` is left
                     out, because its work depends on the executor
  others             run under ncu with `--json FILE`. FILE gets {"machine", "date", "commit", "results":
                     [{"name", "counts"}]}. For each result, in order, the program launches as many kernels on the
                     GPU as counts says under `launches`, and no others
counts are those of trace_counts. OUT.json gets every result with both columns; whether requests and sectors are within
2% of the GPU's; and the active lanes of a request and of the GPU's instructions, which should differ by at most 4.
Differences are printed, and are no failure. Needs ncu and a GPU.

On simt, loads include atomic loads and copies from memory to storage. A GPU counts copies by cp.async (ldgsts)
separately, so they are added where ncu has such counters.
"""
import csv
import functools
import io
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ALL_KERNELS = "run_kernel"  # what evenly::launch starts
RANGED = ("bench_explained", "bench_coalescing")
LADDER_KERNELS = "6ladder6detail"  # evenly::ladder::detail, as it is mangled
# For each column the counts of simt, and the metrics, that are added up for it.
COLUMNS = {
    "global_load_requests": (("global_load_requests", "atomic_load_requests"),
                             ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",)),
    "global_load_sectors": (("global_load_sectors", "atomic_load_sectors"),
                            ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",)),
    "global_store_requests": (("global_store_requests", "atomic_store_requests"),
                              ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",)),
    "global_store_sectors": (("global_store_sectors", "atomic_store_sectors"),
                             ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",)),
    "storage_load_wavefronts": (("storage_load_wavefronts",),
                                ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",)),
    "storage_load_conflicts": (("storage_load_conflicts",),
                               ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",)),
    "storage_store_wavefronts": (("storage_store_wavefronts",),
                                 ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",)),
    "storage_store_conflicts": (("storage_store_conflicts",),
                                ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",)),
}
# What copies by cp.async add: of the names for each the first that ncu knows, as they differ from version to version.
COPIES = {
    "global_load_requests": [("l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
                              "sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum"),
                             ("l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum",
                              "sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum")],
    "global_load_sectors": [("l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
                             "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum"),
                            ("l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum",
                             "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum")],
}
THREADS, INSTRUCTIONS = "smsp__thread_inst_executed.sum", "smsp__inst_executed.sum"
TOLERANCE = 0.02  # of the GPU's, for requests and sectors
LANES = 4  # of 32, for the active ones
REQUESTS = ("global_load_requests", "global_store_requests", "storage_load_requests", "storage_store_requests",
            "atomic_requests")


def fail(message):
    raise SystemExit(f"counters_compare.py: {message}")


def run(command):
    """Its output; and what it says in the file of --json, which is added."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said.json"
        done = subprocess.run([*command, "--json", str(said)], capture_output=True, text=True, timeout=500, check=False)
        if done.returncode != 0 or not said.exists():
            fail(f"{shlex.join(command)}: exit {done.returncode}: {(done.stderr + done.stdout).strip()[-400:]}")
        return done.stdout, json.loads(said.read_text(encoding="utf-8"))


@functools.cache
def metrics():
    """The metrics of each column."""
    done = subprocess.run(["ncu", "--query-metrics"], capture_output=True, text=True, timeout=120, check=False)
    known = {line.split()[0] for line in done.stdout.splitlines() if line.strip()}
    found = {key: list(names) for key, (_, names) in COLUMNS.items()}
    for key, parts in COPIES.items():
        for alternatives in parts:
            found[key] += [name for name in alternatives if name.rsplit(".", 1)[0] in known][:1]
    return found


def run_under_ncu(command, kernels, most=None, ranged=False):
    """What it says; and the counters of its kernels of such names, in order, of the first `most`. `ranged`: only those
    between cudaProfilerStart and Stop."""
    names = dict.fromkeys([name for column in metrics().values() for name in column] + [THREADS, INSTRUCTIONS])
    output, report = run(["ncu", "--clock-control", "none", "--csv", "--print-units", "base", "--kernel-name-base",
                          "mangled", *(["--profile-from-start", "off"] if ranged else []),
                          "--kernel-name", f"regex:{kernels}", *([] if most is None else ["--launch-count", str(most)]),
                          "--metrics", ",".join(names), *command])
    table = io.StringIO("\n".join(line for line in output.splitlines() if line.startswith('"')))
    found = {}
    for row in csv.DictReader(table):
        found.setdefault(int(row["ID"]), {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return report, [found[number] for number in sorted(found)]


def compared(name, counts, kernels):
    """Both columns, the GPU's added up over the kernels, and whether they are equal."""
    if len(kernels) != counts["launches"]:
        fail(f"{name}: simt counted {counts['launches']} launches, ncu saw {len(kernels)} kernels")
    columns = {key: {"simt": sum(counts.get(name, 0) for name in names),
                     "gpu": round(sum(kernel[metric] for kernel in kernels for metric in metrics()[key]))}
               for key, (names, _) in COLUMNS.items()}
    equal = all(column["simt"] == column["gpu"] for column in columns.values())
    within = all(abs(column["simt"] - column["gpu"]) <= TOLERANCE * column["gpu"]
                 for key, column in columns.items() if key.startswith("global"))
    return {"name": name, "launches": len(kernels), "equal": equal, "within": within, "counters": columns,
            "active_lanes": active_lanes(counts, kernels)}


def active_lanes(counts, kernels):
    """Of a request on simt, and of an instruction on the GPU; none where there were none."""
    requests = sum(counts.get(name, 0) for name in REQUESTS)
    instructions = sum(kernel[INSTRUCTIONS] for kernel in kernels)
    threads = sum(kernel[THREADS] for kernel in kernels)
    return {"simt": round(counts.get("request_lanes", 0) / requests, 2) if requests else None,
            "gpu": round(threads / instructions, 2) if instructions else None}


def compare_results(command):
    report, kernels = run_under_ncu(command, ALL_KERNELS, ranged=Path(command[0]).name in RANGED)
    launches = sum(result["counts"]["launches"] for result in report["results"])
    if launches != len(kernels):
        fail(f"{shlex.join(command)}: simt counted {launches} launches, ncu saw {len(kernels)} kernels")
    rest = iter(kernels)
    return report, [compared(result["name"], result["counts"],
                             [next(rest) for _ in range(result["counts"]["launches"])])
                    for result in report["results"]]


def compare_ladder(command):
    results = []
    timed = {}
    for counted in run([*command, "--count"])[1]["counted"]:
        name, launches = counted["rung"], counted["counts"]["launches"]
        if name == "fast":
            continue
        once = [*command, "--on", "cuda", "--rung", name, "--repeat", "1"]
        timed, kernels = run_under_ncu(once, LADDER_KERNELS, launches)
        results.append(compared(name, counted["counts"], kernels))
    return timed, results


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    everything = {}
    programs = []
    for program in sys.argv[2:]:
        command = shlex.split(program)
        short = shlex.join([Path(command[0]).name, *command[1:]])
        report, results = (compare_ladder if "ladder" in command else compare_results)(command)
        for result in results:
            for key, column in result["counters"].items():
                if column["simt"] != column["gpu"]:
                    print(f"{result['name']}: {key}: simt {column['simt']}, GPU {column['gpu']}")
            lanes = result["active_lanes"]
            if None not in lanes.values() and abs(lanes["simt"] - lanes["gpu"]) > LANES:
                print(f"{result['name']}: active lanes: simt {lanes['simt']}, GPU {lanes['gpu']}")
        print(f"{short}: {sum(result['equal'] for result in results)} of {len(results)} results equal, "
              f"{sum(result['within'] for result in results)} within {TOLERANCE:.0%} in requests and sectors",
              flush=True)
        if report:
            everything = {"gpu": report["machine"]["gpu"], "date": report["date"], "commit": report["commit"]}
        programs.append({"program": short, "results": results})
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({**everything, "programs": programs}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
