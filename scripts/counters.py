#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads hardware counters of a GPU by Nsight Compute, while the program runs one schedule on one workload.

    scripts/counters.py PROGRAM OUT.json [WORKLOAD:OP:SCHEDULE ...]
    scripts/counters.py PROGRAM OUT.json --kernel REGEX [--skip N] NAME:COMMAND ...

OUT.json gets counters that explain a time: memory throughput relative to the peak, sectors of 32 bytes per request of
a warp, active warps, issuing cycles, and the reasons of stalls. Needs ncu and a GPU.

In the first form PROGRAM is evenly. In the second form each COMMAND, of a benchmark or of another library, is run, and
one launch is counted: of the kernels whose mangled names match REGEX, the one after the first N. PROGRAM is then a
benchmark, which is run on a small input to find the name of the machine.
"""
import argparse
import csv
import io
import json
import re
import shlex
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
    "instructions": ("smsp__inst_executed.sum", 1),
    "l2_sectors_read": ("lts__t_sectors_op_read.sum", 1),
    "l2_sectors_written": ("lts__t_sectors_op_write.sum", 1),
    "l2_sectors_of_atomics": ("lts__t_sectors_op_atom.sum", 1),
    "memory_bytes": ("dram__bytes.sum", 1),
    "registers": ("launch__registers_per_thread", 1),
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


def read_schedule(program, workload, op, schedule):
    """One kernel's counters: of the schedule's last timed run."""
    return read([program, "compare", workload, "--op", op, "--on", "cuda", "--schedule", schedule, "--repeat", "5"],
                "skeleton_kernel", 3)


def read(program, kernel, skip):
    """Counters of the launch after `skip` of those whose names match `kernel`, in a run of the program."""
    command = ["ncu", "--clock-control", "none", "--csv", "--print-units", "base", "--kernel-name-base", "mangled",
               "--kernel-name", f"regex:{kernel}", "--launch-skip", str(skip), "--launch-count", "1",
               "--metrics", ",".join(name for name, _ in METRICS.values()), *program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if done.returncode != 0 or len(lines) < 2:
        raise SystemExit(f"counters.py: ncu gave nothing for {' '.join(program)}: "
                         f"{(done.stderr or done.stdout).strip()[-300:]}")
    values = {row["Metric Name"]: float(row["Metric Value"].replace(",", ""))
              for row in csv.DictReader(io.StringIO("\n".join(lines)))
              if re.fullmatch(r"[\d.,eE+-]+", row["Metric Value"])}
    return {key: values[name] * scale for key, (name, scale) in METRICS.items() if name in values}


def machine(command):
    """Machine, date and commit, as a run writes them to standard output."""
    said = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    report = json.loads(said[said.index("\n{") if "\n{" in said else 0:])
    return {"gpu": report["machine"]["gpu"], "date": report["date"], "commit": report["commit"]}


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    program, out, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    results = []

    def keep(case, counters, **of):
        print(f"{case:<52}", " ".join(f"{key}={value:.3g}" for key, value in counters.items()), flush=True)
        results.append({**of, **counters})

    if "--kernel" in words:
        parser = argparse.ArgumentParser(usage=__doc__)
        parser.add_argument("--kernel", required=True)
        parser.add_argument("--skip", type=int, default=3)
        parser.add_argument("cases", nargs="+")
        given = parser.parse_args(words)
        head = machine([program, "grid:x=20,y=20", "--json", "/dev/stdout"])
        for case in given.cases:
            name, command = case.split(":", 1)
            keep(name, read(shlex.split(command), given.kernel, given.skip), name=name, kernel=given.kernel)
    else:
        # Any small run, for what it says of the machine.
        head = machine([program, "compare", "regular:rows=1000,size=8", "--op", "expand", "--on", "cuda", "--schedule",
                        "thread_mapped", "--json", "-"])
        for case in words or CASES:
            workload, op, schedule = case.split(":")
            keep(case, read_schedule(program, workload, op, schedule), workload=workload, op=op, schedule=schedule)
    with open(out, "w", encoding="utf-8") as file:
        json.dump({**head, "results": results}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
