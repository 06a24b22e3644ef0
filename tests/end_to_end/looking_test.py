"""What people read about a store: what waits and why, workers, pools, results as tables and files."""

import csv
import io
import json
import os
import pathlib
import shutil
import signal
import unittest

from pawl import (DONE, FAILED, INTERRUPTED, JOB_FAILED, PAUSED, PEOPLE, USAGE, ProjectTest)

HOLD = "touch started-{item}; while [ ! -e release ]; do sleep 0.05; done"


def rows(text):
    return list(csv.reader(io.StringIO(text)))


class Waiting(ProjectTest):
    def flow(self, stage, items="[a, b]", more=""):
        self.write("w.yaml", f"""
version: 1
workflow: w
items: {items}
{more}
stages:
  hold:
    sh: touch started; while [ ! -e release ]; do sleep 0.05; done
    {stage}
""")

    def why(self, item):
        return self.pawl("why", item, "--json").json

    def end(self, worker):
        self.write("release", "")
        self.wait_until("the job ends", lambda: self.job()["state"] == "completed")
        worker.send_signal(signal.SIGINT)
        self.finish(worker, code=INTERRUPTED)

    def test_no_worker_is_said_by_why_and_by_status(self):
        self.flow("timeout: 1m")
        self.pawl("run", "w.yaml", "--detach")
        told = self.why("a")
        self.assertEqual(told["waits_for"], "a worker: none is running (pawl work)")
        self.assertEqual([one["kind"] for one in told["waits"]], ["no_worker"])
        self.assertIn("no worker is running", self.pawl("status").err)
        worker = self.start("work")
        self.wait_until("it runs", lambda: (self.dir / "started").exists())
        self.assertNotIn("no worker", self.pawl("status").err)
        self.end(worker)
        self.assertNotIn("no worker", self.pawl("status").err, "nothing is left to do")

    def test_a_full_pool_names_its_holders_and_pools_lists_them(self):
        self.flow("limits: { pool: gpu, parallel: 1 }")
        self.pawl("run", "w.yaml", "--detach")
        worker = self.start("work")
        self.wait_until("it runs", lambda: (self.dir / "started").exists())
        told = self.wait_until("one waits for the pool", lambda: next(
            (told for told in map(self.why, "ab") if told["waits"][0]["kind"] == "pool"), None))
        self.assertRegex(told["waits_for"],
                         r"^a slot in pool gpu: 1 of 1 are in use, by [ab]/hold \(worker 1\)$")
        [pool] = self.pawl("pools", "--json").json["pools"]
        self.assertEqual((pool["pool"], pool["open"], pool["limit"], pool["rate"]), ("gpu", 1, 1, None))
        self.assertEqual(pool["holders"][0]["worker"], 1)
        self.assertRegex(self.pawl("pools").out, r"gpu +1 +1 +- +- +[ab]/hold \(worker 1\)")
        self.end(worker)
        self.assertEqual(self.pawl("pools", "--json").json["pools"], [])

    def test_a_rate_says_when_its_next_slot_is(self):
        self.write("release", "")
        self.flow("limits: { pool: api, rate: 1/h }")
        self.pawl("run", "w.yaml", "--detach")
        worker = self.start("work")
        told = self.wait_until("one waits for the rate", lambda: next(
            (told for told in map(self.why, "ab") if told["waits"] and told["waits"][0]["kind"] == "rate"), None))
        self.assertRegex(told["waits_for"], r"^the rate of pool api \(1 per 1h\): the next slot is in (1h|59m\d*s?)$")
        self.assertIn("next_slot_at", told["waits"][0])
        [pool] = self.pawl("pools", "--json").json["pools"]
        self.assertEqual(pool["rate"], {"attempts": 1, "per_seconds": 3600})
        self.assertIsNotNone(pool["next_slot_at"])
        worker.send_signal(signal.SIGINT)
        self.finish(worker, code=INTERRUPTED)

    def test_restricted_workers_and_missing_secrets_are_shown_where_people_look(self):
        self.flow("secrets: [TOKEN]")
        self.pawl("run", "w.yaml", "--detach")
        blind = self.start("work")
        other = self.start("work", "--stages", "elsewhere", "--categories", "x,y", env={"TOKEN": "t0p-s3cret"})
        told = self.wait_until("both have said what they leave", lambda: next(
            (told for told in [self.why("a")] if "TOKEN" in (told["waits_for"] or "")
             and "elsewhere" in told["waits_for"]), None))
        self.assertIn("a worker that runs stage hold: ", told["waits_for"])
        self.assertRegex(told["waits_for"], r"worker \d \(pawl work on [^)]+\) leaves it to others: "
                                            r"the secret TOKEN is not set there")
        self.assertIn("takes only the stages elsewhere", told["waits_for"])
        self.assertEqual(told["waits"][0]["kind"], "not_served")
        workers = self.pawl("workers", "--json").json["workers"]
        limits = {bool(one["limits"]["stages"]): one["limits"] for one in workers}
        self.assertEqual(limits[True]["categories"], ["x", "y"])
        self.assertEqual(limits[False]["leaves"],
                         [{"job": 1, "stage": "hold", "reason": "the secret TOKEN is not set there"}])
        self.assertEqual({one["name"] for one in workers}, {"pawl work"})
        self.assertIn("takes only the stages elsewhere", self.pawl("workers").out)
        whole = self.pawl("workers", "-v").out
        self.assertIn("takes only the stages elsewhere\n", whole)
        self.assertIn("takes only the categories x, y\n", whole)
        self.assertIn("leaves stage hold of job 1 to others: the secret TOKEN is not set there", whole)
        for worker in (blind, other):
            worker.send_signal(signal.SIGINT)
            self.finish(worker, code=INTERRUPTED)

    def test_a_lost_worker_is_named(self):
        self.flow("timeout: 1m", items="[a]")
        self.pawl("run", "w.yaml", "--detach")
        worker = self.start("work")
        self.wait_until("it runs", lambda: (self.dir / "started").exists())
        self.assertEqual(self.why("a")["waits"][0]["kind"], "running")
        worker.kill()
        worker.wait()
        told = self.why("a")
        self.assertEqual(told["waits"][0]["kind"], "lost_worker")
        self.assertRegex(told["waits_for"], r"^another worker to take over attempt 1: worker 1 \(pawl work on .*\) is lost$")
        self.assertIn("no worker is running", self.pawl("status").err)
        self.write("release", "")
        self.pawl("work", "--drain")

    def test_a_paused_job_and_a_closed_budget_are_named(self):
        self.write("release", "")
        self.flow("timeout: 1m", more="job: { budget: { attempts: 1 } }")
        self.pawl("run", "w.yaml", code=PAUSED)
        told = next(told for told in map(self.why, "ab") if told["waits"])
        self.assertEqual(told["waits_for"], "job 1 to be resumed: its budget is used up (pawl job budget 1)")
        self.assertEqual([one["kind"] for one in told["waits"]], ["paused"])
        self.flow("timeout: 1m", items="[c]")
        self.pawl("run", "w.yaml", "--detach", "--new")
        self.pawl("job", "pause", 2)
        told = self.why("2/c")
        self.assertEqual(told["waits_for"], "job 2 to be resumed: an operator paused it (pawl job resume 2)")
        self.assertEqual([one["kind"] for one in told["waits"]], ["paused"])

    def test_a_rate_limit_names_the_stage_that_met_it(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [a]
stages:
  first:
    limits: { pool: api, parallel: 1 }
    sh: |
      echo '{"error": {"class": "rate_limited", "message": "busy", "retry_after_s": 3600}}' > "$PAWL_RESULT"
  second:
    limits: { pool: api, parallel: 1 }
    sh: "true"
""")
        self.pawl("run", "w.yaml", "--detach")
        worker = self.start("work")
        told = self.wait_until("the rate limit is met", lambda: next(
            (told for told in [self.why("a/second")] if told["waits"][0]["kind"] == "rate_limited"), None))
        self.assertRegex(told["waits_for"], r"^a rate limit that stage first met: it ends in (1h|59m.*)$")
        self.assertIn("next_slot_at", told["waits"][0])
        worker.send_signal(signal.SIGINT)
        self.finish(worker, code=INTERRUPTED)

    def test_who_retried_is_part_of_why(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n  s: { sh: test -e fixed }\n")
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.pawl("dlq", "retry", "a", "--as", "eve")
        [asked] = [one for one in self.pawl("why", "a", "--json").json["decisions"]
                   if one["rule"] == "rerun_requested"]
        self.assertEqual((asked["by"], asked["trigger"]), ("eve", "eve asked to run it again"))
        [event] = [one for one in self.pawl("events", "--job", 1, "--jsonl").lines
                   if one["type"] == "retry.scheduled"]
        self.assertEqual(event["data"]["by"], "eve")


class Results(ProjectTest):
    def setUp(self):
        super().setUp()
        self.write("w.yaml", """
version: 1
workflow: w
items: { glob: "in/*.txt" }
stages:
  count:
    sh: |
      printf 'notes on %s' "$name" > "$PAWL_DIR/notes.md"
      printf '{"output": {"words": 2, "title": "=1+1, \\\\"x\\\\""}, "artifacts": [{"name": "notes.md", "path": "notes.md"}]}' > "$PAWL_RESULT"
    env: { name: "${item.name}" }
    out: { words: integer, title: string }
  total:
    scope: all
    needs: [count]
    sh: echo all
""")
        self.write("in/a.txt", "a")
        self.write("in/b.txt", "b")
        self.pawl("run", "w.yaml")

    def test_items_of_a_glob_are_named_by_their_path(self):
        self.assertEqual([one["item"] for one in self.pawl("item", "list", "--json").json["items"]],
                         ["in/a.txt", "in/b.txt"])
        self.pawl("item", "show", "in/a.txt")

    def test_results_become_a_table(self):
        table = rows(self.pawl("results", "--csv").out)
        self.assertEqual(table[0], ["item", "state", "count.words", "count.title", "total"])
        self.assertEqual(table[1][:4], ["in/a.txt", "succeeded", "2", "'=1+1, \"x\""])
        self.assertEqual((table[3][0], table[3][1]), ("", "completed"))
        self.assertEqual(rows(self.pawl("results", "--csv", "--stage", "count").out)[0],
                         ["item", "state", "count.words", "count.title"])
        self.assertIn("--csv cannot be combined", self.pawl("results", "--csv", "--to", "out", code=USAGE).err)
        self.assertIn("--csv cannot be combined", self.pawl("item", "list", "--csv", "--quiet", code=USAGE).err)
        self.assertFalse((self.dir / "out").exists())

    def test_texts_that_are_formulas_behind_blanks_are_disarmed(self):
        self.write("f.yaml", r"""
version: 1
workflow: f
items: [a]
stages:
  s:
    sh: |
      printf '%s' '{"output": {"space": "  =1+1", "tab": "\t=cmd()", "line": "\n@x", "number": "-3", "text": " a=1"}}' > "$PAWL_RESULT"
    out: { space: string, tab: string, line: string, number: string, text: string }
""")
        self.pawl("run", "f.yaml")
        self.assertEqual(rows(self.pawl("results", "--csv").out)[1][2:],
                         ["'  =1+1", "'\t=cmd()", "'\n@x", "-3", " a=1"])

    def test_items_become_a_table_and_filters_take_the_words_of_tables(self):
        table = rows(self.pawl("item", "list", "--csv").out)
        self.assertEqual(table[0], ["item", "state", "category", "at"])
        self.assertEqual(table[1][:2], ["in/a.txt", "done"])
        self.assertEqual(self.pawl("item", "list", "--state", "done", "-q").out,
                         self.pawl("item", "list", "--state", "succeeded", "-q").out)
        self.assertEqual(len(self.pawl("item", "list", "--state", "done", "-q").out.splitlines()), 2)
        self.assertEqual(self.pawl("item", "list", "--state", "dead", "-q").out, "")

    def test_artifacts_are_written_with_the_results(self):
        self.pawl("results", "--to", "out")
        [listed] = [path for path in self.dir.glob("out/*/count/artifacts.json") if "a.txt" in str(path)]
        [artifact] = json.loads(listed.read_text())
        self.assertEqual((artifact["kind"], artifact["name"]), ("file", "notes.md"))
        self.assertEqual(pathlib.Path(self.dir / artifact["path"]).read_text(), "notes on a.txt")
        self.assertEqual(listed.parent / "artifacts/notes.md", self.dir / artifact["path"])


class Words(ProjectTest):
    def test_letters_without_a_limit_and_the_hint_for_discarded_ones(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a, b]\nstages:\n  s: { sh: exit 3 }\n")
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertEqual(len(self.pawl("dlq", "list", "--limit", 0, "--json").json["items"]), 2)
        self.pawl("dlq", "discard", "a", "--reason", "old", "--yes")
        hint = self.pawl("dlq", "list", "--by", "error", "--discarded").err
        self.assertIn("2 dead letters, 1 of them discarded. retry one group:", hint)
        self.pawl("dlq", "discard", "b", "--reason", "old", "--yes")
        hint = self.pawl("dlq", "list", "--by", "error", "--discarded").err
        self.assertIn("2 dead letters, 2 of them discarded", hint)
        self.assertNotIn("retry", hint, "a retry would leave them out")

    def test_a_key_that_begins_with_a_dash_is_told_to_stand_behind_two(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [-rf]\nstages:\n  s: { sh: \"true\" }\n")
        self.pawl("run", "w.yaml")
        refused = self.pawl("item", "show", "-rf", code=USAGE)
        self.assertIn("put -- before it: pawl item show -- -rf", refused.err)
        self.assertEqual(self.pawl("item", "show", "--json", "--", "-rf").json["item"], "-rf")

    def test_ending_a_pause_says_how_it_differs_from_working(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n  s: { sh: \"true\" }\n")
        self.pawl("run", "w.yaml", "--detach")
        self.pawl("job", "pause", 1)
        self.assertIn("pawl resume 1", self.pawl("job", "resume", 1).err)

    def test_durations_that_are_too_long_say_so(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n  s: { sh: \"true\", timeout: 999999999d }\n")
        checked = self.pawl("check", "w.yaml", code=USAGE)
        self.assertIn('"999999999d" is too long for a duration', checked.out + checked.err)
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n  s: { sh: \"true\" }\n")
        self.pawl("run", "w.yaml")
        too_long = '"9999999999d" is too long for a duration'
        for words in (["work", "--drain", "--lease"], ["job", "wait", 1, "--timeout"], ["job", "budget", 1, "--deadline"],
                      ["events", "--since"]):
            with self.subTest(words=words):
                refused = self.pawl(*words, "9999999999d", code=USAGE)
                self.assertIn(too_long, refused.err)
                self.assertIn("use at most 285 years", refused.err)
        refused = self.pawl("status", env={"PAWL_LOCK_TIMEOUT": "9999999999d"}, code=USAGE)
        self.assertIn("PAWL_LOCK_TIMEOUT: " + too_long, refused.err)

    def test_a_lease_of_less_than_a_second_is_refused(self):
        refused = self.pawl("work", "--drain", "--lease", "10ms", code=USAGE)
        self.assertIn("--lease must be at least 1s, not '10ms'", refused.err)

    def test_marks_of_fan_out_and_of_reviews_that_are_needed_only_sometimes(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [a]
stages:
  split: { each: "${item.value}", sh: "true" }
  judge: { needs: [split], sh: "true", review: { when: on_escalation } }
  sign: { needs: [judge], sh: "true", review: { when: always } }
""")
        shown = self.pawl("graph", "w.yaml", code=None)
        self.assertIn("split ×n", shown.out, shown.err)
        self.assertIn("judge ◇", shown.out)
        self.assertIn("sign ◆", shown.out)
        stages = self.pawl("graph", "w.yaml", "--format", "json").json["stages"]
        self.assertEqual([one["fan_out"] for one in stages], [True, False, False])


class Mended(ProjectTest):
    def test_resume_asks_for_no_secret_that_is_not_needed_any_more(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [a]
stages:
  ask: { sh: "true", secrets: [TOKEN] }
  then: { needs: [ask], sh: test -e fixed }
""")
        self.pawl("run", "w.yaml", env={"TOKEN": "t0p"}, code=JOB_FAILED)
        self.write("fixed", "")
        self.pawl("dlq", "retry", "a")
        self.pawl("resume", 1)
        self.assertEqual(self.job()["state"], "completed")


if __name__ == "__main__":
    unittest.main()
