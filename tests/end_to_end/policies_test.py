"""Limits, budgets, assessments and edits of files, as a workflow file asks for them."""

import json
import time

from pawl import *


class Limits(ProjectTest):
    def test_a_rate_holds_for_all_processes_on_the_store(self):
        """At most so many openings within any stretch of time as long as the rate's."""
        self.write("w.yaml", """
version: 1
workflow: w
items: [a, b, c, d, e, f, g]
job: { parallel: 7 }
stages:
  call:
    sh: "true"
    limits: { pool: service, rate: 3/s }
""")
        self.pawl("run", "w.yaml", "--detach")
        workers = [self.start("work", "--drain"), self.start("work", "--drain")]
        for worker in workers:
            self.finish(worker)
        opened = sorted(self.attempts(item)[0]["opened_at"] for item in "abcdefg")
        moments = [self.seconds(moment) for moment in opened]
        for first, fourth in zip(moments, moments[3:]):
            self.assertGreaterEqual(fourth - first, 1.0)
        self.assertLess(moments[2] - moments[0], 1.0, "a burst is allowed")

    @staticmethod
    def seconds(text):
        clock = text.split("T")[1].rstrip("Z")
        hours, minutes, seconds = clock.split(":")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)

    def test_a_cost_budget_counts_failures_too_and_pauses(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [a, b, c, d]
job: { parallel: 1, budget: { cost_usd: 0.25 } }
stages:
  ask:
    sh: |
      echo '{"error": {"class": "final", "message": "no"}, "usage": {"cost_usd": 0.1}}' > "$PAWL_RESULT"
      exit 1
""")
        self.pawl("run", "w.yaml", code=PAUSED)
        job = self.job()
        self.assertEqual(job["items"]["failed"], 3)
        self.assertIn("$0.30", self.pawl("status").out)

    def test_too_many_dead_letters_stop_the_job(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [a, b, c, d, e, f]
job: { parallel: 1, tolerate_failures: 1 }
stages:
  s:
    sh: exit 65
""")
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertEqual(self.job()["stages"]["s"]["failed"], 2)
        self.assertEqual(self.job()["stages"]["s"]["cancelled"], 4)


class Replays(ProjectTest):
    FILE = """
version: 1
workflow: w
items: [good, bad]
stages:
  work:
    sh: test "$NAME" = good
    env: { NAME: "${item}" }
    retry: { attempts: ATTEMPTS, backoff: { from: 1ms, to: 1ms, jitter: 0 } }
  tell:
    needs: [work]
    sh: echo done
"""

    def file(self, name, attempts):
        self.write(name, self.FILE.replace("ATTEMPTS", str(attempts)))

    def test_a_policy_is_judged_by_a_job_that_ran(self):
        self.file("w.yaml", 3)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        same = self.pawl("replay", 1, "--workflow", "w.yaml")
        self.assertEqual(same.out, "5 decisions made again, all the same\n")
        self.assertTrue(self.pawl("replay", 1, "--workflow", "w.yaml", "--json").json["same"])

        self.file("patient.yaml", 5)
        patient = self.pawl("replay", 1, "--workflow", "patient.yaml", "--json", code=1).json
        [difference] = patient["differences"]
        self.assertEqual((difference["item"], difference["attempt_number"]), ("bad", 3))
        self.assertEqual(difference["then"]["explanation"], "retry.attempts 3/3: exhausted, failed")
        self.assertEqual(difference["today"]["explanation"], "retry.attempts 3/5: retry in 1ms")

        self.file("hasty.yaml", 1)
        hasty = self.pawl("replay", 1, "--workflow", "hasty.yaml", "--json", code=1).json
        self.assertEqual(hasty["difference_count"], 1)
        self.assertEqual(hasty["not_reached"], 2)
        self.assertEqual(len(self.attempts("bad", "--stage", "work")), 3, "nothing was run")


