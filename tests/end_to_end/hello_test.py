"""The first ten minutes: a workflow of ten lines, three people to greet, one to approve."""

import json

from pawl import *


class Hello(ProjectTest):
    def setUp(self):
        super().setUp()
        self.pawl("init")

    def test_init_makes_something_that_runs_to_its_reviews(self):
        answer = self.pawl("run", "hello.yaml", code=PEOPLE)
        self.assertIn("3 items", answer.out + answer.err)
        self.assertIn("pawl review next", answer.err)
        status = self.job()
        self.assertEqual(status["state"], "running")
        self.assertTrue(status["waiting_for_people"])
        self.assertEqual(status["items"], {**status["items"], "total": 3, "active": 3})
        self.assertEqual(status["stages"]["greet"]["succeeded"], 3)
        self.assertEqual(status["stages"]["check"]["awaiting_review"], 3)
        [attempt] = self.attempts("ada", "--stage", "greet")
        self.assertEqual(attempt["output"], {"text": "Hello, ada\n"})
        self.assertEqual((attempt["attempt_number"], attempt["epoch"], attempt["cause"]),
                         (1, 1, "first"))
        self.assertEqual(attempt["decision"]["kind"], "complete")
        self.assertIsNone(attempt["verdict"], "nobody judged it")
        self.assert_verified()

    def test_nobody_is_asked_about_a_cancelled_job(self):
        self.pawl("run", "hello.yaml", code=PEOPLE)
        self.pawl("job", "cancel", 1, "--yes")
        self.assertEqual(self.pawl("review", "list", "--json").json["reviews"], [])
        self.assertIn("no reviews are waiting", self.pawl("review", "next").err)

    def test_four_answers_end_it(self):
        self.pawl("run", "hello.yaml", code=PEOPLE)
        reviews = self.pawl("review", "list", "--json").json["reviews"]
        self.assertEqual({one["item"] for one in reviews}, {"ada", "grace", "alan"})
        by_item = {one["item"]: one["review"] for one in reviews}
        self.pawl("review", "approve", by_item["ada"], "--note", "fine")
        self.write("edited.json", json.dumps({"text": "Good morning, Grace\n"}))
        self.pawl("review", "edit", by_item["grace"], "--output", "edited.json")
        self.pawl("review", "reject", by_item["alan"], "--reason", "not him")
        answer = self.pawl("resume", code=JOB_FAILED)
        self.assertIn("failed", answer.out)
        self.assertEqual(self.job()["state"], "failed")
        letters = self.pawl("dlq", "list", "--json").json["items"]
        self.assertEqual([letter["item"] for letter in letters], ["alan"])
        results = {line["item"]: line for line in self.pawl("results", "--jsonl").lines}
        self.assertEqual(results["grace"]["outputs"]["check"], {"text": "Good morning, Grace\n"})
        self.assertEqual(results["grace"]["outputs"]["greet"], {"text": "Hello, grace\n"})
        self.assert_verified()

    def test_a_second_answer_is_a_conflict(self):
        self.pawl("run", "hello.yaml", code=PEOPLE)
        review = self.pawl("review", "list", "-q").out.split()[0]
        self.pawl("review", "approve", review)
        self.pawl("review", "reject", review, "--reason", "late", code=CONFLICT)
        self.pawl("review", "approve", 10_000, code=FAILED)

    def test_run_beside_an_unfinished_job_is_a_conflict_that_names_the_ways_out(self):
        self.pawl("run", "hello.yaml", code=PEOPLE)
        answer = self.pawl("run", "hello.yaml", code=CONFLICT)
        self.assertIn("pawl resume 1", answer.err)
        self.assertIn("--new", answer.err)
        error = json.loads(self.pawl("run", "hello.yaml", "--json", code=CONFLICT).err)["error"]
        self.assertEqual(error["code"], "conflict")
        self.pawl("run", "hello.yaml", "--new", code=PEOPLE)
        self.assertEqual(len(self.pawl("job", "list", "-q").out.split()), 2)

    def test_a_key_makes_submission_idempotent(self):
        first = self.pawl("run", "hello.yaml", "--key", "monday", "--detach", "-q").out
        again = self.pawl("run", "hello.yaml", "--key", "monday", "--detach", "-q").out
        self.assertEqual(first, again)
        self.pawl("run", "hello.yaml", "--key", "monday", code=PEOPLE)
        self.assertEqual(self.job()["items"]["total"], 3)

    def test_it_works_from_any_subdirectory(self):
        (self.dir / "deep/er").mkdir(parents=True)
        self.pawl("run", "../../hello.yaml", cwd=self.dir / "deep/er", code=PEOPLE)
        self.assertFalse((self.dir / "deep/.pawl").exists())
        self.assertEqual(self.pawl("status", "--json", cwd=self.dir / "deep").json["job"], 1)

    def test_detach_only_submits_and_work_drains(self):
        self.pawl("run", "hello.yaml", "--detach")
        self.assertEqual(self.job()["stages"]["greet"]["ready"], 3)
        self.pawl("work", "--drain", code=PEOPLE)
        self.assertEqual(self.job()["stages"]["greet"]["succeeded"], 3)

    def test_init_does_not_write_over_anything(self):
        self.write("hello.yaml", "mine")
        self.pawl("init", code=CONFLICT)
        self.assertEqual(self.read("hello.yaml"), "mine")

    def test_why_tells_each_decision_with_its_rule(self):
        self.pawl("run", "hello.yaml", code=PEOPLE)
        told = self.pawl("why", "ada", "--json").json
        self.assertEqual([one["stage"] for one in told["decisions"]], ["greet", "check"])
        for one in told["decisions"]:
            for field in ("at", "attempt_number", "trigger", "rule", "decision"):
                self.assertIn(field, one)
        self.assertIn("review", told["waits_for"])

    def test_events_are_dense_and_in_order(self):
        self.pawl("run", "hello.yaml", code=PEOPLE)
        events = self.pawl("events", "--jsonl").lines
        self.assertEqual(events[0]["type"], "job.submitted")
        self.assertEqual([e["seq"] for e in events], sorted({e["seq"] for e in events}))
        self.assertEqual(sum(e["type"] == "attempt.started" for e in events), 6)
        self.assertEqual(sum(e["type"] == "review.requested" for e in events), 3)

    def test_graph_and_describe_print_it_back(self):
        self.assertIn("greet ── check ◆", self.pawl("graph", "hello.yaml").out)
        self.assertIn("s0 --> s1", self.pawl("graph", "hello.yaml", "--format", "mermaid").out)
        self.assertIn("s0 -> s1", self.pawl("graph", "hello.yaml", "--format", "dot").out)
        graph = self.pawl("graph", "hello.yaml", "--format", "json").json
        self.assertEqual([stage["name"] for stage in graph["stages"]], ["greet", "check"])
        described = self.pawl("describe", "hello.yaml", "--json").json
        self.pawl("run", "hello.yaml", code=PEOPLE)
        pinned = self.pawl("describe", "1", "--json").json
        self.assertEqual(described["hash"], pinned["hash"])
        self.assertEqual(described["stages"], pinned["stages"])

    def test_no_color_and_no_cursor_movement_without_a_terminal(self):
        answer = self.pawl("run", "hello.yaml", code=PEOPLE)
        self.assertNotIn("\x1b", answer.out + answer.err)
        self.assertIn("greet: 3 done", answer.err)
        self.assertIn("\x1b[", self.pawl("status", "--color", "always").out)
        self.assertNotIn("\x1b[", self.pawl("status", env={"NO_COLOR": "1"}).out)

    def test_doctor_version_schema_and_explain(self):
        self.assertTrue(self.pawl("doctor", "--json").json["ok"])
        self.assertRegex(self.pawl("version").out, r"\d+\.\d+\.\d+")
        self.assertIn("stages", self.pawl("schema", "workflow").json["properties"])
        self.assertIn("sh", self.pawl("explain", "E030").out)
        self.pawl("explain", "E999", code=FAILED)

    def test_usage_errors_exit_with_2(self):
        self.assertIn("review", self.pawl("reveiw", "list", code=USAGE).err)
        self.pawl("run", code=USAGE)
        self.pawl("run", "absent.yaml", code=USAGE)
        self.pawl("run", "hello.yaml", "--param", "x=1", code=USAGE)
        self.pawl("status", "--nonsense", code=USAGE)


if __name__ == "__main__":
    main()
