# SPDX-License-Identifier: Apache-2.0
"""Builds what strangers build on evenly, and runs it. Exits with 77 where a tool is missing.

  _check.py install BUILD PREFIX                    installs BUILD, which is built, under PREFIX
  _check.py project SOURCE FOLDER PREFIX COMPILER   the CMake project SOURCE, in FOLDER, with the package under PREFIX;
                                                    of a project for a GPU COMPILER is nvcc
  _check.py pkg-config FOLDER PREFIX COMPILER       tests/consumers/main.cpp, without CMake
  _check.py lines COMPILER                          counts the lines that examples read, with and without the library
  _check.py warnings FOLDER PREFIX COMPILER         all installed headers as the stranger's own, with warnings as errors
  _check.py optimised PREFIX COMPILER               programs at -O2 and -O3, with warnings as errors
  _check.py architectures FOLDER PREFIX COMPILER    kernels for GPUs of the oldest and the newest generation, by nvcc
  _check.py package BUILD FOLDER                    Debian packages of BUILD, which is built, are made and looked at
  _check.py commands FOLDER COMPILER                what pages say to compile with COMPILER
  _check.py uninstall FOLDER COMPILER               headers alone are configured, installed, used and uninstalled
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77


class Skip(Exception):
    pass


def run(*command, **settings):
    """What the command printed; it must succeed."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **settings)
    if done.returncode == SKIPPED:
        raise Skip(f"{command[0]} found no GPU")
    if done.returncode != 0:
        print(done.stdout)
        sys.exit(f"exit status {done.returncode}: {' '.join(str(word) for word in command)}")
    return done.stdout


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def need(tool):
    found = shutil.which(tool)
    if not found:
        raise Skip(f"no {tool} here")
    return found


def install(build, prefix):
    run("cmake", "--install", build, "--prefix", fresh(Path(prefix)))


def project(source, folder, prefix, compiler, *settings):
    kind, folder = Path(source).name, fresh(Path(folder))
    language = "CUDA" if kind == "gpu" else "CXX"
    words = [f"-DCMAKE_{language}_COMPILER={need(compiler)}", f"-DCMAKE_PREFIX_PATH={prefix}"]
    if kind == "fetched":
        words.append(f"-DFETCHCONTENT_SOURCE_DIR_EVENLY={ROOT}")
    if kind == "gpu":
        words.append("-DCMAKE_CUDA_ARCHITECTURES=90")
    run("cmake", "-S", source, "-B", folder, "-G", "Ninja", *words, *settings)
    run("cmake", "--build", folder)
    print(run(folder / "consumer", *([Path(source) / "a.mtx"] if kind == "compiled" else [])))


def pkg_config(folder, prefix, compiler):
    folder = fresh(Path(folder))
    found = sorted(Path(prefix).rglob("evenly.pc"))
    assert found, f"no evenly.pc under {prefix}"
    settings = {"env": {**os.environ, "PKG_CONFIG_PATH": str(found[0].parent)}}
    tool = need("pkg-config")
    for package in (path.stem for path in found[0].parent.glob("evenly*.pc")):
        run(tool, "--validate", package, **settings)
    uses = {name: run(tool, "--cflags", "--libs", name, **settings).split() for name in ("evenly", "evenly-headers")}
    library = any(Path(prefix).rglob("libevenly.a"))
    for word in ("-levenly", "-DEVENLY_LINKS_RUNTIME"):
        assert (word in uses["evenly"]) == library, f"libevenly.a is installed: {library}; flags: {uses['evenly']}"
        assert word not in uses["evenly-headers"], uses["evenly-headers"]
    uses["by hand"] = [f"-I{prefix}/include", "-ltbb", "-lboost_context"]
    for flags in uses.values():
        run(need(compiler), "-std=c++20", ROOT / "tests/consumers/main.cpp", "-o", folder / "consumer", *flags)
        print(run(folder / "consumer"))


def warnings(folder, prefix, compiler):
    folder, include = fresh(Path(folder)), Path(prefix) / "include"
    headers = sorted(path.relative_to(include) for path in include.rglob("*.hpp"))
    assert len(headers) > 200, f"{len(headers)} headers are installed"
    source = folder / "all_headers.cpp"
    source.write_text("".join(f'#include "{name}"\n' for name in [*headers, ROOT / "tests/consumers/warnings.cpp"]),
                      encoding="utf-8")
    flags = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
    # By -I: as system headers they would be silent.
    run(need(compiler), "-std=c++20", "-fsyntax-only", *flags, f"-I{include}", source)


