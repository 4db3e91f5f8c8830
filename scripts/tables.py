#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Markdown tables of what was measured and of what headers say, programs, and the pages that show them.

    scripts/tables.py FILE               prints the tables of what `evenly compare --json FILE` wrote
    scripts/tables.py --fill PAGE...     writes tables into their places in pages

A place is what lies between the line <!-- KIND WORDS --> and the line <!-- end of KIND WORDS -->:

    table NAME                    a comparison: a column for each workload, a row for each schedule and each baseline
    best NAME...                  comparisons: the best schedule on each workload
    ratios NAME...: SCHEDULE...   comparisons: times over those of the best schedule. SCHEDULE is all of its <...>, too
    techniques NAME: OPERATION    a study: each technique at its best
    phases NAME: EXPERIMENT...    a study: the experiments with multi_phase
    counters NAME                 what scripts/counters.py wrote
    ladder NAME...                what `evenly ladder --json` wrote: a row for each rung, columns for each file
    counts NAME                   what `evenly ladder --count --json` wrote
    primitives NAME               what bench_primitives --json, or bench_primitives_cpu, wrote
    segmented NAME                what bench_segmented --json wrote: streamed, automatic, the best other schedule, peers
    pivot NAME: ROW... | COLUMN | VALUE
                                  any results: a row for what they are as to each ROW, a column for each COLUMN, with
                                  VALUE: ms (shown in us), us_each, host_us, or a ratio
    products NAME                 joined results of `evenly spgemm`: a row for each matrix
    dense NAME                    joined results of `evenly spmm --on cpu`: a row for each matrix, width and layout
    memory NAME: WORKLOAD         results of tasks with the reserved memory of each pool
    layouts NAME: WORKLOAD        joined results of `evenly reorganize`: times, speed beside none, bytes of each layout
    compared NAME: KIND           what scripts/counters_compare.py wrote: of results whose names begin with KIND, a row
                                  for each last word, or what is behind a comma: how far simt is from the GPU, where it
                                  is farthest
    peers NAME: OURS / LABEL: PEER / ...
                                  any results: for each peer, the distribution of its time over ours, case by case.
                                  OURS and PEER are words, as in figures. The line above names the versions of peers
                                  that the report records
    python NAME: TYPE...          what a benchmark of the Python package wrote; on a GPU only rows of these types
    agreement NAME                a study (of mappings, of tasks, of reorganizing): the statements of the paper, and
                                  whether the numbers bear them out
    rows NAME: LIST               a study of reorganizing: its table_1 or table_2
    costs HEADER...               what the headers of schedules say they cost
    cost HEADER                   that, with the limits and when the schedule wins
    program FILE                  examples/FILE

A figure in prose is a number in front of <!-- figure NAME: HOW ONE / OTHER -->: times of ONE over those of OTHER, on
the workloads that have both. HOW is geomean, least or most, behind percent: of these less 1, in percent. ONE and
OTHER are words without spaces: best, baseline, a schedule, a format, a workload, or KEY=VALUE, as threads=2; of the
results that they all fit, the fastest is taken. Formats are told apart as workloads are, unless one is among the
words.

scripts/join_results.py joins the files of several commands.
NAME is bench/results/NAME.json, HEADER include/evenly/schedules/HEADER.hpp. A place that is empty stays so until its
JSON is there.
"""
import argparse
import json
import math
import os
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench"))
import python_report  # noqa: E402

# How the names of baselines begin; all others are schedules.
BASELINES = ("openmp_", "tbb_", "cusparse_", "eigen", "even_split", "fused_by_hand", "scipy", "cholmod", "graphblas",
             "boost_graph")
PLACE = re.compile(r"^<!-- (?!end of )(\w+) ([^\n]*) -->\n(.*?)^(<!-- end of \1 \2 -->)$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"(\d[\d.,]*)(?=%?<!-- figure ([^\n]*?) -->)")


class Problem(Exception):
    """Something that the user can put right; one line."""


def unique(items):
    return list(dict.fromkeys(items))


def is_baseline(name):
    return name.startswith(BASELINES)


def number(ms, unit):
    """Three digits, or all there are before the point."""
    value = ms * 1000 if unit == "us" else ms
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(value):
    """How many times as long: two digits after the point where they matter."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def time_of(run):
    """Empty if there is none."""
    return "" if run is None else number(run["ms"], "us") if run["ok"] else "failed"


def bold_if(condition, text):
    return f"**{text}**" if condition else text


def line(cells):
    return "| " + " | ".join(cells) + " |"


def plain(text):
    """As it stands in a cell: not HTML, and not the end of the cell."""
    return text.replace("<", "\\<").replace("|", "\\|")


def head(cells, words=1):
    """The first lines of a table whose first columns, `words` of them, are of words, and the others of numbers."""
    return [line(cells), line(["---"] * words + ["---:"] * (len(cells) - words))]


def executor_of(report):
    return "cuda" if "gpu" in report["machine"] else "cpu"


def where(report, executor):
    """Machine, date and commit."""
    machine = report["machine"]
    place = machine.get("gpu") if executor == "cuda" else f"{machine['cpu']}, {machine['cores']} cores"
    changed = " with changes" if report["commit"].endswith("-dirty") else ""
    return f"{executor} ({place}), {report['date']}, commit {report['commit'][:12]}{changed}"


