# SPDX-License-Identifier: Apache-2.0
"""Graph attention, against NumPy on each row, and its gradients against differences."""

import evenly as ev
import numpy as np
import pytest
import scipy.sparse

SIZES = (40, 30)


def layer(rng, dtype, scores, heads, width=5):
    a = scipy.sparse.random(*SIZES, 0.2, "csr", random_state=np.random.RandomState(3))
    a.data[:] = np.nan  # not read
    lil = a.tolil()
    lil[7] = 0
    a = lil.tocsr()
    a.eliminate_zeros()
    shape = lambda lines, *features: (lines, *([heads] if heads else []), *features)
    of_scores = [width] if scores == "dot" else []
    make = lambda *of: rng.standard_normal(shape(*of)).astype(dtype)
    return a, make(SIZES[0], *of_scores), make(SIZES[1], *of_scores), make(SIZES[1], width)


def expected(a, q, k, v, scores, scale=None, slope=0.2):
    """The result and the logarithms of the sums, in float64."""
    if v.ndim == 2:
        out, logs = expected(a, q[:, None], k[:, None], v[:, None], scores, scale, slope)
        return out[:, 0], logs[:, 0]
    q, k, v = (each.astype("f8") for each in (q, k, v))
    out, logs = np.zeros((q.shape[0], *v.shape[1:])), np.full((q.shape[0], v.shape[1]), -np.inf)
    for i in range(q.shape[0]):
        at = a.indices[a.indptr[i] : a.indptr[i + 1]]
        if at.size == 0:
            continue
        if scores == "dot":
            s = np.einsum("hd,jhd->jh", q[i], k[at]) * (1 / np.sqrt(v.shape[2]) if scale is None else scale)
        else:
            s = q[i] + k[at]
            s = np.where(s > 0, s, slope * s)
        logs[i] = np.log(np.exp(s).sum(0))
        out[i] = np.einsum("jh,jhd->hd", np.exp(s - logs[i]), v[at])
    return out, logs


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("scores", ["dot", "additive"])
@pytest.mark.parametrize("heads", [None, 1, 3])
def test_attention(rng, dtype, scores, heads):
    a, q, k, v = layer(rng, dtype, scores, heads)
    near = {"rtol": 1e-2 if dtype == "float16" else 1e-5, "atol": 1e-2 if dtype == "float16" else 1e-5}
    should, logs = expected(a, q, k, v, scores)
    out, log_sums = ev.gat_attention(a, q, k, v, scores=scores, return_log_sums=True)
    assert out.dtype == dtype and out.shape == should.shape and log_sums.shape == logs.shape
    np.testing.assert_allclose(out, should, **near)
    np.testing.assert_allclose(log_sums, logs, **near)
    to = np.empty_like(out)
    assert ev.gat_attention(ev.matrix(a), q, k, v, scores=scores, out=to) is to
    np.testing.assert_array_equal(to, out)
    if scores == "dot":
        np.testing.assert_allclose(ev.gat_attention(a, q, k, v, scale=2), expected(a, q, k, v, "dot", 2)[0], **near)
    else:
        should = expected(a, q, k, v, scores, slope=0.5)[0]
        np.testing.assert_allclose(ev.gat_attention(a, q, k, v, scores=scores, negative_slope=0.5), should, **near)


@pytest.mark.parametrize("scores", ["dot", "additive"])
@pytest.mark.parametrize("heads", [None, 2])
def test_gradients(rng, scores, heads):
    a, *inputs = layer(rng, "float64", scores, heads, 3)
    grad = rng.standard_normal(inputs[2].shape[:0] + (SIZES[0], *inputs[2].shape[1:]))
    m = ev.matrix(a)
    out, log_sums = ev.gat_attention(m, *inputs, scores=scores, return_log_sums=True)
    found = ev.gat_attention_gradients(grad, m, *inputs, out, log_sums, scores=scores)
    for which, gradient in enumerate(found):
        assert gradient.shape == inputs[which].shape
        for place in rng.integers(0, gradient.size, 12):
            sums = []
            for step in (1e-6, -1e-6):
                moved = [each.copy() for each in inputs]
                moved[which].flat[place] += step
                sums.append((expected(a, *moved, scores)[0] * grad).sum())
            np.testing.assert_allclose(gradient.flat[place], (sums[0] - sums[1]) / 2e-6, rtol=1e-5, atol=1e-7)


def test_refusals(rng):
    a, q, k, v = layer(rng, "float32", "dot", 2)
    for message, call in {
        r"query has shape \(39, 2, 5\): .* \(40, 2, 5\)": lambda: ev.gat_attention(a, q[1:], k, v),
        r"key has shape \(30, 2, 5\): .* \(30, 2\)": lambda: ev.gat_attention(a, q[..., 0], k, v, scores="additive"),
        'scores = \'sum\': it must be "dot" or "additive"': lambda: ev.gat_attention(a, q, k, v, scores="sum"),
        "scale has no meaning": lambda: ev.gat_attention(a, q[..., 0], k[..., 0], v, scores="additive", scale=2),
        "value has 1 dimensions": lambda: ev.gat_attention(a, q, k, v[:, 0, 0]),
        r"log_sums has shape \(40,\)": lambda: ev.gat_attention_gradients(q, a, q, k, v, q, np.zeros(40, "f4")),
    }.items():
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="elements of complex64"):
        ev.gat_attention(a, q, k, v.astype("c8"))
