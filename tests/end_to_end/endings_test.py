"""How jobs and attempts end, and what people are told about it."""

import json
import signal

from pawl import *


class Endings(ProjectTest):
    def workflow(self, stages, head="items: [a, b, c, d]\njob: { parallel: 1 }"):
        self.write("w.yaml", f"version: 1\nworkflow: w\n{head}\nstages:\n{stages}")

    def test_what_a_tolerance_gave_up_shows_as_cancelled_everywhere(self):
        self.workflow("  s:\n    sh: exit 65\n",
                      "items: [a, b, c, d]\njob: { parallel: 1, tolerate_failures: 0 }")
        answer = self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertIn("4 items: 1 failed, 3 cancelled", answer.out)
        items = self.job()["items"]
        self.assertEqual((items["failed"], items["cancelled"], items["active"]), (1, 3, 0))
        states = {line["item"]: line["state"] for line in self.pawl("results", "--jsonl").lines}
        self.assertEqual(states, {"a": "failed", "b": "cancelled", "c": "cancelled",
                                  "d": "cancelled"})
        listed = self.pawl("item", "list", "--state", "cancelled", "-q").out.split()
        self.assertEqual(listed, ["1/b", "1/c", "1/d"], "the list is what the count says")
        self.assertEqual(self.pawl("item", "list", "--state", "active", "-q").out, "")
        [told] = self.pawl("why", "d", "--json").json["decisions"]
        self.assertIn("tolerance", told["trigger"])

    def test_a_cancelled_attempt_did_not_fail(self):
        self.workflow("  s:\n    sh: touch started; echo so far; sleep 86395\n", "items: [a]")
        run = self.start("run", "w.yaml")
        self.wait_until("it runs", lambda: (self.dir / "started").exists())
        self.pawl("item", "cancel", "a", "--yes")
        run.communicate(timeout=PATIENCE)
        [attempt] = self.attempts("a")
        self.assertEqual((attempt["result"], attempt["error"]), ("cancelled", None))
        self.assertIn("so far", json.dumps(attempt["artifacts"]), "its log is kept")
        self.assertEqual(self.pawl("dlq", "list", "--json").json["items"], [])
        self.assert_verified()

    def test_a_worker_of_some_stages_ends_when_those_are_done(self):
        self.workflow("  one:\n    sh: echo 1\n  two:\n    needs: [one]\n    sh: echo 2\n")
        self.pawl("run", "w.yaml", "--detach")
        self.pawl("work", "--stages", "one", "--drain", code=None)
        stages = self.job()["stages"]
        self.assertEqual((stages["one"]["succeeded"], stages["two"]["ready"]), (4, 4))
        answer = self.pawl("work", "--stages", "twoo", "--drain", code=None)
        self.assertIn("did you mean 'two'?", answer.err)
        document = self.pawl("work", "--drain", "--json").json
        self.assertEqual([job["state"] for job in document["jobs"]], ["completed"])

    def test_why_tells_of_what_never_ran(self):
        self.workflow("""
  flag:
    sh: case $PAWL_ITEM in a) exit 65;; esac; echo '{"on":false}'
    capture: json
    out: { on: boolean }
  maybe:
    needs: [flag]
    when: "${stages.flag.out.on}"
    sh: echo ran
""", "items: [a, b]")
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        [chosen] = self.pawl("why", "b/maybe", "--json").json["decisions"]
        self.assertIn("when", chosen["explanation"])
        self.assertEqual(chosen["decision"], "skip")
        [given_up] = self.pawl("why", "a/maybe", "--json").json["decisions"]
        self.assertIn("needs", given_up["explanation"])

    def test_a_source_without_items_is_told(self):
        self.workflow("  s:\n    sh: echo x\n", "items: { glob: \"absent/*.txt\" }")
        self.assertIn("absent/*.txt' produced no items", self.pawl("run", "w.yaml").err)

    def test_a_budget_pause_names_the_command_that_helps(self):
        self.workflow("  s:\n    sh: echo x\n",
                      "items: [a, b]\njob: { parallel: 1, budget: { attempts: 1 } }")
        self.assertIn("pawl job budget 1 --attempts", self.pawl("run", "w.yaml", code=PAUSED).err)
        self.assertIn("pawl job budget 1 --attempts", self.pawl("status").err)

    def test_a_reviewer_sees_every_attempt_with_its_verdict_and_feedback(self):
        self.workflow("""
  draft:
    sh: echo "{\\"words\\":$PAWL_ATTEMPT}"
    capture: json
    out: { words: integer }
    gates:
      - name: length
        expect: { words: { at_least: 9 } }
    refine: { attempts: 3 }
    review: { when: on_escalation }
""", "items: [a]")
        self.pawl("run", "w.yaml", code=PEOPLE)
        [review] = self.pawl("review", "list", "-q").out.split()
        [shown] = self.pawl("review", "show", review, "--json").json["reviews"]
        self.assertEqual(shown["reason"], "exhausted")
        self.assertEqual([(one["attempt_number"], one["output"]["words"], one["verdict"],
                           one["feedback"]["criteria"][0]["actual"]) for one in shown["attempts"]],
                         [(number, number, "rejected", str(number)) for number in (1, 2, 3)])

    def test_two_gates_that_reject_are_told_apart(self):
        self.workflow("""
  s:
    sh: echo '{"n":1,"m":2}'
    capture: json
    out: { n: integer, m: integer }
    gates:
      - name: first
        expect: { n: { equals: 2 } }
      - name: second
        expect: { m: { equals: 3 } }
""", "items: [a]")
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        [attempt] = self.attempts("a")
        self.assertIn("first: ", attempt["feedback"]["summary"])
        self.assertIn("second: ", attempt["feedback"]["summary"])


class People(ProjectTest):
    def setUp(self):
        super().setUp()
        self.pawl("init")
        self.pawl("run", "hello.yaml", code=PEOPLE)

    def test_without_a_name_in_the_environment_the_system_knows_who_acts(self):
        environment = self.environment()
        for name in ("PAWL_USER", "USER", "LOGNAME"):
            environment.pop(name, None)
        done = subprocess.run([PROGRAM, "review", "approve", "1"], cwd=self.dir, text=True,
                              capture_output=True, env=environment)
        self.assertEqual(done.returncode, DONE, done.stderr)

    def test_a_misspelt_field_in_an_edit_is_refused(self):
        answer = self.pawl("review", "edit", 1, "--output", "-",
                           stdin='{"text": "x", "txet": "y"}', code=USAGE)
        self.assertIn('did you mean "text"?', answer.err)

    def test_an_edit_of_an_answered_review_opens_no_editor(self):
        self.pawl("review", "approve", 1)
        editor = self.write("editor.sh", "#!/bin/sh\ntouch opened\n", 0o755)
        self.pawl("review", "edit", 1, code=CONFLICT, env={"EDITOR": str(editor)})
        self.assertFalse((self.dir / "opened").exists())

    def test_a_wrong_word_for_a_global_option_names_the_right_ones(self):
        answer = self.pawl("status", "--time", "xx", code=USAGE)
        self.assertIn("relative", answer.err)
        self.assertNotIn("\x01", answer.err)


if __name__ == "__main__":
    main()