class Assessments(ProjectTest):
    def reviewed(self, verdict, when):
        """A job whose only item waits for a person, after two gates have judged it."""
        answer = {"verdict": verdict, "summary": "reads well",
                  "criteria": [{"name": "tone", "expected": "calm", "actual": "calm", "passed": True}]}
        self.write("w.yaml", f"""
version: 1
workflow: w
items: [a]
stages:
  write:
    sh: |
      echo '{{"output": {{"words": 12}}}}' > "$PAWL_RESULT"
    out: {{ words: integer }}
    gates:
      - name: length
        expect: {{ words: {{ at_least: 10 }} }}
      - name: style
        run: [echo, '{json.dumps(answer)}']
    review: {{ when: {when} }}
""")
        self.pawl("run", "w.yaml", code=PEOPLE)

    def test_a_reviewer_of_accepted_work_sees_what_the_gates_found(self):
        self.reviewed("accepted", "always")
        for text in (self.pawl("review", "show", "1").out, self.pawl("item", "attempts", "a").out):
            self.assertIn("gate length: accepted, 1 of 1 criterion met", text)
            self.assertIn("gate style: accepted, reads well", text)
            self.assertRegex(text, r"length +words +>= 10 +yes, 12 +met")
            self.assertRegex(text, r"style +tone +calm +yes, calm +met")
        shown = self.pawl("review", "show", "1", "--json").json["reviews"][0]
        for attempt in (self.attempts("a")[0], shown["attempts"][0]):
            self.assertEqual([gate["name"] for gate in attempt["gates"]], ["length", "style"])
            self.assertEqual(attempt["gates"][1]["criteria"],
                             [{"name": "tone", "expected": "calm", "actual": "calm", "passed": True}])
        events = self.pawl("events", "--jsonl").lines
        accepted = [event for event in events if event["type"] == "gate.accepted"]
        self.assertEqual(accepted[0]["data"]["summary"],
                         "length: 1 of 1 criterion met; style: reads well")

    def test_a_reviewer_of_uncertain_work_sees_the_criteria(self):
        self.reviewed("uncertain", "on_uncertain")
        text = self.pawl("review", "show", "1").out
        self.assertIn("gate style: uncertain, reads well", text)
        self.assertRegex(text, r"style +tone +calm +yes, calm +met")


class EditedFiles(ProjectTest):
    def setUp(self):
        super().setUp()
        self.write("w.yaml", """
version: 1
workflow: w
items: [a]
stages:
  write:
    sh: |
      echo draft > "$PAWL_DIR/text.md"
      echo '{"output": {"text": "text.md", "lines": 1}}' > "$PAWL_RESULT"
    out: { text: file, lines: integer }
    review: { when: always, editable: [text] }
  read:
    needs: [write]
    run: [cat, "${stages.write.out.text}"]
""")
        self.pawl("run", "w.yaml", code=PEOPLE)
        [self.review] = self.pawl("review", "list", "-q").out.split()

    def read(self):
        self.pawl("resume")
        [line] = self.pawl("results", "--jsonl").lines
        return line["outputs"]["read"]["text"]

    def test_another_file_takes_its_place_by_its_path(self):
        self.write("better.md", "better\n")
        self.pawl("review", "edit", self.review, "--output", "-",
                  stdin=json.dumps({"text": "better.md", "lines": 1}))
        self.assertEqual(self.read(), "better\n")

    def test_the_editor_opens_on_what_the_file_holds(self):
        editor = self.write("editor.sh", "#!/bin/sh\nsed -i s/draft/edited/ \"$1\"\n", 0o755)
        self.pawl("review", "edit", self.review, env={"EDITOR": str(editor)})
        self.assertEqual(self.read(), "edited\n")

    def test_a_file_that_is_left_as_it_is_stays(self):
        [attempt] = self.attempts("a", "--stage", "write")
        self.assertIn("path", attempt["output"]["text"])
        answer = self.pawl("review", "edit", self.review, "--output", "-",
                           stdin=json.dumps({**attempt["output"], "lines": 2}), code=None)
        self.assertIn("lines", answer.err, "which is not editable")
        self.pawl("review", "approve", self.review)
        self.assertEqual(self.read(), "draft\n")

    def test_a_digest_the_store_does_not_have_is_refused(self):
        [attempt] = self.attempts("a", "--stage", "write")
        foreign = {**attempt["output"]["text"], "$file": "sha256:" + "0" * 64}
        answer = self.pawl("review", "edit", self.review, "--output", "-",
                           stdin=json.dumps({"text": foreign, "lines": 1}), code=USAGE)
        self.assertIn("text", answer.err)
        self.pawl("review", "edit", self.review, "--output", "-",
                  stdin=json.dumps({"text": "absent.md", "lines": 1}), code=USAGE)


if __name__ == "__main__":
    main()
