"""A project with a store made by make_hostile_store.cpp: hostile text wherever text can be."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from made_store import PATIENCE, PROGRAM, Answer

MAKE_STORE = os.environ["PAWL_MAKE_HOSTILE_STORE"]

# An operating system command, a cleared screen, a colour that pawl never uses, C1 controls, changes of
# direction, separators, tags, and a line that pretends to be one of pawl's own.
HOSTILE = ("x\x1b]0;owned\x07\x1b[2J\x1b[35m\r\b\x7f\x85\x9b35m\u061c\u200e\u200f\u200b\u2028\u2029\u202a\u202e"
           "\u2066\u2069\ufeff\U000e0001\U000e0041\tz\nFORGED line")
# What a name of a workflow or a stage may hold.
HOSTILE_NAME = "\x9b35m\u061c\u202e\u2066\u2028\U000e0041"

# Each is chosen, and stands beside keys that it must not be taken for.
CHOSEN = ["victim\n2/bystander", "back\\slash", "back\\nslash", "back\nslash", "-", "-rf", "--all", " left", "right ",
          " ", "it's", 'a "quote"', "100%", "%s", "#1", "über", "日本", "🏴\U000e0067\U000e007f", "a\u202eb", "tab\there",
          "2/plain", "3/plain", "plain/s", "deep/plain/s", "total", "s", "plain/s[x]", "total[x]", "[x]", "x]", "a/b.md",
          "2024/01/report.pdf", "line\rreturn", "\\", "\\/", "\\u0041", "\x85", "…", "${HOME}", "$(touch owned)", "a;b", "*"]
OTHERS = ["bystander", "2/bystander", "plain", "slash", "left", "right", "A", "nslash", "deep/plain", "deep", "x", "victim",
          "a\\u202eb", "back\\\\slash", "back\\\\nslash", "rf", "3", "2", "S", "u0041", "tab\\there", "line\\rreturn"]


class HostileTest(unittest.TestCase):
    maxDiff = None
    _made = None

    @classmethod
    def setUpClass(cls):
        cls._made = tempfile.mkdtemp(prefix="pawl-hostile-made-")
        texts = pathlib.Path(cls._made) / "hostile.json"
        texts.write_text(json.dumps({"text": HOSTILE, "name": HOSTILE_NAME}))
        keys = pathlib.Path(cls._made) / "keys.json"
        keys.write_text(json.dumps([{"key": key, "category": "chosen"} for key in CHOSEN] +
                                   [{"key": key, "category": "other"} for key in OTHERS]))
        subprocess.run([MAKE_STORE, pathlib.Path(cls._made) / "project", texts, keys], check=True, timeout=PATIENCE)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls._made)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pawl-hostile-"))
        self.addCleanup(shutil.rmtree, self.folder)
        # The path is hostile too.
        self.project = self.folder / ("p\x1b[2J\u202e\nFORGED" + "roject")
        self.renew()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TMPDIR": str(self.folder),
                            "PAWL_USER": "ann" + HOSTILE, "LANG": "C.UTF-8", "TERM": "xterm"}

    def renew(self):
        """The store as it was made."""
        shutil.rmtree(self.project, ignore_errors=True)
        shutil.copytree(pathlib.Path(self._made) / "project", self.project)

    def pawl(self, *words, code=0, stdin="", env=None, cwd=None):
        words = [str(word) for word in words]
        done = subprocess.run([PROGRAM, *words], input=stdin.encode(), capture_output=True, cwd=cwd or self.project,
                              env={**self.environment, **(env or {})}, timeout=PATIENCE)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        answer = Answer(words, done)
        if code is not None:
            self.assertEqual(answer.code, code, f"pawl {words}\nout: {answer.out!r}\nerr: {answer.err!r}")
        return answer
