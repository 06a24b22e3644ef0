"""A person at a terminal: `review next` and `status --watch` through a pseudo-terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from made_store import PATIENCE, PROGRAM, StoreTest

PROMPT = "[q]uit"
# Nothing to wait for: an answer takes effect immediately.
AT_ONCE = ["--undo-for", "0s"]


class Terminal:
    """The program with a terminal for all its streams."""

    def __init__(self, words, cwd, env, size):
        self.ours, theirs = pty.openpty()
        if size:
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.process = subprocess.Popen([PROGRAM, *map(str, words)], stdin=theirs, stdout=theirs, stderr=theirs,
                                        cwd=cwd, env=env, start_new_session=True)
        os.close(theirs)
        self.text = ""
        self.seen = 0

    def read(self, patience):
        ready, _, _ = select.select([self.ours], [], [], patience)
        if not ready:
            return False
        try:
            got = os.read(self.ours, 65536)
        except OSError:
            got = b""
        self.text += got.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(got)

    def until(self, words):
        """Waits for a text that was not seen before, and answers all that came with it."""
        end = time.monotonic() + PATIENCE
        while words not in self.text[self.seen:]:
            if time.monotonic() > end or not self.read(1) and self.process.poll() is not None:
                raise AssertionError(f"never came: {words}\n{self.text[self.seen:]}")
        at = self.text.index(words, self.seen) + len(words)
        part, self.seen = self.text[self.seen:at], at
        return part

    def type(self, keys):
        os.write(self.ours, keys.encode())

    def end(self):
        end = time.monotonic() + PATIENCE
        while self.read(0.2) or self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f"it never ended\n{self.text[self.seen:]}")
        os.close(self.ours)
        return self.process.wait(PATIENCE)


class TerminalTest(StoreTest):
    def terminal(self, *words, env=None, size=None):
        """`size` is (rows, columns); none: unknown to the program."""
        made = Terminal(words, self.project, {**self.environment, **(env or {})}, size)
        self.addCleanup(made.process.wait, PATIENCE)
        self.addCleanup(lambda: made.process.poll() is None and made.process.kill())
        return made


class ReviewNext(TerminalTest):
    def test_it_shows_all_there_is_to_know_and_advances(self):
        here = self.terminal("review", "next", *AT_ONCE)
        screen = here.until(PROMPT)
        for words in ["letters/sign", "ada", "claimed by you for 10m", "why: every output of this stage is reviewed", "attempts: 1", "printed: ada",
                      "[a]pprove  [e]dit in $EDITOR  [c]hanges  [r]eject  [d]iff  [s]kip"]:
            self.assertIn(words, re.sub(r"\x1b\[\d+m", "", screen))
        here.type("a")
        second = here.until(PROMPT)
        self.assertIn("approved", second)
        self.assertIn("a/b", second)
        here.type("q")
        self.assertEqual(here.end(), 0)
        self.assertEqual(self.tasks("ada")["sign"], "succeeded")
        self.assertEqual(self.tasks("a/b")["sign"], "awaiting_review")
        claims = [one["claimed_by"] for one in self.pawl("review", "list", "--json").json["reviews"]]
        self.assertEqual(set(claims), {None}, "leaving gives the claim back")

    def test_keys_typed_ahead_decide_nothing(self):
        # A held key must not decide about what was not yet on the screen.
        here = self.terminal("review", "next", *AT_ONCE)
        here.type("aaaa")
        here.until(PROMPT)
        here.type("aaaaaaaa")
        here.until(PROMPT)
        here.type("q")
        here.end()
        states = [self.tasks(key)["sign"] for key in ["ada", "a/b", "list"]]
        self.assertEqual(states, ["succeeded", "awaiting_review", "awaiting_review"])

    def test_notes_reasons_diffs_and_help(self):
        here = self.terminal("review", "next", *AT_ONCE)
        here.until(PROMPT)
        here.type("?")
        self.assertIn("reject for good", here.until(PROMPT))
        here.type("d")
        self.assertIn("fewer than two attempts have an output", here.until(PROMPT))
        here.type("r")
        here.until("why is it rejected? ")
        here.type("\n")
        self.assertIn("not decided", here.until(PROMPT))
        here.type("r")
        here.until("why is it rejected? ")
        here.type("not hers\n")
        self.assertIn("rejected", here.until(PROMPT))
        here.type("c")
        here.until("what should change? ")
        here.type("longer\n")
        here.until(PROMPT)
        here.type("s")
        here.until(PROMPT)
        here.type("\x03")
        self.assertEqual(here.end(), 130)
        self.assertEqual(self.tasks("ada")["sign"], "failed")
        self.assertEqual(self.tasks("a/b")["draft"], "ready")
        self.assertEqual(self.tasks("list")["sign"], "awaiting_review")

    def test_changes_are_offered_only_where_something_can_run_again(self):
        elsewhere = self.project / "hello"
        self.pawl("init", elsewhere)
        (elsewhere / ".pawl").mkdir(exist_ok=True)
        self.pawl("run", "hello.yaml", cwd=elsewhere, code=11)
        here = self.terminal("review", "next", *AT_ONCE, "--dir", elsewhere)
        self.assertNotIn("[c]hanges", here.until(PROMPT))
        here.type("c")
        self.assertIn("cannot request changes", here.until(PROMPT))
        here.type("?")
        self.assertNotIn("another attempt", here.until(PROMPT))
        here.type("q")
        self.assertEqual(here.end(), 0)

    def editor(self, script):
        """An editor that runs this shell script; "$1" is the file, and "$count" how often it was opened."""
        path = self.project / "editor.sh"
        path.write_text(f'#!/bin/sh\necho >> opened\ncount=$(wc -l < opened)\ncp "$1" seen.$count\n{script}\n')
        return {"EDITOR": f"sh {path}"}

    def test_of_several_fields_one_text_can_be_chosen_and_opens_as_it_is(self):
        (self.project / "texts.yaml").write_text("""
