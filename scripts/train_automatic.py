#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns the models by which `automatic` chooses, from measurements by `evenly study choices` and bench_choices.

    scripts/train_automatic.py bench/results/choices-*.json            prints how well the models choose
    scripts/train_automatic.py bench/results/choices-*.json --write    also writes the models, as headers
    ... --json FOLDER                                                  also writes figures, as automatic-EXECUTOR.json
    scripts/train_automatic.py --measure build [--on cuda] --write     measures what is missing here, then the same
    scripts/train_automatic.py --accept "REASON"                       states that changed kernels need no new models

The headers of the models have a hash of the kernels' sources for each kind of work (KERNELS). A test fails if a source
has changed since. Then measure again, or state by --accept why the models still hold; the headers keep the reason.

All results of a kind of work are from one device: a GPU for cuda, a processor for cpu. With --measure they are
choices-EXECUTOR.json and choices-wide-EXECUTOR.json in the folder --results, and inputs that these files contain are
not measured again. If EVENLY_DATA is set, matrices in its folder `matrices` are measured too.

A model predicts the time of each schedule: a sum of a few terms (TERMS: a launch, tiles, atoms, steps of warps, the
longest tile ...), each times a non-negative constant, fitted to relative errors. Below 10^4 atoms only terms are used
that need no pass over the tiles. The typical error of each schedule's sum is known, too. A caution adds a part of it
to the predicted time, so that a schedule with uncertain times is chosen less often. The value of the caution is the
one that chooses best on families of sets that were left out. The cost of a plan is such a sum, too.

The printed regret is the time of the chosen schedule over the time of the fastest, on sets whose family was left out
of learning: the geometric mean, the 99th percentile and the maximum. Each file is a family of its own.

