# SPDX-License-Identifier: Apache-2.0
"""Why a product takes as long as it does: explanations, comparisons and pictures, which notebooks show as such."""

from __future__ import annotations

import html
import math
import numbers
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import _evenly
from ._arrays import as_count, as_offsets, as_text, computed_type
from ._matrix import _is_scipy, as_matrix, matrix
from ._segments import segment_reduce, segments


def _html_table(head: list[str], rows: list[list[str]]) -> str:
    cells = "".join(f"<th>{html.escape(text)}</th>" for text in head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def _bars(values: dict[str, float], texts: list[str]) -> picture:
    """A bar for each value, beside its name and its text."""
    greatest = max(values.values(), default=0) or 1
    lines = []
    for i, ((name, value), text) in enumerate(zip(values.items(), texts)):
        y, width = 20 * i, 240 * value / greatest
        lines.append(
            f'<text x="195" y="{y + 15}" text-anchor="end">{html.escape(name)}</text>'
            f'<rect x="200" y="{y + 3}" width="{width:.1f}" height="14" fill="#2a9d8f"/>'
            f'<text x="{205 + width:.1f}" y="{y + 15}">{html.escape(text)}</text>'
        )
    size = f'width="560" height="{20 * len(values)}" viewBox="0 0 560 {20 * len(values)}"'
    style = 'font-family="sans-serif" font-size="12" fill="#888"'
    return picture(f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{"".join(lines)}</svg>\n')


class _progress:
    """How far something is that takes more than a second, on one line of a terminal or a notebook."""

    def __init__(self) -> None:
        self._next = time.perf_counter() + 1
        self._is_shown = False
        self._is_on = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)

    def show(self, text: str) -> None:
        now = time.perf_counter()
        if self._is_on and now >= self._next:
            self._next, self._is_shown = now + 0.2, True
            sys.stderr.write(f"\r\033[K{text}")
            sys.stderr.flush()

    def end(self) -> None:
        if self._is_shown:
            sys.stderr.write("\r\033[K")


class finding(NamedTuple):
    """What a kernel could do better. ``cost`` is a part of its time, from 0 to 1."""

    kind: str
    cost: float
    file: str
    line: int
    observation: str
    advice: str


class explanation:
    """What `explain` returns: ``schedule``, ``choice`` (why it was chosen), ``findings`` and ``text``."""

    def __init__(self, schedule: str, choice: str, text: str, findings: list[finding]):
        self.schedule, self.choice, self.text, self.findings = schedule, choice, text, findings

    def __repr__(self) -> str:
        return self.text

    def to_frame(self) -> Any:
        """The findings as a DataFrame, with a column for each member of `finding`. Needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.findings, columns=finding._fields)

    def chart(self) -> picture:
        """A bar for the cost of each finding."""
        names = [f"{i + 1}. {each.kind}" for i, each in enumerate(self.findings)]
        costs = [each.cost for each in self.findings]
        return _bars(dict(zip(names, costs)), [f"{each:.0%}" for each in costs])

    def _repr_html_(self) -> str:
        rows = [
            [f"{each.cost:.0%}", f"{each.file}:{each.line}" if each.file else "", each.observation, each.advice]
            for each in self.findings
        ]
        head = f"<p><b>{html.escape(self.schedule)}</b> {html.escape(self.choice)}</p>"
        return head + _html_table(["cost", "place", "observation", "advice"], rows)


def explain(A: Any, *, schedule: str = "automatic") -> explanation:
    """What ``A @ x`` asks of the memory of a GPU, as the simulated one counts it.

    Parameters
    ----------
    A : `matrix`, or what `matrix` takes
        Of real numbers.
    schedule : str
        A name of `schedules`.

    Returns
    -------
    explanation
        A page of text, or a table in a notebook: the greatest cost first, each with its place and advice.
        ``to_frame()`` and ``chart()`` have the findings as a DataFrame and as bars.

    Raises
    ------
    TypeError
        For complex values.
    ValueError
        For an unknown schedule.

    Notes
    -----
    O(entries), but a simulation takes about a thousand times as long as the product. Use matrices of at most a million
    entries.
    """
    of = as_matrix(A)
    if of.dtype.kind == "c":
        raise TypeError(f"A has elements of {of.dtype}: they must be real numbers")
    computed = computed_type("A", of.dtype)
    real = computed if computed.kind == "f" else np.dtype(np.float64)
    found = _evenly.explain(of._rows().compiled(real), as_text("schedule", schedule, "automatic"))
    return explanation(*found[:3], [finding(*each) for each in found[3]])


class comparison:
    """What `compare` returns. ``seconds``: the median time of each schedule, the fastest first."""

    def __init__(self, subject: str, seconds: dict[str, float], peer: float | None):
        self.subject, self.peer = subject, peer
        self.seconds = dict(sorted(seconds.items(), key=lambda item: item[1]))

    def _seconds(self) -> dict[str, float]:
        return self.seconds if self.peer is None else {**self.seconds, "(scipy)": self.peer}

    def _rows(self) -> list[list[str]]:
        best = min(self.seconds.values())
        return [[name, f"{each * 1e3:.3f} ms", f"{each / best:.2f}"] for name, each in self._seconds().items()]

    def __repr__(self) -> str:
        lines = [self.subject]
        lines += [f"  {name:<24} {seconds:>12} {ratio:>7} x" for name, seconds, ratio in self._rows()]
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """A DataFrame with a row for each schedule, the fastest first, and one for SciPy: ``seconds``, the median, and
        ``ratio`` to the fastest schedule. Needs pandas."""
        import pandas as pd

        seconds = self._seconds()
        best = min(self.seconds.values())
        return pd.DataFrame({"seconds": seconds, "ratio": {name: each / best for name, each in seconds.items()}})

    def chart(self) -> picture:
        """A bar for the time of each schedule."""
        return _bars(self._seconds(), [row[1] for row in self._rows()])

    def _repr_html_(self) -> str:
        table = _html_table(["schedule", "median", "of the fastest"], self._rows())
        return f"<p>{html.escape(self.subject)}</p>{table}{self.chart().svg}"


_INT_MAX = np.iinfo(np.int32).max
_OPERATIONS = ("spmv", "spmm", "segment_sum")


def compare(A: Any, op: str = "spmv", *, schedules: list[str] | None = None, seconds: float = 1.0) -> comparison:
    """Times an operation on a matrix under each schedule, and checks that the results agree.

    Parameters
    ----------
    A : `matrix`, or what `matrix` takes
    op : {"spmv", "spmm", "segment_sum"}
        A product with a vector, with 32 columns, or the sum of each row.
    schedules : list of str, optional
        By default all; those that are one on the CPU are timed once.
    seconds : float
        How long to measure. Schedules take turns, so that noise meets all; plans are made before.

    Returns
    -------
    comparison
        A table, in a notebook and as text; ``to_frame()`` is a DataFrame and ``chart()`` a picture of it. Where SciPy
        is loaded it is timed too. What takes longer than a second shows its progress.

    Raises
    ------
    ValueError
        For another ``op``, an unknown schedule, an empty list, and ``seconds`` that are negative or not finite.
    TypeError
        For ``seconds`` that are no number.

    Notes
    -----
    Takes ``seconds``, but at least two runs of each schedule, which are O(entries).
    """
    of = as_matrix(A)
    if op not in _OPERATIONS:
        raise ValueError(f"op = {op!r} cannot be compared; there are {', '.join(_OPERATIONS)}")
    if not isinstance(seconds, numbers.Real):
        raise TypeError(f"seconds is {type(seconds).__name__}: it must be a number")
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ValueError(f"seconds = {seconds}: must be finite and not negative")
    names = list(_evenly.cpu_schedule_names()) if schedules is None else list(schedules)
    if not names:
        raise ValueError("schedules is empty: name at least one")
    rows, cols = of.shape
    dtype = of.dtype if of.dtype.kind in "fc" else np.dtype(np.float64)
    if op == "segment_sum":
        kept = segments(of.indptr)
        runs = {name: (lambda name=name: segment_reduce(of.data, kept, schedule=name)) for name in names}
        peer = None
    else:
        x = np.ones(cols if op == "spmv" else (cols, 32), dtype)
        out = np.empty(rows if op == "spmv" else (rows, 32), np.result_type(of.dtype, dtype))
        runs = {name: (lambda name=name: of.dot(x, out=out, schedule=name)) for name in names}
        a = A if _is_scipy(A) and type(A) is not matrix else None
        peer = None if a is None else (lambda: a @ x)
    times = _take_turns(runs, peer, seconds)
    subject = f"{op} of {rows} rows, {cols} columns and {of.nnz} entries of {of.dtype}, {_evenly.threads()} threads"
    return comparison(subject, {name: times[name] for name in names}, times.get(""))


def _take_turns(runs: dict[str, Callable], peer: Callable | None, seconds: float) -> dict[str, float]:
    """The median time of each run; of the peer under the name ""."""
    first, progress = None, _progress()
    for number, (name, run) in enumerate(runs.items()):
        progress.show(f"plans of schedules: {number} of {len(runs)}")
        result = np.array(run(), copy=True)
        first = result if first is None else first
        if not np.allclose(result, first, rtol=1e-3, atol=1e-3 * float(np.abs(first).max(initial=0)), equal_nan=True):
            raise RuntimeError(f"the result under {name} differs from that of the first schedule")
    all_runs = runs if peer is None else {**runs, "": peer}
    times: dict[str, list[float]] = {name: [] for name in all_runs}
    end = time.perf_counter() + seconds
    while not times[next(iter(times))] or time.perf_counter() < end:
        for name, run in all_runs.items():
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
        progress.show(f"measuring: {max(0.0, end - time.perf_counter()):.0f} s left")
    progress.end()
    return {name: float(np.median(each)) for name, each in times.items()}


class picture:
    """What `draw` returns: ``svg``, which notebooks show."""

    def __init__(self, svg: str):
        self.svg = svg

    def save(self, path: Any) -> None:
        """Writes the SVG to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<evenly.picture: {len(self.svg)} bytes of SVG; save(path) writes them>"


def draw(schedule: str, A: Any = None, *, offsets: Any = None, block_size: int = 8, warp_size: int = 4) -> picture:
    """Which thread takes which entries of a matrix's rows, step by step.

    Parameters
    ----------
    schedule : str
        A name of `schedules`, but for "automatic".
    A : `matrix`, or what `matrix` takes, optional
        Of many rows a sample is drawn.
    offsets : array of shape (segments + 1,), or `segments`, optional
        In place of A. By default eight rows of a small example.
    block_size, warp_size : int
        Threads of a block, at most 64, and of a warp, a power of two.

    Returns
    -------
    picture
        An SVG. The same arguments give the same bytes.

    Raises
    ------
    ValueError
        For "automatic", an unknown schedule, sizes outside these limits, and both A and offsets.

    Notes
    -----
    O(rows) to choose the sample. The size of the picture is bounded.
    """
    if A is not None and offsets is not None:
        raise ValueError("a picture is of A or of offsets")
    if A is not None:
        tiles = as_matrix(A).indptr
    elif isinstance(offsets, segments):
        tiles = offsets.offsets
    else:
        tiles = as_offsets("offsets", [0, 3, 4, 8, 10, 12, 24, 27, 28] if offsets is None else offsets)
    name = as_text("schedule", schedule, "merge_path")
    sizes = (as_count("block_size", block_size, _INT_MAX), as_count("warp_size", warp_size, _INT_MAX))
    return picture(_evenly.draw(tiles, name, *sizes))
