# SPDX-License-Identifier: Apache-2.0
"""Links of pages of HTML in a folder, and those that lead nowhere."""
import html
import re
from urllib.parse import unquote


def broken_links(folder):
    """How many links pages have to files and places of the folder, and "PAGE: LINK" for each that is broken."""
    pages = {path.resolve(): path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}
    anchors = {path: set(re.findall(r'\b(?:id|name)="([^"]+)"', text)) for path, text in pages.items()}
    broken, count = [], 0
    for path, text in pages.items():
        for link in set(re.findall(r'\b(?:href|src|srcset)="([^"]+)"', text)):
            # Doxygen 1.9.4 links to nested classes that are private too.
            if re.match(r"[a-z]+:|//", link) or link == "#nested-classes":
                continue
            count += 1
            to, _, anchor = unquote(html.unescape(link)).partition("#")
            target = (path.parent / to).resolve() if to else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file() or target in pages and anchor and anchor not in anchors[target]:
                broken.append(f"{path.relative_to(folder.resolve())}: {link}")
    return count, broken
