"""Several real workers on one PostgreSQL server, and faults that happen to them.

A scenario submits a job whose commands leave a trace, starts workers, injects faults, and lets the job end.
Then `pawl verify` finds nothing, record and traces agree (see agreement.py), and the tasks of a lost worker
were recovered within its lease and MARGIN. Workers that were only delayed are back within the same time.
"""

import concurrent.futures
import datetime
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path += [str(HERE.parent / "end_to_end"), str(HERE.parent / "postgres")]

from agreement import Ended, Trace, disagreements  # noqa: E402
from pawl import INTERRUPTED, PROGRAM, ProjectTest, main  # noqa: E402, F401
from private_server import PrivateServer, ServerError, environment, wait_until  # noqa: E402, F401

# How many seconds a worker that does not renew its lease is considered alive.
LEASE = 2
# What recovery may take beyond the lease: a round of the sweep, a reconnection, and a slow machine.
MARGIN = 5

STAGES = ("one", "two", "three")
WORKFLOW = """
version: 1
workflow: chaos
items: { file: items.jsonl }
job: { parallel: 100 }
stages:
""" + "".join(f"""
  {stage}:
    {f'needs: [{before}]' if before else ''}
    sh: |
      printf '%s %s %s %s\\n' "$PAWL_ITEM" "$PAWL_STAGE" "$PAWL_ATTEMPT" "$PAWL_RUN" >> traces
      sleep "$SECONDS_EACH"
    env: {{ SECONDS_EACH: "${{params.seconds}}" }}
""" for before, stage in zip((None, *STAGES), STAGES)) + """
params: { seconds: { type: string } }
"""


def moment(text):
    return datetime.datetime.fromisoformat(text).timestamp()