def optimised(prefix, compiler):
    include = Path(prefix) / "include"
    # All as one unit, because templates that they share take most of the time.
    unit = f'#include "{ROOT}/tests/consumers/optimised.cpp"\n' + "".join(
        f'#define main {name}_main\n#include "{ROOT}/examples/{name}.cpp"\n#undef main\n'
        for name in ("first", "first_kernel", "reachable"))
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-c", "-x", "c++", "-", "-o", "/dev/null"]
    # GCC warns of what it has inlined into the stranger's functions also where headers are those of the system.
    for how in (("-O2", "-march=native", "-I"), ("-O3", "-march=native", "-I"), ("-O3", "-march=native", "-isystem"),
                ("-O2", "-DEVENLY_LINKS_RUNTIME", "-I")):
        run(need(compiler), *how, include, *flags, input=unit)


# What GCC 12 reads of a source: nonblank lines after preprocessing, by headers alone and with the library. An upper
# bound is what was measured, and 1 to 2% more.
MAX_LINES = {"examples/first.cpp": (79700, 66300), "examples/first_kernel.cpp": (76500, 58200),
              "examples/reachable.cpp": (90800, 77700), "evenly/evenly.hpp": (135200, 127400)}


def lines(compiler):
    version = run(need(compiler), "--version").splitlines()[0]
    if "Free Software Foundation" not in run(compiler, "--version") or " 12." not in version:
        raise Skip(f"the bounds are for GCC 12, this is {version}")
    longer = []
    for name, bounds in MAX_LINES.items():
        source = ROOT / name if name.endswith(".cpp") else ROOT / "include" / name
        for how, macro, bound in (("headers alone", [], bounds[0]),
                                  ("with evenly::evenly", ["-DEVENLY_LINKS_RUNTIME"], bounds[1])):
            text = run(compiler, "-std=c++20", f"-I{ROOT}/include", *macro, "-E", "-P", "-x", "c++", source)
            count = sum(1 for line in text.splitlines() if line.strip())
            print(f"{name}, {how}: {count} lines, at most {bound}")
            if count > bound:
                longer.append(name)
    if longer:
        sys.exit(f"{', '.join(longer)}: more lines than the bound. g++ -H shows which header is new: move the code "
                 "that needs it to a header that fewer programs include, or behind EVENLY_RUNTIME_FN "
                 "(core/annotations.hpp). If most users need it, raise the bound in MAX_LINES.")


def architectures(folder, prefix, compiler):
    folder, nvcc = fresh(Path(folder)), need(compiler)
    for architecture in ("sm_75", "sm_120"):
        run(nvcc, "-std=c++20", f"-arch={architecture}", "--expt-relaxed-constexpr", "--extended-lambda",
            "-Werror=all-warnings", f"-I{prefix}/include", "-cubin", "-o", folder / f"{architecture}.cubin",
            ROOT / "tests/consumers/architectures.cu")


