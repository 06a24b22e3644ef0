"""Requirements for a server: doctor reports those that are not met, and commands that work refuse to start and
report all of them at once. Each test uses a real server or database."""

import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path += [str(HERE.parent / "end_to_end"), str(HERE)]

from pawl import DONE, FAILED, ProjectTest, main  # noqa: E402
from pooler import SharingPooler  # noqa: E402
from private_server import PrivateServer, StandbyServer, wait_until  # noqa: E402

WORKFLOW = """
version: 1
workflow: texts
items: [日本, Größe]
stages:
  one: { sh: 'printf %s "$NAME"', env: { NAME: "${item}" } }
"""
# Replaces clock_timestamp() in a database with a wrong clock.
WRONG_CLOCK = """
SET allow_system_table_mods = on;
ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO right_clock;
CREATE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
  $$ SELECT pg_catalog.right_clock() + interval '{}' $$;
"""


class Servers(ProjectTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pawl-check-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.server = PrivateServer(cls.folder / "server")
        cls.addClassCleanup(cls.server.release)
        cls.server.start()
        cls.server.sql("CREATE ROLE plain LOGIN")

    def setUp(self):
        super().setUp()
        self.write("texts.yaml", WORKFLOW)

    def make_database(self, name, encoding="UTF8"):
        self.server.sql(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' "
                        "LC_COLLATE 'C' LC_CTYPE 'C'")
        return self.server.url(database=name)

    def findings(self, store, code):
        answer = self.pawl("--store", store, "doctor", "--json", code=code).json
        self.assertEqual(answer["ok"], code == DONE)
        return {one["what"].removeprefix("server "): one for one in answer["findings"]
                if one["what"].startswith("server ")}

    def failed(self, store):
        found = self.findings(store, FAILED)
        return [what for what, one in found.items() if one["health"] == "failed"]

    def assert_no_work(self, store, *texts):
        """The commands that work report all of these texts."""
        for words in (("run", "texts.yaml"), ("work",), ("resume",)):
            refused = self.pawl("--store", store, *words, code=FAILED)
            for text in texts:
                self.assertIn(text, refused.err)

    def test_a_server_that_is_fit_has_nothing_to_be_said(self):
        store = self.make_database("fit")
        self.pawl("--store", store, "run", "texts.yaml")
        found = self.findings(store, DONE)
        self.assertEqual({one["health"] for one in found.values()}, {"ok"}, found)
        self.assertEqual(list(found), ["version", "encoding", "pooler", "writes", "rights", "clock"])

    def test_an_encoding_that_cannot_keep_every_text_is_refused(self):
        store = self.make_database("latin1", "LATIN1")
        self.assertEqual(self.failed(store), ["encoding"])
        self.assert_no_work(store, "LATIN1", "createdb -E UTF8")
        self.assertIn("createdb -E UTF8", self.pawl("--store", store, "status", code=FAILED).err)
        made = self.server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'pawl'", database="latin1")
        self.assertEqual(made, "0", "nothing was made")

    def test_a_database_without_an_encoding_keeps_every_text(self):
        store = self.make_database("ascii", "SQL_ASCII")
        self.pawl("--store", store, "run", "texts.yaml")
        self.findings(store, DONE)
        listed = self.pawl("--store", store, "item", "list", "--json").out
        self.assertIn("日本", listed)
        self.assertIn("Größe", listed)
        self.pawl("--store", store, "verify")

    def test_an_encoding_in_the_address_changes_nothing(self):
        store = self.make_database("spoken")
        self.pawl("--store", store + "?client_encoding=LATIN1", "run", "texts.yaml")
        self.assertIn("日本", self.pawl("--store", store, "item", "list", "--json").out)

    def test_a_database_that_takes_no_writes_is_for_reading(self):
        store = self.make_database("closed")
        self.pawl("--store", store, "run", "texts.yaml")
        self.server.sql("ALTER DATABASE closed SET default_transaction_read_only = on")
        self.assertEqual(self.failed(store), ["writes"])
        self.assert_no_work(store, "default_transaction_read_only")
        self.pawl("--store", store, "status")

    def test_a_standby_is_for_reading(self):
        store = self.make_database("followed")
        self.pawl("--store", store, "run", "texts.yaml")
        standby = StandbyServer(self.folder / "standby", self.server)
        self.addCleanup(standby.release)
        standby.start()
        wait_until("it has caught up", standby.has_caught_up)
        there = standby.url(database="followed")
        self.assertEqual(self.failed(there), ["writes"])
        self.assertIn("read-only", self.findings(there, FAILED)["writes"]["text"])
        self.assert_no_work(there, "standby", "read-only", "target_session_attrs=read-write")
        self.assertIn("2 done", self.pawl("--store", there, "status").out)

    def test_rights_that_are_missing_are_named(self):
        store = self.make_database("guarded")
        plain = self.server.url(user="plain", database="guarded")
        self.assertEqual(self.failed(plain), ["rights"])
        self.assert_no_work(plain, "may not create it")
        self.pawl("--store", store, "run", "texts.yaml")
        self.assert_no_work(plain, "may not use")
        self.server.sql("GRANT USAGE ON SCHEMA pawl TO plain; "
                        "GRANT SELECT ON ALL TABLES IN SCHEMA pawl TO plain", database="guarded")
        self.assert_no_work(plain, "the table attempts", "docs/guide/postgres.md")
        self.pawl("--store", plain, "status")
        self.server.sql("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pawl TO plain", database="guarded")
        self.findings(plain, DONE)
        self.pawl("--store", plain, "work", "--drain")

    def test_a_clock_that_differs_is_a_warning(self):
        store = self.make_database("late")
        self.server.sql(WRONG_CLOCK.format("90 seconds"), database="late")
        clock = self.findings(store, DONE)["clock"]
        self.assertEqual(clock["health"], "warning")
        self.assertRegex(clock["text"], "(90|89) seconds ahead of this machine")
        ran = self.pawl("--store", store, "run", "texts.yaml")
        self.assertIn("warning: the server's clock is", ran.err)

    def test_a_server_that_is_too_old_is_refused(self):
        store = self.make_database("old")
        with SharingPooler(self.server, version="14.9") as old:
            there = self.server.url(database="old", port=old.port)
            self.assertEqual(self.failed(there), ["version"])
            self.assert_no_work(there, "PostgreSQL 14", "15 or newer")
            self.assertIn("15 or newer", self.pawl("--store", there, "status", code=FAILED).err)
        self.assertEqual(self.findings(store, DONE)["version"]["text"], "PostgreSQL 15")

    def test_all_faults_are_said_at_once(self):
        self.make_database("hopeless", "LATIN1")
        self.server.sql("ALTER DATABASE hopeless SET default_transaction_read_only = on")
        plain = self.server.url(user="plain", database="hopeless")
        self.assertEqual(self.failed(plain), ["encoding", "writes", "rights"])
        self.assert_no_work(plain, "LATIN1", "default_transaction_read_only", "may not create it")


if __name__ == "__main__":
    main()
