#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Markdown tables of what `evenly compare ... --json FILE` has measured: a row for each workload, a column for each
schedule and for each baseline. The last column is the time of the best schedule over that of the best baseline: below
1 the schedule is faster.

    scripts/tables.py FILE                               prints the tables
    scripts/tables.py FILE --into PAGE --place NAME      puts them between the lines <!-- table NAME --> and
                                                         <!-- end of table NAME --> of PAGE
"""
import argparse
import json
import os
import sys

BASELINES = ("openmp_", "cusparse_", "eigen", "even_split", "fused_by_hand")  # how the names of baselines begin; all others are schedules


class Problem(Exception):
    """Something that the user can put right; one line."""


def groups(results):
    """Results by (op, type, executor), in the order in which these come first."""
    by_table = {}
    for result in results:
        by_table.setdefault((result["op"], result["type"], result["executor"]), []).append(result)
    return by_table


def unique(items):
    return list(dict.fromkeys(items))


def number(ms, unit):
    """Three digits, or all there are before the point."""
    value = ms * 1000 if unit == "us" else ms
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(row):
    """The best schedule's time over the best baseline's; empty where one of them is missing."""
    times = [[r["ms"] for name, r in row.items() if r["ok"] and name.startswith(BASELINES) == baseline]
             for baseline in (False, True)]
    return f"{min(times[0]) / min(times[1]):.2f}" if all(times) else ""


def cell(row, name, unit):
    if name not in row:
        return ""
    if not row[name]["ok"]:
        return "failed"
    best = min((r["ms"] for other, r in row.items() if r["ok"] and not other.startswith(BASELINES)), default=None)
    text = number(row[name]["ms"], unit)
    return f"**{text}**" if row[name]["ms"] == best and not name.startswith(BASELINES) else text


def line(cells):
    return "| " + " | ".join(cells) + " |"


def table(results, unit):
    names = unique(r["schedule"] for r in results)
    names = [n for n in names if not n.startswith(BASELINES)] + [n for n in names if n.startswith(BASELINES)]
    lines = [line(["workload", "atoms", *names, "best schedule / best baseline"]),
             line(["---", *["---:"] * (len(names) + 2)])]
    for workload in unique(r["workload"] for r in results):
        row = {r["schedule"]: r for r in results if r["workload"] == workload}
        atoms = next(iter(row.values()))["atoms"]
        lines.append(line([workload, f"{atoms:,}", *(cell(row, name, unit) for name in names), ratio(row)]))
    return lines


def tables(report, executor, unit):
    """All tables of a report, of one executor or of all, each under a line that says where it was measured."""
    machine = report["machine"]
    lines = []
    for (op, type_, on), results in groups(report["results"]).items():
        if executor not in (None, on):
            continue
        place = machine.get("gpu") if on == "cuda" else f"{machine['cpu']}, {machine['cores']} cores"
        this_unit = unit or ("us" if on == "cuda" else "ms")
        lines += [f"{op} of {type_} on {on} ({place}), {report['date']}, commit {report['commit'][:12]}; median, "
                  f"{this_unit}. Bold: the best schedule.", "", *table(results, this_unit), ""]
    if not lines:
        raise Problem("there are no results" + (f" of the executor {executor}" if executor else ""))
    return "\n".join(lines)


def put(page, name, text):
    """Replaces what lies between the two lines that mark the place."""
    begin, end = f"<!-- table {name} -->\n", f"<!-- end of table {name} -->"
    with open(page, encoding="utf-8") as file:
        old = file.read()
    if old.count(begin) != 1 or old.count(end) != 1 or old.index(end) < old.index(begin):
        raise Problem(f"{page}: needs the lines {begin.strip()} and {end}, once each and in this order")
    new = old[:old.index(begin) + len(begin)] + "\n" + text + "\n" + old[old.index(end):]
    part = page + ".part"
    with open(part, "w", encoding="utf-8") as file:
        file.write(new)
    os.replace(part, page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", metavar="FILE", help="what evenly compare --json wrote")
    parser.add_argument("--on", metavar="EXECUTOR", help="only results of this executor")
    parser.add_argument("--unit", choices=("us", "ms"), help="default: us on cuda, else ms")
    parser.add_argument("--into", metavar="PAGE", help="the page to change, with --place")
    parser.add_argument("--place", metavar="NAME", help="the place in the page")
    args = parser.parse_args()
    if (args.into is None) != (args.place is None):
        parser.error("--into and --place go together")
    try:
        with open(args.report, encoding="utf-8") as file:
            text = tables(json.load(file), args.on, args.unit)
        if args.into:
            put(args.into, args.place, text)
        else:
            print(text, end="")
    except (OSError, ValueError, Problem) as e:
        sys.exit(f"tables.py: {e}")
    except (KeyError, TypeError) as e:
        sys.exit(f"tables.py: {args.report} is not a report of evenly compare: {e} is missing or wrong")


if __name__ == "__main__":
    main()
