"""A workflow of one stage, for the tests of the subprocess protocol."""

import json
import sys

from pawl import *


def stage_of(script, more="", head="items: [a]"):
    """A workflow whose one stage runs the script."""
    lines = "".join(f"      {line}\n" for line in script.strip().splitlines())
    more = "".join(f"    {line}\n" for line in more.strip().splitlines())
    return f"version: 1\nworkflow: w\n{head}\nstages:\n  s:\n    sh: |\n{lines}{more}"


# Two tries, so that it shows whether an end is worth another one.
TWICE = "retry: { attempts: 2, backoff: { from: 1ms, to: 1ms } }\n"
OUT = "out: { n: integer }\n"


def result(document):
    """The shell line that writes the result document."""
    return f"printf '%s' '{json.dumps(document)}' > \"$PAWL_RESULT\"\n"


class ProtocolTest(ProjectTest):
    def run_stage(self, script, more="", code=None, env=None, head="items: [a]"):
        """Runs the stage and answers its attempts."""
        self.write("w.yaml", stage_of(script, more, head))
        self.pawl("run", "w.yaml", code=code, env=env)
        return self.attempts("a")

    def assert_error(self, attempt, error_class, kind, said=""):
        error = attempt["error"]
        self.assertEqual((error["class"], error["kind"]), (error_class, kind), error)
        self.assertIn(said, error["message"])

    def python(self, name, text):
        """A script of Python, and the words that run it."""
        self.write(name, text)
        return json.dumps([sys.executable, name])[1:-1]

    def output(self, stage="s", item="a"):
        for line in self.pawl("results", "--jsonl").lines:
            if line["item"] == item:
                return line["outputs"][stage]
        self.fail(f"no result of {item}")
