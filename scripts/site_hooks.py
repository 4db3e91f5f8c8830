# SPDX-License-Identifier: Apache-2.0
"""What the site needs beside MkDocs (mkdocs.yml): pages of docs link to files of the repository, as on a forge. Each
file that is linked becomes a page below source/, and so does each folder. Anchors are those that forges make."""
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from notebook import notebook  # noqa: E402
from python_reference import reference  # noqa: E402

FENCE = re.compile(r"^( *)```.*?^\1```[ ]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(#[\w-]+)?\)")
PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)" alt="([^"]*)">\s*</picture>')
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".cu": "cuda", ".py": "python", ".sh": "bash"}
LARGE = 100_000  # bytes: files that are larger, and those that browsers show well, are copied as they are
ROOT_PAGES = ("CONTRIBUTING.md", "CHANGELOG.md")
SOURCE = "<h1></h1>"  # in the place of a source while MkDocs reads the words of a page for the search
made = tempfile.TemporaryDirectory()  # the pages that are not in docs
sources = {}  # the HTML of each source, by the page's address


def outside_fences(text, change):
    """`text` with `change` of all that is not in a fence."""
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[end:fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


def anchor(heading, separator):
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", separator)


def in_docs(path):
    """Whether MkDocs finds it by itself: docs/api is for Doxygen."""
    return path.is_relative_to(ROOT / "docs") and not path.is_relative_to(ROOT / "docs/api")


def site_path(target):
    """Where the site has a file or a folder of the repository, relative to the root of the site's sources."""
    name = target.relative_to(ROOT)
    name = name.with_name(name.name.lstrip("."))  # MkDocs leaves out what begins with a point
    if target.is_dir():
        return Path("source") / name / "index.md"
    if in_docs(target):
        return target.relative_to(ROOT / "docs")
    if target.suffix == ".md":
        return Path("source") / name
    copied = target.suffix in (".html", ".json") or target.stat().st_size > LARGE
    return Path("source") / (name if copied else f"{name}.md")


def targets_of(text, folder):
    """The files and folders of the repository that a page in `folder` links to."""
    prose = []
    outside_fences(text, lambda part: prose.append(part) or part)
    for link in LINK.finditer("\n".join(prose)):
        target = (folder / link[1]).resolve()
        if "://" not in link[1] and target.exists() and (target.is_dir() or not in_docs(target)):
            yield target


def relinked(text, origin, place):
    """The text of the file `origin` with links as the site has them, for a page at `place`."""
    def link(found):
        target = (origin.parent / found[1]).resolve()
        if "://" in found[1] or not target.is_relative_to(ROOT) or not target.exists():
            return found[0]
        return f"]({os.path.relpath(site_path(target), place.parent)}{found[2] or ''})"

    return outside_fences(text, lambda part: LINK.sub(link, part))


def lists_of_their_own(text):
    """Python-Markdown wants a blank line in front of a list, and what belongs to an item four columns to the right."""
    text = re.sub(r"^((?![ ]*([*|>#-]|\d+\.) )[^\n]*\S[^\n]*\n)(?=[ ]{0,3}([*-]|1\.) )", r"\1\n", text,
                  flags=re.MULTILINE)
    return re.sub(r"^ {2,3}(?=\S)", "    ", text, flags=re.MULTILINE)


def page_of(target):
    name = target.relative_to(ROOT)
    if target.is_dir():
        entries = sorted(each for each in target.iterdir() if each.is_file())
        return f"# {name}\n\n" + "".join(f"* `{each.name}`\n" for each in entries)
    text = target.read_text(encoding="utf-8")
    if target.suffix == ".md":
        return text
    return f"# {name}\n\n````{LANGUAGES.get(target.suffix, 'text')} linenums=\"1\"\n{text}````\n"


def on_config(config):
    config["mdx_configs"]["toc"]["slugify"] = anchor
    decisions = sorted((path.name for path in (ROOT / "docs/decisions").glob("*.md")),
                       key=lambda name: (name != "README.md", name))
    for group in config["nav"]:
        if "Decisions" in group:
            group["Decisions"] = [f"decisions/{name}" for name in decisions]
    return config


def on_files(files, config):
    """Adds what is linked, and what that links to; leaves out the sources of the reference."""
    for file in [each for each in files if each.src_path.startswith("api/")]:
        files.remove(file)
    folder = Path(made.name)

    def add(place, text):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
        files.append(File(str(place), str(folder), config["site_dir"], config["use_directory_urls"]))

    add(Path("api/index.html"), "")  # scripts/site.sh lets Doxygen write it later
    add(Path("python-reference.md"), reference())
    for page in sorted((ROOT / "docs/guides").glob("*.md")):
        add(Path(f"guides/{page.stem}.ipynb"), notebook(page.read_text(encoding="utf-8")))
    waiting = [ROOT / name for name in ROOT_PAGES]
    for file in files.documentation_pages():
        path = Path(file.abs_src_path)
        waiting += targets_of(path.read_text(encoding="utf-8"), path.parent)
    seen = set()
    while waiting:
        target = waiting.pop()
        if target in seen or not target.is_relative_to(ROOT):
            continue
        seen.add(target)
        place = site_path(target)
        if place.suffix != ".md":
            add(place, target.read_text(encoding="utf-8"))
            continue
        text = page_of(target)
        if target.suffix == ".md":
            waiting += targets_of(text, target.parent)
            text = relinked(text, target, place)
        add(place, text)
    return files


def on_page_markdown(markdown, page, config, files):
    path = Path(page.file.abs_src_path)
    if path.is_relative_to(ROOT):
        markdown = relinked(markdown, path, path.relative_to(ROOT / "docs"))
    if path.is_relative_to(ROOT / "docs/guides"):
        markdown += f"\nThis page as a [notebook]({path.stem}.ipynb).\n"
    # The theme shows one of two pictures: a reader may choose other colours than the system's.
    markdown = PICTURE.sub(r'<img src="\2#only-light" alt="\3"><img src="\1#only-dark" alt="\3">', markdown)
    return outside_fences(markdown, lists_of_their_own)


def is_source(page):
    return page.url.startswith("source/") and Path(page.url).with_suffix(".md").name not in ROOT_PAGES


def on_page_content(html, page, config, files):
    """Half of the time of a build would be reading sources for the search, which does not find them (on_post_build)."""
    if not is_source(page):
        return html
    sources[page.url] = html
    return SOURCE


def on_post_page(output, page, config):
    """site/search_of_files.js has to come before the theme's scripts."""
    root = "../" * page.url.count("/")
    if page.url in sources:
        output = output.replace(SOURCE, sources.pop(page.url), 1)
    return output.replace("</head>", f'<script src="{root}site/search_of_files.js"></script></head>', 1)


def on_post_build(config):
    """The search finds pages, not sources. A page for errors would need the site's address."""
    (Path(config["site_dir"]) / "404.html").unlink()
    path = Path(config["site_dir"]) / "search/search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    pages = tuple(f"source/{Path(name).stem}.html" for name in ROOT_PAGES)
    index["docs"] = [each for each in index["docs"]
                     if not each["location"].startswith("source/") or each["location"].startswith(pages)]
    text = json.dumps(index)
    path.write_text(text, encoding="utf-8")
    # Of pages that are files: version 8 of the theme takes it from __search, version 9 from __index.
    script = f"var __index = {text}, __search = {{index: Promise.resolve(__index)}}\n"
    path.with_suffix(".js").write_text(script, encoding="utf-8")
