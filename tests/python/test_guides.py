# SPDX-License-Identifier: Apache-2.0
"""The guides (docs/guides) run as programs, block by block, and are notebooks with the same cells. The five lines of
the README compute what they say."""
import importlib.util
import json
import pathlib
import re

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/guides").glob("*.md"))
spec = importlib.util.spec_from_file_location("notebook", ROOT / "scripts/notebook.py")
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)


def refuse_if_missing(module):
    """Skips where a page cannot run, with the reason."""
    found = pytest.importorskip(module, reason=f"{module} is not installed")
    if module == "cupy":
        try:
            found.cuda.runtime.getDeviceCount()
        except found.cuda.runtime.CUDARuntimeError as error:
            pytest.skip(f"no GPU: {error}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_guides_run(page, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    for module in script.needed_by(text):
        refuse_if_missing(module)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    script.run(page.name, text)
    for picture in script.pictures_of(text):  # the page shows what its blocks drew
        assert (tmp_path / picture).stat().st_size > 1000
        assert (ROOT / "docs/images/guides" / picture).exists()


def test_pictures_of_guides():
    """Guides have pictures, and no picture is left over."""
    shown = [picture for page in PAGES for picture in script.pictures_of(page.read_text(encoding="utf-8"))]
    assert len(shown) == len(set(shown)) >= 5
    assert {path.name for path in (ROOT / "docs/images/guides").iterdir()} == set(shown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_guides_are_notebooks(page):
    text = page.read_text(encoding="utf-8")
    made = json.loads(script.notebook(text))
    assert made["nbformat"] == 4 and len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
    code = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
    assert code == [part for is_code, part in script.parts_of(text) if is_code]
    assert len(code) == text.count("```python")


def test_readme_runs():
    sparse = pytest.importorskip("scipy.sparse")
    block = re.search(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)[1]
    A = sparse.csr_matrix(np.array([[1.0, -2, 0], [0, 0, 3], [0, 0, 0]]))
    names = {"A": A, "x": np.array([1.0, 10, 100]), "values": np.array([1.0, 2, 3]), "offsets": np.array([0, 2, 2, 3]),
             "keys": np.array([3, 1, 2])}
    expected = [{}, {"y": [-19, 300, 0]}, {"sums": [3, 0, 3]}, {"levels": [0, 1, 2], "parents": [0, 0, 1]},
                {"keys": [1, 2, 3], "values": [2, 3, 1]}, {"y": [21, 300, 0]}]
    lines = block.splitlines()
    assert len(lines) == len(expected)
    for line, results in zip(lines, expected):
        exec(line, names)
        for name, result in results.items():
            np.testing.assert_array_equal(names[name], result)