# --- figures in prose


def candidate(result):
    return next(result[key] for key in ("schedule", "name", "candidate", "form") if key in result)


def fits(result, word):
    name = candidate(result)
    if word in ("best", "baseline"):
        return is_baseline(name) == (word == "baseline")
    key, _, value = word.partition("=")
    return (word in (name.replace(" ", ""), result.get("workload"), result.get("format"))
            or key in result and str(result[key]) == value)


def fastest_by_group(results, words, apart):
    """The least time of the results that all words fit, by workload, and by format if those are told apart."""
    if not words:
        raise Problem("a figure has two sides of words: ONE / OTHER")
    for word in words:
        if not any(fits(r, word) for r in results):
            raise Problem(f"no result fits {word}")
    least = {}
    for r in results:
        if r["ok"] and all(fits(r, word) for word in words):
            group = (r["workload"], r.get("format") if apart else None)
            least[group] = min(r["ms"], least.get(group, math.inf))
    return least


def figure(report, words):
    percent = words[:1] == ["percent"]
    how, sides = words[percent:][:1], words[percent:][1:]
    if how not in (["geomean"], ["least"], ["most"]) or sides.count("/") != 1:
        raise Problem("a figure is made by [percent] geomean, least or most, of ONE / OTHER")
    results = report["results"]
    apart = not {r.get("format") for r in results} & set(sides)
    middle = sides.index("/")
    one, other = (fastest_by_group(results, side, apart) for side in (sides[:middle], sides[middle + 1:]))
    quotients = [one[group] / other[group] for group in one if group in other]
    if not quotients:
        raise Problem("no workload has both sides")
    value = {"geomean": statistics.geometric_mean, "least": min, "most": max}[how[0]](quotients)
    return f"{100 * (value - 1):.0f}" if percent else times(value)


# --- peers

# What tells one case of a comparison from another.
CASE = ("op", "operation", "workload", "type", "n", "cache", "width", "layout")


def fastest_by_case(results, words):
    fastest = {}
    for r in results:
        if r["ok"] and all(fits(r, word) for word in words):
            case = tuple(r.get(key) for key in CASE)
            fastest[case] = min(r["ms"], fastest.get(case, math.inf))
    return fastest


def ratios_to_peers(report, words):
    """Of each peer: its label, and by case the peer's time over ours."""
    ours, *peers_words = " ".join(words).split(" / ")
    our_times = fastest_by_case(report["results"], ours.split())
    found = {}
    for label, _, peer in (text.partition(": ") for text in peers_words):
        times_of_peer = fastest_by_case(report["results"], peer.split())
        found[label] = {case: ms / our_times[case] for case, ms in times_of_peer.items() if case in our_times}
        if not found[label]:
            raise Problem(f"no case has both {ours} and {label}: {peer}")
    return found


def peers(report, words):
    by_peer = ratios_to_peers(report, words)
    cases = unique(case for found in by_peer.values() for case in found)
    varies = [i for i in range(len(CASE)) if len({case[i] for case in cases}) > 1]

    def named(ratio, case):
        return f"{times(ratio)} ({plain(', '.join(str(case[i]) for i in varies))})"

    versions = ", ".join(f"{name} {version}" for name, version in report.get("peers", {}).items())
    lines = [where(report, executor_of(report)) + (f", with {versions}." if versions else "."), "",
             *head(["time over that of evenly", "cases", "geometric mean", "least", "most", "evenly is faster"])]
    for label, found in by_peer.items():
        least, most = (named(found[case], case) for case in (min(found, key=found.get), max(found, key=found.get)))
        lines.append(line([label, str(len(found)), times(statistics.geometric_mean(found.values())), least, most,
                           f"{sum(ratio > 1 for ratio in found.values())} of {len(found)}"]))
    return "\n".join(lines) + "\n"


# --- comparisons


def op_of(result):
    return result["op"] + (f" by {result['format']}" if "format" in result else "")


def groups(results):
    """Results by (op, type, executor), in the order in which these come first; of formats each is an op of its own."""
    by_table = {}
    for result in results:
        by_table.setdefault((op_of(result), result["type"], result["executor"]), []).append(result)
    return by_table


def rows(results):
    """Results by workload, then by schedule."""
    by_workload = {}
    for result in results:
        by_workload.setdefault(result["workload"], {})[result["schedule"]] = result
    return by_workload


def best_of(row, baseline=False):
    """The fastest schedule, or baseline, of a row; None where there is none."""
    right = [r for name, r in row.items() if r["ok"] and is_baseline(name) == baseline]
    return min(right, key=lambda r: r["ms"], default=None)


def summaries(results):
    """Names of the last rows, and what they say of a workload: against baselines, or where there are none, against a
    copy and a fill of as many bytes."""
    if any(is_baseline(r["schedule"]) for r in results):
        return {"best schedule / best baseline":
                lambda row: f"{best_of(row)['ms'] / best_of(row, True)['ms']:.2f}" if best_of(row, True) else ""}
    known = [what for what in ("copy", "fill") if all(r.get(f"{what}_gbps") for r in results)]
    return {f"best schedule, of a {what}'s speed":
            lambda row, what=what: f"{best_of(row)['gbps'] / best_of(row)[f'{what}_gbps']:.0%}" for what in known}