version: 1
workflow: texts
items: [one]
stages:
  make:
    sh: |
      printf '%s' '{"output": {"count": 1, "page_md": "one\\ntwo", "title": "T"}}' > "$PAWL_RESULT"
    out: { count: integer, page_md: string, title: string }
    review: { when: always }
""")
        self.pawl("run", "texts.yaml", code=11)
        [review] = [one["review"] for one in self.pawl("review", "list", "--job", 3, "--json").json["reviews"]]
        editor = self.editor("sed -i s/two/three/ \"$1\"")
        for words in (["review", "edit", review], ["review", "next", "--job", 3, *AT_ONCE]):
            with self.subTest(words=words):
                here = self.terminal(*words, env=editor)
                if "next" in words:
                    here.until(PROMPT)
                    here.type("e")
                question = here.until("Enter for all fields as JSON: ")
                self.assertIn("1  page_md\n  2  title\n", question)
                self.assertNotIn("count\n", question, "a number is only in the JSON")
                here.type("7\n")
                here.until("that is not one of the fields")
                if "edit" in words:
                    self.assertEqual(here.end(), 1)
                    continue
                here.until(PROMPT)
                here.type("e")
                here.until("Enter for all fields as JSON: ")
                here.type("1\n")
                self.assertIn("approved with your edits", here.until("decision made"))
                self.assertEqual(here.end(), 0)
        self.assertEqual((self.project / "seen.1").read_text(), "one\ntwo")
        [result] = self.pawl("results", 3, "--jsonl").lines
        self.assertEqual(result["outputs"]["make"], {"count": 1, "page_md": "one\nthree", "title": "T"})

    def drafts(self):
        return sorted((self.project / ".pawl").glob("drafts/*"))

    def test_a_refused_edit_opens_again_with_the_text_and_the_error_on_top(self):
        editor = self.editor("case $count in 1) sed -i 's/\"copies\": 1/\"copies\": \"3\"/' \"$1\" ;;"
                             " *) sed -i 's/\"copies\": \"3\"/\"copies\": 3/' \"$1\" ;; esac")
        here = self.terminal("review", "next", *AT_ONCE, env=editor)
        here.until(PROMPT)
        here.type("e")
        self.assertIn("approved with your edits", here.until(PROMPT))
        here.type("q")
        here.end()
        again = (self.project / "seen.2").read_text()
        self.assertTrue(again.startswith('# pawl: refused: field "copies" must be a whole number'), again)
        self.assertIn('"copies": "3"', again)
        results = {one["item"]: one["outputs"] for one in self.pawl("results", 1, "--jsonl").lines}
        self.assertEqual(results["ada"]["sign"]["copies"], 3)
        self.assertEqual(self.drafts(), [], "a sent edit leaves no draft")

    def test_a_draft_is_kept_until_it_is_given_up(self):
        editor = self.editor("case $count in 1) echo '{ half' > \"$1\" ;; 4) : > \"$1\" ;; esac")
        here = self.terminal("review", "next", *AT_ONCE, env=editor)
        here.until(PROMPT)
        here.type("e")
        self.assertIn("your text is kept in", here.until(PROMPT), "left as it was refused")
        self.assertEqual([one.read_text() for one in self.drafts()], ["{ half\n"])
        here.type("q")
        here.end()
        refused = self.pawl("review", "edit", self.reviews()["ada"], env=editor, code=2)
        self.assertIn("opening the draft that you left", refused.err)
        self.assertEqual((self.project / "seen.3").read_text(), "{ half\n")
        self.assertIn("given up", self.pawl("review", "edit", self.reviews()["ada"], env=editor, code=1).err)
        self.assertEqual(self.drafts(), [])
        self.assertEqual(self.tasks("ada")["sign"], "awaiting_review")

    def test_ctrl_c_while_a_note_is_typed_gives_the_claim_back(self):
        here = self.terminal("review", "next", *AT_ONCE)
        here.until(PROMPT)
        here.type("r")
        here.until("why is it rejected? ")
        here.process.send_signal(signal.SIGINT)
        self.assertEqual(here.end(), 130)
        claims = [one["claimed_by"] for one in self.pawl("review", "list", "--json").json["reviews"]]
        self.assertEqual(set(claims), {None})
        self.assertEqual(self.tasks("ada")["sign"], "awaiting_review")

    def test_ctrl_c_in_the_editor_gives_the_claim_back_and_keeps_the_draft(self):
        editor = self.editor("echo '{ half' > \"$1\"; kill -INT $$")
        here = self.terminal("review", "next", *AT_ONCE, env=editor)
        here.until(PROMPT)
        here.type("e")
        self.assertEqual(here.end(), 130)
        claims = [one["claimed_by"] for one in self.pawl("review", "list", "--json").json["reviews"]]
        self.assertEqual(set(claims), {None})
        self.assertEqual([one.read_text() for one in self.drafts()], ["{ half\n"])

    def test_a_decision_of_somebody_else_is_told_and_it_goes_on(self):
        here = self.terminal("review", "next", *AT_ONCE)
        here.until(PROMPT)
        self.pawl("review", "approve", self.reviews()["ada"], "--as", "ann")
        here.type("a")
        self.assertIn("already answered by ann", here.until(PROMPT))
        here.type("q")
        self.assertEqual(here.end(), 0)

    def test_the_end_is_told(self):
        for review in list(self.reviews().values())[1:]:
            self.pawl("review", "approve", review)
        here = self.terminal("review", "next", *AT_ONCE)
        here.until(PROMPT)
        here.type("a")
        here.until("no more reviews; 1 decision made")
        self.assertEqual(here.end(), 0)


class Screen(TerminalTest):
    """`review next` on terminals of every size."""

    def screen(self, here):
        return re.sub(r"\x1b\[\d+m", "", here.until(PROMPT))

    def long_review(self, lines=200):
        """A project with one review of a long output."""
        folder = self.project / "long"
        (folder / ".pawl").mkdir(parents=True)
        (folder / "w.yaml").write_text(
            "version: 1\nworkflow: w\nitems: [a]\nstages:\n  s:\n"
            f"    sh: 'i=1; while [ $i -le {lines} ]; do echo \"row $i of the text\"; i=$((i+1)); done'\n"
            "    review: { when: always }\n")
        self.pawl("run", "w.yaml", cwd=folder, code=11)
        return folder

    def test_it_counts_what_is_left(self):
        here = self.terminal("review", "next")
        self.assertIn("  1 of 6\n", self.screen(here))
        here.type("s")
        self.assertIn("  2 of 6\n", self.screen(here))
        here.type("q")
        self.assertEqual(here.end(), 0)

    def test_a_long_output_fits_the_terminal_whatever_its_size(self):
        folder = self.long_review()
        for rows, columns in [(10, 30), (24, 80), (50, 200)]:
            with self.subTest(rows=rows, columns=columns):
                here = self.terminal("review", "next", "--dir", folder, size=(rows, columns))
                lines = self.screen(here).strip("\n").split("\n")
                self.assertLessEqual(len(lines), rows)
                self.assertLessEqual(max(map(len, lines)), columns, lines)
                self.assertRegex("\n".join(lines), "more lines: press v")
                here.type("q")
                self.assertEqual(here.end(), 0)

    def test_everything_is_viewed_page_by_page(self):
        here = self.terminal("review", "next", "--dir", self.long_review(), size=(12, 80))
        self.assertNotIn("row 200 of", self.screen(here))
        here.type("v")
        self.assertIn("row 1 of", here.until(" lines; space: more"))
        here.type(" ")
        self.assertIn("row 11 of", here.until(" lines; space: more"))
        here.type("\n")
        here.until(" lines; space: more")
        here.type("b")
        here.until(" lines; space: more")
        here.type("q")
        here.until(PROMPT)
        here.type("v")
        here.until(" lines; space: more")
        here.type("\x03")
        self.assertEqual(here.end(), 130)
        [review] = self.pawl("review", "list", "--json", cwd=self.project / "long").json["reviews"]
        self.assertIsNone(review["claimed_by"])

    def test_a_pager_of_ones_own_gets_plain_text(self):
        folder = self.long_review()
        here = self.terminal("review", "next", "--dir", folder, env={"PAGER": "cp -t ."},
                             size=(12, 80))
        here.until(PROMPT)
        here.type("v")
        here.until(PROMPT)
        here.type("q")
        self.assertEqual(here.end(), 0)
        [copy] = self.project.glob("page-*.txt")
        text = copy.read_text()
        self.assertIn("row 200 of the text\n", text)
        self.assertNotIn("\x1b", text)
        self.assertEqual(list((folder / ".pawl").glob("drafts/*")), [], "nothing is left behind")

    def test_files_are_opened_under_their_own_names(self):
        opener = self.project / "opener.sh"
        opener.write_text('echo "$1" > opened; cat "$1" >> opened\n')
        here = self.terminal("review", "next", env={"PAWL_OPENER": f"sh {opener}"})
        self.assertIn("[o]pen", here.until(PROMPT))
        here.type("o")
        here.until(PROMPT)
        name, content = (self.project / "opened").read_text().splitlines()
        self.assertEqual(content, "printed: ada")
        self.assertTrue(name.endswith("/_page_n.txt"), name)
        here.type("q")
        self.assertEqual(here.end(), 0)
        self.assertFalse(os.path.lexists(name))

    def test_what_the_opener_saves_leaves_the_stored_file_alone(self):
        opener = self.project / "opener.sh"
        opener.write_text('chmod u+w "$1"; echo damaged > "$1"; cat "$1" > saved\n')
        here = self.terminal("review", "next", env={"PAWL_OPENER": f"sh {opener}"})
        here.until(PROMPT)
        here.type("o")
        here.until(PROMPT)
        self.assertEqual((self.project / "saved").read_text(), "damaged\n", "the opener could save")
        opener.write_text('cat "$1" > saved\n')
        here.type("o")
        here.until(PROMPT)
        self.assertEqual((self.project / "saved").read_text(), "printed: ada\n", "opened again, it is as it was")
        here.type("q")
        self.assertEqual(here.end(), 0)
        self.assertTrue(self.pawl("verify", "--json").json["ok"])

    def test_without_a_program_to_open_it_the_path_is_named(self):
        here = self.terminal("review", "next", env={"PATH": "/nowhere"})
        here.until(PROMPT)
        here.type("o")
        self.assertIn("set PAWL_OPENER. The file is /", here.until(PROMPT))
        here.type("q")
        here.end()


class Notes(TerminalTest):
    def test_a_note_of_several_lines_comes_from_the_editor(self):
        editor = self.project / "editor.sh"
        editor.write_text('cp "$1" seen; printf "too long\\nand too loud\\n" >> "$1"\n')
        here = self.terminal("review", "next", *AT_ONCE, env={"EDITOR": f"sh {editor}"})
        here.until(PROMPT)
        here.type("r")
        here.until("why is it rejected?")
        here.until("e for your editor")
        here.type("e\n")
        self.assertIn("rejected", here.until(PROMPT))
        here.type("q")
        here.end()
        self.assertIn("why is it rejected?", (self.project / "seen").read_text())
        answered = self.pawl("review", "list", "--status", "answered", "--json").json["reviews"]
        self.assertEqual(answered[0]["answer"]["note"], "too long\nand too loud")
        self.assertIn("  too long\n  and too loud\n", self.pawl("review", "show", answered[0]["review"]).out)
        self.assertEqual(list((self.project / ".pawl").glob("drafts/*")), [])

    def test_an_empty_note_from_the_editor_decides_nothing(self):
        here = self.terminal("review", "next", *AT_ONCE, env={"EDITOR": "true"})
        here.until(PROMPT)
        here.type("r")
        here.until("e for your editor")
        here.type("e\n")
        self.assertIn("not decided", here.until(PROMPT))
        here.type("q")
        here.end()
        self.assertEqual(self.tasks("ada")["sign"], "awaiting_review")


class Undo(TerminalTest):
    def test_an_answer_is_taken_back_and_given_again(self):
        here = self.terminal("review", "next", "--undo-for", "60s")
        self.assertNotIn("[u]ndo", here.until(PROMPT))
        here.type("a")
        second = here.until(PROMPT)
        self.assertIn("approved; u takes it back", second)
        self.assertIn("2 of 6", second)
        self.assertIn("[u]ndo", second)
        self.assertEqual(self.tasks("ada")["sign"], "awaiting_review", "it has no effect yet")
        here.type("s")
        self.assertIn("3 of 6", here.until(PROMPT))
        here.type("u")
        again = here.until(PROMPT)
        self.assertIn("is open again", again)
        self.assertIn("1 of 6", again)
        self.assertIn("printed: ada", again)
        here.type("u")
        self.assertIn("nothing to take back", here.until(PROMPT))
        here.type("\x03")
        self.assertEqual(here.end(), 130)
        self.assertEqual(len(self.reviews()), 6)
        claims = [one["claimed_by"] for one in self.pawl("review", "list", "--json").json["reviews"]]
        self.assertEqual(set(claims), {None})

    def test_leaving_waits_until_the_last_answer_has_taken_effect(self):
        here = self.terminal("review", "next", "--undo-for", "1s")
        here.until(PROMPT)
        here.type("a")
        here.until(PROMPT)
        here.type("q")
        self.assertEqual(here.end(), 0)
        self.assertEqual(self.tasks("ada")["sign"], "succeeded")
        self.assertTrue(self.pawl("verify", "--json").json["ok"])

    def test_an_answer_left_by_ctrl_c_takes_effect_later(self):
        here = self.terminal("review", "next", "--undo-for", "1s")
        here.until(PROMPT)
        here.type("a")
        here.until(PROMPT)
        here.type("\x03")
        self.assertEqual(here.end(), 130)
        answered = self.pawl("review", "list", "--status", "answered", "--json").json["reviews"]
        self.assertEqual([one["answer"]["outcome"] for one in answered], ["approve"])
        while self.tasks("ada")["sign"] != "succeeded":
            here = self.terminal("review", "next")
            here.until(PROMPT)
            here.type("q")
            self.assertEqual(here.end(), 0)

    def test_the_last_answer_of_all_is_taken_back_at_the_end(self):
        for review in list(self.reviews().values())[1:]:
            self.pawl("review", "approve", review)
        here = self.terminal("review", "next", "--undo-for", "60s")
        here.until(PROMPT)
        here.type("a")
        here.until("no more reviews; 1 decision made")
        here.until("u takes it back")
        here.type("u")
        self.assertIn("printed: ada", here.until(PROMPT))
        here.type("q")
        self.assertEqual(here.end(), 0)
        self.assertEqual(self.tasks("ada")["sign"], "awaiting_review")

    def test_the_time_is_checked(self):
        for wrong in ["soon", "11m"]:
            self.pawl("review", "next", "--undo-for", wrong, code=2)


class Asking(TerminalTest):
    def test_a_question_is_answered_at_the_terminal(self):
        here = self.terminal("item", "cancel", "carl")
        here.until("[y/N] ")
        here.type("n\n")
        self.assertEqual(here.end(), 1)
        here = self.terminal("item", "cancel", "carl")
        here.until("[y/N] ")
        here.type("y\n")
        self.assertEqual(here.end(), 0)
        self.assertEqual(self.tasks("carl")["publish"], "cancelled")


class Watching(TerminalTest):
    def test_the_screen_is_drawn_over_and_ends_when_only_people_are_left(self):
        here = self.terminal("status", 1, "--watch")
        here.until("DEAD")
        self.pawl("item", "cancel", "carl", "--yes")
        here.until("\x1b[J")
        here.until("for a person")
        self.assertEqual(here.end(), 0)

    def test_ctrl_c_ends_it(self):
        here = self.terminal("status", 1, "--watch")
        here.until("DEAD")
        here.process.send_signal(signal.SIGINT)
        self.assertEqual(here.end(), 130)

    def test_events_are_followed_as_they_happen(self):
        here = self.terminal("events", "--follow", "--type", "review.*")
        here.until("review.requested")
        self.pawl("review", "approve", self.reviews()["ada"])
        self.assertIn("1/ada/sign", here.until("outcome=approve"))
        here.process.send_signal(signal.SIGINT)
        self.assertEqual(here.end(), 130)


if __name__ == "__main__":
    unittest.main()
