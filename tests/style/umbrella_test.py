# SPDX-License-Identifier: Apache-2.0
"""evenly/evenly.hpp includes every public header that needs no compiled library, and no other."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
COMPILED = {"io", "runtime"}  # folders whose headers need a library
RANKS = {"distributed"}  # only programs with ranks pay for them
OTHERS = {"evenly/layouts/metis.hpp",  # needs METIS
          "evenly/layouts/names_in_evenly.hpp",
          "evenly/tasks/names_in_evenly.hpp",
          "evenly/spatial/names_in_evenly.hpp",
          "evenly/graph/names_in_evenly.hpp"}  # names of earlier releases


def public_headers():
    for header in INCLUDE.rglob("*.hpp"):
        name = header.relative_to(INCLUDE)
        folder = name.parts[1]
        if "detail" in name.parts or folder in COMPILED | RANKS or folder == "evenly.hpp" or str(name) in OTHERS:
            continue
        yield str(name)


def main():
    text = (INCLUDE / "evenly" / "evenly.hpp").read_text()
    included = set(re.findall(r'#include "([^"]+)"', text))
    public = set(public_headers())
    assert len(public) > 150, f"only {len(public)} public headers were found"
    wrong = [f"{name}: public, and not included" for name in sorted(public - included)]
    wrong += [f"{name}: included, and not a public header" for name in sorted(included - public)]
    for line in wrong:
        print(f"include/evenly/evenly.hpp: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
