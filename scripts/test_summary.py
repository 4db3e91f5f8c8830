# SPDX-License-Identifier: Apache-2.0
"""Adds up the results of a test run in BUILD_DIR: a line for each program, then one for all.

GoogleTest programs and pytest count by their cases (BUILD_DIR/test-results/NAME.xml), any other test as one. If ctest
reports a failed program whose cases all passed (a crash, a sanitizer's report at exit, a timeout), it counts as one
failure. Exits with 1 if something failed or nothing ran.
"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def case_outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("result") in ("skipped", "suppressed"):
        return "skipped"
    return "passed" if case.get("status", "run") == "run" else "skipped"  # pytest gives no status


def test_outcomes(test, gtest_results):
    """The outcomes of one of ctest's tests: of its cases, if it says more."""
    whole = {"run": "passed", "notrun": "skipped"}.get(test.get("status"), "failed")
    try:
        cases = [case_outcome(case) for case in ElementTree.parse(gtest_results).iter("testcase")]
    except (OSError, ElementTree.ParseError):
        return [whole]
    if whole == "failed" and "failed" not in cases:
        cases.append("failed")
    return cases


def cuda_status(build):
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("EVENLY_CUDA_STATUS:"):
            return line.split("=", 1)[1]
    return "off (not asked for)"


def gpu_note(build, tests):
    """What became of the GPU tests, in words; None if they ran."""
    status = cuda_status(build)
    if not status.startswith("on"):
        return f"GPU tests: not compiled: {status.removeprefix('off ').strip('()')}"
    for test in tests:
        if test.get("name") == "evenly_cuda_tests":
            if test.get("status") != "notrun":
                return None
            said = (test.findtext("system-out") or "").strip().splitlines()
            reason = said[-1].removeprefix("skipped: ") if said else "the program exited with 77"
            return f"GPU tests: compiled, not run: {reason}"
    return "GPU tests: there are none in tests/cuda"


def counts(outcomes):
    return ", ".join(f"{outcomes.count(kind)} {kind}" for kind in ("passed", "failed", "skipped"))


def main():
    build = pathlib.Path(sys.argv[1])
    results = build / "test-results"
    try:
        tests = list(ElementTree.parse(results / "ctest.junit").iter("testcase"))
    except (OSError, ElementTree.ParseError):
        tests = []
    outcomes = []
    print()
    for test in tests:
        of_test = test_outcomes(test, results / f"{test.get('name')}.xml")
        print(f"{test.get('name')}: {counts(of_test)}")
        outcomes += of_test
    note = gpu_note(build, tests)
    if note:
        print(note)
    print(counts(outcomes))
    return 1 if "failed" in outcomes or "passed" not in outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
