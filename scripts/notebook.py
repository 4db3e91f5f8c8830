#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a page of docs/guides as a Jupyter notebook: scripts/notebook.py docs/guides/scipy.md > scipy.ipynb

Blocks of Python become cells with code, all else cells with text.
"""
import json
import re
import sys
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
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} PAGE.md")
    print(notebook(Path(sys.argv[1]).read_text(encoding="utf-8")))