Needs numpy, scipy and scikit-learn (scripts/setup.sh bench).
"""
import argparse
import hashlib
import json
import math
import os
import re
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHORT_HEADERS = ROOT / "include/evenly/schedules/detail"
WHOLE_HEADER = ROOT / "src/runtime/choice_models.hpp"
EXECUTORS = {"cuda": "gpu", "cpu": "cores"}  # what an executor's models are called
# The kinds of work of schedules/choice/chooser.hpp, in its order, and the operation that stands for each.
WORKS = {"sums": "segmented_reduce", "gathered_sums": "spmv", "wide_sums": "spmm:32", "prefixes": "segmented_scan",
         "visits": "expand"}
WORK_OF = {op: work for work, op in WORKS.items()}
WIDTHS = (8, 128)  # of products, for which the models of 32 columns are judged too
# What decides about the times of each kind of work on all executors, in include/evenly. Schedules are for all of them.
KERNELS = {"sums": ["algorithms/reduce_tiles.hpp", "algorithms/detail/atom_values.hpp", "algorithms/detail/carries.hpp",
                    "algorithms/detail/persistent_chunks.hpp"],
           "wide_sums": ["algorithms/reduce_tiles_wide.hpp", "algorithms/detail/rows.hpp", "sparse/spmm.hpp",
                         "sparse/detail/spmm_on_cores.hpp"],
           "prefixes": ["algorithms/scan_tiles.hpp", "algorithms/detail/atom_values.hpp",
                        "algorithms/detail/persistent_chunks.hpp"],
           "visits": ["algorithms/for_each_atom.hpp", "algorithms/expand.hpp"]}
KERNELS["gathered_sums"] = [*KERNELS["sums"], "sparse/spmv.hpp"]
CANDIDATES = 6
NEVER = 1e6  # ms, of a schedule that was not measured for a kind of work
NOT_FOR_ALL = {"binned", "dynamic_group_per_tile"}  # which make lists when they plan
# On a processor these are the same code: what their times differ by is noise, so each has the median of all.
SAME_ON_CPU = ["thread_mapped", "group_per_tile<2>", "group_per_tile<4>", "group_per_tile<8>", "group_per_tile<16>",
               "group_per_tile", "warp_mapped", "block_mapped", "local_warp_search<storage>",
               "local_warp_search<registers>", "group_mapped", "group_mapped<32>", "group_mapped<block>",
               "cta_warp_scan", "block_search"]
# On a GPU, with 32 columns and more, the kernel of thread_mapped; with fewer it is slower.
SAME_IN_PRODUCTS = "group_per_tile<8>"
SMALL = 10_000  # atoms below which only what costs nothing is looked at
RUNS = 100       # of a plan
# As detail/choice_bodies.hpp has them, in this order; the first FREE_TERMS are known without looking at sizes.
TERMS = ["launch", "tiles", "atoms", "root of tiles", "root of atoms", "tiles to 1e5", "atoms to 1e6",
         "tiles above 5e5", "atoms above 4e6", "warp steps", "rounds of 32", "rounds of 8", "longest / 1e4",
         "longest / 1e6", "root of longest", "heaviest block", "empty", "unlike neighbours", "unlike others"]
FREE_TERMS = 9
PLAN_TERMS = 3


class BadInput(Exception):
    """One line for people."""


def terms_of(facts):
    """The same as cost_terms_of in detail/choice_bodies.hpp."""
    tiles, atoms, longest = facts["tiles"], facts["atoms"], facts["longest"]
    unlike = min(max(facts["warp_steps"] * 32.0 / max(atoms, 1) - 1, 0.0), 1.0)
    alike = sum((c / max(tiles, 1)) ** 2 for c in facts["classes"])
    return [1.0, tiles / 1e6, atoms / 1e6, math.sqrt(tiles) / 1e3, math.sqrt(atoms) / 1e3, min(tiles, 1e5) / 1e5,
            min(atoms, 1e6) / 1e6, max(0.0, tiles - 5e5) / 1e6, max(0.0, atoms - 4e6) / 1e6,
            facts["warp_steps"] * 32.0 / 1e6, facts["rounds32"] * 32.0 / 1e6, facts["rounds8"] * 8.0 / 1e6,
            longest / 1e4, longest / 1e6, math.sqrt(longest) / 1e2, facts["heaviest_block"] / 1e5,
            facts["empty"] / 1e6, tiles * unlike / 1e6, tiles * (1 - alike) / 1e6]


class Sample:
    """A tile set under one operation. `ms` has no schedules that were not run since they would have taken too long."""

    def __init__(self, result):
        self.input, self.family, self.facts = result["input"], result["family"], result["facts"]
        self.ms, self.plan_ms = dict(result["ms"]), dict(result["plan_ms"])
        if not min(self.ms.values()) > 0:
            raise BadInput(f"{self.input}: a time is not above 0")
        if not all(self.plan_ms.get(name, 0) > 0 for name in self.ms):
            raise BadInput(f"{self.input}: a plan has no time above 0")
        if result["executor"] == "cpu":
            for times in (self.ms, self.plan_ms):
                same = [n for n in SAME_ON_CPU if n in times]
                if same:
                    times.update(dict.fromkeys(same, statistics.median(times[n] for n in same)))
        elif result["op"].startswith("spmm:"):
            self.ms.pop(SAME_IN_PRODUCTS, None)
        self.best = min(self.ms.values())
        self.terms = terms_of(self.facts)
        self.peer = min(result.get("peers_ms", {}).values(), default=None)  # the fastest of other libraries

    def loss(self, name):
        return math.log(self.ms[name] / self.best) if name in self.ms else math.log(50)

    def cost(self, name):
        """Of a run, with its part of the plan."""
        return math.exp(self.loss(name)) * self.best + self.plan_ms.get(name, 0.0) / RUNS


def read(paths):
    """{(executor, work): samples}, {executor: what it was measured on}, {executor: the head of its newest file}."""
    samples, others, places, heads = {}, {}, {}, {}
    for path in paths:
        try:
            study = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as e:
            raise BadInput(f"{path}: {e.strerror}") from None
        except ValueError as e:
            raise BadInput(f"{path}: not JSON: {e}") from None
        try:
            if study["study"] != "choices":
                raise BadInput(f"{path}: study is {study['study']!r}: must be choices")
            for result in study["results"]:
                executor, op = result["executor"], result["op"]
                work = "wide_sums" if op in {f"spmm:{w}" for w in WIDTHS} else WORK_OF.get(op)
                if executor not in EXECUTORS or work is None:
                    continue
                machine = study["machine"]
                place = machine["gpu"] if executor == "cuda" else f"{machine['cpu']}, {result['threads']} threads"
                before = places.setdefault((executor, work), place)
                if before != place:
                    raise BadInput(f"{path}: {op} on {executor} is of {place}, in the files before of {before}")
                if executor not in heads or heads[executor]["date"] < study["date"]:
                    heads[executor] = {key: study[key] for key in ("machine", "date", "commit")}
                if "left_out" not in result and result["facts"]["atoms"] > 0:
                    key = (executor, work) if op == WORKS[work] else (executor, op)
                    (samples if op == WORKS[work] else others).setdefault(key, []).append(Sample(result))
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as e:
            raise BadInput(f"{path}: not the results of a study of choices: {e!r}") from None
    if not samples:
        raise BadInput("no results to learn from")
    return samples, others, places, heads


def kernels_hash(work):
    """Of the code of the kernels: comments and white space have no effect."""
    include = ROOT / "include/evenly"
    schedules = [p for p in sorted((include / "schedules").rglob("*.hpp")) if "choice" not in p.as_posix()
                 and p.name not in ("automatic.hpp", "registry.hpp", "usual.hpp", "compiled_plans.hpp")]
    found = hashlib.sha256()
    for path in [*(include / name for name in KERNELS[work]), include / "algorithms/skeleton.hpp", *schedules]:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        found.update("".join(text.split()).encode())
    return found.hexdigest()[:12]


def registered():
    """[(name, type)] of schedules/registry.hpp."""
    text = (ROOT / "include/evenly/schedules/registry.hpp").read_text(encoding="utf-8")
    return re.findall(r'visit\("([^"]+)", (.+)\{\}\);', text)


NAMES = [name for name, _ in registered()]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


class Model:
    """How long each of NAMES takes, in ms: constants[name][term]; plan[name][term] likewise."""

    def __init__(self, samples, is_free):
        import numpy as np
        from scipy.optimize import nnls
        self.is_free, self.sets = is_free, len(samples)
        count = FREE_TERMS if is_free else len(TERMS)
        self.constants, self.spread, self.plan = [], [], []
        terms = np.array([s.terms[:count] for s in samples])
        for name in NAMES:
            there = np.array([name in s.ms for s in samples])
            times = np.array([s.ms[name] for s in samples if name in s.ms])
            if not len(times):
                self.constants.append([NEVER, *[0.0] * (count - 1)])
                self.plan.append([0.0] * PLAN_TERMS)
                self.spread.append(0.0)
                continue
            relative = terms[there] / times[:, None]
            weight = np.ones(len(times))
            for _ in range(6):  # towards the least error of logarithms
                found, _ = nnls(relative * weight[:, None], weight)
                weight = 1 / np.sqrt(np.maximum(relative @ found, 0.2))
            self.constants.append([float(f"{c:.4g}") for c in found])
            off = np.log(np.maximum(relative @ np.array(self.constants[-1]), 1e-3))
            self.spread.append(float(f"{np.sqrt(np.mean(np.clip(off, -1.1, 1.1) ** 2)):.3g}"))
            plans = np.array([s.plan_ms[name] for s in samples if name in s.ms])
            found, _ = nnls(terms[there][:, :PLAN_TERMS] / plans[:, None], np.ones(len(plans)))
            self.plan.append([float(f"{c:.4g}") for c in found])

    def choose(self, sample, names, caution):
        def score(name):
            k = NAMES.index(name)
            run = max(1e-6, sum(c * t for c, t in zip(self.constants[k], sample.terms)))
            return run * math.exp(caution * self.spread[k]) + sum(
                c * t for c, t in zip(self.plan[k], sample.terms)) / RUNS
        return min(names, key=score)


class Learned:
    """A model, the best of a few cautions, and what was chosen for sets that were left out: chosen(sample, names)."""

    def __init__(self, samples, learned_from, is_free):
        if not samples:
            raise BadInput(f"no tile sets of {'fewer than' if is_free else 'at least'} {SMALL} atoms to learn from")
        self.of_family = {}
        for family in sorted({s.family for s in samples}):
            others = [s for s in learned_from if s.family != family]
            if len(others) < 8:
                raise BadInput("too few families of tile sets to leave one out")
            self.of_family[family] = Model(others, is_free)
        self.model = Model(learned_from, is_free)

        def lost(caution):
            losses = [s.loss(self.left_out(s).choose(s, NAMES, caution)) for s in samples]
            return mean(l + l * l for l in losses)
        self.caution = min((0.0, 0.25, 0.5, 1.0), key=lost)

    def left_out(self, sample):
        return self.of_family.get(sample.family, self.model)

    def chosen(self, sample, names):
        return self.left_out(sample).choose(sample, names, self.caution)


def pick_candidates(groups):
    """A few that together lose least on all works of an executor. groups: lists of samples."""
    names = [n for n in NAMES if n not in NOT_FOR_ALL]

    def lost(chosen):
        # The squares, too: what is slow on few sets is worse than what is a little slower on all.
        total = 0.0
        for group in groups:
            least = [min(s.loss(n) for n in chosen) for s in group]
            total += mean(l + l * l for l in least)
        return total

    chosen = []
    while len(chosen) < min(CANDIDATES, len(names)):
        chosen.append(min((n for n in names if n not in chosen), key=lambda n: lost(chosen + [n])))
    for _ in range(2):  # what was taken first may be needless now
        for i in range(len(chosen)):
            others = chosen[:i] + chosen[i + 1:]
            chosen[i] = min((n for n in names if n not in others), key=lambda n: lost(others + [n]))
    return [n for n in NAMES if n in chosen]


def summary(samples, choose):
    values = sorted(math.exp(s.loss(choose(s))) for s in samples)
    with_plan = [s.cost(choose(s)) / min(s.cost(n) for n in s.ms) for s in samples]
    found = {"mean": math.exp(mean(map(math.log, values))),
             "p99": values[min(len(values) - 1, math.ceil(0.99 * len(values)) - 1)], "most": values[-1],
             "with_plan": math.exp(mean(map(math.log, with_plan)))}
    if all(s.peer for s in samples):
        over = [s.peer / (s.best * math.exp(s.loss(choose(s)))) for s in samples]
        found |= {"over_peer": math.exp(mean(map(math.log, over))), "min_over_peer": min(over)}
    return {"sets": len(values), **{key: float(f"{value:.4g}") for key, value in found.items()}}


def text_rule(reading):
    """Osama et al., 2023, section 6.2, as schedules/combined_heuristic.hpp has it with alpha = 500."""
    def choose(s):
        f = s.facts
        few = [f["tiles"] < 500, 0 < f["columns"] < 500]
        if not reading(few) or f["atoms"] >= 10_000:
            return "merge_path"
        return "thread_mapped" if f["atoms"] < 64 * f["tiles"] else "group_mapped<32>"
    return choose


def ginkgo_rule(s):
    """Ginkgo's strategy `automatical`: balanced above 10^6 nonzeros or with a row above 1,024, else classical."""
    if s.facts["atoms"] > 1_000_000 or s.facts["longest"] > 1_024:
        return "nonzero_split"
    return "group_per_tile" if "group_per_tile" in s.ms else "warp_mapped"  # the same groups of 32


