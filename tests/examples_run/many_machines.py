#!/usr/bin/env python3
"""Runs the example of many machines: without an address, and twice at once on one job.

    many_machines.py PROGRAM        the server is named by PAWL_TEST_POSTGRES or PAWL_TEST_POSTGRES_FILE
"""

import os
import pathlib
import re
import subprocess
import sys
import uuid

PATIENCE = 100
PARCELS = 120


def server():
    said = os.environ.get("PAWL_TEST_POSTGRES")
    return said or pathlib.Path(os.environ["PAWL_TEST_POSTGRES_FILE"]).read_text().strip()


def main():
    program = sys.argv[1]
    unnamed = {name: value for name, value in os.environ.items() if name != "PAWL_STORE"}
    alone = subprocess.run([program], env=unnamed, capture_output=True, text=True, timeout=PATIENCE)
    assert alone.returncode == 2, f"without an address it ends with {alone.returncode}"
    assert "needs the address of a PostgreSQL database" in alone.stderr, alone.stderr

    schema = "example_" + uuid.uuid4().hex
    address = f"{server()}?schema={schema}"
    both = [subprocess.Popen([program, address, "2"], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT) for _ in range(2)]
    try:
        told = [one.communicate(timeout=PATIENCE)[0] for one in both]
    finally:
        for one in both:
            one.kill()
        subprocess.run(["psql", "-X", "-q", server(), "-c", f"DROP SCHEMA IF EXISTS {schema} CASCADE"],
                       check=True, env={**os.environ, "PGOPTIONS": "-c client_min_messages=warning"})
    for one, text in zip(both, told):
        print(text)
        assert one.returncode == 0, f"it ended with {one.returncode}"
        assert text.endswith("All as promised.\n"), "the last line"
        assert f"job 1 is completed: {PARCELS} of {PARCELS} parcels weighed" in text
        done = {int(process): int(attempts) for process, attempts in
                re.findall(r"^ *\d+  \S+ +(\d+) +(\d+)$", text, re.MULTILINE)}
        assert set(done) == {each.pid for each in both}, f"both took part: {done}"
        assert sum(done.values()) == PARCELS, f"each parcel was weighed once: {done}"


if __name__ == "__main__":
    main()
