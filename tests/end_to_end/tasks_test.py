"""A list of task specs, as a planner writes it, run over the handlers of a workflow file."""

import json

from pawl import *

WORKFLOW = """version: 1
workflow: plan
items: { tasks: plan.json }
handlers:
  say:
    run: [echo, "${in.task.goal.text}"]
  join:
    sh: jq -r '.in.task.title + " after " + (.in.task.constraints.after | tostring)'
"""
PLAN = [{"type": "join", "title": "The end", "depends_on": ["hello"], "constraints": {"after": 2}},
        {"type": "say", "title": "hello", "goal": {"text": "$(date) ${params.x}; rm -rf /"}},
        {"hints": {"type": "say"}, "title": "hello", "goal": {"text": "two"}}]


class Tasks(ProjectTest):
    def test_each_task_is_a_stage_with_the_handler_of_its_type(self):
        self.write("plan.json", json.dumps(PLAN))
        self.write("w.yaml", WORKFLOW)
        self.pawl("run", "w.yaml")
        [line] = self.pawl("results", "--jsonl").lines
        texts = {stage: output["text"].strip() for stage, output in line["outputs"].items()}
        self.assertEqual(texts, {"hello": "$(date) ${params.x}; rm -rf /", "hello-2": "two",
                                 "The-end": "The end after 2"})
        self.assertEqual(self.job()["tasks"], {"total": 3, "succeeded": 3, "failed": 0})

    def test_tasks_that_failed_are_counted(self):
        self.write("plan.json", json.dumps([{"type": "say", "title": "one", "goal": {"text": "x"}},
                                            {"type": "no", "title": "two"},
                                            {"type": "say", "title": "three", "goal": {"text": "x"},
                                             "depends_on": ["two"]}]))
        self.write("w.yaml", WORKFLOW + "  \"no\":\n    sh: exit 65\n")
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertEqual(self.job()["tasks"], {"total": 3, "succeeded": 1, "failed": 1})

    def test_faults_of_the_list_are_reported_and_nothing_is_submitted(self):
        self.write("plan.json", json.dumps([{"type": "sai", "title": "a", "depends_on": ["b"]}]))
        self.write("w.yaml", WORKFLOW)
        refused = self.pawl("run", "w.yaml", code=USAGE)
        self.assertIn("there is no handler for type \"sai\" of task 1", refused.err)
        self.assertIn("did you mean \"say\"?", refused.err)

    def test_a_task_that_depends_on_itself_is_refused(self):
        self.write("w.yaml", WORKFLOW)
        for plan in [[{"type": "say", "title": "a", "depends_on": ["a"]}],
                     [{"type": "say", "title": "b"}, {"type": "say", "title": "a", "depends_on": ["b", "a"]}]]:
            with self.subTest(plan=plan):
                self.write("plan.json", json.dumps(plan))
                for words in [["run"], ["check"]]:
                    refused = self.pawl(*words, "w.yaml", code=USAGE)
                    self.assertIn(f'task {len(plan)} depends on itself: "a"', refused.out + refused.err)
        self.assertFalse((self.dir / ".pawl/pawl.db").exists(), "nothing was submitted")

    def test_tasks_that_depend_on_each_other_are_refused(self):
        self.write("w.yaml", WORKFLOW)
        self.write("plan.json", json.dumps([{"type": "say", "title": "a", "depends_on": ["b"]},
                                            {"type": "say", "title": "b", "depends_on": ["a"]}]))
        refused = self.pawl("run", "w.yaml", code=USAGE)
        self.assertRegex(refused.err, "a → b → a|b → a → b")
        self.assertFalse((self.dir / ".pawl/pawl.db").exists(), "nothing was submitted")

    def test_a_task_may_depend_on_others_of_its_own_title(self):
        self.write("w.yaml", WORKFLOW)
        self.write("plan.json", json.dumps([{"type": "say", "title": "a", "goal": {"text": "one"}},
                                            {"type": "say", "title": "a", "goal": {"text": "two"}, "depends_on": ["a"]}]))
        self.pawl("run", "w.yaml")
        [line] = self.pawl("results", "--jsonl").lines
        self.assertEqual({stage: output["text"].strip() for stage, output in line["outputs"].items()},
                         {"a": "one", "a-2": "two"})
        stages = self.pawl("graph", "1", "--format", "json").json["stages"]
        self.assertEqual({one["name"]: one["needs"] for one in stages}, {"a": [], "a-2": ["a"]})


if __name__ == "__main__":
    main()
