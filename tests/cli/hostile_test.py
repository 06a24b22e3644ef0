"""No command lets a control or direction character from outside through to a terminal, in any output mode.

The commands are taken from the program's own help: a new one fails here until it has a case.
"""

import json
import os
import pty
import re
import select
import subprocess
import time
import unittest

from hostile_store import HOSTILE, HOSTILE_NAME, HostileTest
from made_store import PATIENCE, PROGRAM

# What pawl itself sends to a terminal: these colours, and drawing over its own lines.
OWN = re.compile(r"\x1b\[(?:0|1|2|31|32|33|36|1;31|1;33|1;34)m|\x1b\[\d+A\x1b\[J")
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
                 "\U000e0000-\U000e007f]")

WORKFLOW = """version: 1
workflow: "evil\\u202e\\u2066"
items: ["one\\u001b[2J\\nFORGED", "two"]
stages:
  "speak":
    sh: |
      printf 'to stdout \\033[2J\\302\\233\\nFORGED\\n'
      printf 'to stderr \\033]0;owned\\007\\n\\377\\n' >&2
      exit 1
  "sign\\u202e":
    needs: ["speak"]
    review: { when: always }
"""
# Faults in lines that hold the hostile text itself.
FAULTY = f"""version: 1
workflow: evil
items: [a]
stages:
  talk:
    sh: true
    {HOSTILE_NAME}colour: red
    needs: [{HOSTILE_NAME}nobody]
  "also\\u001b[2J\\nFORGED":
    sh: true
"""

ITEM = "1/review" + HOSTILE
DEAD = "1/dead" + HOSTILE
LATER = "1/later" + HOSTILE
STAGE = "draft" + HOSTILE_NAME
FILE = "evil\x1b[2J\u202e.yaml"
FAULTY_FILE = "faulty\x1b[2J\u202e.yaml"

