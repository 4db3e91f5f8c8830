# SPDX-License-Identifier: Apache-2.0
"""The format of the sources: no line has more than 120 columns, and clang-format 19 finds nothing to do.

Another version would format some lines otherwise, so no other is asked; without it the first half is tested, and the
whole counts as skipped. format_test.py [CLANG-FORMAT]"""
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FORMATTER = "clang-format-19"
COLUMNS = 120
FORMATTED = {".hpp", ".cpp", ".cu"}
MEASURED = FORMATTED | {".py", ".sh", ".cmake"}
AT_ONCE = 20  # files for one run of clang-format
SKIPPED = 77


def tracked_files():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        return None
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def is_script(path):
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def is_measured(path):
    return path.suffix in MEASURED or path.name == "CMakeLists.txt" or is_script(path)


def long_lines(path):
    """A complaint for each line that is too long."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if len(line) > COLUMNS:
            yield f"{path.relative_to(ROOT)}:{number}: {len(line)} columns are more than {COLUMNS}"


def badly_formatted(formatter, paths):
    """What the formatter says of those that it would change."""
    run = subprocess.run([formatter, "--style=file", "--dry-run", "-Werror", *paths], capture_output=True, text=True,
                         check=False, cwd=ROOT)
    return [run.stderr.strip() or f"{formatter} fails"] if run.returncode != 0 else []


def main():
    paths = tracked_files()
    if paths is None:
        print("skipped: which files are sources is known to git alone, and this is no checkout")
        return SKIPPED
    complaints = [line for path in paths if is_measured(path) for line in long_lines(path)]
    formatter = shutil.which(sys.argv[1] if len(sys.argv) > 1 else FORMATTER)
    sources = [path for path in paths if path.suffix in FORMATTED]
    if formatter:
        some = [sources[i:i + AT_ONCE] for i in range(0, len(sources), AT_ONCE)]
        with ThreadPoolExecutor() as pool:
            complaints += [said for found in pool.map(lambda part: badly_formatted(formatter, part), some)
                           for said in found]
    if complaints:
        print("\n".join(complaints))
        print(f"{FORMATTER} -i FILE formats code; long comments are for you to break")
        return 1
    if not formatter:
        print(f"skipped: no {FORMATTER} here, and other versions format otherwise (scripts/setup.sh installs it)")
        return SKIPPED
    print(f"{len(sources)} files are formatted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