def cell(row, name, unit):
    if name not in row:
        return ""
    if not row[name]["ok"]:
        return "failed"
    return bold_if(row[name] is best_of(row), number(row[name]["ms"], unit))


def comparison(results, unit):
    by_workload = rows(results)
    lines = head(["", *map(plain, by_workload)])
    lines.append(line(["atoms", *(f"{next(iter(row.values()))['atoms']:,}" for row in by_workload.values())]))
    for name in sorted(unique(r["schedule"] for r in results), key=is_baseline):
        lines.append(line([plain(name), *(cell(row, name, unit) for row in by_workload.values())]))
    if all("empty_ms" in next(iter(row.values())) for row in by_workload.values()):
        empty = (number(next(iter(row.values()))["empty_ms"], unit) for row in by_workload.values())
        lines.append(line(["an empty kernel", *empty]))
    for name, of in summaries(results).items():
        lines.append(line([name, *(of(row) if best_of(row) else "" for row in by_workload.values())]))
    return lines


def tables(report, executor=None, unit=None):
    """All tables of a comparison, of one executor or of all, each under a line that says where it was measured."""
    lines = []
    for (op, type_, on), results in groups(report["results"]).items():
        if executor not in (None, on):
            continue
        this_unit = unit or ("us" if on == "cuda" else "ms")
        lines += [f"{op} of {type_} on {where(report, on)}; median, {this_unit}. Bold: the best schedule.", "",
                  *comparison(results, this_unit), ""]
    if not lines:
        raise Problem("there are no results" + (f" of the executor {executor}" if executor else ""))
    return "\n".join(lines)


def best(reports):
    lines = []
    for report in reports:
        for (op, type_, on), results in groups(report["results"]).items():
            lines += [f"{op} of {type_} on {where(report, on)}; median, us.", "",
                      *head(["workload", "best schedule", "time"], 2)]
            found = [(workload, best_of(row)) for workload, row in rows(results).items()]
            lines += [line([plain(w), f"`{r['schedule']}`", number(r["ms"], "us")] if r else [plain(w), "", ""])
                      for w, r in found]
            lines.append("")
    return "\n".join(lines)


def ratios(reports, schedules):
    """Nothing where none of the schedules was measured."""
    workloads = unique(r["workload"] for report in reports for r in report["results"])
    lines = []
    for report in reports:
        for (op, _, _), results in groups(report["results"]).items():
            by_workload = rows(results)
            for name in unique(r["schedule"] for r in results if r["schedule"].split("<")[0] in schedules):
                cells = [ratio(by_workload.get(workload, {}), name) for workload in workloads]
                lines.append(line([f"{op}, `{name}`", *cells]))
    return "\n".join(head(["times of the best", *map(plain, workloads)]) + lines) + "\n" if lines else ""


def ratio(row, name):
    if name not in row:
        return ""
    if not row[name]["ok"]:
        return "failed"
    return bold_if(row[name] is best_of(row), times(row[name]["ms"] / best_of(row)["ms"]))


# --- studies


def techniques(study, op):
    found = {(r["technique"], r["workload"]): r for r in study["best"] if r["op"] == op}
    if not found:
        raise Problem(f"the study has no results of {op}")
    workloads = [w["name"] for w in study["workloads"]]
    lines = [f"{op} on {where(study, study['executor'])}; median, us, of the best configuration. "
             "Bold: the best technique.",
             "", *head(["technique", *map(plain, workloads)])]
    for technique in unique(technique for technique, _ in found):
        cells = [found.get((technique, workload)) for workload in workloads]
        lines.append(line([plain(technique), *(bold_if(r["of_fastest"] == 1, number(r["ms"], "us")) if r else "failed"
                                        for r in cells)]))
    return "\n".join(lines) + "\n"


def phases(study, experiments):
    workloads = [w["name"] for w in study["workloads"]]
    lines = [f"On {where(study, study['executor'])}; median, us.", "",
             *head(["experiment", "variant", *map(plain, workloads)], 2)]
    for experiment in experiments:
        runs = [r for r in study["phases"] if r["experiment"] == experiment]
        if not runs:
            raise Problem(f"the study has no experiment {experiment}")
        several_blocks = len({r["block_size"] for r in runs}) > 1
        for variant, block in unique((r["variant"], r["block_size"]) for r in runs):
            of = {r["workload"]: r for r in runs if (r["variant"], r["block_size"]) == (variant, block)}
            name = f"{variant}, blocks of {block}" if several_blocks else variant
            lines.append(line([experiment, name, *(time_of(of.get(w)) for w in workloads)]))
    return "\n".join(lines) + "\n"


COUNTERS = {"us": "us", "memory_percent": "memory %", "l2_percent": "L2 %",
            "load_sectors_per_request": "sectors a load",
            "store_sectors_per_request": "sectors a store", "busy_multiprocessors_percent": "multiprocessors busy %",
            "warps_percent": "warps %", "issue_percent": "issuing %", "waits_for_memory": "wait: memory",
            "waits_for_queue": "wait: queue", "waits_for_storage": "wait: storage",
            "waits_for_barrier": "wait: barrier"}
COUNTED_WORK = {"instructions": "instructions", "l2_sectors_read": "sectors read", "l2_sectors_written": "written",
                "l2_sectors_of_atomics": "of atomics", "memory_bytes": "bytes of memory", "registers": "registers"}


