"""Traps that systems of this kind fall into, seen from outside (requirements.md, numbers named)."""

import json
import os
import signal
import subprocess

from pawl import *


def workflow(stages, head=""):
    return f"version: 1\nworkflow: w\n{head}\nstages:\n{stages}"


class Time(ProjectTest):
    def test_trap_15_a_timeout_ends_the_whole_process_tree(self):
        mark = f"86400.{os.getpid()}"
        self.write("w.yaml", workflow(f"""
  slow:
    sh: |
      sleep {mark} &
      setsid sleep {mark} &
      sleep {mark}
    timeout: 300ms
"""))
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertEqual(processes_with(mark), [])
        [attempt] = self.attempts("1")
        self.assertEqual(attempt["result"], "timed_out")
        self.assertEqual(attempt["error"]["kind"], "timeout")

    def test_trap_29_a_deadline_cancels_the_rest_and_makes_no_dead_letters(self):
        self.write("w.yaml", workflow("""
  wait:
    sh: "true"
    retry: { attempts: 2 }
  never:
    needs: [wait]
    sh: exit 75
    retry: { attempts: 9, backoff: { from: 1h, to: 1h } }
""", "items: [a, b]\njob: { budget: { deadline: 1s, exhausted: fail } }"))
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertEqual(self.pawl("dlq", "list", "--json").json["items"], [])
        self.assertEqual(self.task("a", "never")["state"], "cancelled")
        self.assert_verified()

    def test_trap_29_a_budget_pauses_and_once_raised_it_goes_on(self):
        self.write("w.yaml", workflow("""
  work:
    sh: "true"
""", "items: [a, b, c, d]\njob: { parallel: 1, budget: { attempts: 2 } }"))
        answer = self.pawl("run", "w.yaml", code=PAUSED)
        self.assertIn("pawl job budget 1", answer.err)
        self.assertEqual(self.job()["state"], "paused")
        self.assertEqual(self.job()["items"]["succeeded"], 2)
        self.pawl("resume", code=PAUSED)
        self.pawl("job", "budget", 1, "--attempts", 4)
        self.pawl("resume")
        self.assertEqual(self.job()["items"]["succeeded"], 4)
        self.assert_verified()

    def test_trap_29_a_pause_lets_what_runs_finish(self):
        self.write("w.yaml", workflow("""
  work:
    sh: |
      touch "started-$ITEM"
      while [ ! -e go ]; do sleep 0.02; done
    env: { ITEM: "${item}" }
""", "items: [a, b]\njob: { parallel: 1 }"))
        run = self.start("run", "w.yaml")
        self.wait_until("the first attempt runs", lambda: (self.dir / "started-a").exists())
        self.pawl("job", "pause", 1)
        self.write("go", "")
        self.finish(run, code=PAUSED)
        self.assertFalse((self.dir / "started-b").exists())
        self.assertEqual(self.task("a", "work")["state"], "succeeded")
        self.pawl("job", "resume", 1)
        self.pawl("resume")
        self.assertEqual(self.job()["items"]["succeeded"], 2)


class BadInput(ProjectTest):
    def test_trap_19_nothing_misspelt_is_ignored(self):
        cases = {
            "    reveiw: { when: always }": "review",
            "    review: { when: Always }": "always",
            "    on_failure: false": "dead_letter",
            "    review: { when: sometimes }": "always",
            "    retry: { attempt: 3 }": "attempts",
            "    scope: All": "all",
        }
        for line, hint in cases.items():
            with self.subTest(line=line):
                self.write("w.yaml", workflow(f"  a:\n    sh: echo x\n{line}\n"))
                answer = self.pawl("check", "w.yaml", code=USAGE)
                self.assertIn(hint, answer.out)
                self.assertIn("w.yaml:7:", answer.out)
                self.pawl("run", "w.yaml", code=USAGE)
                self.assertFalse((self.dir / ".pawl").exists(), "nothing ran, nothing was made")

    def test_trap_21_a_malformed_filter_is_an_error_and_never_means_all(self):
        self.write("w.yaml", workflow("  a:\n    sh: exit 65\n", "items: [x, y]"))
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        for wrong in ('stage = ', 'stagge = "a"', 'stage = "a" and', '', '('):
            with self.subTest(filter=wrong):
                for verb in (["retry"], ["discard", "--reason", "x"], ["purge"]):
                    answer = self.pawl("dlq", *verb, "--filter", wrong, "--yes", code=USAGE)
                    self.assertNotEqual(answer.err, "")
                self.pawl("dlq", "list", "--filter", wrong, code=USAGE)
        self.pawl("dlq", "retry", "--yes", code=USAGE)
        self.assertEqual(len(self.pawl("dlq", "list", "--json").json["items"]), 2)


