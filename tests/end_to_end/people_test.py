"""People in the record: who may decide, who did, by when. From the command line, on both stores."""

import datetime
import hashlib
import os
import pty
import pwd
import select
import sqlite3
import subprocess
import time

from each_store import new_schema, on_each_store
from pawl import *

WORKFLOW = """version: 1
workflow: w
items: %s
stages:
  draw:
    sh: |
      echo '{"output": {"text": "drawn"}}' > "$PAWL_RESULT"
    out: { text: string }
    review:
      when: always
      editable: [text]
%s
  after: { needs: [draw], sh: echo after }
"""
ESCAPE = "\x1b"
LOCAL_USER = pwd.getpwuid(os.getuid()).pw_name


class PeopleTest(ProjectTest):
    store = ""

    def environment(self, **more):
        """Who acts is the system's user, unless a test says otherwise."""
        return super().environment(**{"PAWL_USER": "", **more})

    def pawl(self, *words, **options):
        return super().pawl(*(["--store", self.store] if self.store else []), *words, **options)

    def start(self, *words, **options):
        return super().start(*(["--store", self.store] if self.store else []), *words, **options)

    def write_rules(self, rules="", items="[a]"):
        lines = "".join(f"      {line.strip()}\n" for line in rules.splitlines())
        self.write("w.yaml", WORKFLOW % (items, lines.rstrip("\n")))

    def asked(self, rules="", items="[a]", by="ada"):
        """The reviews of a new job that has come to them."""
        self.write_rules(rules, items)
        self.pawl("run", "w.yaml", "--new", *(["--as", by] if by else []), code=PEOPLE)
        return [str(one["review"]) for one in self.reviews()]

    def reviews(self, *words):
        return self.pawl("review", "list", *words, "--json").json["reviews"]

    def add_people(self, *people):
        """Adds (name, role, groups) to a store, which begins with a job that has ended."""
        self.write("empty.yaml", "version: 1\nworkflow: empty\nitems: []\nstages:\n  s: { sh: exit 0 }\n")
        self.pawl("run", "empty.yaml")
        for name, role, *groups in people:
            self.pawl("user", "add", name, "--role", role, *[f"--group={group}" for group in groups])

    def review(self, number):
        [review] = self.pawl("review", "show", number, "--json").json["reviews"]
        return review

    def audit(self, *words):
        return self.pawl("audit", "list", *words, "--limit", "0", "--json").json["entries"]

    def acts(self, *words):
        return [(entry["act"], entry["by"]) for entry in self.audit(*words)]

    def events(self, kind):
        return [event["data"] for event in self.pawl("events", "--type", kind, "--jsonl").lines]

    def assert_trail(self):
        """The trail is whole, and so is everything else."""
        self.assertEqual(self.pawl("audit", "verify", "--json").json["faults"], [])
        self.assert_verified()

    def assert_refused(self, answer, message, *helps):
        self.assertIn(message, answer.err)
        for text in helps:
            self.assertIn(text, answer.err)


