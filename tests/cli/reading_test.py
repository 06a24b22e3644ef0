"""The commands that only look."""

import contextlib
import re
import sqlite3
import unittest

from made_store import StoreTest


class Status(StoreTest):
    def test_it_shows_the_newest_job_unless_one_is_named(self):
        self.assertEqual(self.pawl("status", "--json").json["job"], 2)
        document = self.pawl("status", 1, "--json").json
        self.assertEqual(document["workflow"], "letters")
        self.assertEqual(document["state"], "running")
        self.assertFalse(document["waiting_for_people"], "carl has an attempt to come")
        self.assertEqual(document["items"]["total"], 8)
        self.assertEqual(document["stages"]["publish"]["failed"], 1)
        self.assertEqual(document["stages"]["publish"]["retry_scheduled"], 1)
        self.assertEqual(document["stages"]["sign"]["awaiting_review"], 6)

    def test_the_table_speaks_in_display_labels(self):
        answer = self.pawl("status", 1)
        self.assertRegex(answer.out, r"^job 1  letters  running  0/8 done  1 dead  6 waiting for review")
        self.assertRegex(answer.out, r"STAGE +WAITING +QUEUED +RUNNING +RETRYING +REVIEW +DONE +SKIPPED +DEAD\n")
        self.assertNotIn("\x1b", answer.out)
        for line in answer.out.splitlines():
            self.assertEqual(line, line.rstrip())

    def test_watching_an_ended_job_ends_at_once(self):
        self.assertIn("completed", self.pawl("status", 2, "--watch").out)

    def test_a_list_of_jobs_is_newest_first(self):
        self.assertEqual([job["job"] for job in self.pawl("job", "list", "--json").json["jobs"]], [2, 1])
        self.assertEqual(self.pawl("job", "ls", "--state", "running", "-q").out, "1\n")
        self.assertEqual([one["job"] for one in self.pawl("job", "list", "--jsonl").lines], [2, 1])

    def test_waiting_for_an_ended_job_tells_its_state(self):
        self.assertEqual(self.pawl("job", "wait", 2, "--json").json["state"], "completed")
        late = self.pawl("job", "wait", 1, "--timeout", "1ms", "--json", code=1)
        self.assertEqual(late.error["code"], "unavailable")


