#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a GPU's hardware counters, with Nsight Compute, while the program runs one schedule on one workload.

    scripts/counters.py PROGRAM OUT.json [WORKLOAD:OP:SCHEDULE ...]

Writes what explains a time: bytes from memory over its peak, sectors of 32 bytes for each request of a warp, how many
warps were there, how often one could issue, and what the others waited for. Needs ncu and a GPU.
"""
import csv
import io
import json
import re
import subprocess
import sys

# Rows of the study that are far from the best, or that miss a target, and beside each one that does well.
CASES = ("circuit5M:expand:merge_path", "circuit5M:expand:block_search",
         "circuit5M:expand:local_warp_search<registers>",
         "kron_g500-logn20:expand:multi_phase", "kron_g500-logn20:expand:block_search",
         "kron_g500-logn20:expand:two_phase",
         "band27:spmv:merge_path", "band27:spmv:group_per_tile<4>", "kron_g500-logn20:spmv:merge_path",
         "great-britain_osm:spmv:thread_mapped", "great-britain_osm:spmv:binned")
METRICS = {
    "us": ("gpu__time_duration.sum", 1e-3),
    "memory_percent": ("dram__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    "l2_percent": ("lts__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    "load_sectors_per_request": ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", 1),
    "store_sectors_per_request": ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", 1),
    "warps_percent": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1),
    "issue_percent": ("smsp__issue_active.avg.pct_of_peak_sustained_active", 1),
    "busy_multiprocessors_percent": ("sm__cycles_active.avg.pct_of_peak_sustained_elapsed", 1),
    "waits_for_memory": ("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 1),
    "waits_for_barrier": ("smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 1),
    "waits_for_queue": ("smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", 1),
    "waits_for_storage": ("smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", 1),
}


def read(program, workload, op, schedule):
    """One kernel's counters: of the schedule's last timed run."""
    command = ["ncu", "--clock-control", "none", "--csv", "--print-units", "base", "--kernel-name-base", "mangled",
               "--kernel-name", "regex:skeleton_kernel", "--launch-skip", "3", "--launch-count", "1",
               "--metrics", ",".join(name for name, _ in METRICS.values()),
               program, "compare", workload, "--op", op, "--on", "cuda", "--schedule", schedule, "--repeat", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if done.returncode != 0 or len(lines) < 2:
        raise SystemExit(f"counters.py: ncu gave nothing for {workload}:{op}:{schedule}: "
                         f"{(done.stderr or done.stdout).strip()[-300:]}")
    values = {row["Metric Name"]: float(row["Metric Value"].replace(",", ""))
              for row in csv.DictReader(io.StringIO("\n".join(lines)))
              if re.fullmatch(r"[\d.,eE+-]+", row["Metric Value"])}
    return {key: values[name] * scale for key, (name, scale) in METRICS.items() if name in values}


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    program, out, cases = sys.argv[1], sys.argv[2], sys.argv[3:] or CASES
    # Any small run, for what it says of the machine.
    said = subprocess.run([program, "compare", "regular:rows=1000,size=8", "--op", "expand", "--on", "cuda",
                           "--schedule",
                           "thread_mapped", "--json", "-"], capture_output=True, text=True, timeout=120, check=True)
    report = json.loads(said.stdout)
    results = []
    for case in cases:
        workload, op, schedule = case.split(":")
        counters = read(program, workload, op, schedule)
        print(f"{case:<52}", " ".join(f"{key}={value:.3g}" for key, value in counters.items()), flush=True)
        results.append({"workload": workload, "op": op, "schedule": schedule, **counters})
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"gpu": report["machine"]["gpu"], "date": report["date"], "commit": report["commit"],
                   "results": results}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
