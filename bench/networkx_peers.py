# SPDX-License-Identifier: Apache-2.0
"""The backend of NetworkX compared with NetworkX itself and other backends, in one run: a table, and JSON.

    python bench/networkx_peers.py [--nodes N] [--edges M] [--names integers|strings] [--file LIST [--directed]]
                                   [--functions NAME ...] [--rounds R] [--json FILE [--add]]
    python bench/networkx_peers.py --choices [--functions NAME ...] [--rounds R] [--json FILE [--add]]

Times are CPU seconds of the process. Candidates take turns; a time is the median of the rounds. Each function is
called twice on the same graph: the first call converts it. All parts of a result are read, except graphs. NetworkX
runs once, and its results are the expected ones. Backends that are not installed are left out. The graph is random, or
a list of edges in a file. "conversion" is the conversion alone, "constructors" makes graphs from arrays.

--choices: each function of the backend on small and large graphs, called as programs call it. The backend decides
whether it runs. The second time is that of NetworkX alone; a time is the least of the rounds.
"""

import argparse
import collections
import io
import itertools
import json
import statistics
import sys
import time

import networkx as nx
import numpy as np
import python_report

BACKENDS = ("evenly", "rustnx")


def functions(source):
    """name: (function of a graph and a backend, how far results may differ: of a value, or "ranks": in total)."""
    return {
        "bfs_edges": (lambda G, on: list(nx.bfs_edges(G, source, backend=on)), None),
        "single_source_shortest_path_length":
            (lambda G, on: nx.single_source_shortest_path_length(G, source, backend=on), None),
        "single_source_dijkstra_path_length":
            (lambda G, on: nx.single_source_dijkstra_path_length(G, source, backend=on), None),
        "connected_components": (lambda G, on: list(nx.connected_components(G, backend=on)), None),
        "pagerank": (lambda G, on: nx.pagerank(G, backend=on), "ranks"),
        "triangles": (lambda G, on: nx.triangles(G, backend=on), None),
        "clustering": (lambda G, on: nx.clustering(G, backend=on), 1e-12),
        "core_number": (lambda G, on: nx.core_number(G, backend=on), None),
        "betweenness_centrality, k=8":
            (lambda G, on: nx.betweenness_centrality(G, k=8, seed=1, backend=on), 1e-9),
    }  # fmt: skip


def more_functions(source):
    """Those of nx-cugraph's published table that are not among the others, and the rest of the backend's."""
    alone = {name: (lambda G, on, name=name: getattr(nx, name)(G, backend=on), 1e-12)
             for name in ("average_clustering", "transitivity", "is_connected", "number_connected_components",
                          "is_weakly_connected", "number_weakly_connected_components", "is_strongly_connected",
                          "number_strongly_connected_components")}  # fmt: skip
    of_source = {name: (lambda G, on, name=name: getattr(nx, name)(G, source, backend=on), None)
                 for name in ("descendants", "single_source_shortest_path", "single_target_shortest_path_length",
                              "single_source_dijkstra", "single_source_dijkstra_path", "shortest_path",
                              "shortest_path_length", "node_connected_component")}  # fmt: skip
    lists = {name: (lambda G, on, name=name: list(getattr(nx, name)(G, source, backend=on)), None)
             for name in ("bfs_layers", "bfs_predecessors", "bfs_successors")}  # fmt: skip
    return alone | of_source | lists | {
        "bfs_tree": (lambda G, on: nx.bfs_tree(G, source, backend=on), None),
        "descendants_at_distance": (lambda G, on: nx.descendants_at_distance(G, source, 3, backend=on), None),
        "shortest_path, weights": (lambda G, on: nx.shortest_path(G, source, weight="weight", backend=on), None),
        "weakly_connected_components": (lambda G, on: list(nx.weakly_connected_components(G, backend=on)), None),
        "betweenness_centrality, k=10":
            (lambda G, on: nx.betweenness_centrality(G, k=10, seed=1, backend=on), 1e-9),
    }  # fmt: skip


def same(a, b, tolerance):
    if isinstance(b, nx.Graph):
        return list(getattr(a, "to_networkx", lambda: a)().edges) == list(b.edges)
    if tolerance is None:
        return a == b
    if tolerance == "ranks":  # NetworkX ends when scores change by 1e-6 for each node in total
        return a.keys() == b.keys() and sum(abs(a[key] - b[key]) for key in b) <= 1e-6 * len(b) / 0.15
    if not isinstance(b, dict):
        return abs(a - b) <= tolerance * max(1, abs(b))
    return a.keys() == b.keys() and all(abs(a[key] - b[key]) <= tolerance * max(1, abs(b[key])) for key in b)


