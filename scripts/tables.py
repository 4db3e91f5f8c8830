#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Markdown tables of measurements and of costs stated in headers, and programs; and the pages that show them.

    scripts/tables.py FILE               prints the tables of a FILE written by `evenly compare --json FILE`
    scripts/tables.py --fill PAGE...     writes tables into their places in pages

A place is the text between the line <!-- KIND WORDS --> and the line <!-- end of KIND WORDS -->:

    table NAME                    a comparison: a column for each workload, a row for each schedule and each baseline
    best NAME...                  comparisons: the best schedule on each workload
    ratios NAME...: SCHEDULE...   comparisons: time / time of the fastest schedule. SCHEDULE includes all its <...>
    techniques NAME: OPERATION    a study: each technique at its best
    phases NAME: EXPERIMENT...    a study: the experiments with multi_phase
    counters NAME                 what scripts/counters.py wrote
    ladder NAME...                what `evenly ladder --json` wrote: a row for each version, columns for each file
    counts NAME                   what `evenly ladder --count --json` wrote
    primitives NAME               what bench_primitives --json, or bench_primitives_cpu, wrote
    segmented NAME                results of `evenly compare --op segmented_...`: streamed, automatic, best other, peers
    pivot NAME: ROW... | COLUMN | VALUE
                                  any results: a row for each combination of the keys ROW, a column for each value of
                                  the key COLUMN, and in the cells the key VALUE (ms is shown in us). ROW is KEY,
                                  KEY:HEADING, or KEY=TEXT, which keeps only results with one of the TEXTs for KEY
    products NAME                 joined results of `evenly spgemm`: a row for each matrix
    dense NAME                    joined results of `evenly spmm --on cpu`: a row for each matrix, width and layout
    memory NAME: WORKLOAD         results of tasks with the reserved memory of each pool
    layouts NAME: WORKLOAD        joined results of `evenly reorganize`: times, speed over none, bytes of each layout
    compared NAME: KIND           what scripts/counters_compare.py wrote: the greatest differences between the counts of
                                  simt and of the GPU, of results whose names begin with KIND. A row for each last word
                                  of a name, or for its part after a comma
    peers NAME: OURS / LABEL: PEER / ...
                                  any results: for each peer, the distribution of its time / our time over the cases.
                                  OURS and PEER are words, as in figures. The line above the table has the versions of
                                  peers, if the report records them
    python NAME: TYPE...          what a benchmark of the Python package wrote; on a GPU only rows of these types
    agreement NAME                a study (of mappings, tasks or layouts): the statements of the paper, and whether the
                                  measurements agree
    rows NAME: LIST               a study of layouts: its table_1 or table_2
    costs HEADER...               the costs stated in the headers of schedules
    cost HEADER                   the costs, the limits, and when the schedule wins
    program FILE                  examples/FILE

A figure in prose is a number in front of <!-- figure NAME: HOW ONE / OTHER -->: times of ONE over those of OTHER, on
the workloads that have both. HOW is geomean, minimum or maximum; `percent HOW` is that less 1, in percent. ONE and
OTHER are words without spaces: best, baseline, a schedule, a format, a workload, or KEY=VALUE, as threads=2. Of the
results that fit all words, the fastest is taken. Each format is a case of its own, unless a word names one.

scripts/join_results.py joins the files of several commands.
NAME is bench/results/NAME.json, HEADER include/evenly/schedules/HEADER.hpp. An empty place stays empty until its
JSON exists.
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
             "boost_graph", "cub_")
