"""What the command line says about people, approvals and edits."""

import json
import os

import people_test
from people_test import PeopleTest
from pawl import *

TWO_ATTEMPTS = """version: 1
workflow: w
items: [a]
stages:
  draw:
    sh: |
      echo "{\\"output\\": {\\"text\\": \\"drawn $PAWL_ATTEMPT\\"}}" > "$PAWL_RESULT"
    out: { text: string }
    refine: { attempts: 2 }
    gates: [{ name: long, expect: { text: { min_length: 99 } } }]
    review: { when: on_escalation, editable: [text], approvals: 2, show: { main: out.text } }
"""


class Words(PeopleTest):
    def show(self, review):
        return self.pawl("review", "show", review).out

    def approved_with_edits(self):
        [review] = self.asked("approvals: 2\nshow: { main: out.text }")
        self.pawl("review", "approve", review, "--as", "anna")
        edited = self.pawl("review", "edit", review, "--output", "-", "--as", "bert", stdin='{"text": "better"}')
        self.assertIn("; the approval of anna no longer counts", edited.out)
        return review

    def test_proposed_edits_are_what_is_shown(self):
        review = self.approved_with_edits()
        shown = self.show(review)
        self.assertIn("edits of attempt 1 by bert:\n", shown)
        self.assertIn("out.text, with bert's edits:\n  better\n", shown)
        self.assertRegex(shown, r"  anna approved \(.*\), no longer counts: bert changed the output\n")
        self.assertRegex(shown, r"  bert approved with edits \(")
        self.assertIn("1 of 2 approvals (bert); waits for one more\n", shown)

    def test_approved_edits_are_shown_and_belong_to_their_editor(self):
        review = self.approved_with_edits()
        last = self.pawl("review", "approve", review, "--as", "anna")
        self.assertIn(f"review {review} approved, with bert's edits", last.out)
        shown = self.show(review)
        self.assertIn("answered by anna: approved, with bert's edits, ", shown)
        self.assertIn("edits of attempt 1 by bert:\n", shown)
        self.assertIn("out.text, with bert's edits:\n  better\n", shown)
        self.assertIn("anna approved bert's edits", self.pawl("why", "a").out)
        self.assertRegex(self.pawl("review", "list", "--status", "answered").out, "approved, with bert's edits +anna")
        self.assertEqual(self.review(review)["answer"]["outcome"], "approve_with_edits", "the record stays as it was")

    def test_an_approval_of_an_older_attempt_is_shown_with_its_content(self):
        self.write("w.yaml", TWO_ATTEMPTS)
        self.pawl("run", "w.yaml", code=PEOPLE)
        [review] = [str(one["review"]) for one in self.reviews()]
        self.assertIn("out.text:\n  drawn 2\n", self.show(review))
        self.pawl("review", "approve", review, "--attempt", "1", "--as", "anna")
        shown = self.show(review)
        self.assertIn("anna approved attempt 1 (", shown)
        self.assertIn("out.text:\n  drawn 1\n", shown)

    def test_more_approvals_than_needed_are_counted_by_themselves(self):
        [review] = self.asked("self_approval: false", by="ada")
        self.assertIn("0 of 1 approval; it must come from somebody other than ada, who submitted the job\n",
                      self.show(review))
        self.pawl("review", "edit", review, "--output", "-", "--as", "bert", stdin='{"text": "better"}')
        self.pawl("review", "approve", review, "--as", "ada")
        self.assertIn("2 approvals (bert, ada); 1 is needed; waits for somebody who neither", self.show(review))

    def test_approvals_are_a_column_only_where_several_are_needed(self):
        [review] = self.asked("approvals: 2")
        self.pawl("review", "approve", review, "--as", "anna")
        self.assertRegex(self.pawl("review", "list").out, "APPROVALS(.|\n)*1 of 2")
        self.pawl("review", "reject", review, "--reason", "no", "--as", "bert")
        self.asked()
        self.assertNotIn("APPROVALS", self.pawl("review", "list").out)

    def test_a_hand_over_shows_its_note_and_warns_of_people_who_cannot_answer(self):
        self.add_people(("anna", "reviewer"), ("vic", "viewer", "guests"))
        [review] = self.asked(by="")
        for name, warning in (("annna", 'warning: there is no person "annna" yet; did you mean "anna"?'),
                              ("group:nobody", 'warning: there is no group "nobody" yet; put somebody in it'),
                              ("vic", "warning: vic is a viewer and may not answer reviews"),
                              ("group:guests", "warning: nobody in group:guests may answer reviews")):
            handed = self.pawl("review", "assign", review, "--to", name, "--to", "anna")
            self.assertIn(warning, handed.err)
            self.assertIn(f"is assigned to {name}, anna", handed.out)
        right = self.pawl("review", "assign", review, "--to", "anna", "--note", "you know the client: well")
        self.assertNotIn("warning", right.err)
        self.assertIn("handed over by ", self.show(review))
        self.assertIn(': "you know the client: well"\n', self.show(review))
        self.pawl("review", "approve", review, "--as", "anna")
        self.assertNotIn("handed over", self.show(review))

    def test_a_run_warns_if_its_reviews_cannot_be_decided(self):
        self.add_people(("anna", "reviewer", "editors"), ("vic", "viewer", "editors"))
        for rules, warning in (("assign: group:editors\napprovals: 2", "need 2 approvals, but only 1 person of this store"),
                               ("assign: [vic]", "cannot be decided: nobody in this store may answer them"),
                               ("assign: [anna]\nself_approval: false", None)):
            self.write_rules(rules)
            ran = self.pawl("run", "w.yaml", "--new", code=PEOPLE)
            if warning:
                self.assertIn(f"warning: reviews of stage 'draw' {warning}", ran.err)
            else:
                self.assertNotIn("warning", ran.err)
        self.pawl("user", "role", "anna", "operator")
        ran = self.pawl("run", "w.yaml", "--new", "--as", "anna", code=PEOPLE)
        self.assertIn("have `self_approval: false`, but only anna, who submits the job, may answer them", ran.err)

    def test_a_pause_that_changes_nothing_says_so(self):
        self.asked()
        for words, message in ((["resume"], "job 1 is not paused"), (["pause", "--stage", "after"], None),
                               (["pause", "--stage", "after"], "stage 'after' is already paused"),
                               (["resume", "--stage", "draw"], "stage 'draw' is not paused"), (["pause"], None),
                               (["pause"], "job 1 is already paused")):
            said = self.pawl("job", words[0], "1", *words[1:]).err
            self.assertEqual("is already paused" in said or "is not paused" in said, message is not None, said)
            self.assertIn(message or "", said)
        self.assertNotIn("the pause has ended", self.pawl("job", "resume", "1", "--stage", "draw").err)

    def test_each_failed_id_has_one_error_in_json(self):
        [review] = self.asked()
        self.pawl("review", "approve", review)
        for ids in ([review], [review, "99"]):
            answer = self.pawl("review", "approve", *ids, "--json", code=None)
            failed = answer.json["reviews"]
            self.assertEqual([one["review"] for one in failed], [int(id) for id in ids])
            errors = [json.loads(line)["error"] for line in answer.err.splitlines()]
            self.assertEqual(errors, [one["error"] for one in failed])

    def test_the_newest_entries_of_the_trail_are_shown(self):
        [review] = self.asked()
        self.pawl("review", "approve", review)
        whole = self.audit()
        self.assertEqual(self.audit("--last", "1"), whole[-1:])
        self.pawl("audit", "list", "--last", "1", "--after", "1", code=USAGE)
        self.pawl("job", "pause", "1")
        self.pawl("export", "1", "-o", self.dir / "job.jsonl")
        self.store = str(self.dir / "other.db")
        self.pawl("import", self.dir / "job.jsonl")
        self.assertRegex(self.pawl("audit", "list").out, r"review\.answer .*\(imported\) approve")

    def test_an_unknown_option_is_named(self):
        self.assertIn("unknown option --as\n", self.pawl("review", "show", "1", "--as", "bert", code=USAGE).err)

    def test_a_claim_of_a_review_that_time_has_rejected_says_so(self):
        [review] = self.asked("due: 1s\noverdue: reject")
        self.wait_until("it is overdue", lambda: self.pawl("review", "list", "--overdue", "-q").out)
        late = self.pawl("review", "claim", review, code=CONFLICT)
        self.assertIn(f"review {review} was rejected because nobody decided it in time", late.err)
        self.assertIn("rejected because nobody decided it in time, ", self.show(review))