class Approvals(PeopleTest):
    @on_each_store
    def test_two_approvals_by_one_person_are_a_conflict_and_another_person_decides(self):
        [review] = self.asked("approvals: 2")
        first = self.pawl("review", "approve", review, "--as", "anna")
        self.assertIn("1 of 2 approvals; waits for one more", first.out)
        again = self.pawl("review", "approve", review, "--as", "anna", code=CONFLICT)
        self.assert_refused(again, f"'anna' has approved review {review} already", "somebody else")
        self.assertIn("has 1 of 2 approvals and waits for one more", self.pawl("why", "a").out)
        self.assertEqual([approval["by"] for approval in self.review(review)["approvals"]["given"]], ["anna"])
        self.assertNotIn("continue with", first.err)

        second = self.pawl("review", "approve", review, "--as", "bert")
        self.assertIn("continue with:  pawl resume", second.err)
        self.pawl("resume")
        self.assertIn("2 of 2 approvals: anna, bert", self.pawl("why", "a", "--json").out)
        self.assertEqual(self.acts("--act", "review.answer"), [("review.answer", "anna"), ("review.answer", "bert")])
        self.assertEqual(self.events("review.answered")[0]["approvals"], 1)
        self.assert_trail()

    @on_each_store
    def test_of_one_persons_approvals_at_the_same_time_one_counts_and_the_chain_stays_whole(self):
        self.write_rules("approvals: 2")
        for _ in range(2):
            self.pawl("run", "w.yaml", "--new", code=PEOPLE)
        reviews = [str(one["review"]) for one in self.reviews()]
        for review in reviews:
            started = [self.start("review", "approve", review, "--as", "anna") for _ in range(3)]
            started += [self.start("review", "claim", other, "--as", "anna") for other in reviews]
            codes = [(process.communicate(timeout=PATIENCE), process.returncode)[1] for process in started]
            self.assertEqual(sorted(codes[:3]), [DONE, CONFLICT, CONFLICT])
        for review in reviews:
            document = self.review(review)
            self.assertEqual((document["status"], len(document["answers"])), ("open", 1))
        self.assertEqual(len(self.acts("--act", "review.answer")), 2)
        self.assert_trail()

    @on_each_store
    def test_an_edit_is_other_content_and_voids_the_votes_before_it(self):
        [review] = self.asked("approvals: 2")
        seen = self.review(review)["digest"]
        self.pawl("review", "approve", review, "--as", "anna")
        self.pawl("review", "edit", review, "--output", "-", "--as", "bert", stdin='{"text": "better"}')
        document = self.review(review)
        self.assertEqual([(one["reviewer"], one["fate"]) for one in document["answers"]],
                         [("anna", "void"), ("bert", "counts")])
        self.assertEqual((document["proposed"]["edits"]["text"], document["proposed"]["edited_by"]),
                         ("better", "bert"))
        stale = self.pawl("review", "approve", review, "--as", "carl", "--digest", seen, code=CONFLICT)
        self.assertIn("changed while you were reading", stale.err)
        self.pawl("review", "approve", review, "--as", "anna")
        self.pawl("resume")
        [result] = self.pawl("results", "--jsonl").lines
        self.assertEqual(result["outputs"]["draw"], {"text": "better"})
        self.assert_trail()

    @on_each_store
    def test_without_self_approval_the_submitter_and_the_editor_are_not_enough(self):
        [review] = self.asked("self_approval: false", by="ada")
        waits = self.pawl("review", "approve", review, "--as", "ada")
        self.assertIn("neither submitted the job nor made the edits", waits.out)
        self.assertEqual(self.review(review)["status"], "open")
        self.pawl("review", "approve", review, "--as", "bert")
        self.assertEqual(self.review(review)["status"], "closed")
        self.pawl("resume")
        self.assert_trail()

    @on_each_store
    def test_one_rejection_decides_at_once(self):
        [review] = self.asked("approvals: 3")
        self.pawl("review", "approve", review, "--as", "anna")
        self.pawl("review", "reject", review, "--reason", "no", "--as", "bert")
        self.assertEqual(self.task("a", "draw")["state"], "failed")
        self.pawl("resume", code=JOB_FAILED)
        self.assert_trail()

    def test_more_approvals_than_assigned_people_are_an_error_before_anything_runs(self):
        self.write_rules("approvals: 3\nassign: [anna, bert]")
        for words in (["check", "w.yaml"], ["run", "w.yaml"]):
            refused = self.pawl(*words, code=USAGE)
            self.assertIn("needs 3 approvals, but only 2 people are assigned", refused.out + refused.err)
        self.assertFalse((self.dir / ".pawl").exists(), "nothing was submitted")
        self.write_rules("approvals: 3\nassign: [anna, group:editors]")
        self.pawl("check", "w.yaml")

    @on_each_store
    def test_an_attempt_without_output_is_not_approved(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n  s:\n    sh: |\n"
                             "      echo '{\"error\": {\"class\": \"blocked\", \"message\": \"ask\"}}' > \"$PAWL_RESULT\"; exit 1\n"
                             "    out: { text: string }\n    review: { when: always, editable: [text] }\n")
        self.pawl("run", "w.yaml", "--new", code=PEOPLE)
        [review] = [str(one["review"]) for one in self.reviews()]
        refused = self.pawl("review", "approve", review, code=None)
        self.assertIn(refused.code, (FAILED, USAGE), refused)
        self.assertIn("has no output that could be approved", refused.err)
        self.pawl("review", "edit", review, "--output", "-", stdin='{"text": "mine"}')
        self.pawl("resume")
        self.assert_trail()

    @on_each_store
    def test_reviews_that_must_be_looked_at_one_by_one_are_not_answered_together(self):
        reviews = self.asked("bulk: false", items="[a, b]")
        refused = self.pawl("review", "approve", "-", stdin="\n".join(reviews), code=FAILED)
        self.assertIn("answered one at a time (bulk: false)", refused.out + refused.err)
        for review in reviews:
            self.pawl("review", "approve", review)
        self.pawl("resume")


class Assigned(PeopleTest):
    @on_each_store
    def test_a_person_who_is_not_assigned_may_not_answer_or_claim(self):
        [review] = self.asked("assign: [anna]")
        for words in (["approve"], ["claim"], ["reject", "--reason", "no"], ["changes", "--note", "no"]):
            refused = self.pawl("review", words[0], review, *words[1:], "--as", "bert", code=FORBIDDEN)
            self.assert_refused(refused, f"review {review} is not assigned to 'bert'", "assigned to anna")
        error = json.loads(self.pawl("review", "approve", review, "--as", "bert", "--json", code=FORBIDDEN).err)
        self.assertEqual(error["error"]["code"], "forbidden")
        self.assertEqual(self.review(review)["answers"], [])
        self.assertEqual(self.acts("--by", "bert"), [], "what is refused is not an act")
        self.pawl("review", "approve", review, "--as", "anna")
        self.pawl("resume")
        self.assert_trail()

    @on_each_store
    def test_a_group_stands_for_its_people_and_a_hand_over_has_a_note(self):
        self.add_people(("anna", "reviewer", "editors"), ("bert", "reviewer", "lawyers"))
        [review] = self.asked("assign: group:editors", by="")
        self.pawl("review", "approve", review, "--as", "bert", code=FORBIDDEN)
        refused = self.pawl("review", "assign", review, "--to", "bert", "--as", "bert", code=FORBIDDEN)
        self.assertIn("may not give reviews to others", refused.err)
        self.pawl("review", "claim", review, "--as", "anna")
        handed = self.pawl("review", "assign", review, "--to", "bert", "--note", "you know the client", "--as", "anna")
        self.assertIn("is assigned to bert", handed.out)
        self.assertIsNone(self.review(review)["claimed_by"], "a claim of somebody who may not answer ends")
        [entry] = self.audit("--act", "review.assign")
        self.assertEqual((entry["by"], entry["reason"], entry["method"]), ("anna", "you know the client", "claimed"))
        [event] = self.events("review.assigned")
        self.assertEqual((event["to"], event["by"]), ("bert: you know the client", "anna"))
        self.pawl("review", "approve", review, "--as", "anna", code=FORBIDDEN)
        self.pawl("review", "approve", review, "--as", "bert")
        self.pawl("resume")
        self.assert_trail()

    @on_each_store
    def test_a_hand_over_to_too_few_people_is_refused(self):
        [review] = self.asked("approvals: 2\nassign: [anna, bert]")
        refused = self.pawl("review", "assign", review, "--to", "anna", code=None)
        self.assertIn("2 approvals are needed, but only 1 can be given: anna", refused.err)
        self.pawl("review", "assign", review, "--everybody")
        self.assertEqual(self.review(review)["assigned"], [])


