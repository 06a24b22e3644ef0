"""What comes from outside and what stays inside: files that commands name, the worker's own memory, and the user it
runs as."""

import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from pawl import DONE, JOB_FAILED, PATIENCE, PROGRAM, ProjectTest

NOBODY = 65534
WORKFLOW = """
version: 1
workflow: w
stages:
  work:
    run: [sh, script.sh]
"""


class Files(ProjectTest):
    def test_the_environment_of_the_worker_cannot_be_handed_in(self):
        self.write("w.yaml", WORKFLOW + "    out: { doc: file }\n    capture: json\n")
        self.write("script.sh", """echo '{"doc":"/proc/self/environ"}'""")
        self.pawl("run", "w.yaml", env={"TOKEN": "hunter2"}, code=JOB_FAILED)
        [attempt] = self.attempts("1")
        self.assertEqual((attempt["error"]["class"], attempt["error"]["kind"]), ("final", "protocol"))
        self.assertIn("doc: expected a file, got /proc/self/environ", attempt["error"]["message"])
        kept = [path for path in (self.dir / ".pawl").rglob("*") if path.is_file()]
        self.assertFalse([path for path in kept if b"hunter2" in path.read_bytes()])

    def test_half_a_file_of_a_killed_worker_is_counted_and_removed(self):
        self.write("w.yaml", WORKFLOW + "    out: { f: file }\n")
        # Of holes: copying them takes far longer than the test does.
        self.write("script.sh", "test -e again && exit 65\ntruncate -s 15G $PAWL_DIR/a\n"
                   """echo '{"output":{"f":"a"}}' > $PAWL_RESULT\n""")
        worker = self.start("run", "w.yaml")
        blobs = self.dir / ".pawl" / "pawl.db.blobs"
        self.wait_until("the worker copies", lambda: any(
            path.stat().st_size > 1_000_000 for path in blobs.glob(".tmp-*")))
        findings = {one["what"]: one for one in self.pawl("doctor", "--json").json["findings"]}
        self.assertEqual(findings["left files"]["text"], "none")
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        findings = {one["what"]: one for one in self.pawl("doctor", "--json").json["findings"]}
        self.assertEqual(findings["left files"]["health"], "warning")
        self.assertRegex(findings["left files"]["text"], r"^1 half-written file \(.*\) left by a killed process")
        self.write("again", "")
        err = self.pawl("resume", code=JOB_FAILED).err
        self.assertRegex(err, r"removed 1 half-written file \(.*iB\) left by a killed process")
        self.assertEqual(list(blobs.glob(".tmp-*")), [])


class AsAnotherUser(ProjectTest):
    """The program as a user without rights, who may read nothing of it that the kernel protects."""

    def setUp(self):
        super().setUp()
        if os.geteuid() == 0:
            self.program = self.dir / "pawl"  # where that user can reach it
            shutil.copy(PROGRAM, self.program)
            self.dir.chmod(0o755)
            self.home = self.dir / "home"
            self.home.mkdir()
            os.chown(self.home, NOBODY, NOBODY)
            self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        else:
            self.program, self.home, self.user = pathlib.Path(PROGRAM), self.dir, {}

    def run_as(self, script, more="", **env):
        (self.home / "w.yaml").write_text(WORKFLOW + more)
        (self.home / "script.sh").write_text(script)
        for path in self.home.iterdir():
            if os.geteuid() == 0:
                os.chown(path, NOBODY, NOBODY)
        env = self.environment(HOME=str(self.home), **env)
        env.pop("PAWL_ALLOW_ROOT", None)
        return subprocess.run([self.program, "run", "w.yaml"], cwd=self.home, text=True,
                              capture_output=True, timeout=PATIENCE, env=env, **self.user)

    def logs(self):
        return subprocess.run([self.program, "item", "logs", "1"], cwd=self.home, text=True,
                              capture_output=True, timeout=PATIENCE, check=True,
                              env=self.environment(HOME=str(self.home)), **self.user).stdout

    def test_a_stage_reads_neither_environment_nor_memory_of_the_worker(self):
        done = self.run_as("cat /proc/$PPID/environ; cat /proc/$PPID/maps; ls -l /proc/$PPID/fd; "
                           "cat /proc/$PPID/cmdline | tr '\\0' ' '; "
                           "cat /proc/$$/environ | tr '\\0' '\\n' | grep ^OWN", "    env: { OWN: seen }\n",
                           TOKEN="hunter2")
        self.assertEqual(done.returncode, DONE, done.stderr)
        logs = self.logs()
        self.assertIn("run w.yaml", logs, "its parent is the worker")
        self.assertIn("OWN=seen", logs, "commands are ordinary processes")
        self.assertFalse("hunter2" in logs, "it read the environment")
        self.assertFalse("-xp" in logs, "it read the map of the memory")
        self.assertEqual(logs.count("Permission denied"), 3, logs)

    def test_files_are_handed_in_and_processes_found_without_rights(self):
        done = self.run_as("""echo made > $PAWL_DIR/a; echo '{"output":{"f":"a"}}' > $PAWL_RESULT""",
                           "    out: { f: file }\n    timeout: 20s\n")
        self.assertEqual(done.returncode, DONE, done.stderr)

    def test_nobody_is_warned_who_is_not_root(self):
        self.assertNotIn("root", self.run_as("true").stderr)


class AsRoot(ProjectTest):
    WARNING = "warning: commands run as root; use another user, or set PAWL_ALLOW_ROOT=1 if this is intended"

    def setUp(self):
        super().setUp()
        self.write("w.yaml", WORKFLOW)
        self.write("script.sh", "true")

    def test_whoever_runs_commands_as_root_is_warned_once(self):
        expected = 1 if os.geteuid() == 0 else 0
        silent = {"PAWL_ALLOW_ROOT": ""}
        self.assertEqual(self.pawl("run", "w.yaml", env=silent).err.splitlines().count(self.WARNING), expected)
        self.assertEqual(self.pawl("work", "--drain", env=silent).err.splitlines().count(self.WARNING), expected)
        for words in (("status",), ("run", "w.yaml", "--new", "--detach"), ("item", "list")):
            self.assertNotIn("as root", self.pawl(*words, env=silent).err)

    def test_the_warning_can_be_answered_and_disturbs_no_program(self):
        self.assertNotIn("as root", self.pawl("run", "w.yaml").err)
        answer = self.pawl("run", "w.yaml", "--new", "--json", env={"PAWL_ALLOW_ROOT": ""})
        self.assertEqual((answer.err, answer.json["state"]), ("", "completed"))
        self.assertEqual(self.pawl("run", "w.yaml", "--new", "-q", env={"PAWL_ALLOW_ROOT": ""}).err, "")


if __name__ == "__main__":
    unittest.main()
