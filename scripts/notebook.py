#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A page of docs/guides as a Jupyter notebook, or as a program.

    scripts/notebook.py docs/guides/scipy.md > scipy.ipynb
    scripts/notebook.py --run docs/guides/scipy.md

Blocks of Python become cells with code, all else cells with text. --run executes the blocks, and draws the pictures
that the page shows anew, in docs/images/guides.
"""
import json
import os
import re
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"^<!-- needs (.*) -->\n", re.MULTILINE)


def parts_of(page):
    """(is_code, text) of each part of a page."""
    for number, part in enumerate(BLOCK.split(page)):
        if part.strip():
            yield number % 2 == 1, part.strip("\n")


def needed_by(page):
    """The modules without which a page does not run."""
    found = NEEDS.search(page)
    return found[1].split() if found else []


PICTURE = re.compile(r"\(\.\./images/guides/([^)]*)\)")


def pictures_of(page):
    """The names of the pictures that the blocks of a page draw, and the page shows."""
    return PICTURE.findall(page)


def run(name, page):
    """Executes the blocks of a page in the current folder, where its pictures then are."""
    os.environ["MPLBACKEND"] = "agg"
    names = {}
    for is_code, part in parts_of(page):
        if is_code:
            exec(compile(part, f"{name}: {part.splitlines()[0]}", "exec"), names)


def draw(path):
    """Replaces the pictures of a page. The same page draws the same bytes if it shows no times."""
    import matplotlib

    os.environ["SOURCE_DATE_EPOCH"] = "0"
    matplotlib.rcParams |= {"svg.hashsalt": "evenly", "svg.fonttype": "none"}
    page = path.read_text(encoding="utf-8")
    images = path.resolve().parents[1] / "images/guides"
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run(path.name, page)
        for name in pictures_of(page):
            drawn = Path(name).read_text(encoding="utf-8")
            (images / name).write_text(re.sub(r"[ \t]+$", "", drawn, flags=re.M), encoding="utf-8")
        os.chdir(here)


def notebook(page):
    """The JSON of the notebook of a page. The same page gives the same bytes."""
    cells = []
    for number, (is_code, text) in enumerate(parts_of(NEEDS.sub("", page))):
        cell = {"cell_type": "code" if is_code else "markdown", "id": f"cell-{number}", "metadata": {},
                "source": text.splitlines(keepends=True)}  # fmt: skip
        cells.append(cell | ({"execution_count": None, "outputs": []} if is_code else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--run":
        draw(Path(sys.argv[2]))
        sys.exit()
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(f"usage: {sys.argv[0]} [--run] PAGE.md")
    print(notebook(Path(sys.argv[1]).read_text(encoding="utf-8")))
