#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what simt counts beside what Nsight Compute counts for the same kernels on a GPU.

    scripts/counters_compare.py OUT.json "PROGRAM ARGS" ["PROGRAM ARGS" ...]
    scripts/counters_compare.py OUT.json build/bench/bench_coalescing "build/bin/evenly ladder scan --n 100000"

A program is one of two kinds:
  evenly ladder ...  is run with --count, for simt's counts, and then under ncu once for each rung; `fast`,
                     whose work depends on the executor, is left out
  any other          is run under ncu with `--json FILE`. FILE gets {"machine", "date", "commit", "results":
                     [{"name", "counts"}]}. For each result, in order, it launches as many kernels on the GPU as
                     counts says launches, and no others
counts are those of trace_counts. OUT.json gets every result with both columns. What differs is printed, and is no
failure. Needs ncu and a GPU.
"""
import csv
import io
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ALL_KERNELS = "run_kernel"  # what evenly::launch starts
LADDER_KERNELS = "6ladder6detail"  # evenly::ladder::detail, as it is mangled
METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "storage_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "storage_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "storage_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "storage_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}


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


def run_under_ncu(command, kernels, most=None):
    """What it says; and the counters of its kernels of such names, in order, of the first `most`."""
    output, report = run(["ncu", "--clock-control", "none", "--csv", "--print-units", "base", "--kernel-name-base",
                          "mangled",
                          "--kernel-name", f"regex:{kernels}", *([] if most is None else ["--launch-count", str(most)]),
                          "--metrics", ",".join(METRICS.values()), *command])
    table = io.StringIO("\n".join(line for line in output.splitlines() if line.startswith('"')))
    found = {}
    for row in csv.DictReader(table):
        found.setdefault(int(row["ID"]), {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return report, [found[number] for number in sorted(found)]


def compared(name, counts, kernels):
    """Both columns, the GPU's added up over the kernels, and whether they are equal."""
    if len(kernels) != counts["launches"]:
        fail(f"{name}: simt counted {counts['launches']} launches, ncu saw {len(kernels)} kernels")
    columns = {key: {"simt": counts[key], "gpu": round(sum(kernel[metric] for kernel in kernels))}
               for key, metric in METRICS.items()}
    equal = all(column["simt"] == column["gpu"] for column in columns.values())
    return {"name": name, "launches": len(kernels), "equal": equal, "counters": columns}


def compare_results(command):
    report, kernels = run_under_ncu(command, ALL_KERNELS)
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
        print(f"{short}: {sum(result['equal'] for result in results)} of {len(results)} results equal", flush=True)
        if report:
            everything = {"gpu": report["machine"]["gpu"], "date": report["date"], "commit": report["commit"]}
        programs.append({"program": short, "results": results})
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({**everything, "programs": programs}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
