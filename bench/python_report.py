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
import statistics
import subprocess

MEMBERS = ("machine", "date", "commit", "versions", "rows")
TIMES = ("seconds", "host_us", "gpu_us")
NAMES = {"scipy": "SciPy", "graphblas": "GraphBLAS", "mkl": "MKL", "networkx": "NetworkX", "cupy": "CuPy",
         "torch": "PyTorch"}  # fmt: skip


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


def table(of, words=()):
    """A report as a Markdown table: of times on a GPU the rows whose types are among ``words``, else a row for each
    operation."""
    machine = of["machine"]
    on = [f"{machine[name]}{word}" for name, word in (("gpu", ""), ("cpu", ""), ("cores", " cores")) if name in machine]
    made = gpu_table(of["rows"], words) if "gpu_us" in of["rows"][0] else cpu_table(of["rows"])
    return f"{', '.join(on)}; {of['date']}, commit {of['commit'][:12]}.\n\n{made}"


def lines_of(head, lines):
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *lines))


def grouped(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def gpu_table(rows, types):
    """A row for each operation and input, two columns for each library: evenly with its arrays, and the library."""
    rows = [row for row in rows if row["type"] in types]
    libraries = list(dict.fromkeys(row["library"] for row in rows))

    def cell(row, name):
        times = [row[table].get(name) for table in ("host_us", "gpu_us")]
        return "-" if None in times else ", ".join(f"{time:.0f}" if time >= 10 else f"{time:.1f}" for time in times)

    lines = []
    for (what, subject), each in grouped(rows, lambda row: (row["what"], row["subject"])).items():
        of_library = {row["library"]: row for row in each}
        cells = [cell(of_library[name], candidate) for name in libraries for candidate in ("evenly", name)]
        lines.append([f"`{what}`" if "@" in what else what, subject, *cells])
    head = [cell for name in libraries for cell in (f"evenly, arrays of {NAMES[name]}", NAMES[name])]
    return lines_of([", ".join(types), "input", *head], lines)


def cpu_table(rows):
    """A row for each operation and input; where there are more than two inputs, the median and the range of them."""
    lines = []
    for what, each in grouped(rows, lambda row: row["what"]).items():
        for subject, some in grouped(each, lambda row: "" if len(each) > 2 else row["subject"]).items():
            times = [1e3 * row["seconds"]["evenly"] for row in some]
            ratios = {}
            for row in some:
                for peer, ratio in row["ratios"].items():
                    ratios.setdefault(peer, []).append(ratio)
            peers = [f"{NAMES.get(peer, peer)} {spread(found)}" for peer, found in ratios.items()]
            lines.append([what, subject or f"{len(some)} matrices", spread(times), ", ".join(peers)])
    return lines_of(["operation", "input", "evenly, ms", "time / time of evenly"], lines)


def spread(values):
    """The median, and in brackets the range of several values, with two digits."""
    figures = statistics.median(values), min(values), max(values)
    median, low, high = (f"{float(f'{each:.1e}'):g}" for each in figures)
    return median if len(values) == 1 else f"{median} ({low} to {high})"
