"""The commands that change something: reviews, retries, dead letters, jobs."""

import json
import os
import pwd
import unittest

from made_store import StoreTest


class Reviews(StoreTest):
    def test_a_list_and_a_show_carry_the_digest(self):
        reviews = self.pawl("review", "list", "--json").json["reviews"]
        self.assertEqual({one["reason"] for one in reviews}, {"policy"})
        self.assertTrue(all(one["digest"].startswith("sha256:") for one in reviews))
        [shown] = self.pawl("review", "show", reviews[0]["review"], "--json").json["reviews"]
        self.assertEqual(shown["item"], "ada")
        self.assertEqual(len(shown["attempts"]), 1)
        self.assertIn("printed: ada", self.pawl("review", "show", reviews[0]["review"]).out)

    def test_next_without_a_terminal_shows_and_ends(self):
        [shown] = self.pawl("review", "next", "--json").json["reviews"]
        self.assertEqual(shown["item"], "ada")
        self.assertIsNone(shown["claimed_by"], "looking claims nothing")

    def test_an_approval_ends_the_item(self):
        review = self.reviews()["ada"]
        [after] = self.pawl("review", "approve", review, "--note", "fine", "--json").json["reviews"]
        self.assertEqual((after["status"], after["answer"]["reviewer"]), ("closed", "ann"))
        self.assertEqual(self.tasks("ada")["sign"], "succeeded")

    def test_the_second_answer_is_told_who_was_faster(self):
        review = self.reviews()["ada"]
        self.pawl("review", "approve", review)
        late = self.pawl("review", "reject", review, "--reason", "no", "--as", "eve", "--json", code=3)
        self.assertEqual(late.error["code"], "conflict")
        self.assertIn("already answered by ann: approve", late.error["message"])

    def test_an_answer_to_other_content_is_a_conflict(self):
        # A decision is bound to what was on the screen.
        review = self.reviews()["ada"]
        late = self.pawl("review", "approve", review, "--digest", "sha256:" + 64 * "0", code=3)
        self.assertIn(" changed while you were reading", late.err)
        self.assertEqual(self.tasks("ada")["sign"], "awaiting_review")

    def test_an_edit_keeps_types_and_fields(self):
        review = self.reviews()["ada"]
        [shown] = self.pawl("review", "show", review, "--json").json["reviews"]
        page = {key: value for key, value in shown["output"]["page"].items() if key != "path"}
        for wrong in [{"page": page, "copies": "2"}, {"page": page}, {"page": page, "copies": 1}]:
            self.pawl("review", "edit", review, "--output", "-", stdin=json.dumps(wrong), code=2)
        self.assertIn("not JSON", self.pawl("review", "edit", review, "--output", "-", stdin="{", code=2).err)
        right = {"page": page, "copies": 2}
        (self.project / "edited.json").write_text(json.dumps(right))
        self.pawl("review", "edit", review, "--output", "edited.json")
        results = {one["item"]: one["outputs"] for one in self.pawl("results", 1, "--jsonl").lines}
        self.assertEqual(results["ada"]["sign"]["copies"], 2)

    def test_an_edit_in_the_editor_is_the_file_it_leaves(self):
        review = self.reviews()["ada"]
        editor = {"EDITOR": "sed -i 's/\"copies\": 1/\"copies\": 7/'"}
        self.pawl("review", "edit", review, env=editor)
        results = {one["item"]: one["outputs"] for one in self.pawl("results", 1, "--jsonl").lines}
        self.assertEqual(results["ada"]["sign"]["copies"], 7)
        left = [path.name for path in self.project.parent.iterdir()]
        self.assertEqual(left, ["project"], "no file is left behind")
        other = self.reviews()["a/b"]
        self.assertIn("failed", self.pawl("review", "edit", other, env={"EDITOR": "false"}, code=1).err)
        self.assertIn("the edit changes nothing", self.pawl("review", "edit", other, env={"EDITOR": "true"}, code=2).err)
        self.assertIn("set EDITOR", self.pawl("review", "edit", other, code=1).err)

    def reviewed(self, script, out):
        """A job whose only item waits for a review of what this script makes; its review."""
        (self.project / "texts.yaml").write_text(
            "version: 1\nworkflow: texts\nitems: [one]\nstages:\n  make:\n"
            f"    sh: |\n      {script}\n    out: {out}\n    review: {{ when: always }}\n")
        self.pawl("run", "texts.yaml", code=11)
        return self.pawl("review", "list", "--job", 3, "--json").json["reviews"][0]["review"]

    def test_a_string_is_edited_as_plain_text_with_its_extension(self):
        review = self.reviewed("""printf '%s' '{"output": {"page_md": "one\\ntwo", "title": "T"}}' > "$PAWL_RESULT" """,
                               "{ page_md: string, title: string }")
        editor = {"EDITOR": "sh -c 'cp $0 seen.txt; echo $0 > name.txt; sed -i s/two/three/ $0'"}
        self.assertIn("did you mean", self.pawl("review", "edit", review, "--field", "titel", env=editor, code=2).err)
        self.pawl("review", "edit", review, "--field", "page_md", env=editor)
        self.assertEqual((self.project / "seen.txt").read_text(), "one\ntwo")
        self.assertTrue((self.project / "name.txt").read_text().endswith(".md\n"))
        [result] = self.pawl("results", 3, "--jsonl").lines
        self.assertEqual(result["outputs"]["make"], {"page_md": "one\nthree", "title": "T"})

    def test_an_edited_text_keeps_a_heading_that_looks_like_a_remark(self):
        review = self.reviewed("""printf '%s' '{"output": {"page_md": "# pawl: notes\\ntwo"}}' > "$PAWL_RESULT" """,
                               "{ page_md: string }")
        self.pawl("review", "edit", review, env={"EDITOR": "sed -i s/two/three/"})
        [result] = self.pawl("results", 3, "--jsonl").lines
        self.assertEqual(result["outputs"]["make"], {"page_md": "# pawl: notes\nthree"})

    def test_a_file_is_edited_as_plain_text_and_a_binary_is_refused(self):
        review = self.reviewed("""printf 'a,b\\n' > "$PAWL_DIR/t.csv"; printf 'x\\0y' > "$PAWL_DIR/b.bin"; """
                               """echo '{"output": {"table": "t.csv", "blob": "b.bin"}}' > "$PAWL_RESULT" """,
                               "{ table: file, blob: file }")
        editor = {"EDITOR": "sh -c 'echo $0 > name.txt; sed -i s/b/c/ $0'"}
        refused = self.pawl("review", "edit", review, "--field", "blob", env=editor, code=2)
        self.assertIn("is not text, so it cannot be edited", refused.err)
        self.pawl("review", "edit", review, "--field", "table", env=editor)
        self.assertTrue((self.project / "name.txt").read_text().endswith(".csv\n"))
        [result] = self.pawl("results", 3, "--jsonl").lines
        self.assertEqual(result["outputs"]["make"]["table"]["name"], "t.csv")

    def test_answered_reviews_are_listed_with_who_answered_what_and_when(self):
        self.pawl("review", "approve", self.reviews()["ada"], "--note", "fine")
        self.pawl("review", "reject", self.reviews()["a/b"], "--reason", "not hers", "--as", "eve")
        answered = self.pawl("review", "list", "--status", "answered", "--json").json["reviews"]
        self.assertEqual([one["item"] for one in answered], ["ada", "a/b"])
        text = self.pawl("review", "list", "--status", "answered").out
        self.assertRegex(text, r"ada .*approved +ann +.*(ago|now) +fine")
        self.assertRegex(text, r"a/b .*rejected +eve +.*(ago|now) +not hers")
        everything = self.pawl("review", "list", "--status", "all").out
        self.assertIn("eve", everything)
        self.assertIn("list", everything)
        self.assertNotIn("ANSWER", self.pawl("review", "list").out)

    def test_changes_send_it_back_with_the_note(self):
        self.pawl("review", "changes", self.reviews()["ada"], "--note", "longer, please")
        document = self.pawl("item", "show", "ada", "--job", 1, "--json").json
        draft = document["tasks"][0]
        self.assertEqual((draft["state"], draft["feedback"]["summary"]), ("ready", "longer, please"))

    def test_a_rejection_needs_a_reason_and_makes_a_dead_letter(self):
        review = self.reviews()["ada"]
        self.pawl("review", "reject", review, code=2)
        self.assertIn("rejecting needs a reason: --reason TEXT", self.pawl("review", "reject", review, "--reason", "", code=2).err)
        self.pawl("review", "reject", review, "--reason", "not hers")
        letters = self.pawl("dlq", "list", "--filter", 'cause = "rejected_by_review"', "--json").json["items"]
        self.assertEqual([one["item"] for one in letters], ["ada"])

    def test_a_claim_keeps_others_out_until_it_is_released(self):
        review = self.reviews()["ada"]
        self.pawl("review", "claim", review, "--for", "5m")
        self.pawl("review", "claim", review, "--as", "eve", code=3)
        self.assertIn("claimed by ann", self.pawl("review", "approve", review, "--as", "eve", code=3).err)
        [other] = self.pawl("review", "next", "--as", "eve", "--json").json["reviews"]
        self.assertEqual(other["item"], "a/b", "what another has claimed is passed over")
        self.pawl("review", "release", review)
        self.pawl("review", "claim", review, "--as", "eve")

    def test_several_are_answered_each_by_itself(self):
        first, second = self.reviews()["ada"], self.reviews()["a/b"]
        self.pawl("review", "approve", first)
        answer = self.pawl("review", "approve", first, second, 999, "--json", code=1)
        told = answer.json["reviews"]
        self.assertEqual([one["ok"] for one in told], [False, True, False])
        self.assertEqual([one["error"] and one["error"]["code"] for one in told], ["conflict", None, "not_found"])
        self.assertEqual(self.tasks("a/b")["sign"], "succeeded")
        self.pawl("review", "reject", first, second, "--reason", "late", code=3)

    def test_all_that_wait_are_answered_from_a_pipe(self):
        waiting = self.pawl("review", "list", "--limit", 0, "-q").out
        self.assertGreater(len(waiting.split()), 2)
        self.assertEqual(self.pawl("review", "claim", "-", "-q", stdin=waiting).out, waiting)
        self.assertEqual(self.pawl("review", "release", "-", "-q", stdin=waiting).out, waiting)
        answer = self.pawl("review", "approve", "-", stdin=waiting)
        self.assertEqual(len(answer.out.splitlines()), len(waiting.split()))
        self.assertEqual(answer.err.count("continue with:"), 1, "told once for the job")
        self.assertEqual(self.pawl("review", "list", "-q").out, "")

    def test_wrong_numbers_are_all_told_and_nothing_is_answered(self):
        review = self.reviews()["ada"]
        answer = self.pawl("review", "approve", review, "x1", "-5x", code=2, stdin="")
        self.assertIn("'x1', '-5x'", answer.err)
        self.assertIn("no reviews given", self.pawl("review", "approve", "-", code=2).err)
        self.assertEqual(self.tasks("ada")["sign"], "awaiting_review")
        digest = ["--digest", "sha256:" + 64 * "0"]
        self.assertIn("a single review", self.pawl("review", "approve", review, 2, *digest, code=2).err)
        self.assertIn("one review", self.pawl("review", "edit", "-", stdin=f"{review}\n", code=2).err)

    def test_where_nobody_is_named_it_is_the_user_of_the_process(self):
        review = self.reviews()["ada"]
        self.pawl("review", "approve", review, env={"PAWL_USER": "", "USER": ""})
        self.assertIn(pwd.getpwuid(os.getuid()).pw_name, self.pawl("review", "show", review).out)


