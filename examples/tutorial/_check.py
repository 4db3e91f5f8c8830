# SPDX-License-Identifier: Apache-2.0
"""Runs a program of the tutorial and holds that it prints what its page shows, times aside.

usage: _check.py PROGRAM PAGE
"""
import re
import subprocess
import sys
from pathlib import Path

program, page = sys.argv[1:]
done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=120)
shown = re.findall(r"^```text\n(.*?)^```$", Path(page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def without_times(text):
    return re.sub(r"\d+\.\d+ ms", "TIME ms", text)


if done.returncode != 0:
    sys.exit(f"{program} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
if len(shown) != 1:
    sys.exit(f"{page} shows {len(shown)} outputs, and not one")
if without_times(done.stdout) != without_times(shown[0]):
    sys.exit(f"{page} shows\n{shown[0]}\nbut {program} prints\n{done.stdout}")