def package(build, folder):
    need("dpkg-shlibdeps")
    folder = fresh(Path(folder))
    run("cpack", "-G", "DEB", "-B", folder, "--config", Path(build) / "CPackConfig.cmake")
    noted = list(Path(build).glob("install_manifest_*.txt"))
    assert not noted, f"evenly_uninstall would remove what the package installs: {noted}"
    groups = sorted(path.name for path in (Path(build) / "libexec/evenly").iterdir() if path.is_file())
    has = {"evenly": ["./usr/bin/evenly", *(f"./usr/libexec/evenly/{name}" for name in groups),
                      "./usr/share/man/man1/evenly.1", "./usr/share/doc/evenly/copyright"],
           "libevenly-dev": ["./usr/include/evenly/evenly.hpp", "./usr/lib/libevenly_io.a",
                             "./usr/lib/libevenly.a", "./usr/lib/libevenly_runtime_int32.a",
                             "./usr/lib/libevenly_runtime_int64.a",
                             "./usr/lib/cmake/evenly/evenly-config.cmake",
                             "./usr/lib/cmake/evenly/evenly-io-targets.cmake",
                             "./usr/lib/cmake/evenly/evenly-compression.cmake",
                             "./usr/lib/cmake/evenly/evenly-core-targets.cmake",
                             "./usr/lib/cmake/evenly/evenly-runtime-targets.cmake",
                             "./usr/lib/pkgconfig/evenly-headers.pc",
                             "./usr/lib/pkgconfig/evenly.pc", "./usr/share/doc/libevenly-dev/copyright"]}
    needs = {"evenly": ["libc6", "libstdc++6", "libtbb", "libarchive", "libzstd", "libfmt"],
             "libevenly-dev": ["libtbb-dev", "libboost-context-dev", "libfmt-dev", "libarchive-dev",
                               "zlib1g-dev", "libbz2-dev", "liblzma-dev", "libzstd-dev"]}
    if (Path(build) / "lib/evenly/libevenly_mpi.so").exists():
        has["evenly-mpi"] = ["./usr/lib/evenly/libevenly_mpi.so", "./usr/share/doc/evenly-mpi/copyright"]
        needs["evenly-mpi"] = ["libopenmpi", "libstdc++6"]
    made = {run("dpkg-deb", "--field", path, "Package").strip(): path for path in folder.glob("*.deb")}
    assert sorted(made) == sorted(has), made
    for name, path in made.items():
        held = {line.split()[5] for line in run("dpkg-deb", "--contents", path).splitlines()}
        assert held.issuperset(has[name]), f"{name} lacks {set(has[name]) - held}"
        depends = run("dpkg-deb", "--field", path, "Depends")
        for each in needs[name]:
            assert each in depends, f"{name} depends on {depends}, not on {each}"
    assert "gnuplot" in run("dpkg-deb", "--field", made["evenly"], "Recommends")
    run("dpkg-deb", "--extract", made["evenly"], folder / "root")
    program = folder / "root/usr/bin/evenly"
    assert "compare" in run(program, "--help")
    assert "rows 9" in run(program, "info", "grid:x=3,y=3")
    shutil.rmtree(folder)


def commands(folder, compiler):
    tool, folder = need(compiler), fresh(Path(folder))
    pages = [ROOT / "README.md", *(ROOT / "docs/get-started").glob("*.md"), ROOT / "docs/tutorial/README.md"]
    blocks = "".join(block for page in pages
                     for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S))
    found = {line.split(" && ")[0] for line in blocks.splitlines() if line.startswith(f"{Path(compiler).name} ")}
    assert found, f"no page compiles with {compiler}"
    for command in sorted(found):
        words = shlex.split(command, comments=True)[1:]
        at = words.index("-o") + 1
        words[at] = folder / words[at]
        run(tool, *words, cwd=ROOT)
        print(run(words[at]))


def uninstall(folder, compiler):
    folder = fresh(Path(folder))
    build, prefix = folder / "build", folder / "prefix"
    run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *(f"-DEVENLY_BUILD_{part}=OFF" for part in (
        "PROGRAM", "RUNTIME", "IO", "TESTS", "EXAMPLES", "BENCH")))
    prefix.mkdir()
    (prefix / "include").mkdir()
    (prefix / "include/others.h").touch()
    run("cmake", "--install", build, "--prefix", prefix, "--component", "headers")
    installed = [path for path in prefix.rglob("*") if path.is_file()]
    assert any(path.name == "evenly-config.cmake" for path in installed), installed
    assert len(installed) > 100, "the headers were not installed"
    project(ROOT / "tests/consumers/headers", folder / "consumer", prefix, compiler, "-DLIBRARY=OFF")
    pkg_config(folder / "pkg-config", prefix, compiler)
    print(run("cmake", "--build", build, "--target", "evenly_uninstall"))
    left = [path for path in prefix.rglob("*") if path.is_file()]
    assert left == [prefix / "include/others.h"], f"not what was there before: {left}"
    folders = [path for path in prefix.rglob("evenly") if path.is_dir()]
    assert not folders, f"empty folders are left: {folders}"


def main():
    kinds = {"install": install, "project": project, "pkg-config": pkg_config, "package": package,
             "lines": lines, "warnings": warnings, "optimised": optimised, "architectures": architectures,
             "uninstall": uninstall, "commands": commands}
    try:
        kinds[sys.argv[1]](*sys.argv[2:])
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