class ChaosTest(ProjectTest):
    """One scenario, in its own schema on the server of its class."""

    settings = {}
    lease = LEASE
    parameters = {}  # parameters of the workers' address

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="pawl-chaos-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.server = PrivateServer(folder, cls.settings)
        cls.addClassCleanup(cls.server.release)
        cls.server.start()
        # Not the owner of the server: workers must not need the rights of a superuser.
        cls.server.sql("CREATE ROLE worker LOGIN; GRANT CREATE ON DATABASE pawl TO worker")

    def setUp(self):
        super().setUp()
        self.began = time.monotonic()
        self.jobs = 0
        self.items = []  # JOB/KEY
        self.schema = self._testMethodName.removeprefix("test_")
        self.workers = []  # those that should be at work
        self.gone_at = {}  # process -> wall-clock time when it was last alive
        self.recoveries = []
        self.addCleanup(self._show_logs)

    def _show_logs(self):
        told = self._outcome.result
        if any(test is self for test, _ in told.failures + told.errors):
            for log in sorted(self.dir.glob("*.log")):
                print(f"--- {log.name}\n{log.read_text()[-6000:]}", file=sys.stderr)
            print("--- server\n" + "".join((self.server.folder / "log").read_text().splitlines(True)[-40:]),
                  file=sys.stderr)

    # Where the store is

    def store(self, port=None):
        return self.server.url(user="worker", port=port, schema=self.schema, **self.parameters)

    def environment(self, **more):
        return super().environment(**{"PAWL_STORE": self.store(), **more})

    def sql(self, text):
        return self.server.sql(f"SET search_path = {self.schema}; {text}").removeprefix("SET").strip()

    # The work

    def submit(self, items, seconds=0.1):
        """Submits a job; item names are unique across jobs."""
        first = len(self.items)
        names = [f"i{first + n}" for n in range(items)]
        self.write("items.jsonl", "".join(f"{name}\n" for name in names))
        self.write("chaos.yaml", WORKFLOW)
        self.pawl("run", "chaos.yaml", "--detach", "--new", "--param", f"seconds={seconds}")
        self.jobs += 1
        self.items += [f"{self.jobs}/{name}" for name in names]

    def work(self, port=None, parallel=4):
        """Starts a worker; it connects to the server, or to the proxy at this port."""
        with open(self.dir / f"worker-{len(self._started)}.log", "w") as log:
            process = subprocess.Popen(
                [PROGRAM, "work", "--lease", f"{self.lease}s", "--parallel", str(parallel), "--verbose"],
                cwd=self.dir, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment(PAWL_STORE=self.store(port)))
        self._started.append(process)
        self.workers.append(process)
        return process

    def take_away(self, worker, how=signal.SIGKILL):
        self.workers.remove(worker)
        self.gone_at[worker.pid] = time.time()
        worker.send_signal(how)
        if how == signal.SIGKILL:
            worker.wait()

    def stop_workers(self, *chosen):
        """Stops these workers, or all."""
        stopped = list(chosen or self.workers)
        for worker in stopped:
            worker.send_signal(signal.SIGTERM)
        for worker in stopped:
            self.assertEqual(worker.wait(60), INTERRUPTED)
            self.workers.remove(worker)

    def traces(self):
        try:
            lines = self.read("traces").splitlines()
        except FileNotFoundError:
            return []
        return [Trace(item, stage, int(attempt), token)
                for item, stage, attempt, token in (line.split() for line in lines)]

    def wait_for_traces(self, count):
        self.wait_until(f"{count} traces", lambda: len(self.traces()) >= count)

    def wait_for_more(self, count):
        """Waits for `count` more executions, or for all of a job that is too quick."""
        everything = len(self.items) * len(STAGES)
        self.wait_for_traces(min(len(self.traces()) + count, everything))

    def note(self, what):
        """Writes a line beside the logs of the workers, which are shown if a scenario fails."""
        with open(self.dir / "harm.log", "a") as log:
            log.write(f"{datetime.datetime.now(datetime.UTC):%H:%M:%S.%f} {what}\n")

    # Recovery

    def records_of_workers(self):
        return self.pawl("workers", "--all", "--json").json["workers"]

    def expect_all_back(self):
        """Now nothing stands in the way any more: each worker renews its lease, within the lease and a
        margin."""
        mended, mended_at = time.monotonic(), time.time()

        def all_renewed():
            answer = self.pawl("workers", "--all", "--json", code=None)
            if answer.code != 0:
                return False  # a server that was killed a moment ago may only now notice it
            since = {record["pid"]: moment(record["lease_until"]) - self.lease
                     for record in answer.json["workers"] if record["state"] == "alive"}
            return all(since.get(worker.pid, 0) >= mended_at for worker in self.workers)
        self.wait_until("all workers are back", all_renewed)
        self.recoveries.append(time.monotonic() - mended)
        self.assertLess(self.recoveries[-1], self.lease + MARGIN)

    # The end

    def job_has_ended(self):
        """The newest one has."""
        return self.job(self.jobs)["ended_at"] is not None

    def dead_letters(self):
        listed = self.pawl("dlq", "list", "--json").json["items"]
        return [f"{one['job']}/{one['item']}" for one in listed]

    def check(self, **harm):
        """The jobs end, the record is sound and agrees with the traces. Prints the figures."""
        self.wait_until("the job ends", self.job_has_ended)
        self.stop_workers()
        jobs = [self.job(1 + n) for n in range(self.jobs)]
        dead = [(item, [one for one in self.attempts(item) if one["result"] not in ("success", "interrupted")])
                for item in self.dead_letters()]
        self.assertEqual(dead, [])
        self.assertEqual({job["state"] for job in jobs}, {"completed"})
        self.assertEqual(sum(job["items"]["succeeded"] for job in jobs), len(self.items))
        self.assert_verified()

        with concurrent.futures.ThreadPoolExecutor(4) as readers:
            found = zip(self.items, readers.map(self.attempts, self.items))
            attempts = [(item.split("/")[1], attempt) for item, those in found for attempt in those]
        ended = [Ended(item, one["stage"], one["attempt_number"], one["result"]) for item, one in attempts]
        traces = self.traces()
        self.assertEqual(disagreements([item.split("/")[1] for item in self.items], STAGES, ended, traces), [])
        self.check_takeovers([one for _, one in attempts if one["result"] == "interrupted"])

        interrupted = {one[:3] for one in ended if one.result == "interrupted"}
        self.tell(harm, len(ended), len(interrupted), len(interrupted & {trace[:3] for trace in traces}))

    def check_takeovers(self, interrupted):
        """The tasks of a lost worker were recovered in time."""
        process_of = {record["worker"]: record["pid"] for record in self.records_of_workers()}
        for attempt in interrupted:
            gone_at = self.gone_at.get(process_of[attempt["worker"]])
            if gone_at:
                self.recoveries.append(moment(attempt["ended_at"]) - gone_at)
                self.assertLess(self.recoveries[-1], self.lease + MARGIN)

    def tell(self, harm, attempts, interrupted, ran_in_vain):
        figures = [f"{name.replace('_', ' ')} {count}" for name, count in harm.items()]
        line = (f"chaos: {self.schema.replace('_', ' ')}: {len(self.items)} items, {attempts} attempts, "
                f"{interrupted} interrupted ({ran_in_vain} of them ran), {', '.join(figures)}, "
                f"recovered within {max(self.recoveries, default=0):.1f} s "
                f"(bound {self.lease} + {MARGIN}), {time.monotonic() - self.began:.1f} s")
        print(line, flush=True)
        if "PAWL_CHAOS_FIGURES" in os.environ:
            with open(os.environ["PAWL_CHAOS_FIGURES"], "a") as figures_file:
                figures_file.write(line + "\n")
