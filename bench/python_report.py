# SPDX-License-Identifier: Apache-2.0
"""The JSON of benchmarks of the Python package: what ran where, and a row for each thing that was timed.

Members: ``machine``, ``date``, ``commit``, ``versions`` (null: not installed) and ``rows``. A row has ``what``,
``subject`` and at least one table of times, from names of libraries to numbers: ``seconds``, ``host_us`` or ``gpu_us``.
"""

import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess

MEMBERS = ("machine", "date", "commit", "versions", "rows")
TIMES = ("seconds", "host_us", "gpu_us")


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def commit():
    command = ["git", "-C", str(pathlib.Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def report(rows, packages, versions=None, **more):
    """A report. ``versions``: those that importlib.metadata does not know; ``more``: further members."""
    known = {"python": platform.python_version()}
    known.update((package, version_of(package)) for package in packages)
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    machine = {"cpu": processor(), "cores": os.cpu_count(), **more.pop("machine", {})}
    return {"machine": machine, "date": now, "commit": commit(), "versions": {**known, **(versions or {})}, **more,
            "rows": rows}  # fmt: skip


def write(path, of):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(of, file, indent=1)


def faults(of):
    """What is wrong with a report, one sentence each."""
    found = [f"no member {name}" for name in MEMBERS if name not in of]
    rows = of.get("rows", [])
    if not rows:
        found.append("no rows")
    for number, row in enumerate(rows):
        texts = ("what", "subject")
        found += [f"row {number}: {name} is no text" for name in texts if not isinstance(row.get(name), str)]
        tables = [row[name] for name in TIMES if name in row]
        if not tables:
            found.append(f"row {number}: no times")
        for table in tables:
            if "evenly" not in table or not all(isinstance(each, float) for each in table.values()):
                found.append(f"row {number}: times are numbers for evenly and its peers")
    return found