class Items(StoreTest):
    def test_keys_that_look_like_commands_and_paths_are_keys(self):
        for key in ["list", "a/b", "../../escape", "line\nbreak"]:
            self.assertEqual(self.pawl("item", "show", key, "--json").json["item"], key)
        self.assertEqual(self.pawl("item", "show", "ada", "--json").json["job"], 2)
        self.assertEqual(self.pawl("item", "show", "1/bob", "--json").json["job"], 1)
        self.assertEqual(self.pawl("item", "show", "1/ada", "--json").json["item"], "ada")
        self.assertEqual(self.pawl("item", "show", r"1\/ada", "--json").json["item"], "1/ada")
        self.assertEqual(self.pawl("item", "show", "1/ada", "--job", 2, "--json").json["item"], "1/ada")

    def test_every_stage_shows_with_implied_states(self):
        self.assertEqual(self.tasks("bob"), {"draft": "succeeded", "publish": "failed", "sign": "skipped"})
        self.assertEqual(self.tasks("carl"),
                         {"draft": "succeeded", "publish": "retry_scheduled", "sign": "waiting"})

    def test_lists_are_filtered_and_paged(self):
        self.assertEqual(self.pawl("item", "list", "--job", 1, "--state", "failed", "-q").out, "1/bob\n")
        page = self.pawl("item", "list", "--job", 1, "--limit", 3, "--json").json
        self.assertEqual([one["item"] for one in page["items"]], ["ada", "bob", "carl"])
        rest = self.pawl("item", "list", "--job", 1, "--after", page["next"], "--json").json
        self.assertEqual(rest["items"][0]["item"], "a/b")
        self.assertIsNone(rest["next"])
        self.assertEqual(self.pawl("item", "list", "--job", 1, "--category", "none", "--json").json["items"], [])

    def test_a_key_cannot_paint_the_terminal(self):
        answer = self.pawl("item", "list", "--job", 1)
        self.assertNotIn("\x1b", answer.out)
        self.assertIn(r"red\u001b[31m", answer.out)
        self.assertIn(r"line\nbreak", answer.out)

    def test_every_attempt_shows_with_its_verdict_and_decision(self):
        attempts = self.pawl("item", "attempts", "ada", "--job", 1, "--stage", "draft", "--json").json["attempts"]
        self.assertEqual([(one["attempt_number"], one["cause"], one["verdict"]) for one in attempts],
                         [(1, "first", "rejected"), (2, "gate_feedback", "accepted")])
        self.assertEqual(attempts[0]["feedback"]["criteria"][1],
                         {"name": "words", "expected": ">= 3", "actual": "2", "passed": False})
        self.assertEqual(attempts[0]["decision"]["kind"], "retry")
        text = self.pawl("item", "attempts", "1/bob").out
        self.assertIn('failed: final reported 65 "encrypted letter"', text)

    def test_two_outputs_are_compared_line_by_line(self):
        answer = self.pawl("item", "diff", "ada/draft", "--job", 1)
        self.assertIn("-  Dear,\n-  short\n-words: 2\n+  Dear ada,\n+  long\n+words: 3\n", answer.out)
        self.assertFalse(self.pawl("item", "diff", "ada/draft", 1, 2, "--job", 1, "--json").json["same"])
        self.pawl("item", "diff", "ada/draft", 1, 7, "--job", 1, code=1)

    def test_logs_are_what_the_commands_wrote(self):
        logs = self.pawl("item", "logs", "ada", "--job", 1, "--stage", "draft", "--json").json["logs"]
        self.assertEqual([(one["attempt_number"], one["stream"]) for one in logs],
                         [(1, "stdout"), (2, "stdout")])
        text = self.pawl("item", "logs", "1/ada", "--job", 1, "--attempt", 2).out
        self.assertEqual(text, "==> draft attempt 2 stdout <==\ndrafting\x1b[31m\n")


class Why(StoreTest):
    def test_every_decision_is_told_with_its_rule(self):
        told = self.pawl("why", "carl", "--json").json
        self.assertEqual([(one["stage"], one["attempt_number"], one["decision"]) for one in told["decisions"]],
                         [("draft", 1, "retry"), ("draft", 2, "complete"), ("publish", 1, "retry")])
        self.assertEqual(told["decisions"][0]["rule"], "refine_after_rejection")
        self.assertRegex(told["waits_for"], r"^the next attempt, due in (1h|59m\d*s?)")

    def test_it_says_who_is_waited_for(self):
        review = self.reviews()["a/b"]
        self.assertEqual(self.pawl("why", "a/b", "--json").json["waits_for"], f"a person: review {review}")
        self.assertEqual(self.pawl("why", "carl/sign", "--json").json["waits_for"], "stage publish")
        self.assertIsNone(self.pawl("why", "bob", "--json").json["waits_for"])
        self.assertIsNone(self.pawl("why", "ada/copy", "--json").json["waits_for"])

    def test_people_and_operators_are_part_of_it(self):
        reviews = self.reviews()
        self.pawl("review", "reject", reviews["list"], "--reason", "no")
        self.pawl("review", "changes", reviews["a/b"], "--note", "longer")
        self.pawl("dlq", "discard", "bob", "--reason", "known")
        self.pawl("item", "retry", "carl", "--from", "draft", "--note", "again")
        rules = {key: [one["rule"] for one in self.pawl("why", key, "--json").json["decisions"]]
                 for key in ["list", "a/b", "bob", "carl"]}
        self.assertEqual(rules["list"][-1], "rejected_by_person")
        self.assertEqual(rules["a/b"][-1], "changes_requested")
        self.assertEqual(rules["bob"][-1], "discarded")
        self.assertEqual(rules["carl"][-1], "rerun_requested")
        self.assertIn("ann rejected: no", self.pawl("why", "list").out)


