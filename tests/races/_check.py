# SPDX-License-Identifier: Apache-2.0
"""Puts a race into a program that users are shown, runs it on the simulated GPU, and holds that simt reports it at the
line where it was put. A report that a page of the tutorial shows is one of these.

usage: _check.py PROGRAM.cpp COMPILER ARGUMENT...

A new example has an entry in RACES or in WITHOUT.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Why no race can be put into a program: what kernels write is the library's.
WITHOUT = {
    "explain_own_kernel": "its findings are of requests, and a race would end its launches",
    "by_name": "calls spmv only",
    "first": "calls spmv only",
    "five_tasks": "its functions read memory only",
    "galerkin_product": "calls spgemm only",
    "graph_attention": "calls attention, sddmm, softmax and spmm only",
    "graph_layer": "calls spmm only",
    "heat": "calls a solver only",
    "joined_quadrature": "tasks give values and write no memory",
    "distributed_spmv": "runs its kernels on cpu only",
    "operations": "runs its kernels on cpu only",
    "own_graph": "calls bfs and sssp only",
    "own_schedule": "calls spmv, segmented_reduce and check_schedule only",
    "pagerank": "calls spmv, transpose and reduce only",
    "primitives": "its functions read memory only",
    "read_a_file": "calls spmv only",
    "routes": "calls bfs and sssp only",
    "segments": "calls segmented functions only",
    "step1_rows": "is a loop without a kernel",
    "two_hops": "calls spgemm and add only",
}

INCLUDE = re.compile(r"^#include .+$", re.MULTILINE)
ATOMIC_MIN = """const int was = {0}; if (was > there) {0} = there; if (was > there)"""
# Of each program the races: what stands in the source once, and what stands there instead.
RACES = {
    "routes_by_tasks": [("evenly::atomic_ref(distances[task.place]).load()", "distances[task.place]")],
    "adaptive_quadrature": [("leaves[std::int64_t{task.place} << (deepest - task.level)] =", "leaves[0] =")],
    "block_collectives": [("sums[row + k] = x[i];", "sums[row] = x[i];"),
                          ("if (block.rank() == 0) segments[block.index()]", "segments[block.index()]")],
    "changing_lists": [("next[i] =", "next[0] =")],
    "changing_tiles": [("out[row] = sum", "out[0] = sum")],
    "density": [("out[point] = sum", "out[0] = sum")],
    "distinct_values": [("if (team.rank() == 0) distinct[row] = all;", "distinct[0] = all;"),
                        ("evenly::atomic_ref(distinct[row]).fetch_add(added);", "distinct[row] += added;")],
    "every_format": [("y[row] = sum", "y[0] = sum"), ("y[2 * block_row] =", "y[0] ="),
                     ("evenly::atomic_ref(y[row[k]]).fetch_add(value[k] * x[column])",
                      "y[row[k]] += value[k] * x[column]")],
    "find_a_race": [("// block.sync() belongs here\n    if (i > 0) values[i] -= staged[i - 1];",
                     "block.sync(); if (i > 0) values[i] -= values[i - 1];\n")],
    "first_kernel": [("out[row] = sum", "out[0] = sum")],
    "fused": [("heat[cell] = sum", "heat[0] = sum"), ("sums[row] = sum", "sums[0] = sum")],
    "in_degrees": [("evenly::atomic_ref(count[target[edge]]).fetch_add(1)", "count[target[edge]] += 1")],
    "lennard_jones": [("out[point] = sum", "out[0] = sum")],
    "listings": [("  y[row] = sum;", "  y[0] = sum;"), ("{ y[row] = sum; }", "{ y[0] = sum; }"),
                 ("c[column * count + row] = sum", "c[column * count] = sum"),
                 ("if (evenly::atomic_ref(distances[edges.columns[edge]]).fetch_min(there) > there)",
                  ATOMIC_MIN.format("distances[edges.columns[edge]]"))],
    "mandelbrot": [("steps[at] =", "steps[0] ="), ("workers[at] =", "workers[at / 2] =")],
    "neighbour_sums": [("out[job] = sum", "out[0] = sum")],
    "own_spmv": [("y[row] = sum", "y[0] = sum")],
    "own_tile_set": [("count[i] = sum", "count[0] = sum")],
    "reachable": [("if (evenly::atomic_ref(seen[vertex]).exchange(1) != 0) return {};",
                   "if (seen[vertex] != 0) return {}; seen[vertex] = 1;")],
    "rounds": [("if (evenly::atomic_ref(distances[targets[edge]]).fetch_min(there) > there)",
                ATOMIC_MIN.format("distances[targets[edge]]")),
               ("if (block.index() == 0 && block.rank() == 0) rounds[0] =", "rounds[0] =")],
    "searches": [("return atomic_ref(level[to]).fetch_min(next) > next ? std::optional(to) : std::nullopt;",
                  "if (level[to] <= next) return {}; level[0] = next; return to;")],
    "segmented_minimum": [("index[segment] =", "index[0] =")],
    "segmented_scan": [("balance[k] =", "balance[0] =")],
    "several_vectors": [("out[row * width + vector] =", "out[vector] =")],
    "sparse_tensor": [("out[slice * rank + r] = sum", "out[r] = sum"),
                      ("out[fibre * rank + r] = sum", "out[r] = sum")],
    "step2_tiles": [("out[row] = sum", "out[0] = sum")],
    "step3_schedules": [("out[tile] = sum", "out[0] = sum")],
    "step4_skeletons": [("max[customer] =", "max[0] ="), ("sum[k] =", "sum[0] ="), ("owner[k] =", "owner[0] =")],
    "step5_kernel": [("y[row] = sum", "y[0] = sum"), ("negative[row] =", "negative[0] =")],
}


def on_simt(text):
    if "evenly::simt" in text: # it runs there itself, before its result on another executor can end it
        return text
    text = text.replace("execution/cpu.hpp", "execution/simt.hpp")
    return text.replace("evenly::cpu", "evenly::simt")


def unit_of(name, programs):
    """One source with all programs, each in a namespace and with the lines of its own. Its first argument selects one.
    So headers are read once, and templates that programs share are compiled once."""
    if len(programs) == 1:
        return programs[0]
    namespaces = [f'namespace program_{n} {{\n#line 1 "{name}"\n{INCLUDE.sub("", text)}\n}}\n'
                  for n, text in enumerate(programs)]
    calls = [f"  if (*given[1] == '{n}') return run(program_{n}::main, given);\n" for n in range(len(programs))]
    run = ["int run(int (*program)(), char**) { return program(); }",
           "int run(int (*program)(int, char**), char** given) { return program(1, given); }"]
    return "\n".join([*INCLUDE.findall(programs[0]), *namespaces, *run, "int main(int, char** given) {", *calls, "}"])


def check(program, compiler, arguments, races, folder):
    """The reports of all races."""
    text = on_simt(program.read_text(encoding="utf-8"))
    for before, _ in races:
        assert text.count(before) == 1, f"{program.name} has {text.count(before)} times: {before}"
    source = Path(folder) / program.name
    source.write_text(unit_of(program.name, [text.replace(*race) for race in races]), encoding="utf-8")
    made = subprocess.run([compiler, "-std=c++20", source, "-o", source.with_suffix(""), *arguments],
                          capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return [report_of(program.name, text, race, [source.with_suffix(""), *([str(n)] if len(races) > 1 else [])], folder)
            for n, race in enumerate(races)]


def report_of(name, text, race, command, folder):
    before, after = race
    line = text[:text.index(before)].count("\n") + 1
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=250, cwd=folder)
    said = done.stdout + done.stderr
    found = re.search(r"race: .* of a view \(of \d+ bytes\).*", said)
    assert found, f"{name} with '{after}' reports no race on a view:\n{said}"
    places = re.findall(r"\(([\w.]+):(\d+)\)", found[0]) # of both accesses
    assert (name, str(line)) in places, f"the race is at {name}:{line}:\n{said}"
    assert "raw pointer" not in said, f"{name} has raw pointers:\n{said}"
    return found[0]


def main():
    program, compiler, *arguments = sys.argv[1:]
    program = Path(program)
    if program.stem in WITHOUT:
        assert program.stem not in RACES
        print(f"{program.stem} {WITHOUT[program.stem]}")
        return
    assert program.stem in RACES, f"{program.stem} has no entry in RACES or WITHOUT of {__file__}"
    with tempfile.TemporaryDirectory() as folder:
        reports = check(program, compiler, arguments, RACES[program.stem], folder)
    page = Path(__file__).resolve().parents[2] / "docs/tutorial" / f"{program.stem}.md"
    for shown in re.findall("^race: [^`]+", page.read_text(encoding="utf-8"), re.MULTILINE) if page.exists() else ():
        assert " ".join(shown.split()) in reports, f"{page} shows another report than\n{reports}"


main()
