#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of bench/results in compact form: one line for each result, no indentation.

    python3 scripts/compact_results.py [--check] [FILE...]    default: all of bench/results

With --check nothing is written; the files that are not compact are named, and the exit status is 1.
"""

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def compact(report):
    """The text of a report: a member for each line, and an element for each line of a list of objects."""
    members = []
    for name, value in report.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            members.append(f"{line(name)}:[\n" + ",\n".join(map(line, value)) + "\n]")
        else:
            members.append(f"{line(name)}:{line(value)}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only name the files that are not compact")
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    failed = False
    for path in options.files or sorted((ROOT / "bench/results").glob("*.json")):
        try:
            text = path.read_text(encoding="utf-8")
            report = json.loads(text)
        except (OSError, ValueError) as error:
            sys.exit(f"{path}: {error}")
        if not isinstance(report, dict):
            sys.exit(f"{path}: a report is a JSON object; this is a {type(report).__name__}")
        wanted = compact(report)
        if text == wanted:
            continue
        if options.check:
            print(f"{path}: not compact; run scripts/compact_results.py {path}", file=sys.stderr)
            failed = True
        else:
            path.write_text(wanted, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