def report_on(samples, lists, learned, free):
    """[{rule, figures}] of `samples`. `free`: what a tree on tiles and atoms alone chooses: {id(sample): name}."""
    rules = {}
    for which, names in lists.items():
        rules[f"automatic, {which}"] = lambda s, names=names: learned.chosen(s, names)
    rules["the best of the short list"] = lambda s: min(lists["short list"], key=s.loss)
    rules |= {"a tree on rows, columns, nonzeros": lambda s: free[id(s)],
              "combined_heuristic, either": text_rule(any),
              "combined_heuristic, both": text_rule(all),
              "Ginkgo's rule": ginkgo_rule,
              "always merge_path": lambda s: "merge_path"}
    return [{"rule": rule, **summary(samples, choose)} for rule, choose in rules.items()]


def free_tree(samples):
    """What a tree on rows, columns and nonzeros alone chooses for sets that were left out."""
    from sklearn.tree import DecisionTreeRegressor
    found = {}

    def numbers(s):
        return [s.facts[k] for k in ("tiles", "columns", "atoms")]
    for family in {s.family for s in samples}:
        others = [s for s in samples if s.family != family]
        tree = DecisionTreeRegressor(max_depth=5, min_samples_leaf=4, random_state=1)
        tree.fit([numbers(s) for s in others], [[min(1.1, s.loss(n)) for n in NAMES] for s in others])
        for s in samples:
            if s.family == family:
                row = tree.predict([numbers(s)])[0]
                found[id(s)] = NAMES[min(range(len(NAMES)), key=row.__getitem__)]
    return found


