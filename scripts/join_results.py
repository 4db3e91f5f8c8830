#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins JSON files of commands into one report for scripts/tables.py.

    scripts/join_results.py OUT [KEY=VALUE | FILE]...

Each result gets the members of its file's head that it lacks, such as the workload and the executor, and the members
KEY=VALUE before the file. The head of the report is that of the first file, with the peers of all files."""
import json
import sys
from pathlib import Path

from compact_results import compact

HEAD = ("machine", "date", "commit")
# Names in the heads of commands, and those in reports.
NAMES = {"input": "workload", "search": "op", "schedule": "form"}


def value_of(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def joined(words):
    report, more = None, {}
    for word in words:
        key, is_member, value = word.partition("=")
        if is_member and not Path(word).exists():
            more[key] = value_of(value)
            continue
        file = json.loads(Path(word).read_text(encoding="utf-8"))
        if report is None:
            report = {key: file[key] for key in HEAD} | {"peers": {}, "results": []}
        report["peers"].update(file.get("peers", {}))
        shared = {key: value for key, value in file.items()
                  if key not in HEAD and not isinstance(value, (dict, list))}
        for result in file["results"]:
            result = more | shared | result
            report["results"].append({NAMES.get(key, key): value for key, value in result.items()
                                      if NAMES.get(key, key) not in result} | result)
    return report


def main():
    out, *words = sys.argv[1:] or [""]
    if not words:
        sys.exit(__doc__)
    try:
        report = joined(words)
    except (OSError, ValueError, KeyError) as e:
        sys.exit(f"join_results.py: {e}")
    if report is None:
        sys.exit("join_results.py: there is no FILE")
    Path(out).write_text(compact(report), encoding="utf-8")


if __name__ == "__main__":
    main()
