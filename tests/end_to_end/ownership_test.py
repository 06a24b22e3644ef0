#!/usr/bin/env python3
"""Who may put things in a user's way: planted projects and marks, modes whatever the umask, and
locks that somebody keeps.

The other user is `nobody`. Making files of another user needs root; without it these tests are
skipped with that reason."""

import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import unittest

from pawl import DONE, FAILED, INTERRUPTED, PATIENCE, PROGRAM, USAGE, ProjectTest, main

NOBODY = 65534
IS_ROOT = os.geteuid() == 0

HELLO = """\
version: 1
workflow: hello
items: [ada]
stages:
  greet:
    sh: echo "Hello" > greeted
"""


class OwnershipTest(ProjectTest):

    def setUp(self):
        super().setUp()
        self.write("hello.yaml", HELLO)

    def give_away(self, path):
        """Makes everything at the path another user's."""
        path = self.dir / path
        for folder, _, files in os.walk(path):
            os.chown(folder, NOBODY, NOBODY)
            for name in files:
                os.chown(os.path.join(folder, name), NOBODY, NOBODY, follow_symlinks=False)
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def as_nobody(self, *words, cwd, env=None):
        """Calls the program as the other user."""
        return subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                               "--clear-groups", PROGRAM, *words], cwd=cwd, text=True,
                              capture_output=True, timeout=PATIENCE,
                              env=self.environment(**(env or {})))

    def plant_job(self, above):
        """A project with a waiting job whose command leaves a file behind."""
        planted = self.dir / above
        planted.mkdir(exist_ok=True)
        (planted / "trap.yaml").write_text(
            "version: 1\nworkflow: trap\nitems: [x]\nstages:\n  s: { sh: touch sprung }\n")
        self.pawl("run", "trap.yaml", "--detach", cwd=planted)
        return planted


