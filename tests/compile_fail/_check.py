# SPDX-License-Identifier: Apache-2.0
"""Holds what a compiler says to a case of this folder: _check.py FILE COMPILER FLAGS...

The head of FILE has a line for each way in which it can be wrong, numbered from 1, and the sentence that the user
reads:

    // WRONG=1 says: offsets are signed integers
    // WRONG=2, -std=c++17, says: evenly needs C++20

With -DWRONG=N (and the flags named there) the compiler refuses FILE, the sentence is in its first error, and no more
than a few follow. Without WRONG it takes FILE: so what is refused is what `#if WRONG == N` adds, and nothing else.

Most time goes into headers and templates that all ways share. So one unit has all ways, each in a namespace and a file
name of its own, which its errors name. A compiler instantiates a template once and names its errors once, for the first
way that needs them. So a way that is not refused there as it should be, and one with flags of its own, is compiled
alone, and that counts.
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
OF_WAY = re.compile(r"\bway_(\d+)\.cpp\b")


def compiled(command):
    """Whether it was, and the lines of all that was said."""
    run = subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, check=False)
    return run.returncode == 0, (run.stdout + run.stderr).splitlines()


def faults_of(errors, sentence):
    """What is amiss with the errors of one way, in words."""
    if not errors:
        return ["it compiles, or the compiler names no error"]
    faults = []
    if sentence not in errors[0]:
        faults.append(f"the first error says: {errors[0][:500]}")
    if len(errors) > MOST_ERRORS:
        faults.append(f"{len(errors)} errors, more than {MOST_ERRORS}; the last: {errors[-1][:300]}")
    return faults


def whole_text(file):
    """The text of FILE, and of the .cpp file that a .cu file includes."""
    text = file.read_text(encoding="utf-8")
    return re.sub(r'^#include "(\w+\.cpp)"$', lambda found: whole_text(file.with_name(found[1])), text, flags=re.M)


def errors_of(lines):
    """The errors among the lines: of each the way that it names, or None, and all that was said until the next."""
    errors, way = [], None
    for line in lines:
        named = OF_WAY.findall(line)
        error = ERROR.search(line)
        nvcc = error and line[:error.start()].endswith(")")
        if error:
            errors.append([None if nvcc and not named else way, line[error.end():]])
        elif errors:
            errors[-1][1] += " " + line
        if named: # g++ and clang++ name the way before an error in a header, nvcc after it
            way = named[-1]
            if error or errors and errors[-1][0] is None:
                errors[-1][0] = way
    return errors


def errors_of_ways(compiler, file, numbers, folder):
    """The errors of each way, compiled as one unit."""
    if not numbers:
        return []
    text = whole_text(file)
    unit = pathlib.Path(folder) / f"ways{file.suffix}"
    ways = [f'#define WRONG {number}\nnamespace way_{number} {{\n#line 1 "way_{number}.cpp"\n{INCLUDE.sub("", text)}\n'
            f"}}\n#undef WRONG\n" for number in numbers]
    unit.write_text("\n".join([*INCLUDE.findall(text), *ways]), encoding="utf-8")
    return errors_of(compiled([*compiler, unit])[1])


def main():
    file, compiler = pathlib.Path(sys.argv[1]), sys.argv[2:]
    cases = CASE.findall(file.read_text(encoding="utf-8"))
    failures = []
    if [int(number) for number, _, _ in cases] != list(range(1, len(cases) + 1)) or not cases:
        failures.append(f"{file}: the head has to number its wrong ways from 1: // WRONG=1 says: ...")
    taken, said = compiled([*compiler, file])
    if not taken:
        failures.append(f"{file}: without WRONG it must compile: {' '.join(said)[:1000]}")
    with tempfile.TemporaryDirectory() as folder:
        errors = errors_of_ways(compiler, file, [number for number, flags, _ in cases if not flags], folder)
    alone = 0
    for number, flags, sentence in cases:
        if faults_of([text for way, text in errors if way == number], sentence):
            alone += 1
            said = compiled([*compiler, *flags.split(), f"-DWRONG={number}", file])[1]
            faults = faults_of([text for _, text in errors_of(said)], sentence)
            failures += [f'{file}: WRONG={number}, "{sentence}": {fault}' for fault in faults]
    print("\n".join(failures) or f"{len(cases)} refused, each with its sentence; {alone} compiled alone")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