class Due(PeopleTest):
    def overdue(self):
        return self.pawl("review", "list", "--overdue", "-q").out.split()

    @on_each_store
    def test_an_overdue_review_becomes_a_dead_letter_and_never_an_approval(self):
        [review] = self.asked("due: 2s\noverdue: reject")
        self.assertIsNotNone(self.review(review)["due_at"])
        worker = self.start("work")
        self.wait_until("a dead letter", lambda: self.pawl("dlq", "list", "-q").out.split())
        late = self.pawl("review", "approve", review, "--as", "anna", code=CONFLICT)
        self.assertIn("was rejected because nobody decided it in time", late.err)
        worker.terminate()
        worker.communicate(timeout=PATIENCE)
        document = self.review(review)
        self.assertEqual([(one["outcome"], one["reviewer"], one["kind"]) for one in document["answers"]],
                         [("reject", "overdue", "engine")])
        self.assertEqual(self.task("a", "draw")["state"], "failed")
        self.assertEqual([notice["notice"] for notice in self.events("review.overdue")][-1], "rejected")
        [entry] = self.audit("--by", "overdue")
        self.assertEqual((entry["act"], entry["kind"], entry["target"]),
                         ("review.answer", "engine", f"review {review}"))
        self.assertIn("was not decided in time", self.pawl("why", "a", "--json").out)
        self.assert_trail()

    @on_each_store
    def test_an_answer_after_the_due_time_is_refused_although_no_worker_has_come_by(self):
        [review] = self.asked("due: 1s\noverdue: reject")
        self.assertEqual(self.wait_until("it is overdue", self.overdue), [review])
        late = self.pawl("review", "approve", review, "--as", "anna", code=CONFLICT)
        self.assertIn("was rejected because nobody decided it in time", late.err)
        self.pawl("resume", code=JOB_FAILED)
        self.assertEqual(self.pawl("dlq", "list", "-q").out.split(), ["1/a/draw"])
        self.assert_trail()

    @on_each_store
    def test_an_overdue_review_is_escalated_to_others_and_stays_open(self):
        [review] = self.asked("assign: [anna]\ndue: 1s\noverdue: escalate\nescalate_to: [lea]")
        worker = self.start("work")
        self.wait_until("it is escalated", lambda: self.review(review)["assigned"] == ["anna", "lea"])
        worker.terminate()
        worker.communicate(timeout=PATIENCE)
        self.assertIn("overdue: it was due", self.pawl("review", "show", review).out)
        self.assertIn("anna or lea: review", self.pawl("why", "a").out)
        self.pawl("review", "approve", review, "--as", "lea")
        self.pawl("resume")
        self.assert_trail()

    @on_each_store
    def test_an_overdue_review_is_announced_and_can_still_be_answered(self):
        [review] = self.asked("due: 1s")
        worker = self.start("work")
        notices = lambda: [event["notice"] for event in self.events("review.overdue")]
        self.wait_until("it is announced", lambda: notices()[-1:] == ["overdue"])
        worker.terminate()
        worker.communicate(timeout=PATIENCE)
        self.assertEqual(self.overdue(), [review])
        self.pawl("review", "approve", review, "--as", "anna")
        self.pawl("resume")
        self.assert_trail()