class Failure(ProjectTest):
    CHAIN = workflow("""
  a:
    sh: test -e repaired || { echo "it is broken" >&2; exit 65; }
  b:
    needs: [a]
    sh: echo b
  c:
    needs: [b]
    sh: echo c
""", "items: [x]")

    def test_trap_26_dependents_of_a_failure_are_skipped_and_run_once_it_is_retried(self):
        self.write("w.yaml", self.CHAIN)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertEqual(self.task("x", "a")["state"], "failed")
        self.assertEqual(self.task("x", "b")["state"], "skipped")
        self.assertEqual(self.task("x", "c")["state"], "skipped")
        [letter] = self.pawl("dlq", "list", "--json").json["items"]
        self.assertEqual((letter["stage"], letter["failure_count"], letter["error_class"]),
                         ("a", 1, "final"))
        self.assertIn("it is broken", letter["failure_history"][0]["message"])
        self.write("repaired", "")
        self.pawl("dlq", "retry", "x", "--dry-run")
        self.assertEqual(self.task("x", "a")["state"], "failed", "a dry run changes nothing")
        self.pawl("dlq", "retry", "x", "--yes")
        self.pawl("resume")
        for stage in ("a", "b", "c"):
            self.assertEqual(self.task("x", stage)["state"], "succeeded")
        self.assertEqual([one["attempt_number"] for one in self.attempts("x", "--stage", "a")],
                         [1, 2])
        self.assert_verified()

    def test_trap_8_failure_history_goes_on_over_processes(self):
        self.write("w.yaml", self.CHAIN)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        for _ in range(2):
            self.pawl("dlq", "retry", "x", "--yes")
            self.pawl("resume", code=JOB_FAILED)
        [letter] = self.pawl("dlq", "list", "--json").json["items"]
        self.assertEqual(letter["failure_count"], 3)
        self.assertEqual([one["attempt_number"] for one in letter["failure_history"]], [1, 2, 3])

    def test_trap_27_changes_rerun_goes_back_with_the_note_as_feedback(self):
        self.write("w.yaml", workflow("""
  draft:
    sh: |
      note=$(jq -r '.feedback.summary // "none"')
      echo "draft $PAWL_ATTEMPT ($note)"
  polish:
    needs: [draft]
    sh: printf 'polished %s' "$TEXT"; echo "$TEXT" >> polished.log
    env: { TEXT: "${stages.draft.out.text}" }
  check:
    needs: [polish]
    review: { when: always, changes_rerun: draft }
""", "items: [x]"))
        self.pawl("run", "w.yaml", code=PEOPLE)
        [review] = self.pawl("review", "list", "-q").out.split()
        self.pawl("review", "changes", review, "--note", "shorter please")
        self.pawl("resume", code=PEOPLE)
        drafts = self.attempts("x", "--stage", "draft")
        self.assertEqual([(one["attempt_number"], one["epoch"], one["cause"]) for one in drafts],
                         [(1, 1, "first"), (2, 2, "review_changes")])
        self.assertIn("shorter please", drafts[1]["output"]["text"])
        self.assertEqual(len(self.attempts("x", "--stage", "polish")), 2)
        [again] = self.pawl("review", "list", "-q").out.split()
        self.pawl("review", "approve", again)
        self.pawl("resume")
        [result] = self.pawl("results", "--jsonl").lines
        self.assertIn("draft 2", result["outputs"]["check"]["text"])
        self.assert_verified()


