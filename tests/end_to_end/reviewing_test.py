"""What a reviewer sees: the input, the criteria of every gate, summaries, artifacts, and `show` first."""

import os
import pty
import select
import signal
import subprocess
import time

from pawl import *

WRITE = """version: 1
workflow: letters
params: { tone: { type: string, default: kind } }
items: [{ id: ada, city: London }]
stages:
  write:
    sh: |
      printf '%%s' '{"output": {"text": "one\\ntwo", "words": 2}}' > "$PAWL_RESULT"
    out: { text: string, words: integer }
  check:
    needs: [write]
    in: { text: "${stages.write.out.text}", city: "${item.city}", tone: "${params.tone}" }
    run: [sh, check.sh]
    out: { verdict: string, reason: string }
    gates:
      - name: short
        expect: { verdict: { equals: fine } }
      - name: second_look
        run: [sh, doubt.sh]
    review: { when: always%s }
"""
CHECK = r"""
echo report > "$PAWL_DIR/report.txt"
printf '%s' '{"output": {"verdict": "fine", "reason": "long\nreason"}, "summary": "looks right",
              "artifacts": [{"name": "report.txt", "path": "report.txt"}]}' > "$PAWL_RESULT"
"""
DOUBT = r"""
printf '%s' '{"verdict": "uncertain", "summary": "cannot tell", "criteria": [
  {"name": "greeting", "passed": true, "expected": "yes", "actual": "yes"},
  {"name": "names", "passed": false, "expected": "Ada", "actual": "?"}]}' > "$PAWL_RESULT"
"""


class Seeing(ProjectTest):
    def review(self, show=""):
        self.write("w.yaml", WRITE % show)
        self.write("check.sh", CHECK)
        self.write("doubt.sh", DOUBT)
        self.pawl("run", "w.yaml", code=PEOPLE)
        [review] = self.pawl("review", "list", "-q").out.split()
        return review

    def test_the_input_the_gates_the_summary_and_the_artifacts(self):
        review = self.review()
        shown = self.pawl("review", "show", review).out
        for part in ["why: a gate was uncertain", "gate short: accepted", "gate second_look: uncertain, cannot tell",
                     "summary: looks right", "in:\n  text:\n    one\n    two\n  city: \"London\"\n  tone: \"kind\"\n",
                     "artifacts:\n  file report.txt, 7 B, /"]:
            self.assertIn(part, shown)
        names, greeting = shown.index("  names "), shown.index("  greeting ")
        self.assertLess(names, greeting, "criteria that are not met come first")
        [document] = self.pawl("review", "show", review, "--json").json["reviews"]
        self.assertEqual(document["in"], {"text": "one\ntwo", "city": "London", "tone": "kind"})
        self.assertIsNone(document["show"])
        self.assertEqual(self.pawl("review", "next", "--json").json["reviews"], [document])

    def test_what_was_run_and_what_else_was_considered_are_shown_with_and_without_gates(self):
        self.write("w.yaml", """version: 1
workflow: w
items: [a]
stages:
  choose:
    run: [sh, choose.sh, "${item.value}"]
    out: { title: string }
    review: { when: always }
  leave:
    sh: |
      echo '{"outcome": "skipped", "summary": "not today", "alternatives": ["later"]}' > "$PAWL_RESULT"
""")
        self.write("choose.sh", """printf '%s' '{"output": {"title": "One"},
            "alternatives": ["Two", {"title": "Three"}]}' > "$PAWL_RESULT"\n""")
        self.pawl("run", "w.yaml", code=PEOPLE)
        for shown in [self.pawl("review", "show", 1).out, self.pawl("item", "attempts", "a/choose").out]:
            self.assertIn('ran: sh choose.sh a\nalternative: Two\nalternative: {"title":"Three"}\n', shown)
        self.assertIn("leave, attempt 1\nran: sh echo '", self.pawl("item", "attempts", "a").out)
        self.assertIn("alternative: later\n", self.pawl("item", "attempts", "a").out)
        [skipped] = self.attempts("a/leave")
        self.assertEqual((skipped["result"], skipped["alternatives"]), ("skipped", ["later"]))
        [document] = self.pawl("review", "show", 1, "--json").json["reviews"]
        self.assertEqual(document["attempts"][0]["alternatives"], ["Two", {"title": "Three"}])
        self.assertEqual(document["attempts"][0]["action"], {"run": ["sh", "choose.sh", "a"]})

    def test_show_orders_what_is_seen(self):
        review = self.review(", show: { main: out.reason, beside: in.text }")
        shown = self.pawl("review", "show", review).out
        titles = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
        self.assertEqual(titles, ["out.reason:", "in.text:", "item:", "in:", "output of attempt 1:", "artifacts:"])
        self.assertIn("out.reason:\n  long\n  reason\nin.text:\n  one\n  two\nitem:", shown)
        self.assertEqual(shown.count("long"), 1, "nothing is shown twice")
        [document] = self.pawl("review", "show", review, "--json").json["reviews"]
        self.assertEqual(document["show"], {"main": "out.reason", "beside": "in.text"})

    def test_the_input_of_a_human_stage_is_its_output_and_shown_once(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n  look:\n"
                             "    in: { text: \"${item.value}\" }\n    review: { when: always }\n")
        self.pawl("run", "w.yaml", code=PEOPLE)
        shown = self.pawl("review", "show", 1).out
        self.assertNotIn("\nin:\n", shown)
        self.assertIn("output of attempt 1:\n  text: \"a\"\n", shown)
        [document] = self.pawl("review", "show", 1, "--json").json["reviews"]
        self.assertEqual(document["in"], {"text": "a"})

    def test_a_child_of_a_fan_out_has_the_input_of_its_element_and_its_parent_has_none(self):
        self.write("w.yaml", """version: 1
workflow: w
items: [{ id: a, pages: [{ n: 7 }] }]
stages:
  read:
    each: "${item.pages}"
    in: { page: "${each.n}" }
    sh: |
      echo '{"outcome": "needs_review", "output": {"text": "seven"}}' > "$PAWL_RESULT"
    out: { text: string }
    review: { when: always }
""")
        self.pawl("run", "w.yaml", code=PEOPLE)
        [document] = self.pawl("review", "next", "--json").json["reviews"]
        self.assertEqual(document["in"], {"page": 7})
        self.pawl("review", "approve", document["review"])
        self.pawl("resume", code=PEOPLE)
        [document] = self.pawl("review", "next", "--json").json["reviews"]
        self.assertEqual((document["in"], document["output"]), (None, {"text": ["seven"]}))