class OnATerminal(PeopleTest):
    def open(self, *words):
        """The program on a terminal of its own."""
        ours, theirs = pty.openpty()
        options = ["--store", self.store] if self.store else []
        process = subprocess.Popen([PROGRAM, *options, *map(str, words)], cwd=self.dir, stdin=theirs, stdout=theirs,
                                   stderr=theirs, env=self.environment(TERM="xterm", NO_COLOR="1"),
                                   start_new_session=True)
        self._started.append(process)
        os.close(theirs)
        self.addCleanup(os.close, ours)
        return process, ours

    def read_until(self, terminal, words):
        text, end = "", time.monotonic() + PATIENCE
        while words not in text:
            self.assertLess(time.monotonic(), end, f"never came: {words}\n{text}")
            if select.select([terminal], [], [], 1)[0]:
                text += os.read(terminal, 65536).decode("utf-8", "replace")
        return text

    def read_all(self, *words):
        """Everything that the program writes to a terminal until it ends."""
        process, terminal = self.open(*words)
        text = b""
        try:
            while got := os.read(terminal, 65536):
                text += got
        except OSError:
            pass  # the program has ended
        process.wait(PATIENCE)
        return text.decode("utf-8")

    @on_each_store
    def test_approve_with_a_delay_undo_and_approve_leave_three_rows(self):
        [review] = self.asked()
        process, terminal = self.open("review", "next", "--undo-for", "60s", "--as", "anna")
        self.read_until(terminal, "[s]kip")
        os.write(terminal, b"a")
        self.read_until(terminal, "approved")
        self.wait_until("the answer is recorded", lambda: self.review(review)["status"] == "answered")
        os.write(terminal, b"u")
        self.wait_until("the answer is withdrawn", lambda: self.review(review)["status"] == "open")
        self.read_until(terminal, "[s]kip")
        os.write(terminal, b"q")
        process.wait(PATIENCE)
        self.pawl("review", "approve", review, "--as", "anna")
        self.assertEqual([act for act, _ in self.acts("--by", "anna") if act in ("review.answer", "review.undo")],
                         ["review.answer", "review.undo", "review.answer"])
        self.assertEqual([one["fate"] for one in self.review(review)["answers"]], ["withdrawn", "counts"])
        self.assertEqual([event["by"] for event in self.events("review.withdrawn")], ["anna"])
        self.pawl("resume")
        self.assert_trail()

    def test_notes_and_names_from_outside_never_control_the_terminal(self):
        hostile = f"{ESCAPE}[31mred{ESCAPE}]0;title\x07 \u202eback\r\nnext"
        [review] = self.asked("approvals: 2\nassign: [anna, bert, group:g]\nreasons: [\"a\\e[5mb\"]")
        self.pawl("review", "approve", review, "--note", hostile, "--as", "anna")
        self.pawl("review", "assign", review, "--to", "anna", "--to", "bert", "--note", hostile)
        [free] = [one for one in self.asked(by=hostile) if one != review]
        self.pawl("review", "approve", free, "--note", hostile, "--as", hostile)
        for words in (["review", "show", review], ["review", "show", free], ["review", "list", "--status", "all"],
                      ["audit", "list"], ["why", "a"], ["events"], ["events", "--jsonl"], ["audit", "export"],
                      ["review", "show", review, "--json"], ["audit", "list", "--json"],
                      ["item", "attempts", "a"], ["status"], ["review", "approve", free, "--as", hostile],
                      ["review", "approve", review, "--as", hostile], ["user", "add", hostile],
                      ["user", "remove", hostile], ["token", "create", "--name", hostile],
                      ["review", "assign", review, "--to", hostile], ["audit", "list", "--by", hostile]):
            text = self.read_all(*words)
            for bad in (ESCAPE, "\x07", "\u202e"):
                self.assertNotIn(bad, text, f"{words}\n{text!r}")
        self.assertIn("\\u001b[31mred", self.read_all("audit", "list", "--json"))
        self.assert_trail()


class Undo(PeopleTest):
    @on_each_store
    def test_an_approval_that_is_not_enough_is_taken_back_and_given_again(self):
        [review] = self.asked("approvals: 2")
        self.pawl("review", "approve", review, "--as", "anna")
        refused = self.pawl("review", "undo", review, "--as", "bert", code=FAILED)
        self.assertIn("may take back the answer", refused.err)
        undone = self.pawl("review", "undo", review, "--as", "anna")
        self.assertIn("is open again: your answer is withdrawn; 0 of 2 approvals", undone.out)
        self.pawl("review", "undo", review, "--as", "anna", code=CONFLICT)
        self.pawl("review", "approve", review, "--as", "anna")
        self.assertEqual(self.acts("--by", "anna"),
                         [("review.answer", "anna"), ("review.undo", "anna"), ("review.answer", "anna")])
        self.pawl("review", "approve", review, "--as", "bert")
        self.pawl("review", "undo", review, "--as", "bert", code=CONFLICT)
        self.pawl("resume")
        self.assert_trail()


class Claims(PeopleTest):
    @on_each_store
    def test_a_claim_keeps_others_out_until_it_is_released_or_taken_over(self):
        self.add_people(("anna", "reviewer"), ("bert", "reviewer"), ("olga", "operator"))
        [review] = self.asked(by="")
        self.pawl("review", "claim", review, "--for", "1h", "--as", "anna")
        self.pawl("review", "claim", review, "--for", "30m", "--as", "anna")
        too_long = self.pawl("review", "claim", review, "--for", "61m", "--as", "anna", code=USAGE)
        self.assertIn("at most 1h", too_long.err)
        taken = self.pawl("review", "claim", review, "--as", "bert", code=CONFLICT)
        self.assert_refused(taken, f"review {review} is claimed by anna", f"pawl review claim {review} --steal")
        self.pawl("review", "approve", review, "--as", "bert", code=CONFLICT)
        self.pawl("review", "release", review, "--as", "bert", code=CONFLICT)
        may_not = self.pawl("review", "claim", review, "--steal", "--as", "bert", code=FORBIDDEN)
        self.assert_refused(may_not, "take over claims as reviewer", "needs the role operator")
        self.pawl("review", "claim", review, "--steal", "--as", "olga")
        self.assertEqual(self.review(review)["claimed_by"], "olga")
        self.assertIn(review, self.pawl("review", "list", "--claimed", "--as", "olga", "-q").out.split())
        self.assertEqual(self.pawl("review", "list", "--claimed", "--as", "anna", "-q").out, "")
        self.pawl("review", "release", review, "--as", "olga")
        self.pawl("review", "approve", review, "--as", "bert")
        self.assertEqual(self.acts("--act", "review.claim"),
                         [("review.claim", "anna"), ("review.claim", "anna"), ("review.claim", "olga")])
        self.pawl("resume")
        self.assert_trail()