# Each command with its words; {review} is the open review of job 1. A command may have several cases.
CASES = {
    "init": [["made\x1b[2J\u202e"], ["."]],
    "check": [[FILE], [FAULTY_FILE], ["missing" + HOSTILE]],
    "graph": [[FILE], ["1"], ["1", "--format", "mermaid"], ["1", "--format", "dot"], ["1", "--format", "json"],
              [FAULTY_FILE], ["none" + HOSTILE]],
    "describe": [[FILE], ["1"]],
    "run": [[FILE], [FILE, "--dry-run"], [FILE, "--detach"], [FAULTY_FILE], [FILE, "--param", HOSTILE],
            [FILE, "--items", HOSTILE], [FILE, "--key", HOSTILE], [FILE, "--detach", "--as", HOSTILE]],
    "resume": [["1"], ["2"], []],
    "work": [["--drain"], ["--drain", "--stages", HOSTILE], ["--lease", HOSTILE]],
    "serve": [["--listen", HOSTILE], ["--settings", HOSTILE], ["--public-url", HOSTILE], ["--lease", HOSTILE]],
    "status": [["1"], ["4", "--watch"]],
    "job list": [[]],
    "job show": [["1"]],
    "job pause": [["1"], ["1", "2"], ["1", "--stage", STAGE], ["1", "--stage", HOSTILE]],
    "job resume": [["1"], [HOSTILE], ["1", "--stage", STAGE]],
    "job revive": [["1"], [HOSTILE], ["1", "--tolerate", HOSTILE]],
    "job cancel": [["1", "--yes"], ["1", "3", "--yes"]],
    "job budget": [["1"], ["1", "--attempts", "100"], ["1", "--deadline", HOSTILE]],
    "job trust": [["1"]],
    "job wait": [["4"], ["1", "--timeout", "1ms"]],
    "item list": [["--job", "1"], ["--job", "3", "--limit", "2"], ["--after", HOSTILE]],
    "item show": [[ITEM], [DEAD], [HOSTILE], ["4/total"]],
    "item retry": [[DEAD, "--note", HOSTILE], [ITEM, "--from", STAGE], [ITEM, "--from", HOSTILE], [ITEM]],
    "item cancel": [[LATER, "--yes"], [HOSTILE, "--yes"], [ITEM + "/" + STAGE, "--yes"]],
    "item skip": [[DEAD, "--reason", HOSTILE], [ITEM + "/" + STAGE, "--reason", HOSTILE, "--as", HOSTILE],
                  [ITEM, HOSTILE, "--reason", HOSTILE], [ITEM, "--reason", HOSTILE]],
    "item attempts": [[ITEM], [DEAD], ["1/fan" + HOSTILE], [LATER]],
    "item diff": [[ITEM + "/" + STAGE], [ITEM + "/" + STAGE, "1", "7"]],
    "item logs": [[ITEM], [DEAD]],
    "review list": [["--status", "all"], [], ["--mine", "--as", HOSTILE], ["--group", HOSTILE], ["--claimed"]],
    "review next": [[]],
    "review show": [["{review}"]],
    "review claim": [["{review}"], ["{review}", "--for", HOSTILE], [HOSTILE]],
    "review release": [["{review}"]],
    "review assign": [["{review}", "--to", "anna", "--note", HOSTILE], ["{review}", "--to", HOSTILE],
                      ["{review}", "--everybody", "--as", HOSTILE]],
    "review undo": [["{review}"], ["{review}", "--as", HOSTILE], [HOSTILE]],
    "review approve": [["{review}", "--note", HOSTILE], ["{review}", "--digest", HOSTILE]],
    "review edit": [["{review}"], ["{review}", "--output", HOSTILE]],
    "review changes": [["{review}", "--note", HOSTILE]],
    "review reject": [["{review}", "--reason", HOSTILE]],
    "user add": [["anna"], [HOSTILE], ["anna", "--group", HOSTILE], ["anna", "--as", HOSTILE]],
    "user list": [[]],
    "user role": [[HOSTILE, "admin"], ["anna", HOSTILE]],
    "user groups": [[HOSTILE], ["anna", HOSTILE]],
    "user remove": [[HOSTILE]],
    "token create": [["--name", "fts", "--kind", "worker", "--worker-kind", HOSTILE, "--note", HOSTILE],
                     ["--name", HOSTILE, "--expires", HOSTILE], ["--name", HOSTILE, "--kind", "agent"]],
    "token list": [[]],
    "token revoke": [["1"], [HOSTILE]],
    "audit list": [[], ["--by", HOSTILE], ["--act", HOSTILE]],
    "audit export": [[]],
    "audit verify": [[], ["--head", HOSTILE]],
    "dlq list": [["--job", "1"], ["--job", "1", "--by", "error"], ["--filter", HOSTILE]],
    "dlq show": [[DEAD], ["1/fan" + HOSTILE], [HOSTILE]],
    "dlq retry": [[DEAD, "--note", HOSTILE], ["--job", "1", "--all", "--dry-run"], [HOSTILE]],
    "dlq discard": [[DEAD, "--reason", HOSTILE], [ITEM, "--reason", HOSTILE]],
    "dlq export": [["--job", "1"]],
    "dlq purge": [[DEAD, "--yes"], ["--job", "1", "--all", "--yes"]],
    "events": [["--job", "1"], ["--item", ITEM], ["--type", HOSTILE], ["--since", HOSTILE]],
    "why": [[ITEM], [DEAD], ["1/fan" + HOSTILE], [LATER], [HOSTILE]],
    "results": [["1"], ["1", "--to", "out\x1b[2J\u202e"], ["1", "--stage", HOSTILE], ["4"]],
    "verify": [[], ["--explain"], ["--explain", HOSTILE], ["missing" + HOSTILE]],
    "replay": [["1", "--workflow", FILE], ["1", "--workflow", HOSTILE]],
    "export": [["2"], ["4"], ["4", "-o", "job\x1b[2J\u202e.jsonl"], ["1"]],
    "import checkpoint": [["missing" + HOSTILE, "--workflow", FILE]],
    "import": [["missing" + HOSTILE], [FILE], ["given\x1b[2J.jsonl"]],
    "pools": [[]],
    "workers": [["--all"]],
    "doctor": [[]],
    "schema": [[], [HOSTILE]],
    "explain": [["E012"], [HOSTILE]],
    "version": [[]],
    "help": [[], ["exit-codes"], [HOSTILE], ["item", HOSTILE]],
}
MODES = [["-v"], ["--json"], ["--jsonl"], ["-q"]]
# These print files and logs as they are where nobody looks at them: not one line, and not JSON.
AS_THEY_ARE = {"item logs"}