def count(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def counters(report):
    """Of schedules, or of forms of one operation, whose work is counted too."""
    of_forms = "form" in report["results"][0]
    named = {"workload": "workload", "form": "form"} if of_forms else {
        "workload": "workload", "op": "operation", "schedule": "schedule"}
    counted = {**COUNTERS, **COUNTED_WORK} if of_forms else COUNTERS
    lines = [f"{report['gpu']}, {report['date']}, commit {report['commit'][:12]}.", "",
             *head([*named.values(), *counted.values()], len(named))]
    for r in report["results"]:
        lines.append(line([*(plain(r[key]) for key in named), *(count(r[key]) for key in counted)]))
    return "\n".join(lines) + "\n"


def pivot(report, words):
    """Of results of any kind: rows and columns by what these are, one number in each cell."""
    row_keys, column_key, value = [part.split() for part in " ".join(words).split("|")]
    (column_key,), (value,) = column_key, value
    results = report["results"]
    columns = unique(r[column_key] for r in results)
    by_row = {}
    for r in results:
        by_row.setdefault(tuple(str(r[key]) for key in row_keys), {})[r[column_key]] = r

    def text_of(r):
        if r is None or not r["ok"]:
            return "" if r is None else "failed"
        return number(r["ms"], "us") if value == "ms" else times(r[value])

    unit = {"ms": "us", "us_each": "us", "host_us": "us"}.get(value, value.replace("_", " "))
    lines = [f"{where(report, results[0]['executor'])}; {unit}.", "",
             *head([*row_keys, *map(plain, columns)], len(row_keys))]
    for words_of_row, runs in by_row.items():
        lines.append(line([*map(plain, words_of_row), *(text_of(runs.get(name)) for name in columns)]))
    return "\n".join(lines) + "\n"


# How the names of rows of spgemm begin that are no peers.
OUR_PRODUCTS = ("evenly", "whole call", "planned", "in chunks")


def products(report):
    """Sparse times sparse: of each matrix the times of all who multiplied it, and by how much ours is ahead of the best
    of the others. Where results say how many threads they took, ours is compared on one."""
    results = report["results"]
    threaded = any("threads" in r for r in results)

    def shown(ms):
        return f"{ms:,.0f}" if ms >= 100 else f"{ms:.3g}"

    def column(r):
        return r["name"] + (f", {r['threads']}" if threaded else "")

    columns = unique(column(r) for r in results)
    ours = next(name for name in columns if name in ("evenly", "evenly, 1", "whole call", "whole call, 1"))
    has_memory = any("memory" in r for r in results)
    what = "ms; a number after a name is its threads" if threaded else "ms"
    lines = [f"{where(report, 'cpu' if threaded else 'cuda')}; {what}.", "",
             *head(["A A", "products, M", "entries of C, M", *columns, *(["memory, MB"] if has_memory else []),
                    "best peer / ours"])]
    for name in unique(r["workload"] for r in results):
        runs = {column(r): r for r in results if r["workload"] == name}
        peers = [r["ms"] for key, r in runs.items() if r["ok"] and not key.startswith(OUR_PRODUCTS)]
        mine = runs[ours]
        cells = [shown(runs[key]["ms"]) if runs.get(key, {}).get("ok") else "fails" for key in columns]
        memories = [" / ".join(f"{runs[key]['memory'] / 1e6:.0f}" for key in columns
                               if "memory" in runs.get(key, {}) and runs[key]["ok"] and "planned" not in key)]
        of_c = mine.get("entries_of_c", mine["entries"])
        lines.append(line([plain(name), f"{mine['products'] / 1e6:.1f}", f"{of_c / 1e6:.1f}", *cells,
                           *(memories if has_memory else []), f"{min(peers) / mine['ms']:.2f}" if peers else ""]))
    return "\n".join(lines) + "\n"


# The first of these rows that a report has is compared with its peers.
OURS = ("automatic", "merge_path", "evenly")


def is_peer(result):
    """Earlier reports have no schedules."""
    return is_baseline(result["schedule"]) if "schedule" in result else result["name"] not in OURS


def dense(report):
    """Sparse times dense on cores: all times, and the time of the fastest peer over ours, each on one thread."""
    results = [{"name": r.get("schedule")} | r for r in report["results"]]
    columns = unique((r["name"], r["threads"]) for r in results)
    ours = next(name for name in OURS if (name, 1) in columns)
    lines = [f"{where(report, 'cpu')}; ms; a number after a name is its threads.", "",
             *head(["A", "B and C by", "columns", *(f"{name}, {threads}" for name, threads in columns),
                    f"best peer / {ours}, 1 thread"], 2)]
    for of in unique((r["workload"], r["width"], r["layout"]) for r in results):
        runs = {(r["name"], r["threads"]): r for r in results if (r["workload"], r["width"], r["layout"]) == of}
        peers = [r["ms"] for r in runs.values() if r["ok"] and r["threads"] == 1 and is_peer(r)]
        mine = runs[ours, 1]
        cells = ["" if who not in runs else number(runs[who]["ms"], "ms") if runs[who]["ok"] else "failed"
                 for who in columns]
        lines.append(line([plain(of[0]), of[2], str(of[1]), *cells,
                           times(min(peers) / mine["ms"]) if peers and mine["ok"] else ""]))
    return "\n".join(lines) + "\n"


def memory(report, workload):
    """Of each pool: bytes reserved, what the paper of its method would have, the most tasks of a worker. Nothing where
    they were not noted."""
    results = [r for r in report["results"] if r["workload"] == workload and "reserved_bytes" in r]
    if not results:
        return ""
    lines = [f"{where(report, results[0]['executor'])}; {workload}.", "",
             *head(["pool", "reserved, MB", "by the paper, MB", "most tasks of a worker"])]
    for r in results:
        threads = f", threads {r['threads']}" if "threads" in r else ""
        text = r["bytes_by_the_text"]
        lines.append(line([plain(r["pool"] + threads), times(r["reserved_bytes"] / 1e6),
                           "" if text is None else times(text / 1e6), f"{r['high_water']:,}"]))
    return "\n".join(lines) + "\n"


def layouts(report, workload):
    """Of each layout: its times, those of a loop with all of it in under none over its own, where A changes
    in each run and where it changes with P only, and what it takes. What was not noted is left out."""
    results = [r for r in report["results"] if r["workload"] == workload]
    if not results:
        return ""
    none = next(r for r in results if r["arm"] == "none")
    threads = f", {report['threads']} threads" if "threads" in report else ""
    lines = [f"{where(report, 'cuda' if 'gpu' in report['machine'] else 'cpu')}{threads}; {workload}, ms; "
             f"{none['iterations']} runs, a plan every {none['change_every']}.", "",
             *head(["layout", "run", "refresh", "plan", "all", "times", "A kept", "plan MB", "copy MB"])]
    for r in results:
        if not r["ok"]:
            lines.append(line([plain(r["arm"]), *[""] * 8]))
            continue
        lines.append(line([plain(r["arm"]), *(number(r[key], "ms") for key in
                                              ("run_ms", "refresh_ms", "build_ms", "loop_ms")),
                           times(none["loop_ms"] / r["loop_ms"]),
                           times(none["kept_loop_ms"] / r["kept_loop_ms"]) if "kept_loop_ms" in r else "",
                           *(times(r[key] / 1e6) if key in r else "" for key in ("plan_bytes", "copy_bytes"))]))
    return "\n".join(lines) + "\n"


COMPARED = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors")


def beyond(column):
    """What simt counts beyond the GPU, as a share of the GPU's; none where both count nothing."""
    simt, gpu = column["simt"], column["gpu"]
    return (simt - gpu) / gpu if gpu else (None if simt == 0 else float("inf"))


def share(part):
    return "" if part is None else "=" if part == 0 else f"{part:+.1%}"


HEADINGS = {"arm": "layout"}  # of the words that results have


def compared(report, kind):
    """How far simt's requests and sectors are from the GPU's. A line says of how many results all are equal."""
    results = [r for p in report["programs"] for r in p["results"] if r["name"].split()[0] == kind]
    if not results:
        raise Problem(f"no result begins with {kind}")
    equal = sum(all(r["counters"][key]["simt"] == r["counters"][key]["gpu"] for key in COMPARED) for r in results)
    within = sum(r["within"] for r in results)
    simt = f", simt at commit {report['simt_commit'][:12]}" if "simt_commit" in report else ""
    lines = [f"Nsight Compute on {report['gpu']}, {report['date']}, commit {report['commit'][:12]}{simt}. Of "
             f"{len(results)} results {equal} equal, {within} within 2%.", "",
             *head([HEADINGS.get(kind, kind), "load requests", "load sectors", "store requests", "store sectors",
                    "lanes, simt", "lanes, GPU"])]
    def short_name(result):
        return result["name"].split(", " if ", " in result["name"] else " ")[-1]

    for name in unique(map(short_name, results)):
        these = [r for r in results if short_name(r) == name]
        shares = []
        for key in COMPARED:
            found = [part for part in (beyond(r["counters"][key]) for r in these) if part is not None]
            shares.append(max(found, key=abs, default=None))
        lanes = max((r["active_lanes"] for r in these), key=lambda each: abs((each["simt"] or 0) - (each["gpu"] or 0)))
        lines.append(line([plain(name), *map(share, shares), *("" if lanes[side] is None else f"{lanes[side]:.1f}"
                                                               for side in ("simt", "gpu"))]))
    return "\n".join(lines) + "\n"


# --- ladders


def size_of(report):
    return f"{report['rows']:,} x {report['cols']:,}" if report["rows"] != 1 else f"{report['cols']:,}"


def times_of_rung(report, rung):
    """Its time, elements a second, and speed as a share of a copy's."""
    found = {r["rung"]: r for r in report["results"]}.get(rung)
    if found is None or not found["ok"]:
        return ["" if found is None else "failed", "", ""]
    per_second = report["rows"] * report["cols"] / found["ms"] / 1e6
    return [number(found["ms"], "us"), f"{per_second:.3g}", f"{found['gbps'] / report['copy_gbps']:.0%}"]


def ladder(reports):
    names = [f"{report['operation']}, {report['type']}" for report in reports]
    lines = [f"* {name}: {size_of(report)} elements, on {where(report, report['executor'])}; median; "
             "a copy of as many bytes: "
             f"{report['copy_gbps']:,.0f} GB/s." for name, report in zip(names, reports)]
    lines += ["", *head(["", *(cell for name in names for cell in (f"{name}: us", "10^9 a second", "of a copy"))])]
    for rung in unique(r["rung"] for report in reports for r in report["results"]):
        lines.append(line([f"`{rung}`", *(cell for report in reports for cell in times_of_rung(report, rung))]))
    return "\n".join(lines) + "\n"


WORK = {"launches": "launches", "barriers": "barriers", "threads": "p", "steps": "T", "operations": "W",
        "cost": "C = p T", "idle": "idle"}


def work_of_rung(rung):
    """Where blocks draw tiles, T, C and what idles are those of one interleaving, and not shown."""
    varies = ("steps", "cost", "idle") if rung["draws_chunks"] else ()
    return line([f"`{rung['rung']}`", *("" if key in varies else f"{rung['counts'][key]:,}" for key in WORK)])


def accesses_of_rung(rung):
    counted, cells = rung["counts"], []
    for what in ("load", "store"):
        requests, sectors = (counted[f"global_{what}_{unit}"] for unit in ("requests", "sectors"))
        cells += [f"{requests:,}", f"{sectors / requests:.2f}" if requests else ""]
    cells.append("" if counted["used_bytes"] is None else f"{counted['used_bytes']:.0%}")
    for unit in ("requests", "wavefronts"):
        cells.append(f"{counted[f'storage_load_{unit}'] + counted[f'storage_store_{unit}']:,}")
    lanes = "" if counted["active_lanes"] is None else f"{counted['active_lanes']:.1f}"
    return line([f"`{rung['rung']}`", *cells, f"{counted['bank_conflicts']:,}", lanes])


def growth_of_rung(rung):
    found, cells = rung["growth"], []
    for what, verdict in (("operations_each", "work_optimal"), ("cost_each", "cost_optimal")):
        cells += [*(f"{value:.2f}" for value in found[what]), "yes" if found[verdict] else "no"]
    return line([f"`{rung['rung']}`", *cells[:3], *(["", "", ""] if rung["draws_chunks"] else cells[3:])])


def counts(report):
    """What was counted of each rung: its work, its accesses, and how work and cost grow."""
    rungs = report["counted"]
    lines = [f"{report['operation']} of {size_of(report)} elements of 4 bytes.", ""]
    if any(r["counts"]["operations"] for r in rungs):
        lines += [*head(["", *WORK.values()]), *map(work_of_rung, rungs), ""]
    lines += [*head(["", "load requests", "sectors each", "store requests", "sectors each", "bytes used",
                     "storage requests", "wavefronts", "bank conflicts", "active lanes"]),
              *map(accesses_of_rung, rungs)]
    if all("growth" in r for r in rungs):
        fewer, more = rungs[0]["growth"]["n"]
        lines += ["", *head(["", f"W / n at {fewer:,}", f"at {more:,}", "work-optimal", f"C / n at {fewer:,}",
                             f"at {more:,}", "cost-optimal"]), *map(growth_of_rung, rungs)]
    return "\n".join(lines) + "\n"


# --- primitives


def of_copies(name):
    return name.startswith("copy")


def primitive_row(key, runs):
    """Ours, the fastest of the others, and the fastest copy, by time, which is the inverse of speed."""
    def fastest(wanted):
        return min((r for r in runs if r["ok"] and wanted(r["candidate"])), key=lambda r: r["ms"], default=None)

    operation, type_, n, cache = key
    ours, copy = fastest(lambda name: name == "evenly"), fastest(of_copies)
    other = fastest(lambda name: name != "evenly" and not of_copies(name))
    cells = [f"`{operation}`", type_, f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}", cache]
    if ours is None:
        return line([*cells, "failed", *[""] * 6])
    cells += [number(ours["ms"], "us"), f"{ours['gbps']:,.0f}"]
    cells += [plain(other["candidate"]), number(other["ms"], "us"),
              times(other["ms"] / ours["ms"])] if other else [""] * 3
    return line([*cells, *([number(copy["ms"], "us"), f"{copy['ms'] / ours['ms']:.0%}"] if copy else [""] * 2)])


def primitives(report):
    threads = f"; {report['threads']} threads" if "threads" in report else ""
    lines = [f"On {where(report, report['executor'])}{threads}; median, us.", "",
             *head(["operation", "of", "n", "cache", "evenly", "GB/s", "fastest other", "its time", "times ours",
                    "copy", "of a copy's speed"], 4)]
    by_key = {}
    for r in report["results"]:
        by_key.setdefault((r["operation"], r["type"], r["n"], r["cache"]), []).append(r)
    lines += [primitive_row(key, runs) for key, runs in by_key.items()]
    return "\n".join(lines) + "\n"


# --- segmented forms


def percent(share):
    return f"{share:.0%}"


# What is measured beside the schedules of an operation: a heading, and how its time over that of streamed is shown.
BESIDE = {"segmented_reduce": {"cub_device_segmented_reduce": ("times ours", times), "copy": ("of its speed", percent)},
          "segmented_scan": {"inclusive_scan": ("of its speed", percent)}}


def segmented_row(workload, row, beside, has_automatic):
    def fastest(*without):
        return min((r for name, r in row.items() if r["ok"] and name not in without), key=lambda r: r["ms"],
                   default=None)

    ours, any_run = row.get("streamed"), next(iter(row.values()))
    best_one, other = (fastest("copy", "automatic", *beside, *without) for without in ((), ("streamed",)))
    cells = [plain(workload), f"{any_run['rows']:,}", f"{any_run['atoms']:,}",
             bold_if(best_one and ours is best_one, time_of(ours)),
             *([time_of(row.get("automatic"))] if has_automatic else []),
             plain(other["schedule"]) if other else "", bold_if(other and other is best_one, time_of(other))]
    for name, (_, shown) in beside.items():
        run = row.get(name)
        cells += [time_of(run), shown(run["ms"] / ours["ms"]) if run and ours and run["ok"] and ours["ok"] else ""]
    return line(cells)


def segmented(report):
    """streamed, automatic if it was timed, the best of the other schedules, and what is beside them."""
    lines = []
    for (op, type_, on), results in groups(report["results"]).items():
        beside = BESIDE[op]
        has_automatic = any(r["schedule"] == "automatic" for r in results)
        cells = ["", "segments", "atoms", "streamed", *(["automatic"] if has_automatic else []), "best other",
                 "its time"]
        for name, (heading, _) in beside.items():
            cells += [name, heading]
        lines += [f"{op} of {type_} on {where(report, on)}; median, us. Bold: the best schedule.", "", *head(cells),
                  *(segmented_row(workload, row, beside, has_automatic) for workload, row in rows(results).items()),
                  ""]
    return "\n".join(lines)


def agreement(study):
    lines = [f"On {where(study, study['executor'])}.", ""]
    if study["study"] in ("tasks", "reorganize"):
        parts = {"here": study["agreement"]}
        if "agreement_by_block" in study:
            parts = {"a block runs a task": study["agreement_by_block"], "a warp runs a task": study["agreement"]}
        names = ["the paper", "statement", *(name for part in parts for name in (part, "numbers"))]
        lines += head(names, len(names))
        lines += [line([plain(row[0][key]) for key in ("source", "claim")]
                       + [plain(each[key]) for each in row for key in ("verdict", "numbers")])
                  for row in zip(*parts.values())]
        return "\n".join(lines) + "\n"
    for about in unique(a["about"] for a in study["agreement"]):
        found = [a for a in study["agreement"] if a["about"] == about]
        counts = {verdict: sum(a["verdict"] == verdict for a in found)
                  for verdict in unique(a["verdict"] for a in found)}
        lines.append(f"* {about}: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    lines += ["", *head(["about", "the paper", "statement", "here", "numbers"], 5)]
    for a in study["agreement"]:
        if a["about"] in ("update", "multi-phase mapping"):  # update is the paper's operation
            lines.append(line([plain(a[key]) for key in ("about", "source", "claim", "verdict", "numbers")]))
    return "\n".join(lines) + "\n"


def printed_table(study, name):
    if name not in ("table_1", "table_2"):
        raise Problem(f"there is no {name}; there are table_1, table_2")
    found = study[name]
    keys = unique(key for row in found for key in row)
    return "\n".join([f"On {where(study, study['executor'])}.", "", *head(keys, len(keys)),
                      *(line([plain(row[key]) for key in keys]) for row in found)]) + "\n"


# --- headers

COSTS = ("work", "parallel complexity", "threads", "offsets coalesced", "atoms coalesced", "extra memory")


def opening(name):
    """What a schedule's header says in its first comment: of each of COSTS, and symbols, limits, wins."""
    text = (ROOT / f"include/evenly/schedules/{name}.hpp").read_text(encoding="utf-8").split("#pragma once")[0]
    comment = "\n".join(line.removeprefix("//")[1:] for line in text.splitlines()) + "\n\n"
    parts = re.search(r"^For (.*?):\n((?:  .*\n)+)Limits: (.*?)\nWins (.*?)\n\n", comment, re.MULTILINE | re.DOTALL)
    symbols, rows_of_costs, limits, wins = parts.groups() if parts else [""] * 4
    said = dict(re.findall(rf"^  ({'|'.join(COSTS)}) +(.*(?:\n {{5,}}.*)*)$", rows_of_costs, re.MULTILINE))
    if tuple(said) != COSTS:
        raise Problem("the first comment needs `For N tiles ...:`, the rows "
                      f"{', '.join(COSTS)}, `Limits: ...`, `Wins ...`")
    said |= {"symbols": symbols, "limits": limits, "wins": wins}
    return {key: re.sub(r"\s+", " ", value) for key, value in said.items()}


def costs(names):
    """The shortest that can be said: up to a colon or semicolon."""
    lines = head(["schedule", *COSTS], len(COSTS) + 1)
    for name in names:
        said = opening(name)
        lines.append(line([f"[`{name}`](#{name})", *(plain(re.split("[:;.]", said[key])[0]) for key in COSTS)]))
    return "\n".join(lines) + "\n"


def cost(name):
    said = opening(name)
    lines = head([f"for {plain(said['symbols'])}", ""], 2) + [line([key, plain(said[key])]) for key in COSTS]
    return "\n".join(lines) + f"\n\n**Limits:** {plain(said['limits'])}\n\n**Wins** {plain(said['wins'])}\n"


LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


def program(name):
    text = (ROOT / "examples" / name).read_text(encoding="utf-8")
    return f"```cpp\n{text.removeprefix(LICENCE)}```\n"


# --- pages

# What makes the text of a place: of reports and of the words behind the colon, or of words alone.
MEASURED = {"table": lambda reports, _: tables(*reports), "best": lambda reports, _: best(reports),
            "ratios": ratios, "techniques": lambda reports, words: techniques(*reports, *words),
            "phases": lambda reports, words: phases(*reports, words),
            "agreement": lambda reports, _: agreement(*reports),
            "rows": lambda reports, words: printed_table(*reports, *words),
            "counters": lambda reports, _: counters(*reports), "ladder": lambda reports, _: ladder(reports),
            "counts": lambda reports, _: counts(*reports), "primitives": lambda reports, _: primitives(*reports),
            "segmented": lambda reports, _: segmented(*reports),
            "memory": lambda reports, words: memory(*reports, *words),
            "layouts": lambda reports, words: layouts(*reports, *words),
            "compared": lambda reports, words: compared(*reports, *words),
            "peers": lambda reports, words: peers(*reports, words),
            "products": lambda reports, words: products(*reports),
            "dense": lambda reports, words: dense(*reports),
            "pivot": lambda reports, words: pivot(*reports, words),
            "python": lambda reports, words: python_report.table(*reports, words)}
IN_PROSE = {"figure": lambda reports, words: figure(*reports, words)}
SAID = {"costs": lambda *names: costs(names), "cost": cost, "program": program}
KINDS = MEASURED | SAID


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Filler:
    """Fills places; `waiting` counts those that are empty for each file that is missing."""

    def __init__(self, results):
        self.results = results
        self.waiting = {}

    def fill(self, page):
        old = page.read_text(encoding="utf-8")
        whole = sum(kind in KINDS for kind, *_ in PLACE.findall(old))
        if 2 * whole != len(re.findall(rf"^<!-- (?:end of )?(?:{'|'.join(KINDS)}) .*-->$", old, re.MULTILINE)):
            raise Problem(f"{page}: each place needs its two lines, <!-- KIND WORDS --> and <!-- end of KIND WORDS -->")
        new = PLACE.sub(lambda place: self.filled(page, *place.groups()), old)
        if len(FIGURE.findall(new)) != len(re.findall("<!-- figure ", new)):
            raise Problem(f"{page}: a figure is a number right before <!-- figure WORDS -->, on one line")
        new = FIGURE.sub(lambda place: self.measured(page, "figure", place[2], place[1]), new)
        if new != old:
            part = page.with_name(page.name + ".part")
            part.write_text(new, encoding="utf-8")
            os.replace(part, page)

    def filled(self, page, kind, words, old, end):
        if kind not in KINDS:
            raise Problem(f"{page}: there is no {kind}; there are {', '.join(KINDS)}")
        text = self.said(page, kind, words) if kind in SAID else self.measured(page, kind, words, old)
        return f"<!-- {kind} {words} -->\n" + (f"\n{text}\n" if text else "") + end

    @staticmethod
    def said(page, kind, words):
        try:
            return SAID[kind](*words.split())
        except Problem as e:
            raise Problem(f"{page}: {kind} {words}: {e}") from e

    def measured(self, page, kind, words, old):
        names, _, others = words.partition(":")
        paths = [self.results / f"{name}.json" for name in names.split()]
        missing = [path for path in paths if not path.exists()]
        if missing and old.strip():
            raise Problem(f"{page}: {missing[0]} is missing, but its numbers are shown")
        for path in missing:
            self.waiting[path] = self.waiting.get(path, 0) + 1
        try:
            return "" if missing else (MEASURED | IN_PROSE)[kind]([load(path) for path in paths], others.split())
        except (ValueError, Problem) as e:
            raise Problem(f"{page}: {kind} {words}: {e}") from e
        except (KeyError, TypeError, AttributeError) as e:
            raise Problem(f"{page}: {kind} {words}: not what that is made from: {e} is missing or wrong") from e


def fill(pages, results):
    filler = Filler(results)
    for page in pages:
        filler.fill(page)
    for path, count in filler.waiting.items():
        print(f"tables.py: {path} is missing: places that stay empty: {count}", file=sys.stderr)


def show(path, executor, unit):
    try:
        print(tables(load(path), executor, unit), end="")
    except (KeyError, TypeError) as e:
        raise Problem(f"{path} is not a report of evenly compare: {e} is missing or wrong") from e


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", metavar="FILE", nargs="?", help="what evenly compare --json wrote")
    parser.add_argument("--on", metavar="EXECUTOR", help="only results of this executor")
    parser.add_argument("--unit", choices=("us", "ms"), help="default: us on cuda, else ms")
    parser.add_argument("--fill", metavar="PAGE", nargs="+", type=Path, help="fill the places of pages")
    parser.add_argument("--results", metavar="FOLDER", type=Path, default=ROOT / "bench/results", help="for --fill")
    args = parser.parse_args()
    if (args.report is None) == (args.fill is None):
        parser.error("either FILE or --fill is needed")
    try:
        if args.fill is None:
            show(args.report, args.on, args.unit)
        else:
            fill(args.fill, args.results)
    except (OSError, ValueError, Problem) as e:
        sys.exit(f"tables.py: {e}")


if __name__ == "__main__":
    main()
