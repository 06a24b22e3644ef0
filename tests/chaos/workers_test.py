"""Faults of workers: killed again and again, frozen and woken."""

from chaos import *


class WorkersTrouble(ChaosTest):
    def test_worker_killed_again_and_again(self):
        self.submit(60)
        self.work()
        victim = self.work()
        kills = 6
        for _ in range(kills):
            self.wait_for_more(20)
            self.take_away(victim)
            victim = self.work()
        self.check(kills=kills)

    def test_worker_frozen_past_its_lease(self):
        """It wakes up with results that are fenced."""
        self.submit(40)
        sleeper = self.work()
        other = self.work()
        self.wait_for_more(20)
        self.take_away(sleeper, signal.SIGSTOP)
        self.wait_until("the other ends the job", self.job_has_ended)
        before = self.pawl("events", "--jsonl").out
        taken_over = before.count('"result":"interrupted"')
        self.assertGreater(taken_over, 0, "it held something")
        self.wake(sleeper)
        self.assertEqual(self.pawl("events", "--jsonl").out, before, "what came late changed nothing")
        # Alone with another job, it completes it.
        self.stop_workers(other)
        self.submit(10)
        self.check(frozen=1, taken_over=taken_over)

    def wake(self, sleeper):
        sleeper.send_signal(signal.SIGCONT)
        self.workers.append(sleeper)
        self.expect_all_back()


if __name__ == "__main__":
    main()
