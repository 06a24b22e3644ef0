"""The mistakes of the first hour: what is misnamed, doubled, not there or not allowed is told, and
nothing is changed by it."""

import json
import signal

from pawl import *

STAGE = "stages:\n  s:\n    sh: echo x\n"


class Submitting(ProjectTest):
    def workflow(self, head, stages=STAGE):
        self.write("w.yaml", f"version: 1\nworkflow: w\n{head}\n{stages}")

    def test_of_several_that_run_at_once_one_submits_and_the_others_find_its_job(self):
        # The stage waits for the others, so that the job is unfinished as long as they look.
        self.workflow("items: [a, b]",
                      "stages:\n  s:\n    sh: echo $PAWL_ITEM >> ran; while [ ! -e go ]; do sleep 0.02; done\n")
        started = [self.start("run", "w.yaml") for _ in range(4)]
        self.wait_until("all but one have ended", lambda: sum(p.poll() is None for p in started) <= 1)
        self.write("go", "")
        codes = []
        for process in started:
            out, err = process.communicate(timeout=PATIENCE)
            codes.append(process.returncode)
            if process.returncode == CONFLICT:
                self.assertIn("job 1 of workflow 'w' is not finished", err)
        self.assertEqual(sorted(codes), [DONE, CONFLICT, CONFLICT, CONFLICT])
        self.assertEqual(self.pawl("job", "list", "-q").out, "1\n")
        self.assertEqual(sorted(self.read("ran").split()), ["a", "b"], "each item ran once")

    def test_of_several_that_submit_a_key_at_once_each_finds_the_same_job(self):
        self.workflow("items: [a, b]")
        started = [self.start("run", "w.yaml", "--key", "k", "--detach", "-q") for _ in range(4)]
        self.assertEqual({self.finish(process)[0] for process in started}, {"1\n"})
        self.assertEqual(self.job(1)["items"]["total"], 2)

    def test_a_file_of_another_directory_is_run_where_it_lies(self):
        self.write("sub/w.yaml", f"version: 1\nworkflow: w\nitems: [a]\n{STAGE}")
        self.assertIn("job 1 completed", self.pawl("run", "sub/w.yaml").out)
        self.assertTrue((self.dir / "sub/.pawl/pawl.db").exists())
        self.assertFalse((self.dir / ".pawl").exists())

    def test_a_known_key_is_told_with_its_job(self):
        self.workflow("items: [a]")
        self.pawl("run", "w.yaml", "--key", "k1")
        again = self.pawl("run", "w.yaml", "--key", "k1")
        self.assertIn("job 1 already has the key 'k1'; nothing was submitted", again.err)

    def test_items_from_a_file_that_is_not_there_are_no_empty_list(self):
        self.workflow("items: [a]")
        for name in ("nope.jsonl", "nope", ""):
            answer = self.pawl("run", "w.yaml", "--items", name, code=USAGE)
            self.assertIn(f"no such file in {self.dir}: '{name}'" if name else "--items", answer.err)
        (self.dir / "corpus").mkdir()
        self.assertIn("'corpus' is a directory", self.pawl("run", "w.yaml", "--items", "corpus", code=USAGE).err)
        self.assertFalse((self.dir / ".pawl").exists(), "nothing was submitted")

    def test_a_pattern_or_a_list_without_items_is_a_warning(self):
        self.workflow("items: [a]")
        self.assertIn("nope*' produced no items", self.pawl("run", "w.yaml", "--items", "nope*").err)
        self.workflow("items: []")
        self.assertIn("the list produced no items", self.pawl("run", "w.yaml").err)
        self.assertIn("the list produced no items", self.pawl("run", "w.yaml", "--detach").err)

    def test_a_parallelism_of_zero_is_refused(self):
        self.workflow("items: [a]")
        for words in (["run", "w.yaml"], ["work", "--drain"]):
            answer = self.pawl(*words, "--parallel", 0, code=USAGE)
            self.assertIn("--parallel must be at least 1", answer.err)
        self.assertFalse((self.dir / ".pawl").exists())

    def test_equal_ids_are_told_by_number_and_name(self):
        self.write("i.jsonl", "".join(json.dumps({"id": one}) + "\n" for one in "abaca"))
        self.workflow('items: { file: i.jsonl, id: "${item.id}" }')
        answer = self.pawl("run", "w.yaml")
        self.assertIn("warning: 2 items have a duplicate id; the first duplicate is 'a'", answer.err)
        self.assertIn("'a#2'", answer.err)
        self.assertEqual(self.pawl("item", "list", "-q").out.split(), ["1/a", "1/b", "1/a#2", "1/c", "1/a#3"])
        self.write("i.jsonl", "a\nb\n")
        self.workflow("items: { file: i.jsonl }")
        self.assertNotIn("warning", self.pawl("run", "w.yaml", "--new").err)

    def test_every_item_line_that_is_wrong_is_told_with_one_place(self):
        self.write("i.jsonl", '{"id": "a"}\n{"id": "b"\n{"id": "c"}\n{oops}\n{"name": "d"}\n')
        self.workflow('items: { file: i.jsonl, id: "${item.id}" }')
        answer = self.pawl("run", "w.yaml", code=USAGE)
        self.assertIn("3 items cannot be read", answer.err)
        for place in ("i.jsonl, line 2, column ", "i.jsonl, line 4, column ", "i.jsonl, line 5: "):
            self.assertIn(place, answer.err)
        self.assertNotIn("line 1", answer.err)
        self.write("i.jsonl", "{\n" * 100)
        self.assertIn("the first 20 items cannot be read", self.pawl("run", "w.yaml", code=USAGE).err)
        self.assertEqual(self.pawl("job", "list", "-q").out, "", "nothing was submitted")

    def test_every_param_that_is_wrong_is_told(self):
        self.workflow("items: [a]\nparams:\n  n: { type: integer }\n  m: { type: integer, default: 1 }")
        answer = self.pawl("run", "w.yaml", "--param", "n=x", "--param", "lost", "--param", "o=1",
                           "--param", "m=1", "--param", "m=2", code=USAGE)
        for told in ("not a param: 'lost'", "'m' is given twice", '"n" must be a whole number', 'no param "o"'):
            self.assertIn(told, answer.err)
        # One that only lacks its sign is not told to have no value, too.
        self.assertNotIn("has no value", self.pawl("run", "w.yaml", "--param", "n", code=USAGE).err)


