# SPDX-License-Identifier: Apache-2.0
"""Links of pages of HTML in a folder, and those that lead nowhere."""
import functools
import html
import os.path
import re
from urllib.parse import unquote


def broken_links(folder, ignored=""):
    """How many links pages have to files and places of the folder, and "PAGE: LINK" for each that is broken. Links of
    pages below folder/ignored are not looked at, but they may be led to."""
    folder = folder.resolve()
    pages = {str(path): path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}

    @functools.cache
    def anchors(page):
        return set(re.findall(r'\b(?:id|name)="([^"]+)"', pages[page]))

    @functools.cache
    def found(target):
        """The file that a path leads to, or ""."""
        if os.path.isdir(target):
            target += "/index.html"
        return target if os.path.isfile(target) else ""

    broken, count = [], 0
    for path, text in pages.items():
        if ignored and path.startswith(f"{folder / ignored}{os.sep}"):
            continue
        for link in set(re.findall(r'\b(?:href|src|srcset)="([^"]+)"', text)):
            # Doxygen 1.9.4 links to nested classes that are private too.
            if re.match(r"[a-z]+:|//", link) or link == "#nested-classes":
                continue
            count += 1
            to, _, anchor = unquote(html.unescape(link)).partition("#")
            target = found(os.path.normpath(os.path.join(os.path.dirname(path), to)) if to else path)
            if not target or target in pages and anchor and anchor not in anchors(target):
                broken.append(f"{os.path.relpath(path, folder)}: {link}")
    return count, broken
