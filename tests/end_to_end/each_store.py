"""Runs tests on SQLite and on PostgreSQL: the same commands, the same answers."""

import functools
import os
import pathlib
import subprocess
import uuid


def server():
    said = os.environ.get("PAWL_TEST_POSTGRES")
    return said or pathlib.Path(os.environ["PAWL_TEST_POSTGRES_FILE"]).read_text().strip()


def new_schema(test):
    """The address of an empty schema that is dropped after the test."""
    schema = "end_to_end_" + uuid.uuid4().hex
    test.addCleanup(
        subprocess.run, ["psql", "-X", "-q", server(), "-c", f"DROP SCHEMA IF EXISTS {schema} CASCADE"],
        check=True, env={**os.environ, "PGOPTIONS": "-c client_min_messages=warning"})
    return f"{server()}?schema={schema}"


def on_each_store(test):
    """Runs a test on each store, with its address in `self.store`."""

    @functools.wraps(test)
    def run(self):
        for name, store in (("sqlite", str(self.dir / "store.db")), ("postgres", new_schema(self))):
            with self.subTest(store=name):
                self.store = store
                test(self)

    return run
