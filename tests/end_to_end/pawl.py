"""Runs the program from outside, as people and scripts do: a project in a temporary directory, the
real binary, its text, its JSON and its exit code."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ["PAWL_PROGRAM"]
# A shell ignores SIGINT for what it runs in the background, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
# A test that hangs is a bug; nothing here takes this long.
PATIENCE = 120

DONE, FAILED, USAGE, CONFLICT, FORBIDDEN = 0, 1, 2, 3, 4
JOB_FAILED, PEOPLE, PAUSED, CANCELLED, INTERRUPTED = 10, 11, 12, 13, 130


class Answer:
    """What a call of the program brought."""

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

    def __str__(self):
        return f"pawl {' '.join(self.words)} -> {self.code}\n--- out\n{self.out}--- err\n{self.err}"


class ProjectTest(unittest.TestCase):
    """A test in an empty directory of its own."""

    maxDiff = None

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="pawl-test-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self._started = []
        self.addCleanup(self._end_started)

    def _end_started(self):
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr, process.stdin):
                if stream:
                    stream.close()

    # Files

    def write(self, name, text, mode=None):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if mode:
            path.chmod(mode)
        return path

    def read(self, name):
        return (self.dir / name).read_text()

    # The program

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith("PAWL_") and name not in ("NO_COLOR", "CLICOLOR_FORCE")}
        return {**kept, "PAWL_USER": "tester", "PAWL_ALLOW_ROOT": "1", "LANG": "C.UTF-8", **more}

    def pawl(self, *words, code=DONE, stdin="", env=None, cwd=None):
        """Calls the program and checks its exit code (None: any)."""
        words = [str(word) for word in words]
        done = subprocess.run([PROGRAM, *words], cwd=cwd or self.dir, input=stdin, text=True,
                              capture_output=True, timeout=PATIENCE,
                              env=self.environment(**(env or {})))
        answer = Answer(words, done)
        if code is not None:
            self.assertEqual(answer.code, code, f"\n{answer}")
        return answer

    def start(self, *words, env=None, **options):
        process = subprocess.Popen([PROGRAM, *[str(word) for word in words]], cwd=self.dir,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   env=self.environment(**(env or {})), **options)
        self._started.append(process)
        return process

    def finish(self, process, code=DONE):
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, f"--- out\n{out}--- err\n{err}")
        return out, err

    def wait_until(self, what, condition):
        """Waits for something that another process brings about."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = condition()
            if answer:
                return answer
            time.sleep(0.01)  # waits: another process has to get there
        self.fail(f"it never came about: {what}")

    # What the store says

    def job(self, number=None):
        return self.pawl("status", *([number] if number else []), "--json").json

    def attempts(self, item, *more):
        return self.pawl("item", "attempts", item, *more, "--json").json["attempts"]

    def task(self, item, stage):
        tasks = self.pawl("item", "show", item, "--json").json["tasks"]
        return next(task for task in tasks if task["stage"] == stage)

    def assert_whole(self, checked):
        """No promise is broken, and nothing was left unjudged: no worker runs."""
        self.assertEqual((checked["ok"], checked["complete"]), (True, True), checked)

    def assert_verified(self):
        self.assert_whole(self.pawl("verify", "--json").json)


def processes_with(text):
    """The processes whose command line holds the text."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace")
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if text in words and state != "Z":
            found.append(int(entry.name))
    return found


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=1)