def timed(run, *args):
    begin = time.process_time()
    result = run(*args)
    return time.process_time() - begin, result


def row(what, subject, seconds, **more):
    ratios = {on: each / seconds["evenly"] for on, each in seconds.items() if on != "evenly"}
    print(what, subject, {on: float(f"{each:.3g}") for on, each in seconds.items()}, *more.values(), flush=True)
    return {"what": what, "subject": subject, "seconds": seconds, "ratios": ratios, **more}


def measure(G, chosen, rounds):
    """Rows of functions, first and second calls."""
    rows = []
    installed = [name for name in BACKENDS if name in nx.config.backends]
    for what, (run, tolerance) in chosen.items():
        seconds, expected = timed(run, G, "networkx")
        times = {call: collections.defaultdict(list) for call in ("first call", "second call")}
        failed = set()
        for _, on in itertools.product(range(rounds), installed):
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
        if any(name.startswith("evenly") for name in failed):
            sys.exit(f"{what}: {sorted(failed)}")
        for call, found in times.items():
            medians = {on: statistics.median(each) for on, each in found.items()} | {"networkx": seconds}
            rows.append(row(f"`{what}`", call, medians, failed=sorted(failed)))
    return rows


def measure_conversion(G, rounds):
    """Rows of the conversion alone."""
    rows = []
    for subject, attributes in (("edges", None), ("edges and weights", {"weight": 1})):
        times = collections.defaultdict(list)
        for _, on in itertools.product(range(rounds), [name for name in BACKENDS if name in nx.config.backends]):
            convert = nx.utils.backends._load_backend(on).convert_from_nx
            taken, made = timed(lambda: convert(G, edge_attrs=attributes))  # noqa: B023
            times[on].append(taken)
            if on == "evenly" and (made.number_of_edges(), len(made)) != (G.number_of_edges(), len(G)):
                sys.exit("the converted graph differs")
        rows.append(row("conversion", subject, {on: statistics.median(each) for on, each in times.items()}))
    return rows


def measure_constructors(G, rounds):
    """Rows of graphs from arrays and text."""
    import pandas as pd

    ends = np.array(G.edges)
    A = nx.to_scipy_sparse_array(G, nodelist=sorted(G), format="csr")
    frame = pd.DataFrame({"source": ends[:, 0], "target": ends[:, 1]})
    text = "\n".join(f"{u} {v}" for u, v in ends.tolist()).encode()
    made_by = {
        "from_scipy_sparse_array": lambda on: nx.from_scipy_sparse_array(A, backend=on),
        "from_pandas_edgelist": lambda on: nx.from_pandas_edgelist(frame, backend=on),
        "read_edgelist": lambda on: nx.read_edgelist(io.BytesIO(text), nodetype=int, backend=on),
    }
    rows = []
    source = int(ends[0, 0])
    for what, make in made_by.items():
        times = collections.defaultdict(list)
        for number, on in itertools.product(range(rounds), ("evenly", "networkx")):
            if number > 0 and on == "networkx":
                continue
            taken, made = timed(make, on)
            times[on].append(taken)
            lengths = nx.single_source_shortest_path_length(made, source, backend=on)
            if lengths != nx.single_source_shortest_path_length(G, source, backend="evenly"):
                sys.exit(f"{what} of {on}: the graph differs")
        medians = {on: statistics.median(each) for on, each in times.items()}
        rows.append(row(f"`{what}`", f"{len(ends)} edges", medians))
    return rows


def graphs_of_choices():
    weighted = nx.gnm_random_graph(2000, 8000, seed=2)
    for number, (_, _, data) in enumerate(weighted.edges(data=True)):
        data["weight"] = number % 7 + 1
    return {
        "path of 10": nx.path_graph(10), "path of 1,000": nx.path_graph(1000), "star of 3,000": nx.star_graph(2999),
        "complete of 120": nx.complete_graph(120), "grid of 70 x 70": nx.grid_2d_graph(70, 70),
        "tree of 5,000": nx.full_rary_tree(2, 5000), "random, 300 and 900": nx.gnm_random_graph(300, 900, seed=1),
        "weights, 2,000 and 8,000": weighted, "power law, 4,000 and 16,000": nx.barabasi_albert_graph(4000, 4, seed=1),
        "random, 10,000 and 50,000": nx.gnm_random_graph(10_000, 50_000, seed=1),
        "directed, 3,000 and 12,000": nx.gnm_random_graph(3000, 12_000, seed=1, directed=True),
    }  # fmt: skip


