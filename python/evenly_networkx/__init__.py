# SPDX-License-Identifier: Apache-2.0
"""What NetworkX reads about the backend evenly on its import. Imports nothing; the backend is evenly._networkx."""

_PATHS = "Paths are those of NetworkX, also among several of equal length."
_WHOLE = "Computes the paths to all nodes."
_KRUSKAL = "By Kruskal's algorithm: the same edges in the same order. Not for multigraphs and ignore_nan."
_SIMPLE = "Not for multigraphs and weights."

#: Functions of NetworkX, and what their documentation says of the backend.
FUNCTIONS = {
    "average_clustering": _SIMPLE,
    "betweenness_centrality": "Without weights and endpoints.",
    "bfs_edges": "Without sort_neighbors, and reverse of directed graphs.",
    "bfs_layers": "From one source.",
    "bfs_predecessors": "Without sort_neighbors.",
    "bfs_successors": "Without sort_neighbors.",
    "bfs_tree": "Without sort_neighbors, and reverse of directed graphs.",
    "clustering": "Not for directed graphs, multigraphs and weights.",
    "connected_components": "",
    "core_number": "Not for directed graphs.",
    "descendants": "",
    "descendants_at_distance": "",
    "dijkstra_path": _WHOLE,
    "dijkstra_path_length": _WHOLE,
    "from_pandas_edgelist": "For graphs with at most one edge attribute, a number.",
    "from_scipy_sparse_array": "For csr, csc and coo; not for multigraphs.",
    "greedy_color": "The strategy largest_first, without interchange. Not for directed graphs and multigraphs.",
    "is_connected": "",
    "is_strongly_connected": "",
    "is_weakly_connected": "",
    "maximum_spanning_edges": _KRUSKAL,
    "maximum_spanning_tree": _KRUSKAL,
    "minimum_spanning_edges": _KRUSKAL,
    "minimum_spanning_tree": _KRUSKAL,
    "node_connected_component": "",
    "number_connected_components": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "pagerank": "Without nstart and dangling. Ends when scores change by at most tol per node, and 1e-4 in total.",
    "read_edgelist": "For ASCII, names of the types str and int, and at most one edge attribute, a float.",
    "shortest_path": f"With one end, and without negative weights. {_PATHS}",
    "shortest_path_length": "With one end, and without negative weights.",
    "single_source_dijkstra": _PATHS,
    "single_source_dijkstra_path": _PATHS,
    "single_source_dijkstra_path_length": "",
    "single_source_shortest_path": _PATHS,
    "single_source_shortest_path_length": "",
    "single_target_shortest_path_length": "Not for directed graphs.",
    "transitivity": "Not for multigraphs.",
    "triangles": "Not for multigraphs.",
    "weakly_connected_components": "",
}


def get_info() -> dict:
    """For the entry point networkx.backend_info."""
    return {
        "backend_name": "evenly",
        "project": "evenly",
        "package": "evenly",
        "short_summary": "All cores of the CPU; results repeat bit by bit.",
        "description": "Graph algorithms on all cores of the CPU, with results that repeat bit by bit.",
        "functions": {name: {"additional_docs": text} if text else {} for name, text in FUNCTIONS.items()},
    }