# --- C++

def real(value):
    text = f"{value:.6g}"
    return text if "." in text or "e" in text else text + ".0"


def place_text(places, executor):
    """What an executor's results are of; where that is not the same for all work, for which."""
    works = {}
    for work in WORKS:
        works.setdefault(places[executor, work], []).append(work)
    if len(works) == 1:
        return next(iter(works))
    return "; ".join(f"{place} ({', '.join(of)})" for place, of in works.items())


def model_text(name, model, names):
    """The array of a model: for some of NAMES the constants, those of the plan, and the spread."""
    lines = [f"inline constexpr double {name}[] = {{ // of {model.sets} sets"]
    for schedule in names:
        k = NAMES.index(schedule)
        numbers = ", ".join(map(real, (*model.constants[k], *model.plan[k], model.spread[k])))
        wrapped = textwrap.wrap(f"{numbers},\0//\0{schedule}", 118, initial_indent="  ", subsequent_indent="    ")
        lines += [line.replace("\0", " ") for line in wrapped]
    return [*lines, "};"]


def models_text(executor, place, names, learned):
    """An executor_models, and the arrays that it needs. learned: {work: {"small", "large"}}."""
    about = (f"{place}. Constants are ms for each of: {', '.join(TERMS)}; if sizes are not examined, for the first "
             f"{FREE_TERMS}. A row has those of a run, those of a plan for the first {PLAN_TERMS} terms, and the "
             "spread.")
    lines = textwrap.wrap(about, 118, initial_indent="// ", subsequent_indent="// ")
    table = [f"inline constexpr executor_models {executor}{{"]
    for size in ("small", "large"):
        table.append("    {{" if size == "small" else "    }}, {{")
        for work in WORKS:
            each, name = learned[work][size], f"{executor}_{work}_{size}"
            lines += model_text(name, each.model, names)
            terms = FREE_TERMS if each.model.is_free else len(TERMS)
            table.append(f"        {{{terms}, {name}, {real(each.caution)}}},")
    return [*lines, *table, "    }}};", ""]


