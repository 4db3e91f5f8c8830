# SPDX-License-Identifier: Apache-2.0
"""Runs pytest on this folder, with the arguments given; exits with 77 if something is missing that tests need."""
import importlib.util
import pathlib
import sys

missing = [name for name in ("numpy", "scipy", "pytest", "hypothesis") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: {sys.executable} has no {', '.join(missing)}")
    sys.exit(77)

import pytest  # noqa: E402

folder = pathlib.Path(__file__).parent
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", f"--rootdir={folder}", *sys.argv[1:], str(folder)]))