class Checking(ProjectTest):
    def test_a_file_that_is_not_there_does_not_hide_the_others(self):
        self.write("a.yaml", "version: 1\nworkflow: a\nstages:\n  s:\n    shh: x\n")
        self.write("c.yaml", "version: 1\nworkflow: c\nstages:\n  s:\n    sh: x\n    needs: [t]\n")
        answer = self.pawl("check", "a.yaml", "nope.yaml", "c.yaml", code=USAGE)
        self.assertIn("1 error in a.yaml", answer.out)
        self.assertIn("1 error in c.yaml", answer.out)
        self.assertIn("no such file: 'nope.yaml'", answer.err)
        document = self.pawl("check", "a.yaml", "nope.yaml", "c.yaml", "--json", code=USAGE).json
        self.assertFalse(document["ok"])
        self.assertEqual([one["file"] for one in document["diagnostics"]], ["a.yaml", "nope.yaml", "c.yaml"])

    def test_a_script_that_cannot_run_and_a_directory_that_is_not_there_are_warned_of(self):
        self.write("stages/s.sh", "#!/bin/sh\n", mode=0o644)
        self.write("w.yaml", "version: 1\nworkflow: w\nstages:\n  s:\n    run: [stages/s.sh]\n"
                             "  t:\n    dir: nowhere\n    sh: x\n")
        answer = self.pawl("check", "w.yaml")
        self.assertIn('warning[W002]: "stages/s.sh" is not executable', answer.out)
        self.assertIn('warning[W003]: there is no directory "nowhere" yet', answer.out)
        self.assertIn("2 warnings", answer.out)
        (self.dir / "stages/s.sh").chmod(0o755)
        (self.dir / "nowhere").mkdir()
        self.assertNotIn("warning", self.pawl("check", "w.yaml").out)


class Ends(ProjectTest):
    def run_to_its_end(self, job, stages, items="[a, b, c]"):
        self.write("w.yaml", f"version: 1\nworkflow: w\nitems: {items}\njob: {job}\nstages:\n{stages}")
        return self.pawl("run", "w.yaml", code=JOB_FAILED)

    def assert_told(self, answer, cause):
        self.assertIn(f"job 1 failed ({cause})", answer.out)
        self.assertIn(f"failed ({cause})", self.pawl("status").out)
        self.assertIn(f"job 1 failed ({cause}); nothing is left to do", self.pawl("resume", code=JOB_FAILED).out)

    def test_a_deadline_is_told(self):
        answer = self.run_to_its_end("{ budget: { deadline: 1s, exhausted: fail } }",
                                     "  s:\n    sh: exit 75\n    retry: { attempts: 9, backoff: { from: 1h, to: 1h } }\n")
        self.assert_told(answer, "deadline passed")

    def test_a_budget_is_told(self):
        answer = self.run_to_its_end("{ parallel: 1, budget: { attempts: 1, exhausted: fail } }", "  s:\n    sh: echo x\n")
        self.assert_told(answer, "ended by its budget")

    def test_a_tolerance_is_told(self):
        answer = self.run_to_its_end("{ parallel: 1, tolerate_failures: 0 }", "  s:\n    sh: exit 65\n")
        self.assert_told(answer, "more failed than tolerate_failures allows")

    def test_a_stage_that_stops_the_job_is_told(self):
        answer = self.run_to_its_end("{ parallel: 1 }", "  s:\n    sh: exit 65\n    on_failure: stop_job\n")
        self.assert_told(answer, "a stage with on_failure: stop_job failed")

    def test_a_child_that_is_tolerated_is_dead_in_the_line_and_in_the_table(self):
        self.run_to_its_end("{ parallel: 1 }", """
  split:
    sh: echo '{"parts":[1,2,3]}'
    capture: json
    out: { parts: json }
  each_one:
    needs: [split]
    each: "${stages.split.out.parts}"
    tolerate_failures: 1
    sh: test "$N" != 2 || exit 65
    env: { N: "${each}" }
""", items="[a]")
        headline, head, *rows = self.pawl("status").out.splitlines()
        self.assertIn("1 dead", headline)
        dead = head.split().index("DEAD")
        self.assertEqual([row.split()[dead] for row in rows if row.startswith("each_one")], ["1"])