class Record(StoreTest):
    def test_events_come_in_order_and_are_filtered(self):
        every = self.pawl("events", "--jsonl").lines
        self.assertEqual([one["seq"] for one in every], sorted(one["seq"] for one in every))
        self.assertEqual(every[0]["type"], "job.submitted")
        gates = self.pawl("events", "--type", "gate.*", "--item", "ada", "--job", 1, "--jsonl").lines
        self.assertEqual([one["type"] for one in gates], ["gate.rejected", "gate.accepted"])
        self.assertEqual({one["job"] for one in self.pawl("events", "--job", 2, "--json").json["events"]}, {2})
        self.assertEqual(self.pawl("events", "--since", "2099-01-01T00:00:00Z", "--jsonl").out, "")
        self.assertEqual(len(self.pawl("events", "--since", "1h", "--jsonl").lines), len(every))
        self.assertIn("did you mean 'gate.accepted'?",
                      self.pawl("events", "--type", "gate.acepted", code=2).err)

    def test_results_show_outputs_and_where_files_lie(self):
        found = self.pawl("results", 1, "--stage", "publish", "--jsonl").lines
        by_item = {one["item"]: one["outputs"] for one in found}
        page = by_item["ada"]["publish"]["page"]
        with open(page["path"], encoding="utf-8") as file:
            self.assertEqual(file.read(), "printed: ada\n")
        self.assertEqual(self.pawl("results", "--json").json["results"][-1],
                         {"item": None, "job": 2, "state": "completed", "outputs": {"total": {"items": 4}}})
        self.assertIn("did you mean", self.pawl("results", 1, "--stage", "publis", code=1).err)

    def test_results_are_copied_out_and_never_elsewhere(self):
        out = self.project / "deep" / "out"
        answer = self.pawl("results", 1, "--to", out, "--json").json
        self.assertEqual(answer["files"], 6)
        written = [path for path in self.project.parent.rglob("*") if path.is_file()
                   and ".pawl" not in path.parts]
        self.assertTrue(all(out in path.parents for path in written), written)
        names = sorted(path.name for path in out.iterdir())
        self.assertEqual(len(names), 8, "every key has a directory of its own")
        self.assertEqual((out / "ada" / "publish" / "_page_n.txt").read_text(), "printed: ada\n")
        again = self.pawl("results", 1, "--to", out, "--json").json
        self.assertEqual(again, answer, "what is there is replaced")

    def test_a_link_in_the_way_is_refused(self):
        elsewhere = self.project / "elsewhere"
        elsewhere.mkdir()
        out = self.project / "out"
        out.mkdir()
        (out / "ada").symlink_to(elsewhere)
        self.pawl("results", 1, "--to", out, code=1)
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_a_sound_store_is_ok(self):
        document = self.pawl("verify", "--json").json
        self.assertTrue(document["ok"])
        self.assertGreater(document["checked"]["tasks"], 0)
        self.assertEqual(document["violations"], [])
        self.assertIn("ok: 2 jobs", self.pawl("verify", ".pawl/pawl.db").out)

    LETTERS = """
version: 1
workflow: letters
stages:
  draft:
    sh: "true"
    gates: [{ name: words, expect: { text: { matches: Dear } } }]
    refine: { attempts: REFINE }
    retry: { attempts: 3 }
  publish:
    needs: [draft]
    sh: "true"
    retry: { attempts: 3, backoff: { from: 1h, to: 1h, jitter: 0 } }
  post:
    needs: [publish]
    sh: "true"
"""

    def test_a_replay_tells_what_a_changed_workflow_would_have_decided(self):
        (self.project / "new.yaml").write_text(self.LETTERS.replace("REFINE", "1"))
        document = self.pawl("replay", 1, "--workflow", "new.yaml", "--json", code=1).json
        self.assertFalse(document["same"])
        differing = [one for one in document["differences"] if one["item"] == "ada"]
        self.assertEqual([(one["stage"], one["attempt_number"], one["then"]["decision"],
                           one["today"]["decision"]) for one in differing],
                         [("draft", 1, "retry", "fail")])
        self.assertGreater(document["not_reached"], 0)
        self.assertEqual([one["stage"] for one in document["stages_gone"]], ["sign"])
        self.assertEqual(document["stages_new"], ["post"])
        said = self.pawl("replay", 1, "--workflow", "new.yaml", code=1)
        self.assertIn("gates were not asked again", said.err)
        self.assertIn("ada/draft, attempt 1\n  then:  ", said.out)
        self.assertIn("stage 'sign' is gone", said.out)
        self.assertNotIn("\x1b", said.out, "a key cannot paint the terminal")

    def test_a_replay_wants_a_job_and_a_sound_file(self):
        (self.project / "bad.yaml").write_text("version: 1\nworkflow: w\nstages: { a: {} }\n")
        self.assertIn("bad.yaml:", self.pawl("replay", 1, "--workflow", "bad.yaml", code=2).err)
        self.pawl("replay", 1, "--workflow", "nowhere.yaml", code=2)
        self.pawl("replay", 1, code=2)
        (self.project / "new.yaml").write_text(self.LETTERS.replace("REFINE", "3"))
        self.assertEqual(self.pawl("replay", 77, "--workflow", "new.yaml", "--json", code=1).error["code"],
                         "not_found")

    def test_a_broken_promise_is_explained_once_with_a_way_out(self):
        with contextlib.closing(sqlite3.connect(self.project / ".pawl/pawl.db")) as database:
            database.execute("DELETE FROM attempts WHERE task = (SELECT min(task) FROM attempts)")
            database.commit()
        answer = self.pawl("verify", code=1)
        self.assertRegex(answer.out, r"I1  job \d, item '\w+', stage '\w+': the log says that attempt 1 of task")
        self.assertEqual(answer.out.count("No acknowledged item, attempt or review is lost."), 1)
        self.assertIn("    what to do: ", answer.out)
        self.assertRegex(answer.out, r"\n\d+ violations: 2 jobs, ")
        document = self.pawl("verify", "--quick", "--json", code=1).json
        self.assertFalse(document["ok"])
        found = {violation["invariant"] for violation in document["violations"]}
        self.assertIn("I1", found)
        self.assertEqual(found, set(document["explained"]))
        self.assertEqual(set(document["explained"]["I1"]), {"promise", "meaning", "way_out"})

    def test_promises_are_told_without_a_store(self):
        all_of_them = self.pawl("verify", "--explain", "--json").json["invariants"]
        self.assertEqual([one["id"] for one in all_of_them], [f"I{n}" for n in range(1, 20)] + ["log", "database"])
        self.assertTrue(self.pawl("verify", "--explain", "i6").out.startswith("I6  Repeating a decision"))
        self.assertIn("no such promise: 'I99'", self.pawl("verify", "--explain", "I99", code=2).err)

    def test_workers_that_signed_off_are_shown_when_asked(self):
        self.assertEqual(self.pawl("workers", "--json").json["workers"], [])
        [worker] = self.pawl("workers", "--all", "--json").json["workers"]
        self.assertEqual(worker["state"], "retired")

    def test_times_are_shown_as_asked(self):
        self.assertTrue(re.search(r"\d{4}-\d\d-\d\dT[\d:.]+Z", self.pawl("job", "list", "--time", "utc").out))
        self.assertRegex(self.pawl("job", "list").out, r"(now|\ds ago)")
        self.assertRegex(self.pawl("job", "list", "--time", "local").out, r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


if __name__ == "__main__":
    unittest.main()
