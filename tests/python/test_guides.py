# SPDX-License-Identifier: Apache-2.0
"""The guides (docs/guides) run as programs, block by block, and are notebooks with the same cells."""
import importlib.util
import json
import pathlib

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
    names = {}
    for is_code, part in script.parts_of(text):
        if is_code:
            exec(compile(part, f"{page.name}: {part.splitlines()[0]}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_guides_are_notebooks(page):
    text = page.read_text(encoding="utf-8")
    made = json.loads(script.notebook(text))
    assert made["nbformat"] == 4 and len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
    code = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
    assert code == [part for is_code, part in script.parts_of(text) if is_code]
    assert len(code) == text.count("```python")
