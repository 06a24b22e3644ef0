"""The proxy does what the chaos tests ask of it, and nothing else."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from private_server import PrivateServer, environment, programs, wait_until
from proxy import Proxy, Rules, unsteady


class ProxyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="pawl-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.dir, ignore_errors=True)
        cls.server = PrivateServer(cls.dir / "server", {"fsync": "off"})
        cls.addClassCleanup(cls.server.release)
        cls.server.start()

    def setUp(self):
        self.network = self.enterContext(Proxy(self.server.port))

    def start(self, text):
        return subprocess.Popen([*self.server.psql(port=self.network.port), "-c", text], env=environment(),
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_sql(self, text):
        asked = self.start(text)
        out, err = asked.communicate(timeout=60)
        return out.strip(), err

    def test_lets_through_what_is_not_forbidden(self):
        answer, _ = self.run_sql("SELECT sum(length(repeat('x', 1000))) FROM generate_series(1, 5000)")
        self.assertEqual(answer, "5000000")
        answer, _ = self.run_sql("SELECT repeat('x', 1000) FROM generate_series(1, 5000)")
        self.assertEqual(len(answer), 5000 * 1001 - 1)

    def test_a_frozen_network_says_nothing_and_a_thawed_one_everything(self):
        self.network.freeze()
        asked = self.start("SELECT 'here'")
        wait_until("it has called", lambda: self.network.opened == 1)
        with self.assertRaises(subprocess.TimeoutExpired):
            asked.wait(0.3)
        self.network.thaw()
        self.assertEqual(asked.communicate(timeout=60)[0].strip(), "here")

    def test_a_dropped_connection_is_broken(self):
        asked = self.start("SELECT pg_sleep(3600)")
        wait_until("it sleeps", lambda: self.server.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(3600)'") == "1")
        self.network.drop()
        self.assertIn("connection", asked.communicate(timeout=60)[1])
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'")

    def test_cuts_after_so_many_bytes(self):
        self.network.rule(lambda number: Rules(cut_down=20000))
        _, err = self.run_sql("SELECT repeat('x', 1000) FROM generate_series(1, 5000)")
        self.assertIn("connection", err)
        self.assertEqual(self.network.cuts, 1)
        self.network.rule(lambda number: Rules(cut_up=60))
        _, err = self.run_sql("SELECT 1")
        self.assertIn("connection", err)
        self.assertEqual(self.network.cuts, 2)

    def test_an_answer_is_lost_after_the_commit(self):
        self.server.sql("CREATE TABLE written (n int)")
        self.network.lose_answers(1, to=b"application_name\0somebody else\0")
        self.assertIn("COMMIT", self.run_sql("BEGIN; COMMIT")[0])
        self.network.lose_answers(1, to=b"application_name\0psql\0")
        _, err = self.run_sql("BEGIN; INSERT INTO written VALUES (1); COMMIT")
        self.assertIn("connection", err)
        self.assertEqual(self.network.answers_lost, 1)
        self.assertEqual(self.server.sql("SELECT n FROM written"), "1")
        answer, _ = self.run_sql("BEGIN; INSERT INTO written VALUES (2); COMMIT")
        self.assertEqual(answer.splitlines()[-1], "COMMIT")

    def test_the_same_seed_gives_the_same_rules(self):
        one, other = (unsteady(7, 0.02, 100, 200, cuts=5) for _ in range(2))
        for number in range(1, 9):
            first, second = one(number), other(number)
            self.assertEqual(vars(first), vars(second))
            self.assertEqual(first.cut_up is None, number > 5)


if __name__ == "__main__":
    unittest.main()
