# SPDX-License-Identifier: Apache-2.0
"""Graph attention over the pattern of a sparse matrix, and its gradients."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ._arrays import as_array, as_computed, as_text, computed_type, result
from ._matrix import matrix


class _layer(NamedTuple):
    """The operands, checked, as matrices of one row per vertex."""

    compiled: Any
    arguments: tuple  # of the compiled functions: rows, columns, values, heads, are_dots, factor
    shapes: tuple  # of query, key, value, of the result and of log_sums
    dtype: np.dtype
    computed: np.dtype


def _layer_of(
    A: Any, query: Any, key: Any, value: Any, scores: Any, scale: float | None, negative_slope: float
) -> _layer:
    m = A if isinstance(A, matrix) else matrix(A)
    if not isinstance(m, matrix):
        raise TypeError("A is on a GPU: attention of Python runs on the CPU")
    scores = as_text("scores", scores, "dot")
    if scores not in ("dot", "additive"):
        raise ValueError(f'scores = {scores!r}: it must be "dot" or "additive"')
    q, k, v = as_array("query", query), as_array("key", key), as_array("value", value)
    if v.ndim not in (2, 3):
        raise ValueError(f"value has {v.ndim} dimensions: it must have 2, (columns, d), or 3, (columns, heads, d)")
    heads, width = (v.shape[1], v.shape[2]) if v.ndim == 3 else (1, v.shape[1])
    if heads == 0:
        raise ValueError("value has 0 heads: there must be at least 1")
    of_scores = v.shape[1:] if scores == "dot" else v.shape[1:-1]
    for name, of, lines in (("query", q, m.shape[0]), ("key", k, m.shape[1]), ("value", v, m.shape[1])):
        expected = (lines, *(v.shape[1:] if of is v else of_scores))
        if of.shape != expected:
            raise ValueError(f"{name} has shape {of.shape}: with this A and value it must have {expected}")
    dtype = np.result_type(q.dtype, k.dtype, v.dtype)
    if dtype.kind != "f":
        raise TypeError(f"query, key and value have elements of {dtype}: they must be float16, float32 or float64")
    for name, factor in (("scale", 1 if scale is None else scale), ("negative_slope", negative_slope)):
        if not isinstance(factor, (int, float, np.integer, np.floating)):
            raise TypeError(f"{name} is {type(factor).__name__}: it must be a real number")
    if scores == "additive":
        if scale is not None:
            raise ValueError("scale has no meaning for additive scores")
        factor = float(negative_slope)
    else:
        factor = 1 / math.sqrt(width) if scale is None and width else float(1 if scale is None else scale)
    computed = computed_type("value", dtype)
    rows = [_as_rows(as_computed(each, computed)) for each in (q, k, v)]
    shapes = (q.shape, k.shape, v.shape, (m.shape[0], *v.shape[1:]), (m.shape[0], *v.shape[1:-1]))
    compiled = m._rows().compiled(computed_type("A", m._dtype))
    return _layer(compiled, (*rows, heads, scores == "dot", factor), shapes, dtype, computed)


def _as_rows(array: np.ndarray) -> np.ndarray:
    """One row per vertex; the same memory."""
    return array.reshape(array.shape[0], math.prod(array.shape[1:]))


def gat_attention(
    A: Any,
    query: Any,
    key: Any,
    value: Any,
    *,
    scores: str = "dot",
    scale: float | None = None,
    negative_slope: float = 0.2,
    return_log_sums: bool = False,
    out: np.ndarray | None = None,
) -> Any:
    """Graph attention: the values of each row's neighbours, weighted by a softmax of scores, in one pass.

    Parameters
    ----------
    A : `matrix` or sparse matrix of shape (n, m)
        The graph: row ``i`` attends to the columns of its entries. Its values have no effect. Pass a `matrix` if you
        call this several times.
    query : array of shape (n, heads, d) or (n, d)
        Without the axis of heads there is one. For additive scores of shape (n, heads) or (n,): the term of the row,
        as ``alpha_dst`` of GAT.
    key : array of shape (m, heads, d) or (m, d)
        For additive scores of shape (m, heads) or (m,): the term of the column, as ``alpha_src``.
    value : array of shape (m, heads, d) or (m, d)
    scores : {"dot", "additive"}
        ``scale * query[i, h] @ key[j, h]``, or ``leaky_relu(query[i, h] + key[j, h])``.
    scale : float, optional
        Of dot products; by default 1 / sqrt(d).
    negative_slope : float
        Of the leaky ReLU.
    return_log_sums : bool
        Whether to return what `gat_attention_gradients` needs.
    out : array of the result's shape, optional

    Returns
    -------
    array of shape (n, heads, d) or (n, d)
        ``out[i, h]`` is the sum over the entries (i, j) of ``p[i, j, h] * value[j, h]``, where p is the softmax of the
        scores of row i. Of the type that NumPy gives the three arrays together. Zeros for a row without entries.
    array of shape (n, heads) or (n,)
        With ``return_log_sums``: the logarithm of the sum of exp(scores); -inf for a row without entries. Of float16
        as float32.

    Raises
    ------
    ValueError
        For shapes that do not fit, and another name of scores.
    TypeError
        For elements that are not float16, float32 or float64, and for arrays on a GPU.

    Notes
    -----
    O(entries heads d). Scores are not stored. A row with a score of NaN or inf, or with scores of -inf only, is NaN in
    that head. The bits repeat for one number of threads. Sources: Velickovic et al. (2018), Dao et al. (2022).
    """
    layer = _layer_of(A, query, key, value, scores, scale, negative_slope)
    to = result(out, layer.shapes[3], layer.dtype, layer.computed)
    array = to.array if to.array.flags.c_contiguous else np.empty(layer.shapes[3], layer.computed)
    log_sums = np.empty(layer.shapes[4], layer.computed)
    layer.compiled.attention(*layer.arguments, _as_rows(array), log_sums.reshape(array.shape[0], layer.arguments[3]))
    if array is not to.array:
        to.array[...] = array
    made = to.get()
    return (made, log_sums) if return_log_sums else made


def gat_attention_gradients(
    grad: Any,
    A: Any,
    query: Any,
    key: Any,
    value: Any,
    output: Any,
    log_sums: Any,
    *,
    scores: str = "dot",
    scale: float | None = None,
    negative_slope: float = 0.2,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of query, key and value, given that of the result of `gat_attention`.

    Parameters
    ----------
    grad : array of the shape of output
    A, query, key, value, scores, scale, negative_slope
        As `gat_attention` had them.
    output, log_sums : arrays
        As `gat_attention` returned them with ``return_log_sums``.

    Returns
    -------
    tuple of arrays
        Of the shapes of query, key and value, and the type that NumPy gives these three.

    Raises
    ------
    ValueError
        For shapes that do not fit.
    TypeError
        As of `gat_attention`.

    Notes
    -----
    O(entries heads d): scores are computed again. The first call for a `matrix` sorts its entries by column, and keeps
    the order. The bits repeat for one number of threads.
    """
    layer = _layer_of(A, query, key, value, scores, scale, negative_slope)
    given = []
    for name, of, shape in (
        ("output", output, layer.shapes[3]),
        ("log_sums", log_sums, layer.shapes[4]),
        ("grad", grad, layer.shapes[3]),
    ):
        array = as_array(name, of)
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}: it must have {shape}")
        if array.dtype.kind != "f":
            raise TypeError(f"{name} has elements of {array.dtype}: they must be floating-point numbers")
        array = as_computed(array, layer.computed)
        given.append(array.reshape(shape[0], layer.arguments[3]) if name == "log_sums" else _as_rows(array))
    made = [np.empty(shape, layer.computed) for shape in layer.shapes[:3]]
    of_scores = [each.reshape(layer.arguments[i].shape) for i, each in enumerate(made)]
    layer.compiled.attention_gradients(*layer.arguments, *given, *of_scores)
    with np.errstate(over="ignore"):
        return tuple(each.astype(layer.dtype, copy=False) for each in made)
