# SPDX-License-Identifier: Apache-2.0
"""What users read where GPU arrays cannot be computed with. tests/python/gpu_arrays.py runs on a GPU."""
import json
import os
import subprocess
import sys

import evenly as ev
import numpy as np
import pytest
from evenly import _device_arrays, _evenly


def has_part():
    return os.path.exists(os.path.join(os.path.dirname(_evenly.__file__), "_evenly_cuda.so"))


def has_gpu():
    try:
        return _device_arrays.open_part() > 0
    except RuntimeError:
        return False


no_gpu = pytest.mark.skipif(has_gpu(), reason="there is a GPU")


class OnGpu:
    """An array that says that it is on a GPU."""

    __cuda_array_interface__ = {
        "shape": (3,), "typestr": "<f4", "data": (0, False), "version": 3, "strides": None
    }  # fmt: skip


class OnGpuByDlpack:
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **_):
        raise AssertionError("not read without a GPU")


REASON = "no GPU can be used" if has_part() else "this evenly has no GPU part"


@no_gpu
@pytest.mark.parametrize(
    "call",
    [
        lambda: ev.matrix(np.eye(3)).dot(np.ones(3), on="cuda"),
        lambda: ev.segment_reduce(np.ones(3), [0, 1, 3], on="cuda"),
        lambda: ev.segment_reduce(OnGpu(), [0, 1, 3]),
        lambda: ev.segments(OnGpu()),
        lambda: ev.reduce(OnGpu()),
        lambda: ev.scan(OnGpuByDlpack()),
        lambda: ev.matrix((OnGpu(), OnGpu(), OnGpu()), shape=(2, 2)),
        lambda: ev.bfs((OnGpu(), OnGpu(), OnGpu()), 0),
        lambda: ev.device_array((3,), "float32"),
    ],
)
def test_one_sentence_without_a_gpu(call):
    with pytest.raises(RuntimeError, match=REASON) as thrown:
        call()
    assert "\n" not in str(thrown.value)


def test_arrays_of_the_host_are_not_taken_for_gpu_arrays():
    import scipy.sparse as sp

    for array in (np.ones(3), [1.0], 1.0, (np.ones(3),), (), sp.eye_array(3), ev.matrix(np.eye(2))):
        assert _device_arrays.library_of(array) is None


@pytest.mark.skipif("EVENLY_HOST_PART" not in os.environ, reason="host_part.cpp is not compiled")
@pytest.mark.parametrize("how", [[], ["--c-functions"]], ids=["attributes", "C functions"])
def test_gpu_arrays_without_a_gpu(tmp_path, how):
    script = os.path.join(os.path.dirname(__file__), "gpu_arrays.py")
    output = tmp_path / "times.json"
    run = subprocess.run(
        [sys.executable, script, "--host-part", os.environ["EVENLY_HOST_PART"], "-o", output, *how],
        capture_output=True, text=True
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    report = json.loads(output.read_text())
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "bench"))
    import python_report

    assert python_report.faults(report) == []
    assert {row["what"] for row in report["rows"]} >= {"A @ x", "A @ X of 32", "segment sums", "sum", "scan"}
