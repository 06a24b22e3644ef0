#!/usr/bin/env python3
"""How many instructions one execution of a stage costs, by part of the program.

    instructions.py [--build DIR] [--update]

Counted by callgrind over `pawl_bench --steps`, which has no clock, no threads and no randomness. Each
store is counted twice with few items and twice with more; the difference removes what both have in
common (starting, signing on). Exits with 1 if a count is worse than the one in instructions.json
by more than 3 percent, or does not repeat.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

STORES = ("memory", "sqlite", "retry")
FEW, MORE = 100, 300
WORSE = 1.03
REPEATS_WITHIN = 0.001
COUNTED_FUNCTION = "_ZN4pawl5bench13counted_stepsERNS_6EngineE"  # pawl::bench::counted_steps(Engine&)
FIGURES = pathlib.Path(__file__).with_name("instructions.json")

# The part that an archive belongs to; if one archive contains several, by source.
PARTS = {"core": "core: open, decide, close", "codec": "codec: JSON, journal text",
         "store": "ledger", "sql": "rows to SQLite", "sqlite": "rows to SQLite", "runtime": "runtime loop",
         "bench": "the stage's own code"}
PARTS_BY_SOURCE = {("store", "memory_rows"): "rows in memory", ("store", "memory_store"): "rows in memory",
                   ("store", "memory_records"): "rows in memory",
                   ("runtime", "execution"): "execution of a stage", ("runtime", "judge"): "execution of a stage",
                   ("runtime", "task_context"): "execution of a stage", ("runtime", "stage"): "execution of a stage"}
ALLOCATION = re.compile(r"_?_?(int_|libc_)?(malloc|free|realloc|calloc|memalign|unlink_chunk|_int_)"
                        r"|malloc_consolidate|_Znwm|_Znam|_ZdlPv|_ZdaPv|sysmalloc|systrim|tcache")
COPYING = re.compile(r"_?_?(mem(cpy|move|set|cmp|chr|pcpy)|str(len|cmp|ncmp|chr|chrnul|cpy))")


def symbols(build: pathlib.Path) -> dict[str, str]:
    """The part of each of our functions, by its mangled name."""
    part_of: dict[str, str] = {}
    files = [(name, build / "src" / name / f"libpawl_{name}.a") for name in PARTS if name != "bench"]
    objects = sorted((build / "bench" / "CMakeFiles" / "pawl_bench.dir").glob("*.o"))
    for layer, file in files + [("bench", path) for path in objects]:
        listing = subprocess.run(["nm", "-A", "--defined-only", str(file)], check=True, capture_output=True, text=True)
        for line in listing.stdout.splitlines():
            where, _, name = line.rpartition(" ")
            source = re.search(r"([a-z0-9_]+)\.cpp\.o:", where)
            part = PARTS_BY_SOURCE.get((layer, source[1] if source else ""), PARTS[layer])
            # Functions that several layers instantiate belong to the lowest of them.
            part_of.setdefault(plain(name), part)
    return part_of


def plain(name: str) -> str:
    """The name without the suffixes of compiler clones and of callgrind's recursion levels."""
    return re.sub(r"(\.(isra|constprop|part|cold|lto_priv)(\.\d+)?)+$|'\d+$", "", name)


def part_of_function(name: str, library: str, ours: dict[str, str]) -> str:
    name = plain(name)
    if ALLOCATION.match(name):
        return "malloc and free"
    if COPYING.match(name):
        return "memcpy and the like"
    if "libsqlite3" in library:
        return "SQLite itself"
    if name.startswith(("_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx")):
        return "standard library"
    if name in ours:
        return ours[name]
    return "the rest of the C library" if "libc.so" in library or "ld-linux" in library else "other libraries"


def read_profile(path: pathlib.Path, ours: dict[str, str]) -> collections.Counter[str]:
    """Instructions by part, for each function its own; its calls are counted in the callee."""
    names: dict[tuple[str, str], str] = {}

    def named(kind: str, text: str) -> str:
        match = re.fullmatch(r"\((\d+)\)(?: (.*))?", text)
        if not match:
            return text
        if match[2] is not None:
            names[kind, match[1]] = match[2]
        return names[kind, match[1]]

    parts: collections.Counter[str] = collections.Counter()
    library = part = ""
    skip = False
    for line in path.read_text().splitlines():
        if line.startswith("ob="):
            library = named("ob", line[3:])
        elif line.startswith("fn="):
            part = part_of_function(named("fn", line[3:]), library, ours)
        elif line.startswith("cob="):
            named("ob", line[4:])
        elif line.startswith("cfn="):
            named("fn", line[4:])
        elif line.startswith("calls="):
            skip = True
        elif line[:1] in "+-*0123456789" and line:
            if not skip:
                parts[part] += int(line.split()[1])
            skip = False
    return parts


def count(program: pathlib.Path, store: str, items: int, ours: dict[str, str]) -> tuple[int, collections.Counter[str]]:
    """Executions and instructions by part of one run."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--quiet", "--demangle=no", "--collect-atstart=no",
             f"--toggle-collect={COUNTED_FUNCTION}", f"--callgrind-out-file={out}",
             str(program), "--steps", store, str(items), "--folder", folder],
            check=False, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})
        if run.returncode != 0:
            sys.exit(f"instructions: {store}: {run.stderr.strip()}")
        return int(run.stdout), read_profile(out, ours)


def per_execution(program: pathlib.Path, store: str, ours: dict[str, str]) -> tuple[dict[str, float], float]:
    """Instructions of one execution by part, and the difference between two counts of it."""
    seen = []
    for _ in range(2):
        few_executions, few = count(program, store, FEW, ours)
        more_executions, more = count(program, store, MORE, ours)
        executions = more_executions - few_executions
        seen.append({part: (more[part] - few[part]) / executions for part in more})
    totals = [sum(parts.values()) for parts in seen]
    return seen[0], abs(totals[0] - totals[1]) / totals[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=FIGURES.parent.parent / "build" / "release")
    parser.add_argument("--update", action="store_true", help="write the counts to instructions.json")
    options = parser.parse_args()
    program = options.build / "bench" / "pawl_bench"
    ours = symbols(options.build)
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    figures = {}
    failed = False
    for store in STORES:
        parts, apart = per_execution(program, store, ours)
        total = sum(parts.values())
        before = known.get(store, {}).get("instructions")
        print(f"\n{store}: {total:,.0f} instructions per execution" +
              (f", {total / before:.3f} of the {before:,} on record" if before else ", none on record") +
              (" (repeats exactly)" if apart == 0 else f" (two counts lie {100 * apart:.4f} % apart)"))
        for part, cost in sorted(parts.items(), key=lambda one: -one[1]):
            if cost >= 0.5:
                print(f"  {part:28s} {cost:10,.0f} {100 * cost / total:5.1f} %")
        if apart > REPEATS_WITHIN:
            print(f"  FAILED: the count does not repeat within {100 * REPEATS_WITHIN} %")
            failed = True
        if before and not options.update:
            if total > WORSE * before:
                print(f"  WORSE by {100 * (total / before - 1):.1f} %")
                failed = True
            elif WORSE * total < before:
                print("  better: update the file with --update")
        figures[store] = {"instructions": round(total),
                          "parts": {part: round(cost) for part, cost in sorted(parts.items()) if cost >= 0.5}}
    if options.update:
        FIGURES.write_text(json.dumps(figures, indent=2) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
