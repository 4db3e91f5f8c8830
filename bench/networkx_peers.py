# SPDX-License-Identifier: Apache-2.0
"""The backend of NetworkX compared with NetworkX itself and other backends, in one run: a table, and JSON.

    python bench/networkx_peers.py [--nodes N] [--edges M] [--rounds R] [--names integers|strings] [--json FILE]

Times are CPU seconds of the process. Candidates take turns; a time is the median of the rounds. Each function is
called twice on the same graph: the first call converts it. All parts of a result are read. NetworkX runs once, and its
results are the expected ones. Backends that are not installed are left out.
"""

import argparse
import collections
import json
import statistics
import sys
import time

import networkx as nx
import python_report

BACKENDS = ("evenly", "rustnx")
SOURCE = 0


def functions():
    """(name, function of a graph and a backend, how far results may differ: of a value, or "ranks": in total)."""
    return [
        ("bfs_edges", lambda G, on: list(nx.bfs_edges(G, SOURCE, backend=on)), None),
        ("single_source_shortest_path_length",
         lambda G, on: nx.single_source_shortest_path_length(G, SOURCE, backend=on), None),
        ("single_source_dijkstra_path_length",
         lambda G, on: nx.single_source_dijkstra_path_length(G, SOURCE, backend=on), None),
        ("connected_components", lambda G, on: list(nx.connected_components(G, backend=on)), None),
        ("pagerank", lambda G, on: nx.pagerank(G, backend=on), "ranks"),
        ("triangles", lambda G, on: nx.triangles(G, backend=on), None),
        ("clustering", lambda G, on: nx.clustering(G, backend=on), 1e-12),
        ("core_number", lambda G, on: nx.core_number(G, backend=on), None),
        ("betweenness_centrality, k=8",
         lambda G, on: nx.betweenness_centrality(G, k=8, seed=1, backend=on), 1e-9),
    ]  # fmt: skip


def same(a, b, tolerance):
    if tolerance is None:
        return a == b
    if tolerance == "ranks":  # NetworkX ends when scores change by 1e-6 for each node in total
        return a.keys() == b.keys() and sum(abs(a[key] - b[key]) for key in b) <= 1e-6 * len(b) / 0.15
    return a.keys() == b.keys() and all(abs(a[key] - b[key]) <= tolerance * max(1, abs(b[key])) for key in b)


def timed(run, *args):
    begin = time.process_time()
    result = run(*args)
    return time.process_time() - begin, result


def measure(G, rounds):
    rows = []
    installed = [name for name in BACKENDS if name in nx.config.backends]
    for what, run, tolerance in functions():
        seconds, expected = timed(run, G, "networkx")
        times = {call: collections.defaultdict(list) for call in ("first call", "second call")}
        failed = set()
        for _ in range(rounds):
            for on in installed:
                G.__networkx_cache__.clear()
                for call in times:
                    try:
                        taken, result = timed(run, G, on)
                    except Exception as error:  # a peer that cannot do it is no reason to stop
                        failed.add(f"{on} ({type(error).__name__})")
                        continue
                    times[call][on].append(taken)
                    if not same(result, expected, tolerance):
                        failed.add(f"{on} (differs)")
        for call, found in times.items():
            medians = {on: statistics.median(each) for on, each in found.items()} | {"networkx": seconds}
            if any(name.startswith("evenly") for name in failed):
                print(f"{what}: {sorted(failed)}", file=sys.stderr)
                return rows, 1
            ratios = {on: each / medians["evenly"] for on, each in medians.items() if on != "evenly"}
            rows.append({"what": f"`{what}`", "subject": call, "seconds": medians, "ratios": ratios,
                         "failed": sorted(failed)})  # fmt: skip
            print(what, call, {on: round(each, 3) for on, each in medians.items()}, *failed, flush=True)
    return rows, 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--names", choices=("integers", "strings"), default="integers")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    nx.config.warnings_to_ignore.add("cache")
    G = nx.gnm_random_graph(arguments.nodes, arguments.edges, seed=1)
    if arguments.names == "strings":
        global SOURCE
        SOURCE = "node 0"
        H = nx.Graph()
        H.add_nodes_from(f"node {i}" for i in G)
        H.add_edges_from((f"node {u}", f"node {v}") for u, v in G.edges)
        G = H
    rows, failed = measure(G, arguments.rounds)
    report = python_report.report(rows, ("numpy", "networkx", *BACKENDS[1:]), graph=vars(arguments))
    if arguments.json and not failed:
        python_report.write(arguments.json, report)
    print(python_report.table(json.loads(json.dumps(report))))
    return failed


if __name__ == "__main__":
    sys.exit(main())