def hashes_text(reasons=()):
    """The lines that --accept changes."""
    hashes = ", ".join(f"{work} {kernels_hash(work)}" for work in WORKS)
    return [line for text in (f"Kernels: {hashes}", *(f"Changed since: {reason.rstrip('. ')}." for reason in reasons))
            for line in textwrap.wrap(text, 116, initial_indent="// ", subsequent_indent="//   ")]


NOTICE = ["// SPDX-License-Identifier: Apache-2.0",
          "// Written by scripts/train_automatic.py from bench/results/choices-*.json: not to be changed by hand.",
          "// docs/choosing.md says how models are made, and how to make others.", "//"]


def header_of(schedule):
    name = schedule.split("<")[0]
    return {"warp_mapped": "group_per_tile", "block_mapped": "group_per_tile"}.get(name, name)


def short_header(executor, names, learned, place):
    types = dict(registered())
    headers = sorted({f'#include "evenly/schedules/{header_of(types[n])}.hpp"' for n in names})
    listed = (",\n" + 20 * " ").join(f'named_schedule<{types[n]}>{{"{n}", {{}}}}' for n in names)
    where = "a GPU" if executor == "gpu" else "cpu"
    out = [*NOTICE, *hashes_text(), "//",
           f"// The candidates of `automatic` on {where}, compiled wherever it is used, and their models.",
           "#pragma once", "", "#include <tuple>", "",
           '#include "evenly/schedules/choice/chooser.hpp"', '#include "evenly/schedules/detail/choice_models_of.hpp"',
           *headers, "", "// clang-format off", "namespace evenly::detail::choice_models {", "",
           f"inline auto {executor}_candidates() {{", f"  return std::tuple{{{listed}}};", "}", "",
           *models_text(executor, place, names, learned),
           "} // namespace evenly::detail::choice_models", "// clang-format on", ""]
    return "\n".join(out)