INBOX = """version: 1
workflow: inbox
items: [a]
stages:
  never:   { sh: "true", review: { when: always } }
  later:   { sh: "true", review: { when: always, due: 3h, assign: [anna] } }
  sooner:  { sh: "true", review: { when: always, due: 1h, assign: group:editors } }
  soonest: { sh: "true", review: { when: always, due: 1s, assign: [bert] } }
"""


class Inbox(PeopleTest):
    def stages(self, *words):
        return [review["stage"] for review in self.reviews(*words)]

    @on_each_store
    def test_lists_are_sorted_by_due_and_filtered_by_person_group_and_claim(self):
        self.add_people(("anna", "reviewer", "editors"), ("bert", "reviewer"))
        self.write("w.yaml", INBOX)
        self.pawl("run", "w.yaml", code=PEOPLE)
        self.assertEqual(self.stages(), ["soonest", "sooner", "later", "never"])
        self.assertEqual(self.stages("--limit", "2"), ["soonest", "sooner"])
        last = self.pawl("review", "list", "--limit", "2", "--json").json["next"]
        self.assertEqual(self.stages("--after", last), ["later", "never"])
        self.assertEqual(self.stages("--mine", "--as", "anna"), ["sooner", "later", "never"])
        self.assertEqual(self.stages("--mine", "--as", "bert"), ["soonest", "never"])
        self.assertEqual(self.stages("--group", "editors"), ["sooner"])
        self.wait_until("one is overdue", lambda: self.stages("--overdue") == ["soonest"])
        self.assertEqual(self.stages("--overdue", "--mine", "--as", "anna"), [])
        self.assertEqual(self.stages("--claimed", "--as", "anna"), [])
        self.pawl("review", "claim", self.reviews()[1]["review"], "--as", "anna")
        self.assertEqual(self.stages("--claimed", "--as", "anna"), ["sooner"])
        [shown] = self.pawl("review", "next", "--as", "anna", "--json").json["reviews"]
        self.assertEqual(shown["stage"], "sooner", "what is due first among one's own")
        self.pawl("review", "list", "--mine", "--status", "all", code=USAGE)
        self.pawl("review", "list", "--mine", "--group", "editors", code=USAGE)


class Operators(PeopleTest):
    @on_each_store
    def test_a_paused_stage_does_not_start_why_says_so_and_it_goes_on_when_resumed(self):
        [review] = self.asked()
        self.pawl("job", "pause", "1", "--stage", "after")
        self.pawl("review", "approve", review)
        self.pawl("resume", code=PAUSED)
        self.assertEqual(self.task("a", "after")["state"], "ready")
        self.assertEqual(self.job()["paused_stages"], ["after"])
        why = self.pawl("why", "a").out
        self.assertIn("pawl job resume 1 --stage after", why)
        self.pawl("job", "pause", "1", "--stage", "aftr", code=None)
        self.pawl("job", "resume", "1", "--stage", "after")
        self.pawl("resume")
        self.assertEqual(self.task("a", "after")["state"], "succeeded")
        self.assertEqual([entry["act"] for entry in self.audit("--job", "1") if entry["act"].startswith("stage.")],
                         ["stage.pause", "stage.resume"])
        self.assertEqual(len(self.events("stage.paused")), 1)
        self.assert_trail()

    @on_each_store
    def test_a_stage_is_skipped_by_hand_with_a_reason(self):
        [review] = self.asked()
        self.pawl("item", "skip", "a", "draw", code=USAGE)
        self.pawl("item", "skip", "a/draw", "--reason", "drawn already", "--as", "olga")
        self.assertEqual(self.task("a", "draw")["state"], "skipped")
        self.assertEqual(self.review(review)["status"], "superseded")
        self.pawl("resume")
        self.assertEqual(self.task("a", "after")["state"], "succeeded")
        self.assertIn("olga skipped it: drawn already", self.pawl("why", "a").out)
        [entry] = self.audit("--act", "task.skip")
        self.assertEqual((entry["by"], entry["reason"]), ("olga", "drawn already"))
        [event] = self.events("task.skipped")
        self.assertEqual((event["reason"], event["message"], event["by"]), ("by_choice", "drawn already", "olga"))
        self.pawl("item", "skip", "a/draw", "--reason", "again", code=FAILED)
        self.assert_trail()

    @on_each_store
    def test_a_dead_letter_is_skipped_by_hand_and_what_follows_runs(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n  s: { sh: exit 65 }\n"
                             "  t: { needs: [s], sh: echo done }\n")
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.pawl("item", "skip", "a", "s", "--reason", "not needed")
        self.assertEqual(self.pawl("dlq", "list", "-q").out, "")
        self.pawl("resume")
        self.assertEqual(self.task("a", "t")["state"], "succeeded")
        self.assert_trail()


