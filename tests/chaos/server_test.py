"""Faults of the server: restarts, crashes, ended backends, no connection left, a lock that stays."""

import contextlib

from chaos import *


class ServerTrouble(ChaosTest):
    def test_server_restarted(self):
        self.submit(60)
        self.work()
        self.work()
        modes = ("fast", "immediate", "kill", "fast")
        for mode in modes:
            self.wait_for_more(25)
            self.server.kill() if mode == "kill" else self.server.stop(mode)
            self.server.go_on()
            self.expect_all_back()
        self.check(restarts=len(modes))

    def test_server_away_longer_than_the_lease(self):
        self.submit(60)
        self.work()
        self.work()
        self.wait_for_more(30)
        self.server.stop()
        back_at = time.monotonic() + LEASE + 1
        wait_until("the lease has run out", lambda: time.monotonic() > back_at)
        self.server.go_on()
        self.expect_all_back()
        self.check(outages=1)

    def test_failover_that_loses_commits(self):
        """A standby without the newest commits takes over while the workers run: here an older copy of the
        server's own data."""
        self.submit(40, seconds=0.2)
        self.work()
        self.work()
        self.wait_for_more(20)
        self.server.keep_copy()
        self.expect_all_back()
        self.wait_for_more(25)
        self.server.go_on_from_copy()
        self.expect_all_back()
        self.wait_until("the job ends", self.job_has_ended)
        self.stop_workers()
        # Executions of lost commits ran again, perhaps with the same number: the record has one
        # execution.
        self.assertEqual(self.job(1)["state"], "completed")
        self.assertEqual(self.job(1)["items"]["succeeded"], len(self.items))
        self.assertEqual(self.job(1)["attempts_open"], 0)
        self.assert_verified()
        said = "".join(log.read_text() for log in self.dir.glob("worker-*.log"))
        self.assertIn("the store has forgotten commits that it had acknowledged", said)
        self.assertRegex(said, r"the store has forgotten [1-9][0-9]* of the newest")

    def test_backends_killed(self):
        self.submit(60)
        self.work()
        self.work()
        ended = 0
        for _ in range(12):
            self.wait_for_more(12)
            ended += int(self.server.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                                         "WHERE usename = 'worker'"))
        self.expect_all_back()
        self.check(backends_ended=ended)

    def test_job_row_locked(self):
        """A forgotten open transaction holds the job's row for longer than a lease."""
        self.submit(60)
        self.work()
        self.work()
        self.wait_for_more(30)
        holder = subprocess.Popen(self.server.psql(), env=environment(), text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._started.append(holder)
        holder.stdin.write(f"BEGIN;\nSELECT 'held' FROM {self.schema}.jobs FOR UPDATE;\n")
        holder.stdin.flush()
        while holder.stdout.readline() != "held\n":
            pass
        until = time.monotonic() + LEASE + 2
        wait_until("it was held for longer than a lease", lambda: time.monotonic() > until)
        holder.stdin.close()
        self.assertEqual(holder.wait(60), 0)
        self.expect_all_back()
        self.check(seconds_held=LEASE + 2)


class NoConnectionLeft(ChaosTest):
    settings = {"max_connections": "24"}

    def test_connections_exhausted(self):
        self.submit(60)
        self.work()
        self.work()
        self.wait_for_more(20)
        with contextlib.ExitStack() as holders:
            self.take_all_connections(holders)
            # A worker that has a connection keeps it and continues.
            self.wait_for_more(20)
            # A worker that loses its connection gets none: every free one is taken at once.
            held = 0
            while self.connections_of("worker"):
                self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                "WHERE usename = 'worker'")
                held = self.take_all_connections(holders)
            refused = self.pawl("status", code=None)
            self.assertNotEqual(refused.code, 0)
            self.assertRegex(refused.err, "too many|remaining connection slots|connection slots")
            until = time.monotonic() + LEASE + 1
            wait_until("the lease has run out", lambda: time.monotonic() > until)
        wait_until("they are free again", lambda: not self.connections_of("holder"))
        self.expect_all_back()
        self.check(connections_held=held)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.sql("CREATE ROLE holder LOGIN")

    def connections_of(self, user):
        return int(self.server.sql(f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{user}'"))

    def take_all_connections(self, holders):
        """Opens connections until the server refuses another. Returns how many are held."""
        while True:
            holder = subprocess.Popen(self.server.psql(user="holder"), env=environment(), text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL)
            holder.stdin.write("SELECT 'in';\n")
            with contextlib.suppress(BrokenPipeError):
                holder.stdin.flush()
            if holder.stdout.readline() != "in\n":
                with contextlib.suppress(BrokenPipeError):
                    holder.stdin.close()
                holder.stdout.close()
                holder.wait()
                return self.connections_of("holder")
            holders.callback(holder.wait)
            holders.callback(holder.stdout.close)
            holders.callback(holder.kill)
            holders.callback(holder.stdin.close)


if __name__ == "__main__":
    main()
