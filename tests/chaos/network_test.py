"""Network faults between workers and their server: silence, breaks, delays, a lost answer."""

from chaos import *
from proxy import Proxy, unsteady

SEED = 5
# The application name of the connection on which a worker writes.
WRITER = b"application_name\0pawl\0"


class NetworkTrouble(ChaosTest):
    def setUp(self):
        super().setUp()
        self.network = self.enterContext(Proxy(self.server.port))

    def cut_off_until_the_other_ends_the_job(self):
        """Returns the worker that was cut off, and the one that was not."""
        self.submit(40)
        cut_off = self.work(port=self.network.port)
        other = self.work()
        self.wait_for_more(20)
        self.workers.remove(cut_off)
        self.gone_at[cut_off.pid] = time.time()
        self.network.freeze()
        self.wait_until("the other ends the job", self.job_has_ended)
        self.taken_over = self.pawl("events", "--jsonl").out.count('"result":"interrupted"')
        self.assertGreater(self.taken_over, 0, "it held something")
        self.assertIsNone(cut_off.poll(), "it waits for better times")
        return cut_off, other

    def work_alone(self, returned, other):
        """A worker that was cut off is a worker like any other: alone with another job, it completes it."""
        self.workers.append(returned)
        before = self.pawl("events", "--jsonl").out
        self.expect_all_back()
        self.assertEqual(self.pawl("events", "--jsonl").out, before, "what came late changed nothing")
        self.stop_workers(other)
        self.submit(10)
        self.check(partitions=1, taken_over=self.taken_over)

    def test_partition_longer_than_the_lease(self):
        """The network falls silent, and later delivers everything."""
        cut_off, other = self.cut_off_until_the_other_ends_the_job()
        self.network.thaw()
        self.work_alone(cut_off, other)

    def test_partition_that_ends_in_broken_connections(self):
        cut_off, other = self.cut_off_until_the_other_ends_the_job()
        self.network.drop()
        self.network.thaw()
        self.work_alone(cut_off, other)

    def commands_that_run(self):
        """The shells of this scenario's stages, by their working directory."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                if words[0] == b"sleep" and (process / "cwd").resolve() == self.dir.resolve():
                    found.append(process.name)
            except OSError:
                pass  # it has ended meanwhile
        return found

    def test_worker_cut_off_past_its_lease_ends_its_commands(self):
        """Other workers may run the same tasks by then, and cannot tell it."""
        self.submit(2, seconds=600)
        worker = self.work(port=self.network.port)
        self.wait_until("both run", lambda: len(self.commands_that_run()) == 2)
        self.network.freeze()
        self.wait_until("they are ended", lambda: not self.commands_that_run())
        self.assertIsNone(worker.poll(), "it waits for better times")
        self.network.thaw()
        self.wait_until("they run again", lambda: len(self.commands_that_run()) == 2)
        self.pawl("job", "cancel", "1", "--yes")
        self.wait_until("the job ends", self.job_has_ended)
        self.stop_workers()
        self.assert_verified()
        log = (self.dir / "worker-0.log").read_text()
        self.assertIn("the lease ran out and could not be renewed", log)
        self.assertIn("2 running attempts are ended", log)

    def test_connections_dropped(self):
        self.submit(60)
        self.work(port=self.network.port)
        self.work(port=self.network.port)
        drops = 8
        for _ in range(drops):
            self.wait_for_more(15)
            self.network.drop()
        self.expect_all_back()
        self.check(drops=drops)

    def test_delays_and_cuts(self):
        cuts = 30
        self.network.rule(unsteady(SEED, delay_max=0.01, bytes_min=15_000, bytes_max=90_000, cuts=cuts))
        self.submit(50)
        self.work(port=self.network.port)
        self.work(port=self.network.port)
        self.wait_until("the job ends", self.job_has_ended)
        self.assertGreater(self.network.cuts, 0)
        self.check(seed=SEED, cuts=self.network.cuts, connections=self.network.opened)

    def test_acknowledgements_lost(self):
        """The server has committed, and the worker does not see the answer."""
        self.submit(60)
        self.work(port=self.network.port)
        self.work(port=self.network.port)
        for number in range(1, 11):
            self.wait_for_more(8)
            self.network.lose_answers(1, to=WRITER)
            self.wait_until("it is lost", lambda: self.network.answers_lost == number)
        self.expect_all_back()
        self.check(answers_lost=self.network.answers_lost)


if __name__ == "__main__":
    main()