def on_terminal(words, cwd, env):
    """Everything that the command sends to a terminal; its questions are answered with q."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([PROGRAM, *words], stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env=env,
                               start_new_session=True)
    os.close(theirs)
    sent, end, answered = b"", time.monotonic() + PATIENCE, False
    while True:
        if time.monotonic() > end:
            process.kill()
            raise AssertionError(f"it never ended: {words}\n{sent!r}")
        ready, _, _ = select.select([ours], [], [], 0.2)
        try:
            got = os.read(ours, 65536) if ready else None
        except OSError:
            break
        if got == b"":
            break
        sent += got or b""
        if not answered and b"[q]uit" in sent:
            os.write(ours, b"q")
            answered = True
    os.close(ours)
    process.wait(PATIENCE)
    return sent


class EveryCommand(HostileTest):
    def setUp(self):
        super().setUp()
        self.environment["EDITOR"] = "sed -i 's/\"copies\": 1/\"copies\": 7/'"
        self.environment["PAWL_STORE"] = str(self.project / ".pawl" / "pawl.db")
        self.renew()
        [self.review] = [one["review"] for one in self.pawl("review", "list", "--job", 1, "--json").json["reviews"]]

    def renew(self):
        super().renew()
        (self.project / FILE).write_text(WORKFLOW, encoding="utf-8")
        (self.project / FAULTY_FILE).write_text(FAULTY, encoding="utf-8")
        (self.project / "given\x1b[2J.jsonl").write_text('{"\u202e": "' + HOSTILE_NAME + '"}\n', encoding="utf-8")

    def commands(self):
        """Every command, from the help itself."""
        def below(*path):
            text = self.pawl(*path, "--help").out
            after = text.split("Print the version\n" if not path else "Commands:\n", 1)
            return re.findall(r"(?m)^  ([a-z]+)", after[1]) if len(after) > 1 else []
        for name in below():
            verbs = below(name)
            # `import` has a command below it and is one itself.
            if not verbs or "Positionals:" in self.pawl(name, "--help").out:
                yield name
            yield from [f"{name} {verb}" for verb in verbs]

    def each_case(self):
        for command, cases in CASES.items():
            for words in cases:
                for mode in MODES:
                    self.renew()
                    values = [word.replace("{review}", str(self.review)) for word in words]
                    yield command, mode, [*command.split(), *mode, *values]

    def assert_clean(self, sent, what):
        text = sent.decode("utf-8")  # nothing but UTF-8 either
        left = OWN.sub("", text.replace("\r\n", "\n"))
        found = RAW.search(left)
        if found:
            around = left[max(0, found.start() - 60):found.start() + 30]
            self.fail(f"{what}: {found.group()!r} reached the terminal in {around!r}")
        return left

    def test_every_command_has_a_case(self):
        self.assertEqual(sorted(CASES), sorted(self.commands()))

    def test_nothing_hostile_reaches_a_terminal(self):
        for command, mode, words in self.each_case():
            with self.subTest(command=command, words=words):
                left = self.assert_clean(on_terminal(words, self.project, self.environment), words)
                if command in AS_THEY_ARE and not any("json" in one for one in mode):
                    continue
                forged = [line for line in left.splitlines() if line.startswith("FORGED")]
                self.assertEqual(forged, [], f"{words} let a line be forged:\n{left}")

    def test_json_is_clean_and_sound_in_a_pipe_too(self):
        for command, mode, words in self.each_case():
            if mode not in (["--json"], ["--jsonl"]):
                continue
            with self.subTest(command=command, words=words):
                answer = self.pawl(*words, code=None)
                for text in (answer.out, answer.err):
                    if command in ("export", "help", "schema") and text is answer.out:
                        continue  # not a document of this program's own
                    self.assertIsNone(RAW.search(text), f"{words}: {text!r}")
                    exports = command in ("dlq export", "audit export")
                    is_document = mode == ["--json"] and text is answer.out and not exports
                    lines = [text] if is_document else text.splitlines()
                    for line in lines:
                        if line.strip():
                            json.loads(line)

    def test_what_a_command_wrote_stays_as_it_is_in_a_pipe(self):
        self.assertIn(HOSTILE, self.pawl("item", "logs", ITEM).out)
        exported = self.pawl("export", 4).out
        self.assertIn("\u202e", exported)


if __name__ == "__main__":
    unittest.main()