PLACE = re.compile(r"^<!-- (?!end of )(\w+) ([^\n]*) -->\n(.*?)^(<!-- end of \1 \2 -->)$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"(\d[\d.,]*)(?=%?<!-- figure ([^\n]*?) -->)")


# --- numbers, cells and tables


class Problem(Exception):
    """An error of the user's input, in one line."""


def unique(items):
    return list(dict.fromkeys(items))


def three_digits(value):
    """Three significant digits, or all digits before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


times = three_digits


def number(ms, unit):
    return three_digits(ms * 1000 if unit == "us" else ms)


def shown(run, value=lambda run: number(run["ms"], "us"), missing=""):
    """The cell of a run: empty if there is none, and `failed` if its result was wrong."""
    return missing if run is None else value(run) if run["ok"] else "failed"


def bold_if(condition, text):
    return f"**{text}**" if condition else text


def plain(text):
    """The text as Markdown shows it in a cell, without HTML and column separators."""
    return text.replace("<", "\\<").replace("|", "\\|")


def line(cells):
    """A row. Cells with code are Markdown, all others plain text."""
    return "| " + " | ".join(cell if "`" in cell else plain(cell) for cell in cells) + " |"


def grid(heads, rows, words=1):
    """A table. Its first columns, `words` of them, have words, the others numbers."""
    return "\n".join([line(heads), line(["---"] * words + ["---:"] * (len(heads) - words)), *map(line, rows)])


def listed(records, columns, words=1):
    """A table with a row for each record. `columns`: the cell of a record by heading."""
    return grid(list(columns), [[cell(record) for cell in columns.values()] for record in records], words)


def of_key(key, show=str):
    """The cell of a record: its member `key`; empty if it has none."""
    return lambda record: "" if record.get(key) is None else show(record[key])


def crossed(records, rows, column_of, cell, extra=None, columns=None, words=None):
    """A table with a row for all records with the same words, and a column for each column_of(record).

    `rows`: the words by heading. `cell(run, runs)`: run is None if the row has no such record. `extra`: more cells of
    the runs of a row, by heading.
    """
    extra = extra or {}
    columns = columns or unique(map(column_of, records))
    by_row = {}
    for record in records:
        by_row.setdefault(tuple(word(record) for word in rows.values()), {})[column_of(record)] = record
    return grid([*rows, *columns, *extra],
                [[*row, *(cell(runs.get(column), runs) for column in columns),
                  *(value(runs) for value in extra.values())] for row, runs in by_row.items()], words or len(rows))


def executor_of(report):
    return "cuda" if "gpu" in report["machine"] else "cpu"


def where(report, executor):
    """Machine, date and commit."""
    machine = report["machine"]
    place = machine.get("gpu") if executor == "cuda" else f"{machine['cpu']}, {machine['cores']} cores"
    changed = " with changes" if report["commit"].endswith("-dirty") else ""
    return f"{executor} ({place}), {report['date']}, commit {report['commit'][:12]}{changed}"


def fastest(runs, wanted=lambda run: True):
    return min((run for run in runs if run["ok"] and wanted(run)), key=lambda run: run["ms"], default=None)


# --- figures in prose


def candidate(result):
    return next(result[key] for key in ("schedule", "name", "candidate", "form") if key in result)


def is_baseline(name):
    return name.startswith(BASELINES)


def fits(result, word):
    name = candidate(result)
    if word in ("best", "baseline"):
        return is_baseline(name) == (word == "baseline")
    key, _, value = word.partition("=")
    return (word in (name.replace(" ", ""), result.get("workload"), result.get("format"))
            or key in result and str(result[key]) == value)


def fastest_by_case(results, words, keys):
    """The minimum time of the results that fit all words, by case: the values of keys."""
    found = {}
    for r in results:
        if r["ok"] and all(fits(r, word) for word in words):
            case = tuple(r.get(key) for key in keys)
            found[case] = min(r["ms"], found.get(case, math.inf))
    return found


def figure(report, words):
    percent = words[:1] == ["percent"]
    how, sides = words[percent:][:1], words[percent:][1:]
    if how not in (["geomean"], ["minimum"], ["maximum"]) or sides.count("/") != 1:
        raise Problem("write a figure as [percent] geomean, minimum or maximum, then ONE / OTHER")
    results = report["results"]
    middle = sides.index("/")
    sides = sides[:middle], sides[middle + 1:]
    if not all(sides):
        raise Problem("a figure has two sides of words: ONE / OTHER")
    for word in (word for side in sides for word in side):
        if not any(fits(r, word) for r in results):
            raise Problem(f"no result fits {word}")
    apart = not {r.get("format") for r in results} & {word for side in sides for word in side}
    keys = ["workload", "format"][:1 + apart]
    one, other = (fastest_by_case(results, side, keys) for side in sides)
    quotients = [one[case] / other[case] for case in one if case in other]
    if not quotients:
        raise Problem("no workload has both sides")
    value = {"geomean": statistics.geometric_mean, "minimum": min, "maximum": max}[how[0]](quotients)
    return f"{100 * (value - 1):.0f}" if percent else times(value)


# --- peers

# The values that tell two cases of a comparison apart.
CASE = ("op", "operation", "workload", "type", "n", "cache", "width", "layout")


def ratios_to_peers(report, words):
    """For each peer its label, and the peer's time over ours by case."""
    ours, *peers_words = " ".join(words).split(" / ")
    our_times = fastest_by_case(report["results"], ours.split(), CASE)
    found = {}
    for label, _, peer in (text.partition(": ") for text in peers_words):
        times_of_peer = fastest_by_case(report["results"], peer.split(), CASE)
        found[label] = {case: ms / our_times[case] for case, ms in times_of_peer.items() if case in our_times}
        if not found[label]:
            raise Problem(f"no case has both {ours} and {label}: {peer}")
    return found


def peers(report, *words):
    by_peer = ratios_to_peers(report, words)
    cases = unique(case for found in by_peer.values() for case in found)
    varies = [i for i in range(len(CASE)) if len({case[i] for case in cases}) > 1]

    def extreme(pick):
        def cell(item):
            case = pick(item[1], key=item[1].get)
            return f"{times(item[1][case])} ({', '.join(str(case[i]) for i in varies)})"
        return cell

    versions = ", ".join(f"{name} {version}" for name, version in report.get("peers", {}).items())
    return [where(report, executor_of(report)) + (f", with {versions}." if versions else "."),
            listed(by_peer.items(),
                   {"time / time of evenly": lambda item: item[0],
                    "cases": lambda item: str(len(item[1])),
                    "geometric mean": lambda item: times(statistics.geometric_mean(item[1].values())),
                    "minimum": extreme(min), "maximum": extreme(max),
                    "evenly is faster": lambda item: f"{sum(r > 1 for r in item[1].values())} of {len(item[1])}"})]


# --- comparisons


def groups(reports):
    """(op, type, executor), report and results by workload and schedule of all comparisons of the reports. Each format
    is an op of its own."""
    for report in reports:
        found = {}
        for r in report["results"]:
            op = r["op"] + (f" by {r['format']}" if "format" in r else "")
            by_workload = found.setdefault((op, r["type"], r["executor"]), {})
            by_workload.setdefault(r["workload"], {})[r["schedule"]] = r
        for (op, type_, executor), by_workload in found.items():
            yield f"{op} of {type_} on {where(report, executor)}; median, ", op, executor, by_workload


def best_of(row, baseline=False):
    """The fastest schedule, or baseline, of a row; None if there is none."""
    return fastest(row.values(), lambda run: is_baseline(run["schedule"]) == baseline)


def summaries(names, rows):
    """The last rows: comparisons with the best baseline or, without baselines, with a copy and a fill of the same
    size."""
    if any(map(is_baseline, names)):
        return {"best schedule / best baseline": lambda row: best_of(row, True) and
                f"{best_of(row)['ms'] / best_of(row, True)['ms']:.2f}"}
    known = [what for what in ("copy", "fill") if all(r.get(f"{what}_gbps") for row in rows for r in row.values())]
    return {f"best schedule, % of {what} speed":
            lambda row, what=what: f"{best_of(row)['gbps'] / best_of(row)[f'{what}_gbps']:.0%}" for what in known}


def best_bold(row, name, text_of):
    return shown(row.get(name), lambda run: bold_if(run is best_of(row), text_of(run)))


def table(report, executor=None, unit=None):
    """All comparisons of one executor or of all."""
    parts = []
    for title, _, on, by_workload in groups([report]):
        if executor not in (None, on):
            continue
        rows, this_unit = by_workload.values(), unit or ("us" if on == "cuda" else "ms")
        names = sorted(unique(name for row in rows for name in row), key=is_baseline)
        first = [next(iter(row.values())) for row in rows]
        cells = [["atoms", *(f"{run['atoms']:,}" for run in first)],
                 *([name, *(best_bold(row, name, lambda run: number(run["ms"], this_unit)) for row in rows)]
                   for name in names)]
        if all("empty_ms" in run for run in first):
            cells.append(["empty kernel", *(number(run["empty_ms"], this_unit) for run in first)])
        cells += [[name, *(best_of(row) and of(row) or "" for row in rows)]
                  for name, of in summaries(names, rows).items()]
        parts += [f"{title}{this_unit}. Bold: the best schedule.", grid(["", *by_workload], cells)]
    if not parts:
        raise Problem("there are no results" + (f" of the executor {executor}" if executor else ""))
    return parts


def best(*reports):
    return [part for title, _, _, by_workload in groups(reports) for part in (
        f"{title}us.", listed([(workload, best_of(row)) for workload, row in by_workload.items()],
                              {"workload": lambda item: item[0],
                               "best schedule": lambda item: f"`{item[1]['schedule']}`" if item[1] else "",
                               "time": lambda item: number(item[1]["ms"], "us") if item[1] else ""}, 2))]


def ratios(reports, schedules):
    """Empty if none of the schedules was measured."""
    workloads = unique(r["workload"] for report in reports for r in report["results"])
    rows = [[f"{op}, `{name}`", *(best_bold(row, name, lambda run, row=row: times(run["ms"] / best_of(row)["ms"]))
                                  for row in (by_workload.get(workload, {}) for workload in workloads))]
            for _, op, _, by_workload in groups(reports)
            for name in unique(name for row in by_workload.values() for name in row if name.split("<")[0] in schedules)]
    return [grid(["time / best time", *workloads], rows)] if rows else []


# --- studies


def techniques(study, op):
    runs = [r for r in study["best"] if r["op"] == op]
    if not runs:
        raise Problem(f"the study has no results of {op}")
    names = [w["name"] for w in study["workloads"]]
    parts = [f"{op} on {where(study, study['executor'])}; median, us, of the best configuration. "
             "Bold: the best technique.",
             crossed(runs, {"technique": of_key("technique")}, of_key("workload"), lambda run, _: bold_if(
                         run["of_fastest"] == 1, number(run["ms"], "us")) if run else "failed", columns=names)]
    if any("ms_with_plan" in r for r in runs):
        parts += ["The same with a new plan for each run:",
                  crossed(runs, {"technique": of_key("technique")}, of_key("workload"),
                          lambda run, _: number(run["ms_with_plan"], "us") if run and "ms_with_plan" in run else "-",
                          columns=names)]
    return parts


def phases(study, *experiments):
    chosen = []
    for experiment in experiments:
        runs = [r for r in study["phases"] if r["experiment"] == experiment]
        if not runs:
            raise Problem(f"the study has no experiment {experiment}")
        several = len({r["block_size"] for r in runs}) > 1
        chosen += [r | {"name": r["variant"] + (f", blocks of {r['block_size']}" if several else "")} for r in runs]
    return [f"On {where(study, study['executor'])}; median, us.",
            crossed(chosen, {"experiment": of_key("experiment"), "variant": of_key("name")}, of_key("workload"),
                    lambda run, _: shown(run), columns=[w["name"] for w in study["workloads"]])]


def agreement(study):
    intro = f"On {where(study, study['executor'])}."
    found = study["agreement"]
    if study["study"] in ("tasks", "reorganize"):
        verdicts = {"measured here": found}
        numbers = {"numbers": of_key("numbers")}
        if "agreement_by_block" in study:  # the numbers of both are too long for a table
            verdicts = {"a block runs a task": study["agreement_by_block"], "a warp runs a task": found}
            numbers = {}
        heads = ["paper", "statement", *verdicts, *numbers]
        rows = [[each[0]["source"], each[0]["claim"], *(side["verdict"] for side in each),
                 *(number(each[0]) for number in numbers.values())] for each in zip(*verdicts.values())]
        return [intro, grid(heads, rows, len(heads))]
    counts = []
    for about in unique(a["about"] for a in found):
        verdicts = [a["verdict"] for a in found if a["about"] == about]
        counts.append(f"* {about}: " + ", ".join(f"{verdicts.count(each)} {each}" for each in unique(verdicts)))
    # The operation of the paper is update.
    planned = {a["claim"]: a["verdict"] for a in found if a["about"] == "update, plan included"}
    columns = {"about": of_key("about"), "paper": of_key("source"), "statement": of_key("claim"),
               "measured here": of_key("verdict")}
    if planned:
        columns["plan included"] = lambda a: planned.get(a["claim"], "") if a["about"] == "update" else ""
    columns["numbers"] = of_key("numbers")
    shown_abouts = ("counts",) if study["executor"] == "simt" else ("update", "multi-phase mapping", "workloads")
    return [intro, "\n".join(counts),
            listed([a for a in found if a["about"] in shown_abouts], columns, len(columns))]


def rows(study, name):
    if name not in ("table_1", "table_2"):
        raise Problem(f"there is no {name}; there are table_1, table_2")
    columns = {HEADINGS.get(key, key): of_key(key) for key in unique(key for row in study[name] for key in row)}
    return [f"On {where(study, study['executor'])}.", listed(study[name], columns, len(columns))]


# --- counters

COUNTERS = {"us": "us", "memory_percent": "memory %", "l2_percent": "L2 %",
            "load_sectors_per_request": "sectors per load",
            "store_sectors_per_request": "sectors per store", "busy_multiprocessors_percent": "multiprocessors busy %",
            "warps_percent": "warps %", "issue_percent": "issuing %", "waits_for_memory": "stall: memory",
            "waits_for_queue": "stall: memory queue", "waits_for_storage": "stall: shared memory",
            "waits_for_barrier": "stall: barrier"}
COUNTED_WORK = {"instructions": "instructions", "l2_sectors_read": "L2 sectors read",
                "l2_sectors_written": "L2 sectors written", "l2_sectors_of_atomics": "L2 sectors of atomics",
                "memory_bytes": "memory bytes", "registers": "registers"}


def counters(report):
    """Counters of schedules, or of versions of one operation with their work."""
    of_forms = "form" in report["results"][0]
    named = {"workload": "workload", "form": "version"} if of_forms else {
        "workload": "workload", "op": "operation", "schedule": "schedule"}
    counted = COUNTERS | COUNTED_WORK if of_forms else COUNTERS
    columns = {head: of_key(key) for key, head in named.items()}
    columns |= {head: of_key(key, lambda value: f"{value:,.0f}" if value >= 100 else f"{value:.3g}")
                for key, head in counted.items()}
    return [f"{report['gpu']}, {report['date']}, commit {report['commit'][:12]}.",
            listed(report["results"], columns, len(named))]


COMPARED = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors")


def beyond(column):
    """The excess of simt's count as a share of the GPU's; None if both are 0."""
    simt, gpu = column["simt"], column["gpu"]
    return (simt - gpu) / gpu if gpu else (None if simt == 0 else float("inf"))


def compared(report, kind):
    """The greatest differences between simt's and the GPU's counts."""
    results = [r for p in report["programs"] for r in p["results"] if r["name"].split()[0] == kind]
    if not results:
        raise Problem(f"no result begins with {kind}")
    equal = sum(all(r["counters"][key]["simt"] == r["counters"][key]["gpu"] for key in COMPARED) for r in results)
    within = sum(r["within"] for r in results)
    simt = f", simt at commit {report['simt_commit'][:12]}" if "simt_commit" in report else ""
    by_name = {}
    for r in results:
        by_name.setdefault(r["name"].split(", " if ", " in r["name"] else " ")[-1], []).append(r)

    def difference(key):
        def cell(item):
            shares = [part for part in (beyond(r["counters"][key]) for r in item[1]) if part is not None]
            part = max(shares, key=abs, default=None)
            return "" if part is None else "=" if part == 0 else f"{part:+.1%}"
        return cell

    def lanes(side):
        def cell(item):
            widest = max((r["active_lanes"] for r in item[1]),
                         key=lambda each: abs((each["simt"] or 0) - (each["gpu"] or 0)))[side]
            return "" if widest is None else f"{widest:.1f}"
        return cell

    return [f"Nsight Compute on {report['gpu']}, {report['date']}, commit {report['commit'][:12]}{simt}. "
            f"{len(results)} results: {equal} equal, {within} within 2%.",
            listed(by_name.items(), {{"arm": "layout"}.get(kind, kind): lambda item: item[0],
                                     **{key.removeprefix("global_").replace("_", " "): difference(key)
                                        for key in COMPARED},
                                     "active lanes, simt": lanes("simt"), "active lanes, GPU": lanes("gpu")})]


# --- results of any kind


# The headings of keys that are no plain headings. The second part is columns of the study of layouts.
HEADINGS = {"op": "operation", "form": "search", "arm": "layout", "name": "candidate", "stores": "with stores",
            "block_size": "threads per block", "change_every": "runs per plan", "rule": "choice", "cut": "cut above",
            "text on M1": "paper: Tesla C1060", "text on M2": "paper: GTX 480",
            "figure 6": "figure 6, T = references", "by threads": "figure 6, T = threads",
            "chosen by us": "chosen by evenly", "best of the text's": "best layout of the paper",
            "best of all": "best layout", "chosen over best": "chosen / best",
            "Dup. C1060": "duplicate, paper: C1060", "GTX480": "duplicate, paper: GTX 480", "here": "duplicate, here",
            "Sharing C1060": "share, paper: C1060", "GTX480 too": "share, paper: GTX 480", "here too": "share, here",
            "by": "layout that shares", "Padding here": "pad, here"}
# The contents of the cells of a pivot, by key.
VALUES = {"ms": "time in us", "us_each": "us per round", "host_us": "host time in us", "loop_ms": "loop time in ms",
          "cpu_s": "CPU time in s", "gtasks": "10^9 tasks per second", "mtasks": "10^6 tasks per second",
          "mb_per_s_a_core": "MB/s per core", "ratio": "time / time of evenly",
          "mean": "geometric mean of time / best time", "p99": "99th percentile of time / best time"}


def pivot(report, *words):
    rows, (column_key,), (value,) = (part.split() for part in " ".join(words).split("|"))
    kept = {}
    for key, _, text in (word.partition("=") for word in rows if "=" in word):
        kept.setdefault(key, []).append(text)
    results = [r for r in report["results"] if all(str(r[key]) in texts for key, texts in kept.items())]
    columns = unique(r[column_key] for r in results)
    if all(isinstance(each, int) for each in columns):
        columns.sort()
    rows = {heading or HEADINGS.get(key, key): lambda r, key=key: str(r[key])
            for key, _, heading in (word.partition(":") for word in rows if "=" not in word)}
    of_columns = f"; a column for each value of {column_key}" if all(str(each).isdigit() for each in columns) else ""
    show = (lambda run: number(run["ms"], "us")) if value == "ms" else lambda run: times(run[value])
    place = where(report, report.get("executor") or results[0]["executor"])
    return [f"{place}; {VALUES.get(value, value)}{of_columns}.",
            crossed(results, rows, lambda r: str(r[column_key]), lambda run, _: shown(run, show),
                    columns=list(map(str, columns)))]


# The first of these rows that a report has is compared with its peers. Other rows of OUR_PRODUCTS are no peers.
OURS = ("automatic", "merge_path", "evenly", "whole call")
OUR_PRODUCTS = (*OURS, "planned", "in chunks")


def with_threads(r):
    return r.get("schedule", r.get("name")) + (f", {r['threads']}" if "threads" in r else "")


def ours_of(results):
    """The heading of our row: on one thread if results have numbers of threads."""
    columns = unique(map(with_threads, results))
    return next(name + one for name in OURS for one in ("", ", 1") if name + one in columns)


def peer_over_ours(runs, ours, show):
    """The time of the fastest peer over ours, on the same number of threads."""
    mine = runs[ours]
    peer = fastest(runs.values(), lambda r: r.get("threads") == mine.get("threads") and (
        is_baseline(r["schedule"]) if "schedule" in r else not r["name"].startswith(OUR_PRODUCTS)))
    return show(peer["ms"] / mine["ms"]) if peer and mine["ok"] else ""


def products(report):
    """Sparse times sparse: all times of each matrix, and the ratio to the best peer."""
    results = report["results"]
    threaded = any("threads" in r for r in results)
    ours = ours_of(results)
    extra = {"fastest other library / evenly": lambda runs: peer_over_ours(runs, ours, "{:.2f}".format)}
    if any("memory" in r for r in results):
        extra = {"memory, MB: evenly / other": lambda runs: " / ".join(
            f"{r['memory'] / 1e6:.0f}" for r in runs.values()
            if "memory" in r and r["ok"] and "planned" not in r["name"]), **extra}
    mine = {r["workload"]: r for r in results if with_threads(r) == ours}
    millions = {"products, 10^6": lambda r: r["products"],
                "entries of C, 10^6": lambda r: r.get("entries_of_c", r["entries"])}
    return [f"{where(report, 'cpu' if threaded else 'cuda')}; ms"
            + ("; a number after a name is its number of threads." if threaded else "."),
            crossed(results, {"A in C = A A": of_key("workload"),
                              **{head: lambda r, value=value: f"{value(mine[r['workload']]) / 1e6:.1f}"
                                 for head, value in millions.items()}},
                    with_threads, lambda run, _: "fails" if run is None or not run["ok"] else
                    f"{run['ms']:,.0f}" if run["ms"] >= 100 else f"{run['ms']:.3g}", extra, words=1)]


def dense(report):
    """Sparse times dense on cpu: all times, and the ratio to the fastest peer on one thread."""
    results = report["results"]
    ours = ours_of(results)
    return [f"{where(report, 'cpu')}; ms; a number after a name is its number of threads.",
            crossed(results, {"A": of_key("workload"), "B and C stored by": of_key("layout"),
                              "columns of B": of_key("width")},
                    with_threads, lambda run, _: shown(run, lambda run: number(run["ms"], "ms")),
                    {f"fastest other library / {ours} thread": lambda runs: peer_over_ours(runs, ours, times)},
                    words=2)]


def memory(report, workload):
    """Memory of each pool; empty if it was not measured."""
    results = [r for r in report["results"] if r["workload"] == workload and "reserved_bytes" in r]
    if not results:
        return []
    def megabytes(value):
        return times(value / 1e6)
    return [f"{where(report, results[0]['executor'])}; {workload}.",
            listed(results, {"pool": lambda r: r["pool"] + (f", threads {r['threads']}" if "threads" in r else ""),
                             "reserved, MB": of_key("reserved_bytes", megabytes),
                             "by the formula of the paper, MB": of_key("bytes_by_the_text", megabytes),
                             "maximum tasks per worker": of_key("high_water", "{:,}".format)})]


def layouts(report, workload):
    """Times and memory of each layout; and the loop time without a layout / with it, if A changes in each run and if A
    changes only when P does. Missing values have empty cells."""
    results = [r for r in report["results"] if r["workload"] == workload]
    if not results:
        return []
    none = next(r for r in results if r["arm"] == "none")
    threads = f", {report['threads']} threads" if "threads" in report else ""

    def over_own(key):
        return lambda r: times(none[key] / r[key]) if key in r else ""

    cells = {"run": of_key("run_ms", times), "refresh": of_key("refresh_ms", times), "plan": of_key("build_ms", times),
             "loop": of_key("loop_ms", times), "none / layout": over_own("loop_ms"),
             "none / layout, constant A": over_own("kept_loop_ms"),
             "plan, MB": of_key("plan_bytes", lambda value: times(value / 1e6)),
             "copy, MB": of_key("copy_bytes", lambda value: times(value / 1e6))}
    return [f"{where(report, executor_of(report))}{threads}; {workload}, ms; "
            f"{none['iterations']} runs, a plan every {none['change_every']}.",
            listed(results, {"layout": of_key("arm"), **{head: lambda r, cell=cell: cell(r) if r["ok"] else ""
                                                         for head, cell in cells.items()}})]


# --- ladders


def size_of(report):
    return f"{report['rows']:,} x {report['cols']:,}" if report["rows"] != 1 else f"{report['cols']:,}"


def of_rung(record):
    return f"`{record['rung']}`"


def ladder(*reports):
    columns, lines = {"": of_rung}, []
    for report in reports:
        name = f"{report['operation']}, {report['type']}"
        lines.append(f"* {name}: {size_of(report)} elements, on {where(report, report['executor'])}; median; "
                     f"a copy of the same number of bytes: {report['copy_gbps']:,.0f} GB/s.")
        runs = {r["rung"]: r for r in report["results"]}
        elements = report["rows"] * report["cols"]

        def add(heading, show, failed="", runs=runs):
            columns[heading] = lambda rung: (
                "" if (run := runs.get(rung["rung"])) is None else show(run) if run["ok"] else failed)

        add(f"{name}: us" + "\0" * len(lines), lambda run: number(run["ms"], "us"), "failed")
        add("10^9 elements per second" + "\0" * len(lines), lambda run, n=elements: f"{n / run['ms'] / 1e6:.3g}")
        add("% of copy speed" + "\0" * len(lines), lambda run, of=report["copy_gbps"]: f"{run['gbps'] / of:.0%}")
    rungs = [{"rung": name} for name in unique(r["rung"] for report in reports for r in report["results"])]
    return ["\n".join(lines), listed(rungs, columns).replace("\0", "")]


WORK = {"launches": "launches", "barriers": "barriers", "threads": "threads p", "steps": "steps T",
        "operations": "operations W", "cost": "cost C = p T", "idle": "idle C - W"}


def counts(report):
    """The counts of each rung: work, accesses, and the growth of work and cost."""
    rungs = report["counted"]

    def counted(key, show="{:,}".format):
        return lambda rung: of_key(key, show)(rung["counts"])

    def of_work(key):  # if blocks draw tiles, T, C and idle are those of one interleaving
        return lambda rung: "" if rung["draws_chunks"] and key in ("steps", "cost", "idle") else counted(key)(rung)

    def sectors_each(what):
        def cell(rung):
            requests = rung["counts"][f"global_{what}_requests"]
            return f"{rung['counts'][f'global_{what}_sectors'] / requests:.2f}" if requests else ""
        return cell

    def of_storage(unit):
        return lambda rung: "{:,}".format(sum(rung["counts"][f"storage_{what}_{unit}"] for what in ("load", "store")))

    parts = [f"{report['operation']} of {size_of(report)} elements of 4 bytes."]
    if any(r["counts"]["operations"] for r in rungs):
        parts.append(listed(rungs, {"": of_rung, **{head: of_work(key) for key, head in WORK.items()}}))
    parts.append(listed(rungs, {"": of_rung, "load requests": counted("global_load_requests"),
                                "sectors per request": sectors_each("load"),
                                "store requests": counted("global_store_requests"),
                                "sectors per request\0": sectors_each("store"),
                                "loaded bytes used": counted("used_bytes", "{:.0%}".format),
                                "shared memory requests": of_storage("requests"),
                                "wavefronts": of_storage("wavefronts"),
                                "bank conflicts": counted("bank_conflicts"),
                                "active lanes": counted("active_lanes", "{:.1f}".format)}).replace("\0", ""))
    if all("growth" in r for r in rungs):
        columns = {"": of_rung}
        for head, key, verdict in (("W / n", "operations_each", "work-optimal"),
                                   ("C / n", "cost_each", "cost-optimal")):
            def of_growth(show, hidden=key == "cost_each"):
                return lambda rung: "" if hidden and rung["draws_chunks"] else show(rung["growth"])
            fewer, more = rungs[0]["growth"]["n"]
            end = "\0" * len(columns)
            columns |= {f"{head} at {fewer:,}": of_growth(lambda found, key=key: f"{found[key][0]:.2f}"),
                        f"at {more:,}{end}": of_growth(lambda found, key=key: f"{found[key][1]:.2f}"),
                        verdict: of_growth(lambda found, key=verdict.replace("-", "_"): "yes" if found[key] else "no")}
        parts.append(listed(rungs, columns).replace("\0", ""))
    return parts


# --- primitives and segmented forms


def primitives(report):
    """Our time, that of the fastest other candidate, and that of the fastest copy."""
    by_key = {}
    for r in report["results"]:
        runs = by_key.setdefault(tuple(r[key] for key in ("operation", "type", "n", "cache")), {})
        side = "ours" if r["candidate"] == "evenly" else "copy" if r["candidate"].startswith("copy") else "other"
        runs[side] = fastest([r, runs[side]]) if runs.get(side) else r if r["ok"] else None

    def cells(key, runs):
        operation, type_, n, cache = key
        ours, other, copy = (runs.get(side) for side in ("ours", "other", "copy"))
        yield from (f"`{operation}`", type_, f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}", cache)
        if ours is None:
            yield from ("failed", *[""] * 6)
            return
        yield from (number(ours["ms"], "us"), f"{ours['gbps']:,.0f}")
        yield from ((other["candidate"], number(other["ms"], "us"), times(other["ms"] / ours["ms"])) if other
                    else [""] * 3)
        yield from (number(copy["ms"], "us"), f"{copy['ms'] / ours['ms']:.0%}") if copy else [""] * 2

    threads = f"; {report['threads']} threads" if "threads" in report else ""
    return [f"On {where(report, report['executor'])}{threads}; median, us.",
            grid(["operation", "type", "n", "cache", "evenly", "GB/s", "fastest other", "its time", "its time / evenly",
                  "copy", "% of copy speed"], [list(cells(*item)) for item in by_key.items()], 4)]


# The candidates of an operation that are no schedules: the heading of their time / that of `streamed`, and its format.
BESIDE = {"segmented_reduce": {"cub_device_segmented_reduce": ("CUB / streamed", times),
                               "copy": ("streamed, % of copy speed", "{:.0%}".format)},
          "segmented_scan": {"inclusive_scan": ("streamed, % of inclusive_scan speed", "{:.0%}".format)}}


def segmented(report):
    """streamed, automatic if it was timed, the best of the other schedules, and the candidates beside them."""
    parts = []
    for title, op, _, by_workload in groups([report]):
        for row in by_workload.values():
            ours = row.get("streamed")
            if "copy" not in row and ours and ours["ok"] and ours.get("copy_gbps"):
                row["copy"] = {"schedule": "copy", "ok": True, "ms": ours["ms"] * ours["gbps"] / ours["copy_gbps"]}
        beside = BESIDE[op]

        def best_but(row, *without, beside=beside):
            return fastest(row.values(), lambda run: run["schedule"] not in ("copy", "automatic", *beside, *without))

        def size(key):
            return lambda item: f"{next(iter(item[1].values()))[key]:,}"

        def bold_best(item, run):
            return bold_if(run is not None and run is best_but(item[1]), shown(run))

        columns = {"": lambda item: item[0], "segments": size("rows"), "atoms": size("atoms"),
                   "streamed": lambda item: bold_best(item, item[1].get("streamed"))}
        if any("automatic" in row for row in by_workload.values()):
            columns["automatic"] = lambda item: shown(item[1].get("automatic"))
        columns |= {"fastest other schedule":
                    lambda item: (best_but(item[1], "streamed") or {"schedule": ""})["schedule"],
                    "its time": lambda item: bold_best(item, best_but(item[1], "streamed"))}
        for name, (heading, show) in beside.items():
            def ratio(item, name=name, show=show):
                run, ours = item[1].get(name), item[1].get("streamed")
                return show(run["ms"] / ours["ms"]) if run and ours and run["ok"] and ours["ok"] else ""
            columns |= {name: lambda item, name=name: shown(item[1].get(name)), heading: ratio}
        parts += [f"{title}us. Bold: the best schedule.", listed(by_workload.items(), columns)]
    return parts


# --- headers

COSTS = ("work", "parallel complexity", "threads", "offsets coalesced", "atoms coalesced", "extra memory")


def opening(name):
    """The contents of the first comment of a schedule's header: each of COSTS, and symbols, limits, wins."""
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


def costs(*names):
    """In each cell the text up to a colon, semicolon or point."""
    return [listed(names, {"schedule": lambda name: f"[`{name}`](#{name})", **{
        key: lambda name, key=key: re.split("[:;.]", opening(name)[key])[0] for key in COSTS}}, len(COSTS) + 1)]


def cost(name):
    said = opening(name)
    return [grid([f"for {said['symbols']}", ""], [[key, said[key]] for key in COSTS], 2),
            f"**Limits:** {plain(said['limits'])}", f"**Wins** {plain(said['wins'])}"]


def program(name):
    text = (ROOT / "examples" / name).read_text(encoding="utf-8")
    return [f"```cpp\n{text.removeprefix('// SPDX-License-Identifier: Apache-2.0' + chr(10))}```"]


# --- pages

# The functions of places: of reports and the words behind the colon, or of words alone.
MEASURED = {f.__name__: f for f in (table, best, ratios, techniques, phases, agreement, rows, counters, ladder, counts,
                                    primitives, segmented, memory, layouts, compared, peers, products, dense, pivot)}
MEASURED["python"] = lambda report, *types: [python_report.table(report, types).rstrip("\n")]
SAID = {f.__name__: f for f in (costs, cost, program)}
KINDS = MEASURED | SAID


def text_of(parts):
    return "\n\n".join(parts) + "\n" if parts else ""


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Filler:
    """Fills places; `waiting` counts the empty places of each missing file."""

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
        new = FIGURE.sub(lambda place: self.text(page, "figure", place[2], place[1]), new)
        if new != old:
            part = page.with_name(page.name + ".part")
            part.write_text(new, encoding="utf-8")
            os.replace(part, page)

    def filled(self, page, kind, words, old, end):
        if kind not in KINDS:
            raise Problem(f"{page}: there is no {kind}; there are {', '.join(KINDS)}")
        text = self.text(page, kind, words, old)
        return f"<!-- {kind} {words} -->\n" + (f"\n{text}\n" if text else "") + end

    def text(self, page, kind, words, old):
        try:
            return text_of(SAID[kind](*words.split())) if kind in SAID else self.measured(page, kind, words, old)
        except (ValueError, Problem) as e:
            raise Problem(f"{page}: {kind} {words}: {e}") from e
        except (KeyError, TypeError, AttributeError) as e:
            raise Problem(f"{page}: {kind} {words}: the JSON has other contents: {e} is missing or wrong") from e

    def measured(self, page, kind, words, old):
        names, _, others = words.partition(":")
        paths = [self.results / f"{name}.json" for name in names.split()]
        missing = [path for path in paths if not path.exists()]
        if missing and old.strip():
            raise Problem(f"{missing[0]} is missing, but its numbers are shown")
        for path in missing:
            self.waiting[path] = self.waiting.get(path, 0) + 1
        if missing:
            return ""
        reports, others = [load(path) for path in paths], others.split()
        if kind == "figure":
            return figure(*reports, others)
        return text_of(ratios(reports, others) if kind == "ratios" else MEASURED[kind](*reports, *others))


def fill(pages, results):
    filler = Filler(results)
    for page in pages:
        filler.fill(page)
    for path, count in filler.waiting.items():
        print(f"tables.py: {path} is missing: places that stay empty: {count}", file=sys.stderr)


def show(path, executor, unit):
    try:
        print(text_of(table(load(path), executor, unit)), end="")
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
