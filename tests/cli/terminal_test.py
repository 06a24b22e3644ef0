"""A person at a terminal: `review next` and `status --watch` through a pseudo-terminal."""

import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

from made_store import PATIENCE, PROGRAM, StoreTest

PROMPT = "[q]uit"


class Terminal:
    """The program with a terminal for all its streams."""

    def __init__(self, words, cwd, env):
        self.ours, theirs = pty.openpty()
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
    def terminal(self, *words, env=None):
        made = Terminal(words, self.project, {**self.environment, **(env or {})})
        self.addCleanup(made.process.wait, PATIENCE)
        self.addCleanup(lambda: made.process.poll() is None and made.process.kill())
        return made


class ReviewNext(TerminalTest):
    def test_it_shows_all_there_is_to_know_and_advances(self):
        here = self.terminal("review", "next")
        screen = here.until(PROMPT)
        for words in ["letters/sign", "ada", "claimed by you for 10m", "why: policy", "attempts: 1", "printed: ada",
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
        here = self.terminal("review", "next")
        here.type("aaaa")
        here.until(PROMPT)
        here.type("aaaaaaaa")
        here.until(PROMPT)
        here.type("q")
        here.end()
        states = [self.tasks(key)["sign"] for key in ["ada", "a/b", "list"]]
        self.assertEqual(states, ["succeeded", "awaiting_review", "awaiting_review"])

    def test_notes_reasons_diffs_and_help(self):
        here = self.terminal("review", "next")
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
        here = self.terminal("review", "next", "--dir", elsewhere)
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

    def drafts(self):
        return sorted((self.project / ".pawl").glob("drafts/*"))

    def test_a_refused_edit_opens_again_with_the_text_and_the_error_on_top(self):
        editor = self.editor("case $count in 1) sed -i 's/\"copies\": 1/\"copies\": \"3\"/' \"$1\" ;;"
                             " *) sed -i 's/\"copies\": \"3\"/\"copies\": 3/' \"$1\" ;; esac")
        here = self.terminal("review", "next", env=editor)
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
        here = self.terminal("review", "next", env=editor)
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
        here = self.terminal("review", "next")
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
        here = self.terminal("review", "next", env=editor)
        here.until(PROMPT)
        here.type("e")
        self.assertEqual(here.end(), 130)
        claims = [one["claimed_by"] for one in self.pawl("review", "list", "--json").json["reviews"]]
        self.assertEqual(set(claims), {None})
        self.assertEqual([one.read_text() for one in self.drafts()], ["{ half\n"])

    def test_a_decision_of_somebody_else_is_told_and_it_goes_on(self):
        here = self.terminal("review", "next")
        here.until(PROMPT)
        self.pawl("review", "approve", self.reviews()["ada"], "--as", "ann")
        here.type("a")
        self.assertIn("already answered by ann", here.until(PROMPT))
        here.type("q")
        self.assertEqual(here.end(), 0)

    def test_the_end_is_told(self):
        for review in list(self.reviews().values())[1:]:
            self.pawl("review", "approve", review)
        here = self.terminal("review", "next")
        here.until(PROMPT)
        here.type("a")
        here.until("no more reviews; 1 decision made")
        self.assertEqual(here.end(), 0)


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
