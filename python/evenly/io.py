# SPDX-License-Identifier: Apache-2.0
"""Matrices, graphs, points and arrays from files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _evenly
from ._matrix import _from_made, matrix

_KINDS = ("matrix", "graph", "points", "vector")


def read(path: Any, *, kind: str | None = None) -> matrix | np.ndarray:
    """Reads a file. The content determines the format; if it does not, the ending of the name does.

    Parameters
    ----------
    path : str or path
        The file may be compressed by gzip, bzip2, xz or Zstandard.
    kind : {"matrix", "graph", "points", "vector"}, optional
        For files whose format is not clear.

    Returns
    -------
    `matrix` or array
        * Matrix Market, .npz of SciPy, Harwell-Boeing, Rutherford-Boeing: a `matrix`
        * lists of edges (SNAP, KONECT, CSV), NetworkX's .adjlist, DIMACS, METIS, GAP's .sg and .wsg: a square `matrix`;
          an edge without a weight has the value 1
        * .ply, .obj, .xyz, .pcd: an array of shape (n, 3)
        * .npy: an array

        Values are float64, or complex128 of complex files. Symmetric storage is expanded; entries at the same place are
        added.

    Raises
    ------
    FileNotFoundError, PermissionError
        As ``open`` does.
    ValueError
        With file, line and rule, for what cannot be read.

    Notes
    -----
    O(bytes), on all cores for text. docs/inputs.md describes the formats. Ctrl-C ends a read between two blocks of the
    file.
    """
    name = os.fspath(path)
    if not isinstance(name, str):
        name = os.fsdecode(name)
    with open(name, "rb"):
        pass
    if kind is not None and kind not in _KINDS:
        raise ValueError(f"kind = {kind!r} cannot be read; there are {', '.join(_KINDS)}")
    found = kind or _evenly.kind_of_file(name)
    if found == "array":
        return _array(name)
    if not found:
        raise ValueError(f"{name}: neither its content nor its ending says what it is: give kind=")
    shape, arrays = getattr(_evenly, f"read_{found}")(name)
    if shape is None:
        return arrays[0] if len(arrays) == 1 else np.stack(arrays, axis=1)
    return matrix._of([_from_made(shape, arrays, arrays[2].dtype), None])


def _array(name: str) -> np.ndarray:
    """A dense matrix, or a vector."""
    try:
        shape, arrays = _evenly.read_matrix(name)
    except ValueError:
        try:
            return _evenly.read_vector(name)[1][0]
        except ValueError:
            pass
        raise
    return matrix._of([_from_made(shape, arrays, arrays[2].dtype), None]).toarray()
