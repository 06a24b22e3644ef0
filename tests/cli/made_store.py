"""A project with a store made by make_store.cpp, and the program run on it from outside."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["PAWL_PROGRAM"]
MAKE_STORE = os.environ["PAWL_MAKE_STORE"]
PATIENCE = 60


class Answer:
    def __init__(self, words, done):
        self.words = words
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def error(self):
        return json.loads(self.err)["error"]


class StoreTest(unittest.TestCase):
    maxDiff = None
    _made = None

    @classmethod
    def setUpClass(cls):
        # Made once, copied for each test: a store costs more than a copy.
        cls._made = tempfile.mkdtemp(prefix="pawl-cli-made-")
        subprocess.run([MAKE_STORE, cls._made], check=True, timeout=PATIENCE)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls._made)

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="pawl-cli-")
        self.addCleanup(shutil.rmtree, folder)
        self.project = pathlib.Path(folder) / "project"
        shutil.copytree(self._made, self.project)
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder,
                            "PAWL_USER": "ann", "LANG": "C.UTF-8", "TERM": "xterm"}

    def pawl(self, *words, code=0, stdin="", env=None, cwd=None):
        words = [str(word) for word in words]
        done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, text=True,
                              cwd=cwd or self.project, env={**self.environment, **(env or {})},
                              timeout=PATIENCE)
        answer = Answer(words, done)
        if code is not None:
            self.assertEqual(answer.code, code,
                             f"pawl {' '.join(words)}\nout: {answer.out}\nerr: {answer.err}")
        return answer

    def reviews(self):
        """The open reviews by item."""
        return {one["item"]: one["review"]
                for one in self.pawl("review", "list", "--json").json["reviews"]}

    def tasks(self, item, job=1):
        shown = self.pawl("item", "show", item, "--job", job, "--json").json
        return {task["stage"]: task["state"] for task in shown["tasks"]}
