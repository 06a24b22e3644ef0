"""Poolers: one that keeps a session for each connection works like none; one that shares sessions is refused
when a store is opened, and if it starts to share them later, nothing is written to the wrong place."""

import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path += [str(HERE.parent / "end_to_end"), str(HERE)]

from pawl import DONE, FAILED, INTERRUPTED, ProjectTest, main  # noqa: E402
from pooler import PgBouncer, SharingPooler  # noqa: E402
from private_server import PrivateServer, environment  # noqa: E402

SHARED = "in transaction or statement mode"

WORKFLOW = """
version: 1
workflow: pooled
items: { file: items.jsonl }
job: { parallel: 4 }
stages:
  one:
    sh: |
      echo "$PAWL_ITEM $PAWL_ATTEMPT" >> "traces-$SCHEMA"
      sleep 0.05
    env: { SCHEMA: "${params.schema}" }
params: { schema: { type: string } }
"""


class Poolers(ProjectTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="pawl-poolers-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.server = PrivateServer(folder)
        cls.addClassCleanup(cls.server.release)
        cls.server.start()

    def setUp(self):
        super().setUp()
        self.schema = self._testMethodName.removeprefix("test_")[:40]

    def store(self, pooler=None, schema=None):
        return self.server.url(port=pooler.port if pooler else None, schema=schema or self.schema)

    def run_job(self, store, schema, *more, items=6, code=DONE):
        self.write("items.jsonl", "".join(f"i{n}\n" for n in range(items)))
        self.write("pooled.yaml", WORKFLOW)
        return self.pawl("--store", store, "run", "pooled.yaml", "--param", f"schema={schema}", *more, code=code)

    def finding(self, pooler, what, code):
        found = self.pawl("--store", self.store(pooler), "doctor", "--json", code=code).json["findings"]
        return next(one for one in found if one["what"] == f"server {what}")

    def assert_refused(self, pooler):
        """Commands that write and commands that only read refuse it, and nothing is created."""
        ran = self.run_job(self.store(pooler), "x", code=FAILED)
        self.assertIn(SHARED, ran.err)
        self.assertIn("pool_mode = session", ran.err)
        for command in ("work", "status", "verify"):
            self.assertIn(SHARED, self.pawl("--store", self.store(pooler), command, code=FAILED).err)
        self.assertEqual(self.finding(pooler, "pooler", code=FAILED)["health"], "failed")
        made = self.server.sql(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{self.schema}'")
        self.assertEqual(made, "0")

    def test_pgbouncer_in_transaction_mode_is_refused(self):
        with PgBouncer(self.server, "transaction") as pooler:
            self.assert_refused(pooler)

    def test_pgbouncer_in_transaction_mode_with_a_single_session_is_refused(self):
        with PgBouncer(self.server, "transaction", pool_size=1) as pooler:
            self.assert_refused(pooler)

    def test_pgbouncer_that_takes_sessions_in_turn_is_refused(self):
        with PgBouncer(self.server, "transaction", more="server_round_robin = 1") as pooler:
            # Several sessions, so that they can be used in turn.
            self.hold_sessions(pooler, 4)
            self.assert_refused(pooler)

    def test_pgbouncer_in_statement_mode_is_refused(self):
        with PgBouncer(self.server, "statement") as pooler:
            self.assert_refused(pooler)

    def test_pgbouncer_in_session_mode_is_as_good_as_none(self):
        with PgBouncer(self.server, "session") as pooler:
            self.run_job(self.store(pooler), "x")
            self.pawl("--store", self.store(pooler), "verify")
            self.assertIn("keeps a session", self.finding(pooler, "pooler", code=DONE)["text"])
        self.assertEqual(len(self.read("traces-x").splitlines()), 6)

    def test_no_pooler_is_said(self):
        self.assertEqual(self.finding(None, "pooler", code=None)["text"], "none")

    def test_a_pooler_that_knows_prepared_statements_is_refused(self):
        with SharingPooler(self.server) as pooler:
            pooler.share()
            self.assert_refused(pooler)
            self.assertGreater(pooler.switches, 0)

    def test_a_pooler_that_begins_to_share_mixes_no_schemas_and_loses_nothing(self):
        schemas = ("left", "right")
        items = 40
        with SharingPooler(self.server) as pooler:
            workers = []
            for schema in schemas:
                self.run_job(self.store(pooler, schema), schema, "--detach", items=items)
                workers.append(self.start("--store", self.store(pooler, schema), "work", "--parallel", "4"))
            for schema in schemas:
                self.wait_until(f"work in {schema}", lambda: len(self.traces(schema)) >= 8)
            pooler.share()
            seen = pooler.switches
            self.wait_until("sessions are shared", lambda: pooler.switches > seen + 20)
            self.assertLess(min(len(self.traces(schema)) for schema in schemas), items)
            pooler.share(False)
            for schema in schemas:
                self.wait_until(f"the job in {schema} ends", lambda: self.status(schema)["ended_at"])
            for worker in workers:
                worker.terminate()
                self.finish(worker, INTERRUPTED)
        for schema in schemas:
            self.assert_whole(self.pawl("--store", self.store(schema=schema), "verify", "--json").json)
            self.assertEqual(self.status(schema)["items"]["succeeded"], items)
            ran = collections.Counter(self.traces(schema))
            self.assertEqual(sorted(ran.values()), [1] * items, "no attempt ran twice")

    def hold_sessions(self, pooler, count):
        """Holds `count` sessions at once for a moment."""
        holders = []
        for _ in range(count):
            holder = subprocess.Popen(self.server.psql(port=pooler.port), env=environment(), text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            holders.append(holder)
            self._started.append(holder)
            holder.stdin.write("BEGIN;\nSELECT 'in';\n")
            holder.stdin.flush()
            self.assertEqual([holder.stdout.readline() for _ in range(2)], ["BEGIN\n", "in\n"])
        for holder in holders:
            holder.stdin.close()
            holder.wait(60)

    def status(self, schema):
        return self.pawl("--store", self.store(schema=schema), "status", "--json").json

    def traces(self, schema):
        try:
            return self.read(f"traces-{schema}").splitlines()
        except FileNotFoundError:
            return []


if __name__ == "__main__":
    main()