class People(PeopleTest):
    @on_each_store
    def test_people_have_roles_and_groups_and_what_they_may_do_follows(self):
        self.add_people()
        first = self.pawl("user", "add", "vera", "--role", "viewer")
        self.assertIn("the first person of the store", first.err)
        self.pawl("user", "add", "anna", "--role", "reviewer", "--group", "editors", "--group", "leads")
        self.pawl("user", "add", "anna", code=CONFLICT)
        self.pawl("user", "groups", "anna", "leads")
        self.pawl("user", "role", "anna", "operator")
        people = self.pawl("user", "list", "--json").json["people"]
        self.assertEqual([(one["name"], one["role"], one["groups"]) for one in people],
                         [("anna", "operator", ["leads"]), ("vera", "viewer", [])])
        [review] = self.asked(by="anna")
        refused = self.pawl("review", "approve", review, "--as", "vera", code=FORBIDDEN)
        self.assert_refused(refused, "'vera' may not decide reviews as viewer", "needs the role reviewer")
        unknown = self.pawl("review", "approve", review, "--as", "nobody", code=FORBIDDEN)
        self.assert_refused(unknown, "does not know this person", "pawl user add nobody")
        for words in (["job", "pause", "1"], ["item", "retry", "a", "--from", "draw"], ["job", "cancel", "1", "--yes"],
                      ["user", "add", "eve"], ["user", "role", "vera", "admin"],
                      ["token", "create", "--name", "vera"], ["run", "w.yaml", "--new"]):
            self.pawl(*words, "--as", "vera", code=FORBIDDEN)
        self.pawl("user", "remove", "vera")
        self.pawl("user", "remove", "vera", code=FAILED)
        self.pawl("review", "approve", review, "--as", "anna")
        self.pawl("resume")
        self.assertEqual([entry["act"] for entry in self.audit() if entry["act"].startswith("person.")],
                         ["person.add", "person.add", "person.change", "person.change", "person.remove"])
        self.assert_trail()

    @on_each_store
    def test_a_name_given_with_as_or_in_the_environment_is_recorded_as_claimed(self):
        [review] = self.asked("approvals: 2", by="ada")
        self.pawl("review", "claim", review, env={"PAWL_USER": "carl"})
        self.pawl("review", "release", review, env={"PAWL_USER": "carl"})
        self.pawl("review", "approve", review)
        self.pawl("review", "approve", review, "--as", "bert", env={"PAWL_USER": "carl"})
        self.assertEqual([(entry["by"], entry["method"], entry["kind"]) for entry in self.audit()
                          if entry["act"] in ("job.submit", "review.claim", "review.answer")],
                         [("ada", "claimed", "person"), ("carl", "claimed", "person"),
                          (LOCAL_USER, "local", "person"), ("bert", "claimed", "person")])
        self.assertIn("bert (claimed)", self.pawl("audit", "list").out)

    @on_each_store
    def test_a_token_is_shown_once_and_stored_as_its_digest(self):
        self.add_people(("anna", "reviewer"))
        self.pawl("token", "create", "--name", "nobody", code=FAILED)
        made = self.pawl("token", "create", "--name", "anna", "--role", "reviewer", "--expires", "90d",
                         "--note", "laptop")
        secret = made.out.strip()
        self.assertRegex(secret, r"\Apawl_[A-Za-z0-9_-]{43,}\Z")
        self.assertIn("it is not shown again", made.err)
        document = self.pawl("token", "create", "--name", "fts-1", "--kind", "worker", "--worker-kind", "fts",
                             "--json").json
        self.assertTrue(document["secret"].startswith("pawl_"))
        for words in (["token", "list"], ["token", "list", "--json"], ["audit", "export"], ["events"]):
            text = self.pawl(*words).out
            for hidden in (secret, hashlib.sha256(secret.encode()).hexdigest(), document["secret"]):
                self.assertNotIn(hidden, text)
        self.pawl("token", "revoke", "1")
        self.pawl("token", "revoke", "1", code=CONFLICT)
        self.pawl("token", "revoke", "9", code=FAILED)
        tokens = self.pawl("token", "list", "--json").json["tokens"]
        self.assertEqual([(one["name"], one["kind"], one["revoked_at"] is not None) for one in tokens],
                         [("anna", "person", True), ("fts-1", "worker", False)])
        self.assertIn("revoked", self.pawl("token", "list").out)
        self.assertEqual(self.acts("--act", "token.create"), [("token.create", LOCAL_USER), ("token.create", LOCAL_USER)])
        self.assert_trail()

    def test_the_store_file_has_the_digest_of_a_token_and_not_its_secret(self):
        self.store = str(self.dir / "store.db")
        self.asked()
        self.pawl("user", "add", "anna")
        secret = self.pawl("token", "create", "--name", "anna", "-q").out.strip()
        files = b"".join(path.read_bytes() for path in self.dir.rglob("store.db*") if path.is_file())
        self.assertNotIn(secret.encode(), files)
        self.assertIn(hashlib.sha256(secret.encode()).hexdigest().encode(), files)

    def test_unknown_people_in_a_file_are_warnings_where_there_are_people_and_errors_if_strict(self):
        self.asked()
        self.write_rules("assign: [anna, group:editors]")
        for words in (["check", "w.yaml"], ["check", "w.yaml", "--strict"]):
            self.assertNotIn("W004", self.pawl(*words).err, "nobody is known here yet")
        self.pawl("user", "add", "anne", "--group", "lawyers")
        warned = self.pawl("check", "w.yaml")
        self.assertIn('warning[W004]', warned.out + warned.err)
        self.assertIn('there is no person "anna" yet', warned.out + warned.err)
        self.assertIn('did you mean "anne"?', warned.out + warned.err)
        self.assertIn('there is no group "editors" yet', warned.out + warned.err)
        strict = self.pawl("check", "w.yaml", "--strict", "--json", code=USAGE).json
        self.assertEqual([one["code"] for one in strict["diagnostics"]], ["W004", "W004"])
        self.pawl("user", "add", "anna", "--group", "editors")
        self.pawl("check", "w.yaml", "--strict")

    def test_a_run_warns_of_people_whom_the_store_does_not_know(self):
        self.pawl("user", "add", "anne")
        self.write_rules("assign: [anna]")
        ran = self.pawl("run", "w.yaml", code=PEOPLE)
        self.assertIn('warning: there is no person "anna" yet; did you mean "anne"?', ran.err)

    def test_people_can_be_added_before_the_first_job(self):
        self.pawl("user", "list", code=FAILED)
        self.pawl("user", "add", "no body", code=USAGE)
        self.pawl("user", "list", code=FAILED)
        self.pawl("user", "add", "anna")
        self.assertEqual([one["name"] for one in self.pawl("user", "list", "--json").json["people"]], ["anna"])

    def test_nobody_acts_as_time_as_a_group_or_by_an_unset_variable(self):
        [review] = self.asked()
        self.assertIn("--as must be a name, not ''",
                      self.pawl("review", "approve", review, "--as", "", code=USAGE).err)
        for name in ("overdue", "group:editors"):
            self.assertIn("act under your own name", self.pawl("review", "approve", review, "--as", name, code=None).err)
        self.assertEqual(self.review(review)["status"], "open")

    def test_names_that_nobody_may_have_are_refused_and_say_what_is_allowed(self):
        self.asked()
        latin = "Gr\udcf6\udcdfe"  # the bytes F6 and DF on a command line
        for name in ("", "a b", "-x", ".x", "a" * 65, "overdue", "x'; DROP TABLE people; --", f"{ESCAPE}[31m",
                     "a\nb", "\u00e4nne", latin, "group:x"):
            for words in (["user", "add", "--", name], ["token", "create", f"--name={name}", "--kind", "agent"],
                          ["user", "add", "good", f"--group={name}"]):
                refused = self.pawl(*words, code=USAGE)
                self.assertNotIn(ESCAPE, refused.err)
                self.assertTrue(refused.err.startswith("error: "), refused)
        self.assertIn("1 to 64 of the letters", self.pawl("user", "add", "a b", code=USAGE).err)
        self.assertEqual(self.pawl("user", "list", "--json").json["people"], [])
        self.assert_trail()

    @on_each_store
    def test_notes_of_any_text_are_recorded_as_text(self):
        quotes = "'; DELETE FROM audit; --\"\\"
        latin = "Gr\udcf6\udcdfe"
        long = "x" * 100_000
        reviews = self.asked(items="[a, b, c, d]")
        for review, note in zip(reviews, (quotes, latin, long, "tab\tand\nline")):
            self.pawl("review", "approve", review, "--note", note, "--as", "anna")
        notes = [entry["reason"] for entry in self.audit("--act", "review.answer")]
        self.assertEqual(notes, [quotes, "Gr\ufffd\ufffde", long, "tab\tand\nline"])
        for line in self.pawl("audit", "list").out.splitlines():
            self.assertLess(len(line), 300, "a table shortens long notes")
        self.pawl("review", "approve", reviews[0], "--as", latin, code=CONFLICT)
        self.pawl("resume")
        self.assert_trail()


