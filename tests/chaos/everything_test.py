"""All kinds of faults in one run, in an order that a seed decides. PAWL_CHAOS_SEED sets another seed."""

import collections
import random

from chaos import *
from proxy import Proxy

SEED = int(os.environ.get("PAWL_CHAOS_SEED", "1"))
HARMS = 12


class Everything(ChaosTest):
    def test_everything_at_once(self):
        self.dice = random.Random(SEED)
        self.networks = [self.enterContext(Proxy(self.server.port)) for _ in range(3)]
        self.submit(100)
        self.network_of = {self.work(port=network.port, parallel=3): network for network in self.networks}
        kinds = [self.restart_server, self.end_backends, self.drop_connections, self.lose_answer,
                 self.partition, self.kill_worker, self.freeze_worker]
        done = collections.Counter()
        for number in range(HARMS):
            self.wait_for_a_little_progress()
            # The first round contains all of them.
            harm = kinds[number] if number < len(kinds) else self.dice.choice(kinds)
            done[harm.__name__] += 1
            self.note(harm.__name__)
            harm()
        self.expect_all_back()
        self.check(seed=SEED, **done)

    def wait_for_a_little_progress(self):
        enough = len(self.traces()) + self.dice.randint(1, 12)
        self.wait_until("it goes on", lambda: len(self.traces()) >= enough or self.job_has_ended())

    def for_a_while(self):
        """Sometimes shorter than a lease, sometimes longer."""
        until = time.monotonic() + self.dice.choice((0.3, 0.8, LEASE + 0.5))
        wait_until("it was long enough", lambda: time.monotonic() > until)

    def restart_server(self):
        self.dice.choice((self.server.stop, lambda: self.server.stop("immediate"), self.server.kill))()
        self.server.go_on()

    def end_backends(self):
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'worker'")

    def drop_connections(self):
        self.dice.choice(self.networks).drop()

    def lose_answer(self):
        self.dice.choice(self.networks).lose_answers(self.dice.randint(1, 3))

    def partition(self):
        network = self.dice.choice(self.networks)
        network.freeze()
        self.for_a_while()
        if self.dice.random() < 0.5:
            network.drop()
        network.thaw()

    def kill_worker(self):
        victim = self.dice.choice(self.workers)
        self.take_away(victim)
        network = self.network_of.pop(victim)
        replacement = self.work(port=network.port, parallel=3)
        self.network_of[replacement] = network
        # A worker that finds no server when it starts reports that and ends; another test covers
        # it.
        self.wait_until("it signs on", lambda: replacement.pid in {
            record["pid"] for record in self.records_of_workers()})

    def freeze_worker(self):
        sleeper = self.dice.choice(self.workers)
        sleeper.send_signal(signal.SIGSTOP)
        self.for_a_while()
        sleeper.send_signal(signal.SIGCONT)


if __name__ == "__main__":
    main()
