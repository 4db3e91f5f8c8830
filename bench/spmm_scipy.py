# SPDX-License-Identifier: Apache-2.0
"""C = A B by scipy.sparse, for bench_spmm_cpu, which writes A to FOLDER, and reads what is found.

    spmm_scipy.py FOLDER WIDTH REPEAT

FOLDER has offsets, columns and cols, how many columns A has, of 32 bits, and values, of double precision. B, by rows,
is made here by the same rule as there. Written are ms, of each run, and c, by rows, both of double precision."""
import pathlib
import sys
import time

import numpy
import scipy.sparse


def main():
    folder, width, repeat = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    offsets, columns, cols = (numpy.fromfile(folder / name, numpy.int32) for name in ("offsets", "columns", "cols"))
    values = numpy.fromfile(folder / "values", numpy.float64)
    a = scipy.sparse.csr_matrix((values, columns, offsets), shape=(len(offsets) - 1, int(cols[0])))
    rows = numpy.arange(cols[0], dtype=numpy.int64)[:, None]
    b = ((rows + 7 * numpy.arange(width)) % 11 - 5).astype(numpy.float64)
    ms = []
    for _ in range(repeat):
        start = time.perf_counter()
        c = a @ b
        ms.append((time.perf_counter() - start) * 1000)
    c.tofile(folder / "c")
    numpy.array(ms).tofile(folder / "ms")


if __name__ == "__main__":
    main()