class Retries(StoreTest):
    def test_what_failed_runs_again_with_the_note(self):
        answer = self.pawl("item", "retry", "bob", "--note", "the key is 1234", "--json").json
        self.assertEqual(answer["items"][0]["stages"], ["publish"])
        self.assertEqual(self.tasks("bob"), {"draft": "succeeded", "publish": "ready", "sign": "waiting"})

    def test_ids_come_from_stdin(self):
        ids = self.pawl("item", "list", "--job", 1, "--state", "failed", "-q").out
        self.assertIn("runs again from publish", self.pawl("item", "retry", "-", stdin=ids).out)
        self.pawl("item", "cancel", "-", "--yes", stdin="1/carl\n")
        self.assertEqual(self.tasks("carl")["publish"], "cancelled")

    def test_one_that_cannot_does_not_stop_the_others(self):
        answer = self.pawl("item", "retry", "nobody", "bob", "--json", code=1).json
        self.assertEqual([one["ok"] for one in answer["items"]], [False, True])

    def test_an_item_without_a_failure_needs_a_stage(self):
        self.assertIn("--from STAGE", self.pawl("item", "retry", "a/b", code=1).err)
        self.assertIn("has not started", self.pawl("item", "retry", "carl/sign", code=1).err)
        self.assertIn("did you mean", self.pawl("item", "retry", "a/b", "--from", "drft", code=1).err)
        self.pawl("item", "retry", "a/b", "--from", "draft")
        self.assertEqual(self.tasks("a/b")["draft"], "ready")

    def test_a_cancel_asks_first(self):
        self.assertIn("--yes", self.pawl("item", "cancel", "carl", code=1).err)
        self.assertEqual(self.tasks("carl")["publish"], "retry_scheduled")
        self.pawl("item", "cancel", "carl", "--yes")
        self.assertIn("already ended", self.pawl("item", "cancel", "carl", "--yes", code=1).err)


