"""Compiles every public header by itself and names those that fail."""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def compile_alone(compiler: str, roots: list[pathlib.Path], header: str) -> str:
    """The errors of the compiler for the header; empty if there are none."""
    command = [compiler, "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
               "-Wno-missing-field-initializers"]
    command += [f"-I{root}" for root in roots]
    command += ["-x", "c++", "-"]
    # Twice, so that a header without a guard is found too.
    source = f'#include "{header}"\n#include "{header}"\n'
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    return done.stderr or "failed silently" if done.returncode else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("roots", nargs="+", type=pathlib.Path, help="include directories")
    args = parser.parse_args()

    headers = sorted({path.relative_to(root).as_posix()
                      for root in args.roots for path in root.rglob("*.hpp")})
    if not headers:
        print("no headers found: the check is looking in the wrong place")
        return 1

    jobs = int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or os.cpu_count() or 1)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        said = list(pool.map(lambda h: compile_alone(args.compiler, args.roots, h), headers))
    failed = [(header, text) for header, text in zip(headers, said) if text]
    for header, text in failed:
        print(f"--- {header} does not compile alone\n{text}")
    print(f"{len(headers) - len(failed)} of {len(headers)} headers compile alone")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
