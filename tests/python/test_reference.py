# SPDX-License-Identifier: Apache-2.0
"""Docstrings of public names, and the page that is made of them."""
import importlib.util
import inspect
import pathlib
import re

import evenly as ev
import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/python_reference.py"
RESULTS = {
    "bfs_tree", "comparison", "device_array", "dfs_tree", "distributed_graph", "distributed_matrix", "explanation",
    "finding", "gpu_matrix", "gpu_segments", "incomplete_factors", "neighbor_pairs", "octree_of_points", "path_tree",
    "picture", "ranked_solution", "ranks", "reduced_runs", "solution", "spanning_forest",
}  # fmt: skip
OPERATIONS = [name for name in ev.__all__ if name not in RESULTS and name != "io"] + ["io.read"]


def found(name):
    return ev.io.read if name == "io.read" else getattr(ev, name)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_are_documented(name):
    """Each parameter, the result with its shape, errors and complexity."""
    operation = found(name)
    text = inspect.getdoc(operation)
    parameters = [each for each in inspect.signature(operation).parameters if each != "self"]
    listed = re.findall(r"^(\w+(?:, \w+)*)(?: : .*)?$", text, re.MULTILINE)
    listed = {each for names in listed for each in names.split(", ")}
    assert set(parameters) <= listed
    sections = re.findall(r"^(\w+)\n-{3,}$", text, re.MULTILINE)
    assert sections == [each for each in ("Parameters", "Returns", "Raises", "Notes") if each in sections]
    if parameters:
        assert "Parameters" in sections and "Raises" in sections
    if not isinstance(operation, type):
        assert "Returns" in sections
    assert re.search(r"\bO\(", text), "the docstring has no complexity"


def test_methods_and_results_are_documented():
    for name in ev.__all__:
        for member, value in vars(getattr(ev, name)).items():
            if isinstance(getattr(ev, name), type) and not member.startswith("_") and callable(value):
                assert value.__doc__, f"{name}.{member}"
    for name in RESULTS:
        assert getattr(ev, name).__doc__, name


def test_page():
    spec = importlib.util.spec_from_file_location("python_reference", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = script.reference()
    for name in [*OPERATIONS, *RESULTS]:
        assert f"\n## {name}\n" in page, name
    assert "matrix.dot(x, *, out=None, schedule=None, on=None)" in page
    assert "``" not in page.replace("```", "")