class Trail(PeopleTest):
    def setUp(self):
        super().setUp()
        self.store = str(self.dir / "store.db")
        [review] = self.asked("approvals: 2")
        self.pawl("review", "approve", review, "--as", "anna", "--note", "fine")
        self.pawl("review", "approve", review, "--as", "bert")
        self.pawl("resume")
        self.assert_trail()
        self.head = self.pawl("audit", "verify", "-q").out.strip()

    def sql(self, text):
        with sqlite3.connect(self.store) as database:
            database.execute(text)
        database.close()

    def assert_found(self, message, *, by_head_only=False):
        words = ["--head", self.head] if by_head_only else []
        found = self.pawl("audit", "verify", *words, code=FAILED)
        self.assertIn(message, found.out)
        if not by_head_only:
            checked = self.pawl("verify", "--json", code=FAILED).json
            self.assertIn("I19", [one["invariant"] for one in checked["violations"]])

    def test_every_act_has_one_entry_and_the_trail_is_exported(self):
        lines = self.pawl("audit", "export").lines
        self.assertEqual([line["number"] for line in lines], list(range(1, len(lines) + 1)))
        self.assertEqual([line["act"] for line in lines], ["job.submit", "review.answer", "review.answer"])
        self.assertEqual(lines[-1]["digest"], self.head)
        self.assertEqual(self.audit(), lines)
        self.assertEqual([one["number"] for one in self.audit("--after", "1")], [2, 3])
        self.pawl("audit", "verify", "--head", self.head)

    def test_the_chain_is_computed_as_the_reference_says(self):
        previous = ""
        for line in self.pawl("audit", "export").lines:
            at = datetime.datetime.fromisoformat(line["at"]) - datetime.datetime.fromtimestamp(0, datetime.timezone.utc)
            content = {"previous": previous, "number": line["number"], "at": at // datetime.timedelta(microseconds=1),
                       "actor": line["by"] or "", "kind": line["kind"], "method": line["method"],
                       "address": line["address"] or "", "act": line["act"], "job": line["job"] or 0,
                       **{name: line[name] or "" for name in ("target", "details", "reason", "before", "after", "origin")}}
            text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
            previous = hashlib.sha256(text.encode()).hexdigest()
            self.assertEqual(line["digest"], previous, line)

    def test_a_changed_entry_is_found(self):
        for column, value in (("actor", "'eve'"), ("details", "'reject'"), ("note", "'no'"), ("at", "at + 1"), ("method", "3"),
                              ("digest_after", "''"), ("target", "'review 9'"), ("digest", "digest_after")):
            with self.subTest(column=column):
                [(before,)] = sqlite3.connect(self.store).execute(f"SELECT {column} FROM audit WHERE number = 2")
                self.sql(f"UPDATE audit SET {column} = {value} WHERE number = 2")
                self.assert_found("entry 2 of the audit trail is not as it was written")
                self.sql(f"UPDATE audit SET {column} = {before!r} WHERE number = 2")
                self.assert_trail()

    def test_a_removed_entry_is_found(self):
        self.sql("DELETE FROM audit WHERE number = 2")
        self.assert_found("entry 2 is missing from the audit trail")

    def test_removed_newest_entries_are_found_with_a_digest_that_was_kept_elsewhere(self):
        self.sql("DELETE FROM audit WHERE number = 3")
        self.pawl("audit", "verify")
        self.assert_found(f"no entry of the audit trail has the digest {self.head}", by_head_only=True)

    def test_an_approval_that_only_the_rows_have_is_found(self):
        self.sql("UPDATE review_answers SET by_kind = 3 WHERE number = 1")
        checked = self.pawl("verify", "--json", code=FAILED).json
        self.assertIn("I16", [one["invariant"] for one in checked["violations"]])
        self.sql("UPDATE review_answers SET by_kind = 1 WHERE number = 1")
        self.sql("DELETE FROM review_answers WHERE number = 1")
        checked = self.pawl("verify", "--json", code=FAILED).json
        self.assertIn("I16", [one["invariant"] for one in checked["violations"]])