class DeadLetters(StoreTest):
    def test_they_are_listed_and_grouped(self):
        [letter] = self.pawl("dlq", "list", "--json").json["items"]
        self.assertEqual((letter["item"], letter["stage"], letter["failure_count"], letter["error_class"]),
                         ("bob", "publish", 1, "final"))
        self.assertEqual(letter["failure_history"][0]["message"], "encrypted letter")
        self.assertEqual(self.pawl("dlq", "list", "-q").out, "1/bob/publish\n")
        [group] = self.pawl("dlq", "list", "--by", "error", "--json").json["groups"]
        self.assertEqual((group["stage"], group["count"]), ("publish", 1))
        self.assertIn("pawl dlq retry --filter", self.pawl("dlq", "list", "--by", "error").err)
        self.assertEqual(self.pawl("dlq", "show", "bob", "--json").json["items"], [letter])
        # A job number that is not the key of an item means the letters of that job.
        self.assertEqual(self.pawl("dlq", "show", 1, "--json").json["items"], [letter])
        self.assertEqual(self.pawl("dlq", "show", 2, "--json").json["items"], [])
        self.pawl("dlq", "show", 99, code=1)
        self.assertEqual(letter.pop("id"), "1/bob/publish")
        letter.pop("superseded_by")  # only lists look at later jobs
        self.assertEqual(self.pawl("dlq", "export").lines, [letter])
        self.assertIn("not a dead letter: 'carl' has not failed", self.pawl("dlq", "show", "carl", code=1).err)

    def test_a_bad_filter_changes_nothing_and_names_the_column(self):
        answer = self.pawl("dlq", "retry", "--filter", "eror = \"x\"", "--yes", "--json", code=2)
        self.assertEqual(answer.error["code"], "invalid")
        self.assertIn("column 1", answer.error["message"] + answer.error["help"])
        self.assertEqual(self.tasks("bob")["publish"], "failed")

    def test_many_are_counted_before_they_are_retried(self):
        every = ["dlq", "retry", "--filter", 'error ~ "encrypted"']
        would = self.pawl(*every, "--dry-run", "--json").json
        self.assertEqual((would["done"], would["dry_run"]), (1, True))
        self.assertEqual(self.tasks("bob")["publish"], "failed")
        self.assertIn("Retry 1 dead letter?", self.pawl(*every, code=1).err)
        self.assertEqual(self.pawl(*every, "--yes", "--json").json["done"], 1)
        self.assertEqual(self.tasks("bob")["publish"], "ready")

    def test_one_that_is_named_is_retried_at_once(self):
        self.assertEqual(self.pawl("dlq", "retry", "-", stdin="1/bob/publish\n", code=0).out, "1/bob/publish\n")
        self.assertEqual(self.tasks("bob")["publish"], "ready")
        self.pawl("dlq", "retry", "bob", code=1)

    def test_nothing_named_means_nothing(self):
        self.pawl("dlq", "retry", "--yes", code=2)
        self.pawl("dlq", "retry", "-", "--yes", stdin="", code=2)
        self.pawl("dlq", "retry", "bob", "--all", "--yes", code=2)
        self.assertEqual(self.tasks("bob")["publish"], "failed")

    def test_discarding_needs_a_reason_and_purging_a_discard(self):
        self.pawl("dlq", "discard", "bob", code=2)
        self.pawl("dlq", "discard", "bob", "--reason", "blank")
        self.assertEqual(self.pawl("dlq", "list", "--json").json["items"], [])
        self.assertEqual(len(self.pawl("dlq", "list", "--discarded", "--json").json["items"]), 1)
        self.assertEqual(self.pawl("dlq", "purge", "--job", 2, "--all", "--yes", "--json").json["done"], 0)
        refused = self.pawl("dlq", "purge", "bob", "--yes", code=1)
        self.assertIn("has not ended", refused.err)


