# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel, installs it in a clean environment and tries it. Exits with 77 where pip cannot reach PyPI."""
import os
import pathlib
import subprocess
import sys
import tempfile
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_BYTES = 15_000_000
TRIED = """
import evenly as ev, numpy as np
assert "site-packages" in ev.__file__, ev.__file__
assert ev.__version__ != "0"
M = ev.matrix(np.diag([1.0, 2.0, 3.0]))
assert (M @ np.ones(3) == [1, 2, 3]).all() and ((M @ M).toarray() == np.diag([1, 4, 9])).all()
assert ev.segment_reduce([1, 2, 3], [0, 1, 3]).tolist() == [1, 5]
assert ev.bfs(np.eye(3, k=1), 0).levels.tolist() == [0, 1, 2]
try:
    assert (M.dot(np.ones(3), on="cuda") == [1, 2, 3]).all()
except RuntimeError as error:
    assert "GPU" in str(error), error
"""


def run(*command):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, env=environment)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        venv.create(folder / "clean", with_pip=True)
        python = folder / "clean/bin/python"
        if run(python, "-m", "pip", "download", "--no-deps", "-d", folder, "nanobind-backend").returncode:
            print("skipped: pip cannot download packages")
            return 77
        build = run(python, "-m", "pip", "wheel", "--no-deps", "-w", folder / "wheel", ROOT)
        if build.returncode:
            print(build.stdout, build.stderr)
            return 1
        (wheel,) = (folder / "wheel").glob("evenly-*.whl")
        print(wheel.name, wheel.stat().st_size, "bytes")
        assert "-cp310-abi3-" in wheel.name, "one wheel serves every Python from 3.10 on"
        assert wheel.stat().st_size <= MAX_BYTES, f"the wheel has more than {MAX_BYTES} bytes"
        names = zipfile.ZipFile(wheel).namelist()
        has_gpu_part = "evenly/_evenly_cuda.so" in names
        assert has_gpu_part == (os.environ.get("EVENLY_WITH_CUDA", "OFF") == "ON"), names
        assert "evenly_networkx/__init__.py" in names and any("entry_points.txt" in name for name in names), names
        assert "evenly/py.typed" in names and "evenly/_evenly.pyi" in names, names
        installed = run(python, "-m", "pip", "install", wheel)
        tried = run(python, "-c", TRIED)
        print(installed.stdout, installed.stderr, tried.stdout, tried.stderr)
        return installed.returncode or tried.returncode


if __name__ == "__main__":
    sys.exit(main())