class Moved(PeopleTest):
    def test_an_export_keeps_votes_and_audit_between_both_kinds_of_store(self):
        self.store = str(self.dir / "store.db")
        [review] = self.asked("approvals: 2\ndue: 1h\nassign: [anna, bert, carl]")
        self.pawl("review", "approve", review, "--as", "anna", "--note", "fine")
        self.pawl("review", "undo", review, "--as", "anna")
        self.pawl("review", "approve", review, "--as", "carl")
        self.pawl("review", "edit", review, "--output", "-", "--as", "bert", stdin='{"text": "better"}')
        self.pawl("job", "pause", "1")
        answers, entries = self.review(review)["answers"], self.audit("--job", "1")
        self.assertEqual([one["fate"] for one in answers], ["withdrawn", "void", "counts"])
        self.assertEqual(json.loads(self.pawl("export", "1").out.splitlines()[0])["pawl_export"]["format"], 3)
        for number, store in enumerate((new_schema(self), str(self.dir / "back.db"))):
            file = self.dir / f"job{number}.jsonl"
            self.pawl("export", "1", "-o", file)
            self.store = store
            self.pawl("import", file)
            self.assertEqual(self.review(review)["answers"], answers)
            self.assertEqual(self.review(review)["assigned"], ["anna", "bert", "carl"])
            moved = self.audit("--job", "1")
            told = lambda rows: [{name: row[name] for name in ("at", "by", "kind", "method", "act", "reason")}
                                 for row in rows]
            self.assertEqual([(row["act"], row["by"]) for row in moved if not row["origin"]],
                             [("job.import", LOCAL_USER)])
            brought = [row for row in moved if row["origin"] and row["act"] != "job.import"]
            self.assertEqual(told(brought), told(entries))
            self.assert_trail()
        self.pawl("job", "trust", "1", "--yes", "--as", "olga")
        self.pawl("job", "resume", "1")
        self.pawl("review", "approve", review, "--as", "bert", code=CONFLICT)
        self.pawl("review", "approve", review, "--as", "anna")
        self.pawl("resume")
        [result] = self.pawl("results", "--jsonl").lines
        self.assertEqual(result["outputs"]["draw"], {"text": "better"})
        self.assert_trail()


if __name__ == "__main__":
    main()