class Jobs(StoreTest):
    def test_a_paused_job_goes_on_when_it_is_resumed(self):
        self.assertEqual(self.pawl("job", "pause", 1, "--json").json["state"], "paused")
        self.pawl("job", "wait", 1, code=12)
        self.assertIn("to be resumed", self.pawl("why", "carl", "--json").json["waits_for"])
        self.assertEqual(self.pawl("job", "resume", 1, "--json").json["state"], "running")

    def test_several_jobs_are_paused_resumed_and_cancelled(self):
        # Job 2 has ended.
        answer = self.pawl("job", "pause", 1, 2, 99, "--json", code=1)
        self.assertEqual([one["ok"] for one in answer.json["jobs"]], [True, False, False])
        self.assertEqual(self.pawl("status", 1, "--json").json["state"], "paused")
        self.pawl("job", "resume", "-", stdin="1\n")
        self.assertEqual(self.pawl("job", "pause", 1, "--json").json["state"], "paused", "one is shown as itself")
        self.assertIn("'one'", self.pawl("job", "cancel", "one", 1, "--yes", code=2).err)
        self.assertIn("2 jobs with", self.pawl("job", "cancel", 1, 2, code=1).err)
        answer = self.pawl("job", "cancel", 1, 77, "--yes", code=1)
        self.assertIn("no job 77", answer.err)
        self.assertEqual(self.pawl("status", 1, "--json").json["state"], "cancelled")

    def test_a_budget_is_shown_and_changed(self):
        self.assertIsNone(self.pawl("job", "budget", 1, "--json").json["budget"]["cost_usd"])
        changed = self.pawl("job", "budget", 1, "--cost-usd", "12.5", "--deadline", "8h",
                            "--attempts", 5, "--tokens", 1000, "--json").json["budget"]
        self.assertEqual((changed["cost_usd"], changed["deadline_s"], changed["max_total_attempts"],
                          changed["tokens"]), (12.5, 28800, 5, 1000))
        self.assertIn("no limit", self.pawl("job", "budget", 2).out)
        self.assertIn("30m", self.pawl("job", "budget", 1, "--no-progress", "30m").out)
        self.pawl("job", "budget", 1, "--no-progress", "soon", code=2)
        self.pawl("job", "budget", 1, "--deadline", "8", code=2)
        refused = self.pawl("item", "retry", "bob", code=1)
        self.assertIn("pawl job budget 1", refused.err, "the way out is a command")

    def test_a_cancel_asks_first_and_has_its_exit_code(self):
        self.pawl("job", "cancel", 1, code=1)
        self.assertEqual(self.pawl("job", "cancel", 1, "--yes", "--json").json["state"], "cancelled")
        self.pawl("job", "wait", 1, code=13)
        self.pawl("status", 1)
        self.pawl("job", "cancel", 2, "--yes", code=1)

    def test_only_people_left_has_its_exit_code(self):
        self.pawl("item", "cancel", "carl", "--yes")
        self.pawl("job", "wait", 1, code=11)
        self.assertTrue(self.pawl("status", 1, "--json").json["waiting_for_people"])

    def test_everything_done_leaves_a_sound_store(self):
        for item, review in self.reviews().items():
            if item != "list":
                self.pawl("review", "approve", review)
        self.pawl("review", "reject", self.reviews()["list"], "--reason", "no")
        self.pawl("item", "cancel", "carl", "--yes")
        self.pawl("dlq", "discard", "--all", "--reason", "seen", "--yes")
        self.pawl("job", "wait", 1, code=10)
        self.assertEqual(self.pawl("dlq", "purge", "bob", "--yes", "--json").json["done"], 1)
        self.pawl("item", "show", "bob", code=1)
        self.assertTrue(self.pawl("verify", "--json").json["ok"])


if __name__ == "__main__":
    unittest.main()