class Sitting(PeopleTest):
    open = people_test.OnATerminal.open
    read_until = people_test.OnATerminal.read_until

    def sit(self, *words):
        process, terminal = self.open("review", "next", *words)
        return process, terminal

    def type(self, terminal, keys):
        os.write(terminal, keys.encode())

    def test_an_approval_that_others_must_follow_is_no_decision_and_is_not_taken_back_here(self):
        self.asked("approvals: 2", items="[a, b]")
        process, terminal = self.sit("--undo-for", "60s", "--as", "anna")
        self.read_until(terminal, "[s]kip")
        self.type(terminal, "a")
        after = self.read_until(terminal, "[s]kip")
        self.assertIn("1 of 2 approvals; waits for one more", after)
        self.assertNotIn("u takes it back", after)
        self.type(terminal, "a")
        self.read_until(terminal, "no more reviews; 0 decisions made, 2 approvals given")
        process.wait(PATIENCE)

    def test_a_usual_reason_is_chosen_by_its_number(self):
        [review] = self.asked("reasons: [wrong tone, too long]")
        process, terminal = self.sit("--undo-for", "0s", "--as", "anna")
        self.read_until(terminal, "[s]kip")
        self.type(terminal, "r")
        asked = self.read_until(terminal, "or e for your editor)")
        self.assertIn("  2  too long", asked)
        self.type(terminal, "2\n")
        self.read_until(terminal, "1 decision made")
        process.wait(PATIENCE)
        self.assertEqual(self.review(review)["answer"]["note"], "too long")


if __name__ == "__main__":
    main()