class AllItems(ProjectTest):
    REPORT = """
  work:
    sh: case $ITEM in bad*) exit 65;; esac; echo done
    env: { ITEM: "${item}" }
  report:
    scope: all
    needs: [work]
    sh: jq -r .items_file | xargs cat
"""

    def lines(self, job=None):
        words = ["results", *([job] if job else []), "--stage", "report", "--jsonl"]
        text = self.report_output(job)
        return [json.loads(line) for line in text.splitlines()]

    def report_output(self, job):
        number = job or self.job()["job"]
        document = self.pawl("job", "show", number, "--json").json
        self.assertEqual(document["stages"]["report"]["succeeded"], 1)
        for line in self.pawl("results", number, "--stage", "report", "--jsonl").lines:
            if line["item"] is None:
                return line["outputs"]["report"]["text"]
        self.fail("the report has no result line")

    def test_trap_30_failed_and_cancelled_items_have_their_line(self):
        self.write("w.yaml", workflow(self.REPORT, "items: [a, bad, c]\njob: { parallel: 1 }"))
        self.pawl("run", "w.yaml", "--detach")
        self.pawl("item", "cancel", "c", "--yes")
        self.pawl("resume", code=JOB_FAILED)
        self.assertEqual({line["id"]: line["state"] for line in self.lines()},
                         {"a": "succeeded", "bad": "failed", "c": "cancelled"})

    def test_trap_30_it_runs_without_items(self):
        self.write("w.yaml", workflow(self.REPORT, "items: []"))
        self.pawl("run", "w.yaml")
        self.assertEqual(self.lines(), [])

    def test_trap_30_adopted_items_have_their_line_and_outputs(self):
        self.write("w.yaml", workflow(self.REPORT, "items: { file: items.txt, id: \"${item}\" }"))
        self.write("items.txt", "a\nb\n")
        self.pawl("run", "w.yaml")
        answer = self.pawl("run", "w.yaml")
        self.assertIn("2 finished before", answer.err)
        lines = self.lines(2)
        self.assertEqual({line["id"]: line["state"] for line in lines},
                         {"a": "succeeded", "b": "succeeded"})
        self.assertEqual(lines[0]["outputs"]["work"]["text"], "done\n")
        self.assertEqual(self.job(2)["items"]["adopted"], 2)
        self.assertNotIn("attempt.started", [event["type"] for event in self.pawl(
            "events", "--job", 2, "--item", "a", "--jsonl").lines], "nothing ran again")


class ManyLetters(ProjectTest):
    LETTERS = 10_000

    def test_trap_20_ten_thousand_dead_letters_are_all_there_and_every_verb_does_what_it_says(self):
        self.write("w.yaml", workflow("""
  a:
    run: [/bin/false]
""", "items: { file: items.jsonl }\njob: { parallel: 8 }"))
        self.write("items.jsonl", "".join(f"item-{n:05}\n" for n in range(self.LETTERS)))
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertEqual(len(self.pawl("dlq", "export").lines), self.LETTERS)
        [group] = self.pawl("dlq", "list", "--by", "error", "--json").json["groups"]
        self.assertEqual(group["count"], self.LETTERS)
        some = 'item ~ "item-0004"'
        self.assertEqual(
            len(self.pawl("dlq", "retry", "--filter", some, "--dry-run").out.splitlines()), 10)
        self.pawl("dlq", "retry", "--filter", some, "--yes")
        self.assertEqual(self.job()["stages"]["a"]["ready"], 10)
        self.pawl("resume", code=JOB_FAILED)
        self.assertEqual(len(self.pawl("dlq", "export", "--filter", "failure_count = 2").lines), 10)
        self.pawl("dlq", "purge", "--filter", some, "--yes", code=None)
        self.assertEqual(len(self.pawl("dlq", "export").lines), self.LETTERS,
                         "only what was discarded is purged")
        self.pawl("dlq", "discard", "--filter", some, "--reason", "seen", "--yes")
        self.assertEqual(len(self.pawl("dlq", "export").lines), self.LETTERS - 10)
        self.pawl("dlq", "purge", "--filter", some, "--yes")
        self.assertEqual(self.job()["items"]["total"], self.LETTERS - 10)
        self.assert_verified()


if __name__ == "__main__":
    main()