@unittest.skipUnless(IS_ROOT, "needs root to make files that another user may only read")  # loud: the reason is printed
class Looking(OwnershipTest):
    """A user who may read the store of root, and not write it."""

    def open_for_reading(self):
        for folder, _, files in os.walk(self.dir):
            os.chmod(folder, 0o755)
            for name in files:
                os.chmod(os.path.join(folder, name), 0o644)

    def look(self, store=()):
        for words in (["status", "--json"], ["job", "list"], ["job", "show", "1"], ["item", "list"],
                      ["item", "show", "ada"], ["item", "attempts", "ada"], ["review", "list"],
                      ["dlq", "list"], ["why", "ada"], ["events", "--job", "1"], ["results", "1"],
                      ["verify"], ["workers"], ["pools"]):
            answer = self.as_nobody(*words, *store, cwd=self.dir)
            self.assertEqual(answer.returncode, DONE, f"{words}: {answer.stderr}")

    def test_it_looks_and_changes_nothing(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [ada]\nstages:\n  s: { sh: echo done }\n")
        self.pawl("run", "w.yaml")
        self.open_for_reading()
        before = sorted(path.name for path in (self.dir / ".pawl").iterdir())
        self.look()
        for words in (["job", "cancel", "1", "--yes"], ["item", "retry", "ada", "--from", "s"], ["work", "--drain"]):
            refused = self.as_nobody(*words, cwd=self.dir)
            self.assertEqual(refused.returncode, FAILED, refused)
            self.assertIn("is read-only for this user", refused.stderr)
        self.assertEqual(sorted(path.name for path in (self.dir / ".pawl").iterdir()), before)

    def test_it_still_looks_after_the_owner_has_worked(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [ada]\nstages:\n  s: { sh: echo done }\n")
        for store in ([], ["--store", "own/pawl.db"]):
            with self.subTest(store=store):
                (self.dir / "own").mkdir(exist_ok=True)
                self.pawl("run", "w.yaml", *store)
                self.open_for_reading()
                for words in (["status"], ["run", "w.yaml", "--new"], ["job", "pause", "2"], ["work", "--drain"]):
                    self.pawl(*words, *store, code=None)
                    self.look(store)
                listed = self.as_nobody("job", "list", "-q", *store, cwd=self.dir).stdout.split()
                self.assertEqual(sorted(listed), ["1", "2"], "the new job is seen as well")
                refused = self.as_nobody("job", "cancel", "1", "--yes", *store, cwd=self.dir)
                self.assertIn("is read-only for this user", refused.stderr)

    def test_the_documented_grant_is_enough(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [ada]\nstages:\n  s: { sh: echo done }\n")
        self.pawl("run", "w.yaml")
        self.dir.chmod(0o755)
        page = (pathlib.Path(__file__).parents[2] / "docs/security.md").read_text()
        [grant] = [line for line in page.splitlines() if line.startswith("chmod go+")]
        subprocess.run(["sh", "-c", grant], cwd=self.dir, check=True)
        self.look()
        self.pawl("run", "w.yaml", "--new")
        self.look()

    def test_it_looks_while_a_worker_writes(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [ada]\nstages:\n"
                             "  s: { sh: \"touch started; while [ ! -e release ]; do sleep 0.05; done\" }\n")
        running = self.start("run", "w.yaml")
        self.wait_until("it runs", lambda: (self.dir / "started").exists())
        self.open_for_reading()
        self.look()
        answer = self.as_nobody("item", "show", "ada", "--json", cwd=self.dir)
        self.assertEqual(json.loads(answer.stdout)["tasks"][0]["state"], "running")
        self.write("release", "")
        self.finish(running)


@unittest.skipUnless(IS_ROOT, "needs root to make files of another user")  # loud: the reason is printed
class Planted(OwnershipTest):

    def test_the_project_of_a_job_that_became_another_users_is_not_worked_in(self):
        """The store is ours; the directory the job was submitted from is not any more."""
        store = self.dir / "store.db"
        project = self.dir / "project"
        project.mkdir()
        (project / "w.yaml").write_text(
            "version: 1\nworkflow: w\nitems: [x]\nstages:\n  s: { run: [./program] }\n")
        self.pawl("run", "w.yaml", "--detach", "--store", store, cwd=project)
        self.give_away("project")
        (project / "program").write_text("#!/bin/sh\ntouch sprung\n")
        (project / "program").chmod(0o755)
        answer = self.pawl("work", "--drain", "--store", store, code=None)
        self.assertIn("belongs to another user", answer.err)
        refused = self.pawl("resume", "--store", store, code=FAILED)
        self.assertIn("job 1 cannot run here", refused.err)
        self.assertFalse((project / "sprung").exists())
        self.pawl("resume", "--store", store, "--trust-owner")
        self.assertTrue((project / "sprung").exists())

    def test_a_workflow_file_of_another_user_is_not_run_whatever_the_store(self):
        store = self.dir / "store.db"
        theirs = self.dir / "theirs"
        theirs.mkdir()
        (theirs / "evil.yaml").write_text(
            "version: 1\nworkflow: w\nitems: [x]\nstages:\n  s: { sh: touch sprung }\n")
        self.give_away("theirs")
        for words, where in ((["evil.yaml"], theirs), (["theirs/evil.yaml"], self.dir)):
            refused = self.pawl("run", *words, "--store", store, cwd=where, code=FAILED)
            self.assertIn("belongs to another user", refused.err)
        os.chown(self.dir / "hello.yaml", NOBODY, NOBODY)
        refused = self.pawl("run", "hello.yaml", "--store", store, code=FAILED)
        self.assertIn("hello.yaml' belongs to another user", refused.err)
        self.assertFalse(store.exists(), "nothing was submitted")

    def test_a_project_of_another_user_above_the_working_directory_is_refused(self):
        planted = self.plant_job("shared")
        below = planted / "mine"
        below.mkdir()
        self.give_away("shared/.pawl")
        for words in (["work", "--drain"], ["resume"], ["status"], ["job", "list"],
                      ["run", "../../hello.yaml"]):
            answer = self.pawl(*words, cwd=below, code=None)
            self.assertIn(answer.code, (FAILED, USAGE), answer)
            self.assertIn(str(planted / ".pawl"), answer.err)
            self.assertIn("belongs to another user (nobody)", answer.err)
            self.assertIn("--trust-owner", answer.err)
            self.assertIn("make it yours", answer.err)
        self.assertFalse((planted / "sprung").exists())

    def test_a_project_directory_of_another_user_is_refused(self):
        planted = self.plant_job("shared")
        os.chown(planted, NOBODY, NOBODY)
        answer = self.pawl("work", "--drain", cwd=planted, code=FAILED)
        self.assertIn(f"'{planted}' belongs to another user (nobody)", answer.err)
        self.assertFalse((planted / "sprung").exists())

    def test_a_marker_of_a_project_is_no_way_in_either(self):
        planted = self.dir / "shared"
        (planted / "mine").mkdir(parents=True)
        (planted / "pawl.toml").write_text("")
        (planted / "run.sh").write_text("#!/bin/sh\ntouch sprung\n")
        (planted / "run.sh").chmod(0o755)
        (planted / "mine/mine.yaml").write_text(
            "version: 1\nworkflow: mine\nitems: [x]\nstages:\n  s: { run: [./run.sh] }\n")
        self.give_away("shared")
        os.chown(planted / "mine", 0, 0)
        answer = self.pawl("run", "mine.yaml", cwd=planted / "mine", code=None)
        self.assertIn(answer.code, (FAILED, USAGE), answer)
        self.assertIn("belongs to another user (nobody)", answer.err)
        self.assertFalse((planted / "sprung").exists())

    def test_a_link_of_another_user_to_a_store_is_refused(self):
        real = self.plant_job("real")
        shared = self.dir / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        (shared / ".pawl").symlink_to(real / ".pawl")
        os.chown(shared / ".pawl", NOBODY, NOBODY, follow_symlinks=False)
        (shared / "mine").mkdir()
        answer = self.pawl("work", "--drain", cwd=shared / "mine", code=FAILED)
        self.assertIn(f"'{shared}", answer.err)
        self.assertFalse((real / "sprung").exists())

    def test_a_store_that_is_named_is_checked_as_well(self):
        planted = self.plant_job("shared")
        os.chown(planted / ".pawl/pawl.db", NOBODY, NOBODY)
        for more in ({}, {"PAWL_STORE": str(planted / ".pawl/pawl.db")}):
            words = [] if more else ["--store", planted / ".pawl/pawl.db"]
            answer = self.pawl("work", "--drain", *words, env=more, code=FAILED)
            self.assertIn(f"'{planted}/.pawl/pawl.db' belongs to another user (nobody)", answer.err)
        self.assertFalse((planted / "sprung").exists())

    def test_the_option_and_the_variable_trust_the_owner(self):
        planted = self.plant_job("shared")
        self.give_away("shared")
        self.pawl("status", cwd=planted, code=FAILED)
        self.pawl("status", "--trust-owner", cwd=planted)
        self.pawl("status", cwd=planted, env={"PAWL_TRUST_OWNER": "1"})
        self.pawl("status", cwd=planted, env={"PAWL_TRUST_OWNER": "0"}, code=FAILED)
        self.pawl("work", "--drain", "--trust-owner", cwd=planted)
        self.assertTrue((planted / "sprung").exists())

    def test_what_root_made_there_does_not_lock_the_owner_out(self):
        planted = self.plant_job("shared")
        self.give_away("shared")
        os.chmod(self.dir, 0o711)
        self.pawl("work", "--drain", "--trust-owner", cwd=planted)
        (planted / "sprung").unlink()  # the command's own file is root's
        done = self.as_nobody("run", "trap.yaml", "--new", cwd=planted)
        self.assertEqual(done.returncode, DONE, done.stderr)

    def test_root_by_sudo_works_in_the_project_of_its_caller(self):
        planted = self.plant_job("shared")
        self.give_away("shared")
        self.pawl("status", cwd=planted, env={"SUDO_UID": str(NOBODY)})
        self.pawl("status", cwd=planted, env={"SUDO_UID": "12345"}, code=FAILED)

    def test_another_user_is_refused_in_a_project_of_a_third_one(self):
        planted = self.plant_job("shared")
        self.give_away("shared")
        os.chmod(self.dir, 0o711)
        os.chown(planted / ".pawl", 12345, 12345)
        done = self.as_nobody("status", cwd=planted)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertIn("belongs to another user (12345)", done.stderr)

    def test_a_user_works_in_a_project_of_its_own(self):
        mine = self.dir / "mine"
        mine.mkdir()
        (mine / "hello.yaml").write_text(HELLO)
        self.give_away("mine")
        os.chmod(self.dir, 0o711)
        done = self.as_nobody("run", "hello.yaml", cwd=mine)
        self.assertEqual(done.returncode, DONE, done.stderr)


class Writable(OwnershipTest):

    def test_a_project_that_everybody_may_write_to_is_refused(self):
        planted = self.plant_job("shared")
        for path in (".", ".pawl", ".pawl/pawl.db"):
            before = stat.S_IMODE((planted / path).stat().st_mode)
            for mode in (before | 0o002, before | 0o1002):
                (planted / path).chmod(mode)
                answer = self.pawl("work", "--drain", cwd=planted, code=FAILED)
                self.assertIn("can be written by other users", answer.err)
                self.assertIn("use a directory of your own below it" if mode & stat.S_ISVTX
                              else f"chmod go-w '{planted / path}'", answer.err)
            (planted / path).chmod(before)
        self.assertFalse((planted / "sprung").exists())

    def test_a_directory_above_that_others_may_rename_is_refused(self):
        planted = self.plant_job("shared")
        self.dir.chmod(0o777)
        answer = self.pawl("work", "--drain", cwd=planted, code=FAILED)
        self.assertIn(f"chmod go-w '{self.dir}'", answer.err)
        self.dir.chmod(0o1777)  # as /tmp: nobody renames what is another's
        self.pawl("status", cwd=planted)

    def test_a_shared_directory_does_not_become_a_project(self):
        self.dir.chmod(0o1777)
        answer = self.pawl("run", "hello.yaml", code=FAILED)
        self.assertIn("can be written by other users", answer.err)
        self.assertFalse((self.dir / ".pawl").exists())
        self.pawl("run", "hello.yaml", "--trust-owner")

    @unittest.skipUnless(IS_ROOT, "needs root to make files of another group")  # loud: the reason is printed
    def test_a_group_counts_by_its_members(self):
        planted = self.plant_job("shared")
        planted.chmod(0o775)
        os.chown(planted, 0, 0)  # the group root: nobody else is in it
        self.pawl("status", cwd=planted)
        os.chown(planted, 0, NOBODY)  # nobody's own group, and we are not nobody
        answer = self.pawl("status", cwd=planted, code=FAILED)
        self.assertIn("can be written by other users", answer.err)


class Marks(OwnershipTest):

    def setUp(self):
        super().setUp()
        self.pawl("run", "hello.yaml")
        self.run = self.dir / ".pawl/run"
        self.run.mkdir(exist_ok=True)
        self.victim = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        self.addCleanup(self.victim.wait)
        self.addCleanup(self.victim.kill)
        self.kept = self.dir / "kept"
        self.kept.mkdir()
        (self.kept / "file").write_text("x")

    def plant(self, name, line_name, mode=0o600, token="0" * 32):
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        owner = json.dumps({"token": token, "owner": 1, "owner_started": 1, "boot": boot})
        line = f"1 {line_name} {self.victim.pid} 0 99999999999999 1"
        mark = self.run / name
        mark.write_text(owner.ljust(255) + "\n" + line.ljust(255) + "\n")
        mark.chmod(mode)
        return mark

    def assert_unharmed(self):
        self.assertIsNone(self.victim.poll(), "an unrelated process was ended")
        self.assertTrue((self.kept / "file").exists(), "an unrelated directory was removed")
        self.assertTrue((self.dir / ".pawl/pawl.db").exists())

    def test_a_line_that_names_an_unrelated_group_ends_nothing(self):
        self.plant("4242-0a1b2c3d.mark", "65536-1")
        self.pawl("work", "--drain")
        self.assert_unharmed()

    def test_a_mark_whose_name_leads_elsewhere_is_left_alone_and_told(self):
        for name in ("...mark", "..mark", "x.mark", "4242-0a1b2c3d.mark.mark"):
            mark = self.plant(name, "65536-1")
            answer = self.pawl("work", "--drain")
            self.assertIn(name, answer.err)
            self.assert_unharmed()
            mark.unlink()

    def test_a_mark_that_others_could_write_is_left_alone_and_told(self):
        mark = self.plant("4242-0a1b2c3d.mark", "65536-1", mode=0o666)
        answer = self.pawl("work", "--drain")
        self.assertIn(str(mark), answer.err)
        self.assertTrue(mark.exists())
        self.assert_unharmed()

    @unittest.skipUnless(IS_ROOT, "needs root to make files of another user")  # loud: the reason is printed
    def test_a_mark_of_another_user_is_left_alone_and_told(self):
        mark = self.plant("4242-0a1b2c3d.mark", "65536-1")
        os.chown(mark, NOBODY, NOBODY)
        answer = self.pawl("work", "--drain")
        self.assertIn(str(mark), answer.err)
        self.assertTrue(mark.exists())
        self.assert_unharmed()

    def test_a_run_directory_that_others_may_write_to_is_refused(self):
        self.plant("4242-0a1b2c3d.mark", "65536-1")
        self.run.chmod(0o777)
        answer = self.pawl("work", "--drain", code=FAILED)
        self.assertIn(f"chmod go-w '{self.run}'", answer.err)
        answer = self.pawl("run", "hello.yaml", "--new", code=FAILED)
        self.assertIn(f"chmod go-w '{self.run}'", answer.err)
        self.assertEqual(len(self.pawl("job", "list", "--json").json["jobs"]), 1, "nothing was submitted")
        self.pawl("run", "hello.yaml", "--new", "--detach")  # runs nothing here
        self.assert_unharmed()


class Modes(OwnershipTest):

    def wide(self, below):
        """What others may read, write or enter."""
        found = []
        for folder, folders, files in os.walk(below):
            # The links to what a command is given, in a directory that only its owner can enter.
            if "in" in folders:
                folders.remove("in")
            for name in [".", *files]:
                path = pathlib.Path(folder) / name
                mode = stat.S_IMODE(path.lstat().st_mode)
                if mode & 0o077 and not path.is_symlink():
                    found.append((str(path), oct(mode)))
        return found

    def test_everything_below_pawl_is_for_its_owner_whatever_the_umask(self):
        self.write("files.yaml", """\
version: 1
workflow: files
items: [ada]
stages:
  bring:
    sh: |
      printf large > "$PAWL_DIR/letter.txt"
      printf '{"output":{"letter":"letter.txt"}}' > "$PAWL_RESULT"
    out: { letter: file }
  all:
    scope: all
    needs: [bring]
    sh: |
      touch begun
      while [ ! -e go ]; do sleep 0.02; done
""")
        process = self.start("run", "files.yaml", umask=0)
        self.wait_until("the last stage runs", (self.dir / "begun").exists)
        self.assertEqual(self.wide(self.dir / ".pawl"), [], "while it works")
        self.write("go", "")
        self.finish(process)
        self.assertEqual(self.wide(self.dir / ".pawl"), [])
        names = {path.name for path in (self.dir / ".pawl").iterdir()}
        self.assertTrue({"pawl.db", "pawl.db.blobs", "pawl.db.next"} <= names, names)
        # What is taken out for the user is the user's: the umask decides.
        copied = subprocess.run([PROGRAM, "results", "1", "--to", "out"], cwd=self.dir, umask=0o022,
                                env=self.environment(), capture_output=True, text=True)
        self.assertEqual(copied.returncode, DONE, copied.stderr)
        modes = {stat.S_IMODE(path.stat().st_mode) for path in (self.dir / "out").rglob("*")
                 if path.is_file()}
        self.assertEqual(modes, {0o644})

    def test_init_closes_its_directory(self):
        subprocess.run([PROGRAM, "init", "demo"], cwd=self.dir, umask=0, check=True,
                       env=self.environment(), capture_output=True)
        self.assertEqual(self.wide(self.dir / "demo/.pawl"), [])

    def test_what_the_owner_has_opened_for_readers_stays_open_and_new_files_are_private(self):
        self.pawl("run", "hello.yaml")
        for path in [self.dir / ".pawl", *(self.dir / ".pawl").rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        self.pawl("status")
        self.assertEqual(stat.S_IMODE((self.dir / ".pawl").stat().st_mode), 0o755)
        for name in ("pawl.db", "pawl.db.next", "pawl.db.writer"):
            self.assertEqual(stat.S_IMODE((self.dir / ".pawl" / name).stat().st_mode), 0o644, name)
        (self.dir / ".pawl/pawl.db.next").unlink()
        self.pawl("run", "hello.yaml", "--new")
        self.assertEqual(stat.S_IMODE((self.dir / ".pawl/pawl.db.next").stat().st_mode), 0o600)

    @unittest.skipUnless(IS_ROOT, "needs root to make files of another group")  # loud: the reason is printed
    def test_a_group_that_may_write_may_only_read_after_the_owner_has_worked(self):
        self.pawl("run", "hello.yaml")
        for path in (self.dir / ".pawl", self.dir / ".pawl/pawl.db"):
            os.chown(path, 0, 0)  # the group root: nobody else is in it
            path.chmod(0o775 if path.is_dir() else 0o664)
        self.pawl("status", "--trust-owner")
        self.assertEqual(stat.S_IMODE((self.dir / ".pawl/pawl.db").stat().st_mode), 0o664, "trusted as it is")
        self.pawl("status")
        self.assertEqual(stat.S_IMODE((self.dir / ".pawl/pawl.db").stat().st_mode), 0o644)
        self.assertEqual(stat.S_IMODE((self.dir / ".pawl").stat().st_mode), 0o755)


HOLD = """\
import fcntl, sys
file = open(sys.argv[1], "r")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


class Locked(OwnershipTest):

    def hold(self, name):
        """Another process takes the lock and keeps it."""
        holder = subprocess.Popen([sys.executable, "-c", HOLD, str(self.dir / ".pawl" / name)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._started.append(holder)
        self.assertEqual(holder.stdout.readline(), "held\n")
        return holder

    def test_a_lock_that_is_kept_is_told_in_time_with_its_holder(self):
        self.pawl("run", "hello.yaml")
        for lock, words in (("pawl.db.writer", ("job", "pause", "1")),
                            ("pawl.db.next", ("job", "pause", "1")),
                            ("run-submission.lock", ("run", "hello.yaml"))):
            holder = self.hold(lock)
            answer = self.pawl(*words, env={"PAWL_LOCK_TIMEOUT": "100ms"}, code=FAILED)
            self.assertIn(lock, answer.err)
            self.assertIn(f"process {holder.pid} (python3", answer.err)
            holder.stdin.close()
            holder.wait()
        self.pawl("run", "hello.yaml")

    def test_a_timeout_that_is_not_a_time_is_refused(self):
        self.pawl("run", "hello.yaml")
        answer = self.pawl("status", env={"PAWL_LOCK_TIMEOUT": "soon"}, code=USAGE)
        self.assertIn("PAWL_LOCK_TIMEOUT", answer.err)

    def test_ctrl_c_ends_a_wait_for_a_lock_at_once(self):
        self.pawl("run", "hello.yaml")
        for lock, words in (("pawl.db.writer", ("run", "hello.yaml")),
                            ("run-submission.lock", ("run", "hello.yaml")),
                            ("pawl.db.writer", ("work", "--drain")),
                            ("pawl.db.writer", ("job", "pause", "1"))):
            with self.subTest(lock=lock, words=words):
                holder = self.hold(lock)
                process = self.start(*words, env={"PAWL_LOCK_TIMEOUT": "1h"})
                self.wait_until("it waits for the lock", lambda: self.waits_for(lock))
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=PATIENCE)
                self.assertIn(process.returncode, (INTERRUPTED, -signal.SIGINT), err)
                holder.stdin.close()
                holder.wait()

    def waits_for(self, lock):
        """Whether some process waits for this file's lock."""
        inode = (self.dir / ".pawl" / lock).stat().st_ino
        return any("->" in line and f":{inode} " in line
                   for line in pathlib.Path("/proc/locks").read_text().splitlines())


if __name__ == "__main__":
    main()
