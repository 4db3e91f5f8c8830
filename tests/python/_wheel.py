# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel, installs it in a clean environment and tries it: _wheel.py BUILD. Exits with 77 where pip cannot
reach PyPI.

The wheel has the module that BUILD has built, because compiling it again takes minutes. What configuring the wheel
decides is compared with BUILD: what its targets are made of, and with which definitions and folders of headers. With
EVENLY_WHEEL=compiled in the environment everything is compiled as by `pip install .`, with the GPU part.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_BYTES = 15_000_000
COMPILED = os.environ.get("EVENLY_WHEEL") == "compiled"
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


def units(build):
    """Of each target, as far as BUILD compiles it: its sources, and all definitions and folders of headers."""
    targets = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        target = re.search(r" -o \S*CMakeFiles/([^/]+)\.dir/", entry["command"])[1]
        sources, options = targets.setdefault(target, (set(), set()))
        file = pathlib.Path(entry["file"])
        joined = "Unity" in file.parts and re.findall('^#include "(.+)"$', file.read_text(encoding="utf-8"), re.M)
        sources.update(joined or [str(file)])
        options.update(re.findall(r" (-D\S+|-I ?\S+|-isystem \S+)", entry["command"]))
    return targets


def expect_same_units(build, wheel):
    """What `pip install .` would compile, BUILD has compiled."""
    def here(words, folder):
        return {word.replace(str(folder), "BUILD") for word in words}

    assert (build / "compile_commands.json").exists(), "configure with CMAKE_EXPORT_COMPILE_COMMANDS=ON, as presets do"
    ours = units(build)
    for target, (sources, options) in units(wheel).items():
        if target == "evenly_python_cuda":
            continue # BUILD has its kernels in units of another target
        assert target in ours, f"the wheel has the target {target}, {build} does not"
        for words, known in ((sources, ours[target][0]), (options, ours[target][1])):
            new = here(words, wheel) - here(known, build)
            # Not: units of instances, by executor or together; and nanobind, of which pip has one of its own.
            new = {word for word in new if not word.startswith("BUILD") and "/nanobind/" not in word}
            assert not new, f"{target} has, in the wheel only: {sorted(new)}"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        venv.create(folder / "clean", with_pip=True)
        python = folder / "clean/bin/python"
        if run(python, "-m", "pip", "download", "--no-deps", "-d", folder, "nanobind-backend").returncode:
            print("skipped: pip cannot download packages")
            return 77
        settings = [] if COMPILED else [
            f"build-dir={folder / 'build'}", "build.targets=evenly_python_built",
            f"cmake.define.EVENLY_PYTHON_BUILT={build / 'python/evenly'}",
            "cmake.define.CMAKE_EXPORT_COMPILE_COMMANDS=ON"]
        made = run(python, "-m", "pip", "wheel", "--no-deps", "-w", folder / "wheel", ROOT,
                   *(f"--config-settings={setting}" for setting in settings))
        if made.returncode:
            print(made.stdout, made.stderr)
            return 1
        if not COMPILED:
            expect_same_units(build, folder / "build")
        (wheel,) = (folder / "wheel").glob("evenly-*.whl")
        print(wheel.name, wheel.stat().st_size, "bytes")
        assert "-cp310-abi3-" in wheel.name, "one wheel serves every Python from 3.10 on"
        assert wheel.stat().st_size <= MAX_BYTES, f"the wheel has more than {MAX_BYTES} bytes"
        names = zipfile.ZipFile(wheel).namelist()
        has_gpu_part = "evenly/_evenly_cuda.so" in names
        with_gpu_part = "EVENLY_WITH_CUDA" if COMPILED else "EVENLY_WITH_PYTHON_GPU"
        assert has_gpu_part == (os.environ.get(with_gpu_part, "OFF") == "ON"), names
        assert "evenly_networkx/__init__.py" in names and any("entry_points.txt" in name for name in names), names
        assert "evenly/_evenly.abi3.so" in names and "evenly/py.typed" in names and "evenly/_evenly.pyi" in names, names
        installed = run(python, "-m", "pip", "install", wheel)
        tried = run(python, "-c", TRIED)
        print(installed.stdout, installed.stderr, tried.stdout, tried.stderr)
        return installed.returncode or tried.returncode


if __name__ == "__main__":
    sys.exit(main())
