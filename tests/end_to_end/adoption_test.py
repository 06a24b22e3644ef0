"""What a second run takes over from the first, and what it does not."""

import unittest

from pawl import PEOPLE, ProjectTest

WORKFLOW = """
version: 1
workflow: s
items:
  file: items.jsonl
  id: "${item.name}"
stages:
  work:
    run: [sh, scripts/work.sh, "${item.name}"]
    gates:
      - name: judge
        run: [sh, scripts/judge.sh]
"""


class ChangedScripts(ProjectTest):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", WORKFLOW)
        self.write("items.jsonl", '{"name": "a"}\n{"name": "b"}\n')
        self.write("scripts/work.sh", "echo broken\n")
        self.write("scripts/judge.sh", """echo '{"verdict": "accepted"}' > "$PAWL_RESULT"\n""")
        self.pawl("run", "s.yaml")

    def texts(self):
        return {line["outputs"]["work"]["text"].strip() for line in self.pawl("results", "--jsonl").lines}

    def test_what_is_unchanged_is_adopted(self):
        self.assertIn("2 finished (skip), 0 to run", self.pawl("run", "s.yaml", "--dry-run").out)
        self.assertEqual(self.pawl("run", "s.yaml", "--json").json["items"]["adopted"], 2)

    def test_a_mended_script_runs_the_items_again_and_the_dry_run_names_it(self):
        self.write("scripts/work.sh", "echo mended\n")
        plan = self.pawl("run", "s.yaml", "--dry-run").out
        self.assertIn("2 because scripts/work.sh changed", plan)
        self.assertEqual(self.pawl("run", "s.yaml", "--json").json["items"]["adopted"], 0)
        self.assertEqual(self.texts(), {"mended"})

    def test_the_script_of_a_gate_counts_too(self):
        self.write("scripts/judge.sh", """echo '{"verdict":"accepted"}' > "$PAWL_RESULT"\n""")
        self.assertIn("because scripts/judge.sh changed", self.pawl("run", "s.yaml", "--dry-run").out)


class Rejections(ProjectTest):
    WORKFLOW = """
version: 1
workflow: pictures
items:
  file: items.jsonl
  id: "${item.name}"
stages:
  draw:
    sh: echo "$NAME"
    env: { NAME: "${item.name}" }
  check:
    needs: [draw]
    review: { when: always, rejected: end_item }
  publish:
    needs: [check]
    sh: echo published
"""

    def test_an_item_may_end_as_rejected_and_is_not_run_again(self):
        self.write("p.yaml", self.WORKFLOW)
        self.write("items.jsonl", '{"name": "a"}\n{"name": "b"}\n')
        self.pawl("run", "p.yaml", code=PEOPLE)
        first, second = (review["review"] for review in self.pawl("review", "list", "--json").json["reviews"])
        self.pawl("review", "reject", first, "--reason", "blurred")
        self.pawl("review", "approve", second)
        job = self.pawl("resume", "--json").json
        self.assertEqual(job["state"], "completed")
        self.assertEqual((job["items"]["succeeded"], job["items"]["rejected"], job["items"]["failed"]), (1, 1, 0))
        self.assertEqual(self.pawl("dlq", "list", "--json").json["items"], [])
        listed = self.pawl("item", "list", "--state", "rejected", "--json").json["items"]
        self.assertEqual([item["state"] for item in listed], ["rejected"])
        self.assertIn("1 rejected", self.pawl("status").out)
        self.assertIn("blurred", self.pawl("why", listed[0]["item"]).out)
        again = self.pawl("run", "p.yaml", "--json").json
        self.assertEqual((again["items"]["adopted"], again["items"]["rejected"]), (2, 1))
        self.pawl("verify")

    def test_a_stage_for_all_items_cannot_end_one(self):
        workflow = self.WORKFLOW.partition("  publish:")[0]
        self.write("p.yaml", workflow.replace("needs: [draw]", "scope: all\n    needs: [draw]"))
        answer = self.pawl("check", "p.yaml", code=2)
        self.assertIn("a rejection cannot end an item", answer.out + answer.err)


if __name__ == "__main__":
    unittest.main()
