"""What people see of attempts that still run: their logs, their progress and their messages."""

import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

from protocol import *

# The command says that it is there, and waits until the test lets it go on.
GATE = """
wait_for() { while [ ! -e "$1" ]; do sleep 0.02; done; }
"""


class LiveTest(ProtocolTest):
    def run_in_background(self, script, more="", head="items: [a]"):
        self.write("w.yaml", stage_of(GATE + script, more, head))
        return self.start("run", "w.yaml")

    def there(self, name):
        self.wait_until(name, (self.dir / name).exists)

    def let_go(self, name):
        (self.dir / name).touch()


class Logs(LiveTest):
    def test_the_log_of_a_running_attempt_is_shown(self):
        run = self.run_in_background("echo first; echo oops >&2; touch here; wait_for go; echo last")
        self.there("here")
        logs = self.wait_until("both logs", lambda: (
            lambda found: found if len(found) == 2 else None)(self.pawl("item", "logs", "a", "--json").json["logs"]))
        self.assertEqual([(one["stream"], one["text"], one["running"]) for one in logs],
                         [("stdout", "first\n", True), ("stderr", "oops\n", True)])
        self.assertIn("==> s attempt 1 stdout <==\nfirst\n", self.pawl("item", "logs", "a", "--attempt", 1).out)
        refused = self.pawl("item", "logs", "a", "--attempt", 2, code=FAILED)
        self.assertIn("the last attempt is 1", refused.err)
        self.let_go("go")
        self.finish(run)
        [log, _] = self.pawl("item", "logs", "a", "--json").json["logs"]
        self.assertEqual((log["text"], log["running"]), ("first\nlast\n", False))

    def test_a_follower_sees_every_attempt_to_the_end_once(self):
        run = self.run_in_background(
            """echo "try $PAWL_ATTEMPT begins"; touch "here$PAWL_ATTEMPT"; wait_for "go$PAWL_ATTEMPT"
echo "try $PAWL_ATTEMPT ends"; exit $((2 - PAWL_ATTEMPT))""", TWICE)
        self.there("here1")
        follower = self.start("item", "logs", "a", "--follow")
        self.let_go("go1")
        self.there("here2")
        self.let_go("go2")
        self.finish(run)
        out, _ = self.finish(follower)
        self.assertEqual(out, "==> s attempt 1 stdout <==\ntry 1 begins\ntry 1 ends\n"
                              "==> s attempt 2 stdout <==\ntry 2 begins\ntry 2 ends\n")

    def test_a_follower_of_one_attempt_ends_with_it(self):
        run = self.run_in_background("""echo begins; touch "here$PAWL_ATTEMPT"; wait_for "go$PAWL_ATTEMPT"; exit 75""", TWICE)
        self.there("here1")
        follower = self.start("item", "logs", "a", "--attempt", 1, "--follow", "--jsonl")
        self.let_go("go1")
        out, _ = self.finish(follower)
        self.assertEqual("".join(json.loads(line)["text"] for line in out.splitlines()), "begins\n")
        self.let_go("go2")
        self.finish(run, JOB_FAILED)

    def test_a_follower_ends_where_only_a_reviewer_can_go_on_and_at_ctrl_c(self):
        run = self.run_in_background("echo hello; touch here; wait_for go; echo done", "review: { when: always }")
        self.there("here")
        follower = self.start("item", "logs", "a", "-f")
        stopped = self.start("item", "logs", "a", "-f", "--quiet")
        self.assertEqual(stopped.stdout.readline(), "hello\n", "--quiet leaves out the heading")
        stopped.send_signal(signal.SIGINT)
        self.finish(stopped, INTERRUPTED)
        self.let_go("go")
        self.finish(run, PEOPLE)
        out, err = self.finish(follower)
        self.assertIn("done\n", out)
        self.assertIn("pawl review next", err)

    def test_a_long_log_is_followed_as_far_as_it_is_kept(self):
        run = self.run_in_background(
            "lines() { i=$1; while [ $i -lt $2 ]; do printf '%01024d\\n' $i; i=$((i + 1)); done; }\n"
            "lines 0 10; touch here; wait_for go; lines 10 1200")
        self.there("here")
        follower = self.start("item", "logs", "a", "--follow")
        shown = [follower.stdout.readline() for _ in range(11)]
        self.let_go("go")
        self.finish(run)
        out, _ = self.finish(follower)
        lines = ("".join(shown) + out).splitlines()
        self.assertEqual(lines.pop(0), "==> s attempt 1 stdout <==")
        self.assertEqual(lines[:400], [f"{i:01024d}" for i in range(400)], "the beginning is kept")
        self.assertEqual(lines[-400:], [f"{i:01024d}" for i in range(800, 1200)], "and the end")
        gaps = [line for line in lines if "bytes left out" in line]
        self.assertLessEqual(len(gaps), 1)