def other_rows(names, learned):
    """The schedules to list in addition to `names`, one of those with the same numbers; and the row of each of NAMES,
    among `names` and these."""
    models = [learned[work][size].model for work in WORKS for size in ("small", "large")]
    first = {}

    def numbers(name):
        k = NAMES.index(name)
        return tuple(real(number) for m in models for number in (*m.constants[k], *m.plan[k], m.spread[k]))
    for name in (*names, *NAMES):
        first.setdefault(numbers(name), name)
    others = [name for name in first.values() if name not in names]
    return others, [[*names, *others].index(first[numbers(name)]) for name in NAMES]


def whole_header(learned, places, short):
    out = [*NOTICE,
           "// Models of the schedules that are not candidates of `automatic`, and the row of each schedule of the",
           "// registry, in its order. The rows of the candidates come first, then those of this file; schedules may",
           "// share a row.",
           "#pragma once", "", '#include "evenly/schedules/detail/choice_models_of.hpp"', "",
           "// clang-format off", "namespace evenly::detail::other_choice_models {", "",
           "inline constexpr const char* names[] = {",
           *textwrap.wrap(", ".join(f'"{n}"' for n in NAMES) + "};", 110, initial_indent="    ",
                          subsequent_indent="    "), ""]
    for executor in sorted(learned):
        others, rows = other_rows(short[executor], learned[executor])
        out += [f"inline constexpr unsigned char {executor}_rows[] = {{",
                *textwrap.wrap(", ".join(map(str, rows)) + "};", 110, initial_indent="    ",
                               subsequent_indent="    "), ""]
        out += models_text(executor, places[executor], others, learned[executor])
    return "\n".join(out + ["} // namespace evenly::detail::other_choice_models", "// clang-format on", ""])


# --- the command

def print_figures(figures):
    for each in figures:
        print(f"{each['executor']}, {each['op']}, {each['size']} sets: caution {each['caution']}\n"
              f"    {'':34}   sets   mean    p99   most  with plan")
        for r in each["rules"]:
            print(f"    {r['rule']:34} {r['sets']:6} {r['mean']:6.3f} {r['p99']:6.2f} {r['most']:6.2f} "
                  f"{r['with_plan']:6.3f}")


