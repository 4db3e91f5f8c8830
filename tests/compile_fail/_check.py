# SPDX-License-Identifier: Apache-2.0
"""Holds what a compiler says to a case of this folder: _check.py FILE COMPILER FLAGS...

The head of FILE has a line for each way in which it can be wrong, numbered from 1, and the sentence that the user
reads:

    // WRONG=1 says: offsets are signed integers
    // WRONG=2, -std=c++17, says: evenly needs C++20

With -DWRONG=N (and the flags named there) the compiler refuses FILE, the sentence is in its first error, and no more
than a few follow. Without WRONG it takes FILE: so what is refused is what `#if WRONG == N` adds, and nothing else.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MOST_ERRORS = 6
CASE = re.compile(r"^// WRONG=(\d+)(?:, (-[^,]*))?,? says: (.+)$", re.MULTILINE)
INCLUDE = re.compile(r"^#include .+$", re.MULTILINE)
ERROR = re.compile(r": (?:fatal )?error(?: #[\w-]+)?: ")


def compiled(command):
    """Whether it was, and all that was said, in one line."""
    run = subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, check=False)
    return run.returncode == 0, " ".join((run.stdout + run.stderr).split())


def faults_of_wrong(command, sentence):
    """What is amiss with the refusal of one wrong way, in words."""
    taken, said = compiled(command)
    if taken:
        return ["it compiles"]
    errors = ERROR.split(said)[1:]
    if not errors:
        return [f"the compiler names no error: {said[:500]}"]
    faults = []
    if sentence not in errors[0]:
        faults.append(f"the first error says: {errors[0][:500]}")
    if len(errors) > MOST_ERRORS:
        faults.append(f"{len(errors)} errors, more than {MOST_ERRORS}; the last: {errors[-1][:300]}")
    return faults


def with_precompiled_headers(compiler, file, folder):
    """The command with the precompiled includes of FILE. A case with other flags reads their text, so a FILE of such
    cases only is left as it is. So are other compilers than g++: they insist on the same macros."""
    text = pathlib.Path(file).read_text(encoding="utf-8")
    if all(flags for _, flags, _ in CASE.findall(text)):
        return compiler
    asked = subprocess.run([compiler[0], "--version"], capture_output=True, text=True, check=False).stdout
    if "Free Software Foundation" not in asked:
        return compiler
    headers = pathlib.Path(folder) / "headers.hpp"
    includes = INCLUDE.findall(text)
    headers.write_text("\n".join(includes) + "\n", encoding="utf-8")
    flags = [flag for flag in compiler if flag != "-fsyntax-only"]
    command = [*flags, "-x", "c++-header", headers, "-o", f"{headers}.gch"]
    done = subprocess.run(command, capture_output=True, check=False)
    return [*compiler, "-include", str(headers)] if done.returncode == 0 else compiler


def main():
    with tempfile.TemporaryDirectory() as folder:
        return check(sys.argv[1], with_precompiled_headers(sys.argv[2:], sys.argv[1], folder))


def check(file, compiler):
    command = [*compiler, file]
    cases = CASE.findall(pathlib.Path(file).read_text(encoding="utf-8"))
    failures = []
    if [int(number) for number, _, _ in cases] != list(range(1, len(cases) + 1)) or not cases:
        failures.append(f"{file}: the head has to number its wrong ways from 1: // WRONG=1 says: ...")
    taken, said = compiled(command)
    if not taken:
        failures.append(f"{file}: without WRONG it must compile: {said[:1000]}")
    for number, flags, sentence in cases:
        wrong = [*compiler, *flags.split(), f"-DWRONG={number}", file]
        failures += [f'{file}: WRONG={number}, "{sentence}": {fault}' for fault in faults_of_wrong(wrong, sentence)]
    print("\n".join(failures) or f"{len(cases)} refused, each with its sentence")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