class Progress(LiveTest):
    REPORTS = r"""printf '%s\n' '{"progress": 0.25}' '{"message": "page \u001b[31m12"}' 'no json' >> "$PAWL_EVENTS"
touch here; wait_for go"""

    def test_progress_and_messages_are_in_status_and_item_show_while_it_runs(self):
        run = self.run_in_background(self.REPORTS, head="items: [a, b]")
        self.there("here")
        shown = self.wait_until("the report", lambda: self.pawl("item", "show", "a", "--json").json["live"])
        report = {"item": "a", "stage": "s", "child": None, "attempt_number": 1, "progress": 0.25,
                  "message": "page \x1b[31m12"}
        self.assertEqual(shown, [report])
        self.wait_until("both reports", lambda: len(self.job()["live"]) == 2)
        line = "  a/s  attempt 1  25%, page \\u001b[31m12\n"
        self.assertIn(line, self.pawl("item", "show", "a").out)
        self.assertIn(line, self.pawl("status").out)
        self.let_go("go")
        self.finish(run)
        self.assertEqual(self.job()["live"], [])
        self.assertNotIn("running now", self.pawl("item", "show", "a").out)

    def test_the_watched_screen_follows_the_messages(self):
        run = self.run_in_background(self.REPORTS + """
echo '{"progress": 0.5, "message": "page 24"}' >> "$PAWL_EVENTS"
touch there; wait_for end""")
        self.there("here")
        ours, theirs = pty.openpty()
        watch = subprocess.Popen([PROGRAM, "status", "--watch"], cwd=self.dir, stdin=theirs, stdout=theirs,
                                 stderr=theirs, env=self.environment(TERM="xterm"), start_new_session=True)
        self._started.append(watch)
        os.close(theirs)
        self.read_until(ours, "25%, page")
        self.let_go("go")
        self.read_until(ours, "50%, page 24")
        self.let_go("end")
        self.finish(run)
        self.read_until(ours, "completed")
        watch.wait(PATIENCE)
        os.close(ours)

    def read_until(self, terminal, *words):
        """What the terminal showed until all of the words were there."""
        text, end = "", time.monotonic() + PATIENCE
        while not all(word in text for word in words):
            self.assertLess(time.monotonic(), end, f"never came: {words}\n{text}")
            if select.select([terminal], [], [], 1)[0]:
                text += os.read(terminal, 65536).decode("utf-8", "replace")
        return text

    def test_the_time_that_is_left_leaves_out_what_waits_for_people(self):
        people = [f"p{i}" for i in range(20)]
        self.write("w.yaml", stage_of(GATE + """
case "$NAME" in
  quick) ;;
  slow) wait_for go ;;
  *) echo '{"outcome": "needs_review", "output": {}}' > "$PAWL_RESULT" ;;
esac""", 'env: { NAME: "${item.value}" }\nreview: { when: on_escalation }',
                                      head=f"items: [quick, slow, {', '.join(people)}]"))
        begun = time.monotonic()
        ours, theirs = pty.openpty()
        run = subprocess.Popen([PROGRAM, "run", "w.yaml"], cwd=self.dir, stdin=theirs, stdout=theirs,
                               stderr=theirs, env=self.environment(TERM="xterm"), start_new_session=True)
        self._started.append(run)
        os.close(theirs)
        # One item is done and one is left: that takes as long as the first one did.
        text = self.read_until(ours, "   about ", "20 reviews wait")
        about = re.findall(r"   about (?:(\d+)m)?([\d.]+)s", text)[-1]
        self.assertLessEqual(60 * int(about[0] or 0) + float(about[1]), time.monotonic() - begun + 1)
        self.let_go("go")
        self.read_until(ours, "waits for people")
        self.assertEqual(run.wait(PATIENCE), PEOPLE)
        os.close(ours)

    def test_five_reviews_of_one_item_do_not_hide_the_time_that_the_others_take(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: { file: items.jsonl, id: "${item.name}" }
stages:
  slow: { sh: "while [ ! -e \\"go-$NAME\\" ]; do sleep 0.02; done", env: { NAME: "${item.name}" } }
  parts:
    needs: [slow]
    each: "${item.parts}"
    sh: |
      echo '{"outcome": "needs_review", "output": {}}' > "$PAWL_RESULT"
""")
        rows = [("quick", []), ("asked", [1, 2, 3, 4, 5]), ("a", []), ("b", []), ("c", [])]
        self.write("items.jsonl", "".join(json.dumps({"name": name, "parts": parts}) + "\n" for name, parts in rows))
        begun = time.monotonic()
        ours, theirs = pty.openpty()
        run = subprocess.Popen([PROGRAM, "run", "w.yaml", "--parallel", "8"], cwd=self.dir, stdin=theirs, stdout=theirs,
                               stderr=theirs, env=self.environment(TERM="xterm"), start_new_session=True)
        self._started.append(run)
        os.close(theirs)
        self.let_go("go-quick")
        self.let_go("go-asked")
        # One item is done and three go on: three times as long as the first one, and no longer.
        text = self.read_until(ours, "   about ", "5 reviews wait")
        about = re.findall(r"   about (?:(\d+)m)?([\d.]+)s", text)[-1]
        self.assertLessEqual(60 * int(about[0] or 0) + float(about[1]), 3 * (time.monotonic() - begun) + 1)
        for name in ["a", "b", "c"]:
            self.let_go("go-" + name)
        self.read_until(ours, "waits for people")
        self.assertEqual(run.wait(PATIENCE), PEOPLE)
        os.close(ours)

    def test_a_file_that_is_no_file_of_events_is_left_alone(self):
        run = self.run_in_background(
            """rm -f "$PAWL_EVENTS"; mkfifo "$PAWL_EVENTS"; echo text; touch here; wait_for go; rm "$PAWL_EVENTS" """)
        self.there("here")
        self.assertEqual(self.pawl("item", "show", "a", "--json").json["live"], [])
        self.let_go("go")
        self.finish(run)

    def test_ignored_lines_are_noted_below_the_attempts(self):
        self.run_stage("""printf '%s\\n' '{"progress": 1}' 'half a li' '{"percent": 3}' >> "$PAWL_EVENTS" """, code=DONE)
        shown = self.pawl("item", "attempts", "a").out
        self.assertIn("\ns, attempt 1\nran: ", shown)
        self.assertIn("\nnote: 2 lines of PAWL_EVENTS were ignored; the first: line 2: not JSON: half a li\n", shown)

    def test_progress_that_is_not_between_0_and_1_is_not_shown(self):
        for line in ['{"progress": 1.01}', '{"progress": 250}', '{"progress": -0.1}', '{"progress": 1e400}',
                     '{"progress": NaN}', '{"progress": "0.9"}', '{"progress": true}', '{"progress": null}']:
            with self.subTest(line=line):
                run = self.run_in_background(f"""rm -f here go
printf '%s\\n' '{{"progress": 0.25}}' '{line}' '{{"message": "written"}}' >> "$PAWL_EVENTS"
touch here; wait_for go""")
                [report] = self.wait_until("the report", lambda: run.poll() is None and (self.dir / "here").exists()
                                           and self.job()["live"])
                self.assertEqual((report["progress"], report["message"]), (0.25, "written"))
                self.assertIn("attempt 1  25%, written\n", self.pawl("status").out)
                self.let_go("go")
                self.finish(run)
                (self.dir / "here").unlink()

    def test_progress_that_is_never_a_share_leaves_the_message_alone(self):
        run = self.run_in_background("""echo '{"progress": 42, "message": "page 42"}' >> "$PAWL_EVENTS"
touch here; wait_for go""")
        self.there("here")
        [report] = self.wait_until("the report", lambda: self.job()["live"])
        self.assertEqual((report["progress"], report["message"]), (None, "page 42"))
        shown = self.pawl("item", "show", "a").out
        self.assertIn("attempt 1  page 42\n", shown)
        self.assertNotIn("%", shown)
        self.let_go("go")
        self.finish(run)


class Secrets(LiveTest):
    SECRET = "k3y-of-the-house"

    def note(self, line):
        """The note about an ignored line. In the line, KEY stands for the secret."""
        self.write("w.yaml", stage_of(f"""printf '%s\\n' "{line.replace('KEY', '$TOKEN')}" >> "$PAWL_EVENTS" """,
                                      "secrets: [TOKEN]"))
        self.pawl("run", "w.yaml", "--new", env={"TOKEN": self.SECRET})
        shown = self.pawl("item", "attempts", "a").out
        raw = self.pawl("item", "attempts", "a", "--json").out
        for text in (shown, raw):
            self.assertNotIn(self.SECRET[:4], text, "not even the beginning of it")
            self.assertNotIn(self.SECRET[-4:], text, "nor the end")
        return next(part for part in shown.splitlines() if part.startswith("note: "))

    def test_a_secret_in_an_ignored_line_is_masked(self):
        self.assertTrue(self.note("token KEY").endswith("line 1: not JSON: token ***"))

    def test_a_secret_where_the_quote_is_cut_is_masked_whole(self):
        for before in [40, 50, 57, 59, 60]:
            with self.subTest(before=before):
                line = "x" * before + "%s and more of it than is quoted"
                said = self.note(line % "KEY").partition("not JSON: ")[2]
                self.assertEqual(said, (line % "***")[:60] + "…")

    def test_a_secret_in_a_member_that_is_not_known_is_masked(self):
        self.assertIn("***", self.note('{\\"my KEY\\": 1}'))


if __name__ == "__main__":
    main()