def measure_choices(names, rounds):
    """Rows of calls that the backend decides to run, beside NetworkX; and what the other calls take longer."""
    rows, more = [], []
    backend, answers = nx.utils.backends._load_backend("evenly"), []
    decide = backend.should_run
    backend.should_run = lambda *args: answers.append(decide(*args)) or answers[-1]
    for subject, G in graphs_of_choices().items():
        source = next(iter(G))
        every = functions(source) | more_functions(source)
        for what in names or every:
            run, tolerance = every[what]
            try:
                once, expected = timed(run, G, "networkx")
            except nx.NetworkXNotImplemented:  # of directed, or undirected graphs
                continue
            for call in ("first call", "second call"):
                repeats = max(1, int(0.01 / max(once, 1e-5)))
                times = {"evenly": [], "networkx": []}
                answers.clear()
                for _, on in itertools.product(range(rounds if once < 0.3 else 1), times):
                    taken = 0.0
                    with nx.config(backend_priority=["evenly"] if on == "evenly" else []):
                        for _ in range(repeats):
                            if call == "first call":
                                G.__networkx_cache__.clear()
                            seconds, result = timed(run, G, None)
                            taken += seconds
                    if not same(result, expected, tolerance):
                        sys.exit(f"{what} of {subject}, {on}: results differ")
                    times[on].append(taken / repeats)
                least = {on: min(each) for on, each in times.items()}
                if True in answers:
                    rows.append(row(f"`{what}`, {call}", subject, least))
                elif once < 3e-4:
                    more.append(least["evenly"] - least["networkx"])
    backend.should_run = decide
    if more:
        rows.append(row("calls that stay with NetworkX", "their delay", {"evenly": statistics.median(more)}))
    return rows


def read_graph(path, directed):
    """A list of edges in a file, as text; lines that begin with # are comments."""
    ends = np.loadtxt(path, dtype=np.int64, usecols=(0, 1), ndmin=2)
    G = nx.DiGraph() if directed else nx.Graph()
    G.add_edges_from(map(tuple, ends.tolist()))
    return G


def make_graph(arguments):
    if arguments.file:
        return read_graph(arguments.file, arguments.directed)
    G = nx.gnm_random_graph(arguments.nodes, arguments.edges, seed=1)
    if arguments.names == "integers":
        return G
    H = nx.Graph()
    H.add_nodes_from(f"node {i}" for i in G)
    H.add_edges_from((f"node {u}", f"node {v}") for u, v in G.edges)
    return H


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--names", choices=("integers", "strings"), default="integers")
    parser.add_argument("--file", metavar="LIST", help="the edges, two integers on each line")
    parser.add_argument("--directed", action="store_true", help="the edges of the file have a direction")
    parser.add_argument("--choices", action="store_true", help="whether the backend decides well")
    parser.add_argument("--functions", nargs="+", default=[], help="also conversion and constructors")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--add", action="store_true", help="keep the other rows of the FILE")
    arguments = parser.parse_args()
    nx.config.warnings_to_ignore.add("cache")
    names = arguments.functions
    if arguments.choices:
        rows = measure_choices(names, arguments.rounds)
    else:
        G = make_graph(arguments)
        source = next(iter(G))
        known = functions(source)
        every = known | more_functions(source)
        others = {"conversion": measure_conversion, "constructors": measure_constructors}
        wrong = [name for name in names if name not in every and name not in others]
        if wrong:
            sys.exit(f"{wrong[0]} is no function here: there are {', '.join([*every, *others])}")
        rows = [each for name in names if name in others for each in others[name](G, arguments.rounds)]
        rows += measure(G, {name: every[name] for name in names or known if name in every}, arguments.rounds)
    graph = {name: getattr(arguments, name) for name in ("nodes", "edges", "names", "directed")}
    report = python_report.report(rows, ("numpy", "networkx", *BACKENDS[1:]), graph=graph)
    if arguments.json and arguments.add:
        with open(arguments.json, encoding="utf-8") as file:
            before = json.load(file)["rows"]
        made = {(each["what"], each["subject"]) for each in rows}
        report["rows"] = [each for each in before if (each["what"], each["subject"]) not in made] + rows
    if arguments.json:
        python_report.write(arguments.json, report)
    print(python_report.table(json.loads(json.dumps(report))))


if __name__ == "__main__":
    main()
