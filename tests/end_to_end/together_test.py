"""Kills, Ctrl-C, and several processes on one store."""

import json
import os
import signal
import sys
import subprocess

from pawl import *

STEPS = """
version: 1
workflow: steps
items: { file: items.jsonl }
job: { parallel: 4 }
stages:
  one:
    sh: echo "$PAWL_ITEM $PAWL_ATTEMPT" >> one.log; echo "$PAWL_ITEM"
  two:
    needs: [one]
    run: [printf, "two %s", "${stages.one.out.text}"]
  three:
    needs: [two]
    run: [printf, "three %s", "${stages.two.out.text}"]
"""


class Elsewhere(ProjectTest):
    def test_a_worker_without_the_directory_of_a_job_leaves_it_to_others(self):
        self.write("site/items.jsonl", "a\nb\n")
        self.write("site/steps.yaml", STEPS)
        store = ("--store", self.dir / "shared.db")
        self.pawl(*store, "run", "steps.yaml", "--detach", cwd=self.dir / "site")
        os.rename(self.dir / "site", self.dir / "away")
        worker = self.start(*store, "work")
        said = ""
        while "left to other machines" not in said:
            line = worker.stderr.readline()
            self.assertTrue(line, f"it said only: {said}")
            said += line
        self.assertIn(str(self.dir / "site"), said)
        worker.send_signal(signal.SIGINT)
        self.finish(worker, code=INTERRUPTED)
        # Who waits for an end does not wait for what others have to do, whatever it was kept to.
        self.pawl(*store, "work", "--drain")
        self.pawl(*store, "work", "--drain", "--stages", "one")
        refused = self.pawl(*store, "resume", "1", code=FAILED)
        self.assertIn(str(self.dir / "site"), refused.err)
        self.assertNotIn("attempt.started", self.pawl(*store, "events").out)
        os.rename(self.dir / "away", self.dir / "site")
        self.pawl(*store, "work", "--drain")
        shown = self.pawl(*store, "job", "show", "1", "--json").json
        self.assertEqual(shown["state"], "completed")
        self.assertEqual(self.pawl(*store, "dlq", "list", "--json").json["items"], [])