def write_figures(folder, executor, head, candidates, figures):
    """Results of large sets, and of small ones, a line for each rule."""
    def lines(size):
        return [{"executor": executor, "op": each["op"], "ok": True, "caution": each["caution"], **r}
                for each in figures if each["executor"] == executor and each["size"] == size for r in each["rules"]]
    made = {"study": "automatic", **head, "runs": RUNS, "short list": candidates, "results": lines("large"),
            "small": lines("small")}
    (folder / f"automatic-{executor}.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def measure(build, on, results):
    """Runs both measurements where `on` says; returns the files of all executors."""
    data = os.environ.get("EVENLY_DATA")
    own = sorted(map(str, Path(data).glob("matrices/*"))) if data else []
    files = []
    for executor in EXECUTORS:
        products = [build / "bench/bench_choices", "--on", executor, "--resume", "yes"]
        widths = WIDTHS if executor == "cuda" else ()
        for name, command in [("choices", [build / "bin/evenly", "study", "choices", "--on", executor, "--resume"]),
                              *(("choices-wide", [*products, "--width", str(w)]) for w in (32, *widths))]:
            file = results / f"{name}-{executor}.json"
            for inputs in [[], own] if own else [[]]:
                if executor not in on:
                    continue
                print(f"{file}:", flush=True)
                if subprocess.run([*command, "--json", file, *inputs], check=False).returncode != 0:
                    raise BadInput(f"{command[0]} failed")
            if file.exists() and file not in files:
                files.append(file)
    return files


def accept(folder, reason):
    """Writes today's hashes to the headers, and why that is right."""
    if not reason.strip() or "\n" in reason:
        raise BadInput("--accept needs a reason of one line")
    for name in EXECUTORS.values():
        file = folder / f"choice_models_{name}.hpp"
        text = file.read_text(encoding="utf-8")
        block = re.search(r"// Kernels: .*?\n(?=//\n)", text, re.S)
        if not block:
            raise BadInput(f"{file}: has no line of kernels")
        plain = re.sub(r"\n//   ?", " ", block.group()).splitlines()
        reasons = [line.removeprefix("// Changed since: ") for line in plain if line.startswith("// Changed since: ")]
        new = "\n".join(hashes_text(dict.fromkeys([*reasons, reason]))) + "\n"
        file.write_text(text.replace(block.group(), new), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", help="results of measurements")
    parser.add_argument("--measure", type=Path, metavar="BUILD", help="measure with the programs of this build folder")
    parser.add_argument("--on", default="cpu,cuda", help="with --measure: cpu, cuda or both (the default)")
    parser.add_argument("--results", type=Path, default=ROOT / "bench/results", help="with --measure: their folder")
    parser.add_argument("--write", action="store_true", help="write the models")
    parser.add_argument("--short-headers", type=Path, default=SHORT_HEADERS, help="the folder of the short headers")
    parser.add_argument("--whole-header", type=Path, default=WHOLE_HEADER, help="the header of evenly::runtime")
    parser.add_argument("--json", type=Path, metavar="FOLDER", help="write the figures")
    parser.add_argument("--accept", metavar="REASON", help="why the models hold for kernels that have changed since")
    args = parser.parse_args()
    if args.accept is not None:
        accept(args.short_headers, args.accept)
        return
    if (args.measure is None) == (not args.files):
        raise BadInput("say either files or --measure BUILD")
    if set(args.on.split(",")) - set(EXECUTORS):
        raise BadInput(f"--on {args.on}: must be cpu, cuda or both")
    samples, others, places, heads = read(args.files or measure(args.measure, args.on.split(","), args.results))
    wanted = {(e, w) for e in EXECUTORS for w in WORKS}
    if args.write and set(samples) != wanted:
        raise BadInput("models are for all works on cpu and cuda; there are no results of "
                       + ", ".join(f"{WORKS[w]} on {e}" for e, w in sorted(wanted - set(samples))))
    try:
        import numpy, scipy, sklearn  # noqa: F401, E401
    except ImportError as e:
        raise BadInput(f"{e.name} is not installed: scripts/setup.sh bench") from None
    short = {e: pick_candidates([some for (of, _), some in sorted(samples.items()) if of == e])
             for e in heads}
    learned, figures = {}, []
    for (executor, work), some in sorted(samples.items()):
        # Small sets are few; those that are not much larger are like them. Likewise of large ones.
        sizes = {"small": [s for s in some if s.facts["atoms"] < SMALL],
                 "large": [s for s in some if s.facts["atoms"] >= SMALL]}
        both = {"small": Learned(sizes["small"], [s for s in some if s.facts["atoms"] < 10 * SMALL], True),
                "large": Learned(sizes["large"], [s for s in some if s.facts["atoms"] >= SMALL / 10], False)}
        learned.setdefault(executor, {})[work] = both
        free = free_tree(some)
        for size in ("large", "small"):
            figures.append({"executor": executor, "op": WORKS[work], "size": size, "caution": both[size].caution,
                            "rules": report_on(sizes[size], {"short list": short[executor], "all": NAMES}, both[size],
                                               free)})
    for (executor, op), some in sorted(others.items()):
        for size, judged in (("large", [s for s in some if s.facts["atoms"] >= SMALL]),
                             ("small", [s for s in some if s.facts["atoms"] < SMALL])):
            by = learned.get(executor, {}).get("wide_sums", {}).get(size)
            if by and judged:
                figures.append({"executor": executor, "op": op, "size": size, "caution": by.caution,
                                "rules": report_on(judged, {"short list": short[executor], "all": NAMES}, by,
                                                   free_tree(some))})
    print_figures(figures)
    if args.json:
        for executor in heads:
            write_figures(args.json, executor, heads[executor], short[executor], figures)
    if args.write:
        for executor, name in EXECUTORS.items():
            file = args.short_headers / f"choice_models_{name}.hpp"
            file.write_text(short_header(name, short[executor], learned[executor], place_text(places, executor)),
                            encoding="utf-8")
        args.whole_header.write_text(whole_header({EXECUTORS[e]: learned[e] for e in EXECUTORS},
                                                  {EXECUTORS[e]: place_text(places, e) for e in EXECUTORS},
                                                  {EXECUTORS[e]: short[e] for e in EXECUTORS}), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except BadInput as e:
        sys.exit(f"train_automatic.py: {e}")
    except OSError as e:
        sys.exit(f"train_automatic.py: {e.filename}: {e.strerror}")