class NotThere(ProjectTest):
    def setUp(self):
        super().setUp()
        self.pawl("init")
        self.pawl("run", "hello.yaml", code=PEOPLE)

    def test_an_attempt_that_never_was_has_no_logs(self):
        answer = self.pawl("item", "logs", "ada", "--attempt", 9, code=FAILED)
        self.assertIn("no such attempt: 9", answer.err)
        self.assertIn("the last attempt is 1", answer.err)
        self.pawl("item", "logs", "ada", "--attempt", 1)

    def test_a_job_or_a_review_that_is_not_there_comes_with_the_command_that_lists_them(self):
        for words in (["status", 99], ["review", "list", "--job", 99], ["review", "next", "--job", 99],
                      ["dlq", "list", "--job", 99], ["dlq", "export", "--job", 99],
                      ["dlq", "retry", "--job", 99, "--yes"], ["job", "pause", 99], ["resume", 99]):
            with self.subTest(words=words):
                answer = self.pawl(*words, code=FAILED)
                self.assertIn("no job 99", answer.err)
                self.assertIn("pawl job list", answer.err)
        for words in (["show", 99], ["approve", 99], ["claim", 99]):
            answer = self.pawl("review", *words, code=FAILED)
            self.assertIn("no review 99", answer.err)
            self.assertIn("pawl review list", answer.err)

    def test_changes_are_not_offered_where_nothing_can_run_again(self):
        answer = self.pawl("review", "next")
        self.assertIn("| edit 1 | reject 1 --reason TEXT", answer.err)
        self.assertNotIn("changes", answer.err)
        hello = self.read("hello.yaml").replace("when: always", "when: always, changes_rerun: greet")
        self.assertIn("changes_rerun", hello)
        self.write("hello.yaml", hello)
        self.pawl("run", "hello.yaml", "--new", code=PEOPLE)
        self.assertIn("| changes 4 --note TEXT |", self.pawl("review", "next", "--job", 2).err)

    def test_a_directory_in_place_of_a_store_leads_to_its_store(self):
        below = self.dir / "below"
        below.mkdir()
        self.assertIn(".pawl/pawl.db", self.pawl("verify", "..", cwd=below, code=FAILED).err)
        self.assertIn("below/pawl.db", self.pawl("verify", ".", cwd=below, code=FAILED).err)

    def test_an_export_that_cannot_be_written_says_why(self):
        self.pawl("job", "pause", 1)
        answer = self.pawl("export", 1, "-o", "nowhere/x.jsonl", code=FAILED)
        self.assertIn("nowhere/x.jsonl': No such file or directory", answer.err)

    def test_an_import_of_a_cut_file_makes_no_store(self):
        self.pawl("job", "pause", 1)
        self.pawl("export", 1, "-o", "x.jsonl")
        self.write("cut.jsonl", self.read("x.jsonl")[:-20])
        self.pawl("import", "cut.jsonl", "--store", "other.db", code=FAILED)
        self.pawl("import", "-", "--store", "other.db", stdin=self.read("cut.jsonl"), code=FAILED)
        self.assertEqual(list(self.dir.glob("other.db*")), [])
        self.pawl("import", "-", "--store", "other.db", stdin=self.read("x.jsonl"))
        self.pawl("import", "x.jsonl", "--store", "third.db")

    def test_a_claim_for_no_time_is_refused(self):
        self.assertIn("--for must be longer than 0s and at most 1h, not '0s'", self.pawl("review", "claim", 1, "--for", "0s", code=USAGE).err)
        self.assertIsNone(self.pawl("review", "list", "--json").json["reviews"][0]["claimed_by"])

    def test_a_purge_of_nothing_is_told_in_plain_words(self):
        self.assertIn("0 dead letters are deleted, with all records of their items",
                      self.pawl("dlq", "purge", "--all", "--yes").err)


class Gone(ProjectTest):
    def test_a_killed_worker_is_lost_at_once(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\n"
                             "stages:\n  s:\n    sh: touch started; while [ -e started ]; do sleep 0.05; done\n")
        self.pawl("run", "w.yaml", "--detach")
        worker = self.start("work")
        self.wait_until("it works", lambda: (self.dir / "started").exists())
        self.assertEqual([one["state"] for one in self.pawl("workers", "--json").json["workers"]], ["alive"])
        worker.send_signal(signal.SIGKILL)
        worker.wait(PATIENCE)
        self.assertEqual([one["state"] for one in self.pawl("workers", "--json").json["workers"]], ["lost"])
        self.assertIn("lost", self.pawl("workers").out)
        (self.dir / "started").unlink()


if __name__ == "__main__":
    main()