class Killed(ProjectTest):
    def items(self, count):
        self.write("items.jsonl", "".join(f"i{n}\n" for n in range(count)))

    def test_trap_28_many_kills_end_as_an_uninterrupted_run(self):
        self.items(60)
        self.write("steps.yaml", STEPS.replace("parallel: 4", "parallel: 1"))
        self.pawl("run", "steps.yaml", "--detach")
        kills = 0
        while kills < 12:
            before = self.job()["stages"]
            worker = self.start("resume")
            # Each gets a little further before it dies: the sixth ending of a stage kills it.
            def has_moved():
                now = self.job()["stages"]
                ended = sum(stage["succeeded"] for stage in now.values())
                return worker.poll() is not None or \
                    ended >= 6 + sum(stage["succeeded"] for stage in before.values())
            self.wait_until("some steps are done", has_moved)
            if worker.poll() is not None:
                break
            worker.send_signal(signal.SIGKILL)
            worker.wait()
            kills += 1
        self.assertGreater(kills, 1)
        self.pawl("resume")
        job = self.job()
        self.assertEqual(job["state"], "completed")
        self.assertEqual(job["items"]["succeeded"], 60)
        self.assertEqual(self.pawl("dlq", "list", "--json").json["items"], [])
        for line in self.pawl("results", "--jsonl").lines:
            self.assertEqual(line["outputs"]["three"]["text"], f"three two {line['item']}\n")
        for item in ("i0", "i30", "i59"):
            for stage in ("one", "two", "three"):
                attempts = self.attempts(item, "--stage", stage)
                self.assertEqual([a["attempt_number"] for a in attempts],
                                 list(range(1, len(attempts) + 1)))
                self.assertEqual({a["result"] for a in attempts[:-1]} - {"interrupted"}, set())
        self.assert_verified()

    def test_children_of_a_killed_process_are_ended_before_their_task_runs_again(self):
        self.write("w.yaml", """
version: 1
workflow: w
stages:
  hold:
    sh: |
      if [ -e second ]; then pgrep -f "$MARK" > alive; exit 0; fi
      touch second
      sleep "$MARK" &
      setsid sleep "$MARK" &
      sleep "$MARK"
    env: { MARK: "${params.mark}" }
params: { mark: { type: string } }
""")
        mark = f"86399.{os.getpid()}"
        run = self.start("run", "w.yaml", "--param", f"mark={mark}")
        self.wait_until("it holds", lambda: len(processes_with(f"sleep\0{mark}")) == 3)
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.assertEqual(len(processes_with(f"sleep\0{mark}")), 3, "they outlive their parent")
        answer = self.pawl("resume")
        self.assertEqual(processes_with(f"sleep\0{mark}"), [])
        self.assertEqual([a["result"] for a in self.attempts("1")], ["interrupted", "success"])

    def test_ctrl_c_stops_cleanly_and_names_the_command_that_continues(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [a, b, c]
job: { parallel: 1 }
stages:
  work:
    sh: touch "started-$PAWL_ITEM"; while [ ! -e go ]; do sleep 0.02; done
""")
        run = self.start("run", "w.yaml")
        self.wait_until("the first runs", lambda: (self.dir / "started-a").exists())
        run.send_signal(signal.SIGINT)
        self.wait_until("it says so", lambda: "stopping: 1 attempt" in run.stderr.readline())
        self.write("go", "")
        _, err = self.finish(run, code=INTERRUPTED)
        self.assertIn("nothing was lost. continue with:  pawl resume 1", err)
        self.assertEqual(self.task("a", "work")["state"], "succeeded", "what ran was let finish")
        self.assertFalse((self.dir / "started-b").exists())
        self.pawl("resume")
        self.assertEqual(self.job()["state"], "completed")

    def test_a_second_ctrl_c_gives_back_what_runs_and_costs_no_attempt(self):
        self.write("w.yaml", """
version: 1
workflow: w
stages:
  work:
    sh: test -e second && exit 0; touch second; sleep 86398
""")
        run = self.start("run", "w.yaml")
        self.wait_until("it runs", lambda: (self.dir / "second").exists())
        run.send_signal(signal.SIGINT)
        self.wait_until("it says so", lambda: "stopping" in run.stderr.readline())
        run.send_signal(signal.SIGINT)
        self.finish(run, code=INTERRUPTED)
        self.pawl("resume")
        self.assertEqual([(a["result"], a["cause"]) for a in self.attempts("1")],
                         [("interrupted", "first"), ("success", "interrupted")])


class Together(ProjectTest):
    def test_two_run_and_a_third_approves(self):
        """No command reports "locked", and no lease is missed."""
        self.write("items.jsonl", "".join(f"i{n}\n" for n in range(80)))
        self.write("steps.yaml", STEPS.replace("  three:", """  check:
    needs: [two]
    review: { when: always }
  three:""").replace("needs: [two]\n    run: [printf, \"three",
                     "needs: [check]\n    run: [printf, \"three").replace(
                         "stages.two.out.text}\"]\n", "stages.two.out.text}\"]\n"))
        self.pawl("run", "steps.yaml", "--detach")
        workers = [self.start("work"), self.start("work")]
        approved = set()
        def approve():
            for review in self.pawl("review", "list", "-q", "--limit", "100").out.split():
                if review not in approved:
                    self.pawl("review", "approve", review)
                    approved.add(review)
            return len(approved) == 80
        self.wait_until("all are approved", approve)
        self.wait_until("the job ends", lambda: self.job()["state"] == "completed")
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
        for worker in workers:
            _, err = self.finish(worker, code=INTERRUPTED)
            self.assertNotIn("locked", err)
            self.assertNotIn("lease", err)
        runs = self.read("one.log").splitlines()
        self.assertEqual(len(runs), 80, "every item once, in one process or the other")
        self.assert_verified()


class Workers(ProjectTest):
    def test_a_lease_that_cannot_be_one_is_refused_with_the_reason(self):
        self.write("items.jsonl", "a\n")
        self.write("steps.yaml", STEPS)
        self.pawl("run", "steps.yaml", "--detach")
        for bad in ("soon", "500ms", "-5s", "0s", "10"):
            refused = self.pawl("work", "--drain", f"--lease={bad}", code=USAGE)
            self.assertIn("error: --lease", refused.err)
            self.assertIn(bad, refused.err)
            self.assertIn("30s", refused.err, "the way out")
        self.assertNotIn("attempt.started", self.pawl("events").out)
        self.pawl("work", "--drain", "--lease", "2s")
        self.assertEqual(self.job()["state"], "completed")

    def test_who_holds_what_and_since_when_is_shown(self):
        self.write("items.jsonl", "a\n")
        self.write("held.yaml", """
version: 1
workflow: held
items: { file: items.jsonl }
stages:
  hold:
    sh: touch started; while [ ! -e release ]; do sleep 0.05; done
""")
        self.pawl("run", "held.yaml", "--detach")
        worker = self.start("work")
        self.wait_until("it holds the item", lambda: (self.dir / "started").exists())
        table = self.pawl("workers").out.splitlines()
        self.assertIn("SINCE", table[0].split())
        shown = self.pawl("workers", "-v").out
        self.assertRegex(shown, r"holds job 1 a hold, attempt 1, since \S")
        [document] = self.pawl("workers", "--json").json["workers"]
        self.assertEqual(document["attempts_open"], 1)
        [held] = document["holds"]
        self.assertEqual((held["job"], held["attempt"]), (1, 1))
        self.assertGreaterEqual(held["since"], document["started_at"])
        self.write("release", "")
        self.wait_until("the job ends", lambda: self.job()["state"] == "completed")
        [document] = self.pawl("workers", "--json").json["workers"]
        self.assertEqual((document["attempts_open"], document["holds"]), (0, []))
        [row] = [line for line in self.pawl("workers").out.splitlines()[1:] if line.strip()]
        self.assertIn(" - ", row, "it holds nothing, since never")
        worker.send_signal(signal.SIGINT)
        self.finish(worker, code=INTERRUPTED)


class DiskFull(ProjectTest):
    def test_trap_33_a_full_disk_stops_the_work_and_space_lets_it_go_on(self):
        """Runs in a mount namespace of its own, on a small file system in memory."""
        script = self.write("inside.sh", f"""
set -e
mount -t tmpfs -o size=3m,mode=755 none {self.dir}/small
cp held.yaml items.jsonl small/
cd small
touch hold
"$PAWL_PROGRAM" run held.yaml 2> talk &
worker=$!
until [ -e started ]; do sleep 0.02; done
dd if=/dev/zero of=filler bs=4k 2>/dev/null || true
rm hold
n=0
until grep -q -i "full\\|space" talk; do
  n=$((n + 1)); test $n -lt 3000 || {{ echo "it never said so"; cat talk; kill $worker; exit 1; }}
  sleep 0.02
done
kill -0 $worker
rm filler
mount -o remount,size=256m {self.dir}/small
wait $worker
"$PAWL_PROGRAM" verify >&2
"$PAWL_PROGRAM" status --json
""")
        (self.dir / "small").mkdir()
        self.write("held.yaml", STEPS.replace(
            "sh: echo", "sh: touch started; while [ -e hold ]; do sleep 0.02; done; echo"))
        self.write("items.jsonl", "".join(f"i{n}\n" for n in range(50)))
        unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-r", "--mount"]
        can = subprocess.run([*unshare, "mount", "-t", "tmpfs", "none", self.dir / "small"],
                             capture_output=True, text=True)
        if can.returncode != 0:
            self.skipTest("NO SMALL FILE SYSTEM CAN BE MOUNTED HERE, SO A FULL DISK IS NOT TESTED "
                          "FROM OUTSIDE: " + can.stderr)
        done = subprocess.run([*unshare, "sh", script], cwd=self.dir, text=True,
                              capture_output=True, timeout=PATIENCE,
                              env=self.environment(PAWL_PROGRAM=PROGRAM))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        job = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(job["items"]["succeeded"], 50)


if __name__ == "__main__":
    main()