class GivenAnswers(ProjectTest):
    """An answer that takes effect in a moment, and whose reviewer has left."""

    def setUp(self):
        super().setUp()
        self.write("w.yaml", """
version: 1
workflow: w
items: [a]
stages:
  draw: { sh: echo drawn, review: { when: always } }
  after: { needs: [draw], sh: echo after }
""")
        self.pawl("run", "w.yaml", code=PEOPLE)
        ours, theirs = pty.openpty()
        sitting = subprocess.Popen([PROGRAM, "review", "next", "--undo-for", "2s"], cwd=self.dir, stdin=theirs,
                                   stdout=theirs, stderr=theirs, env=self.environment(TERM="xterm"),
                                   start_new_session=True)
        self._started.append(sitting)
        os.close(theirs)
        self.read_until(ours, "[s]kip")
        os.write(ours, b"a")
        self.read_until(ours, "approved")
        sitting.send_signal(signal.SIGINT)
        sitting.wait(PATIENCE)
        os.close(ours)
        [review] = self.pawl("review", "list", "--status", "all", "--json").json["reviews"]
        self.assertEqual(review["status"], "answered")
        self.assertNotIn("claimed by", self.pawl("review", "show", "1").out)

    def read_until(self, terminal, words):
        text, end = "", time.monotonic() + PATIENCE
        while words not in text:
            self.assertLess(time.monotonic(), end, f"never came: {words}\n{text}")
            if select.select([terminal], [], [], 1)[0]:
                text += os.read(terminal, 65536).decode("utf-8", "replace")

    def test_resume_goes_on_with_it_and_ends_the_job(self):
        self.assertIn("job 1 completed", self.pawl("resume", "1").out)
        self.assertEqual(self.job()["state"], "completed")

    def test_a_worker_that_drains_does_not_leave_before(self):
        self.pawl("work", "--drain")
        self.assertEqual(self.job()["state"], "completed")


class ComposedGates(ProjectTest):
    WORKFLOW = """version: 1
workflow: w
items: [a]
stages:
  write:
    sh: |
      echo '{"output": {"text": "short", "words": 3}}' > "$PAWL_RESULT"
    out: { text: string, words: integer }
    gates:
      - name: good
        any:
          - { name: long, expect: { words: { at_least: 100 } } }
          - { name: exact, expect: { text: { equals: short } } }
          - all:
              - { expect: { words: { at_most: 5 } } }
              - { name: twin, expect: { words: { equals: 4 } } }
        at_least: %s
    refine: { attempts: 1 }
"""

    def shown(self, at_least, code):
        self.write("w.yaml", self.WORKFLOW % at_least)
        self.pawl("run", "w.yaml", code=code)
        text = self.pawl("item", "attempts", "a").out
        table = text[text.index("GATE "):].splitlines()[1:]
        return text, [(line.split()[0], line.split()[1], line.split(", ")[0].split()[-1]) for line in table]

    def test_attempts_list_the_criteria_of_every_part_by_gate(self):
        text, rows = self.shown(2, JOB_FAILED)
        for line in ["gate good: rejected", "gate good/long: rejected", "gate good/exact: accepted",
                     "gate good/3: rejected", "gate good/3/1: accepted", "gate good/3/twin: rejected"]:
            self.assertIn("\n" + line, text)
        self.assertEqual(rows, [("good/long", "words", "no"), ("good/3/twin", "words", "no"),
                                ("good/exact", "text", "yes"), ("good/3/1", "words", "yes")])

    def test_a_gate_of_which_enough_parts_accept_shows_those_that_did_not(self):
        text, rows = self.shown(1, DONE)
        self.assertIn("\ngate good: accepted", text)
        self.assertIn("\ngate good/long: rejected", text)
        self.assertEqual([row[2] for row in rows], ["no", "no", "yes", "yes"])


if __name__ == "__main__":
    main()
