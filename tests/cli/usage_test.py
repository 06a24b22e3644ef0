"""Words that are wrong, places where nothing is, and the reference that must be true."""

import pathlib
import re
import subprocess
import tempfile
import time
import unittest

from made_store import PATIENCE, PROGRAM, StoreTest

REFERENCE = pathlib.Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


class Usage(StoreTest):
    def test_a_misspelt_command_comes_with_the_nearest(self):
        self.assertIn('did you mean "status"?', self.pawl("statu", code=2).err)
        self.assertIn('did you mean "retry"?', self.pawl("dlq", "rety", code=2).err)
        self.assertEqual(self.pawl("--json", "frobnicate", code=2).error["code"], "invalid")
        self.assertIn("one of: list, show", self.pawl("item", code=2).err)
        self.assertIn("Usage: pawl", self.pawl(code=2).err)

    def test_wrong_words_are_usage_errors(self):
        for words in [["status", "abc"], ["status", "--wrong"], ["job", "show"], ["job", "list", "--state", "x"],
                      ["--color", "pink", "status"], ["why"], ["dlq", "list", "--by", "item"]]:
            with self.subTest(words=words):
                self.assertTrue(self.pawl(*words, "--json", code=2).error["message"])

    def test_wrong_words_are_told_by_what_the_help_calls_them(self):
        for command, words, told in [
                ("check", [], "FILE is required"),
                ("job cancel", [], "JOB is required"),
                ("resume", ["abc"], "JOB must be a number, not 'abc'"),
                ("item diff", ["ada", "x"], "A must be a number, not 'x'"),
                ("run", ["w.yaml", "--items"], "--items needs a value"),
                ("job list", ["--limit", "x"], "--limit must be a number, not 'x'"),
                ("job list", ["--limit", "9" * 20], "--limit must be a smaller number"),
                ("job budget", [1, "--cost-usd", "much"], "--cost-usd must be a number, not 'much'"),
                ("dlq list", ["--by", "item"], "--by must be error, not 'item'"),
                ("status", ["--time", "now"], "--time must be one of relative, local, utc, not 'now'")]:
            with self.subTest(command=command, words=words):
                answer = self.pawl(*command.split(), *words, code=2)
                self.assertIn(f"error: {told}", answer.err)
                self.assertIn(f"see: pawl {command} --help", answer.err)

    def test_options_for_every_command_stand_anywhere(self):
        for words in [["--json", "status"], ["status", "--json"], ["--time", "utc", "--json", "job", "list"],
                      ["job", "--json", "list"]]:
            self.pawl(*words).json

    def test_colour_is_only_where_it_is_wanted(self):
        self.assertNotIn("\x1b", self.pawl("status", 1).out)
        self.assertIn("\x1b[", self.pawl("status", 1, "--color", "always").out)
        self.assertIn("\x1b[", self.pawl("status", 1, env={"CLICOLOR_FORCE": "1"}).out)
        self.assertNotIn("\x1b", self.pawl("status", 1, env={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}).out)

    def test_what_is_not_there_is_an_error_with_a_way_out(self):
        self.assertEqual(self.pawl("status", 77, "--json", code=1).error["code"], "not_found")
        self.assertIn("did you mean 'carl'?", self.pawl("why", "crl", "--job", 1, code=1).err)
        self.pawl("review", "show", 999, code=1)

    def test_a_full_output_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "events", "--jsonl"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, cwd=self.project, env=self.environment, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not be written", done.stderr)

    def test_the_version_is_told(self):
        self.assertRegex(self.pawl("--version").out, r"^pawl \d+\.\d+\.\d+\n$")
        self.assertRegex(self.pawl("version", "--json").json["version"], r"^\d+\.\d+\.\d+$")

    def test_exit_codes_have_a_help_page(self):
        page = self.pawl("help", "exit-codes").out
        for code in [0, 1, 2, 3, 4, 10, 11, 12, 13, 130]:
            self.assertRegex(page, rf"(?m)^ +{code}  ")
        self.pawl("help", "nothing", code=2)
        self.assertEqual(self.pawl("help", "job", "wait").out, self.pawl("job", "wait", "--help").out)


class Project(StoreTest):
    def test_it_is_found_from_below(self):
        below = self.project / "some" / "where"
        below.mkdir(parents=True)
        self.assertEqual(self.pawl("status", "--json", cwd=below).json["job"], 2)
        self.assertEqual(self.pawl("status", "--json", "--dir", below, cwd="/").json["job"], 2)

    def test_a_store_is_named_by_option_or_environment(self):
        store = self.project / ".pawl" / "pawl.db"
        self.assertEqual(self.pawl("--store", store, "status", "--json", cwd="/").json["job"], 2)
        self.pawl("status", cwd="/", env={"PAWL_STORE": str(store)})

    def test_an_empty_name_is_no_store(self):
        self.assertIn("--store is empty", self.pawl("--store", "", "status", code=2).err)
        self.assertIn("--store needs a value", self.pawl("status", "--store=", code=2).err)
        # A variable that is set and empty is as if it were not set.
        self.assertEqual(self.pawl("status", "--json", env={"PAWL_STORE": ""}).json["job"], 2)

    def test_a_store_is_not_named_twice(self):
        store = self.project / ".pawl" / "pawl.db"
        self.assertIn("two stores are given", self.pawl("verify", store, "--store", store, code=2).err)
        self.pawl("verify", store)
        self.pawl("verify", "--store", store, cwd="/")

    def test_without_one_nothing_is_made(self):
        with tempfile.TemporaryDirectory() as empty:
            answer = self.pawl("status", cwd=empty, code=1)
            self.assertIn("no pawl project here", answer.err)
            missing = pathlib.Path(empty) / "x.db"
            self.pawl("status", "--store", missing, cwd=empty, code=1)
            self.assertEqual(list(pathlib.Path(empty).iterdir()), [])

    def test_another_kind_of_store_is_refused_without_repeating_its_address(self):
        answer = self.pawl("status", "--store", "mysql://me:secret@host/db", code=1)
        self.assertIn("not a store address", answer.err)
        self.assertNotIn("secret", answer.err)

    def test_a_mistyped_address_is_told_without_its_password(self):
        wrong = ["postgres//me:secret@host/db", "postgresql:me:secret@host/db", "postgres://me:a@secret@host:1/db",
                 "postgres://me:secret:host/db", "host=h user=me password=secret", "me:secret@host:5432/db",
                 "postgres%3A%2F%2Fme:secret@host/db", "postgres://host:1/db?password:secret"]
        for address in wrong:
            for words in [["--store", address, "status"], ["--store=" + address, "doctor"], ["verify", address],
                          ["--stroe", address, "status"], [address], ["status", address], ["run", address],
                          ["import", address], ["check", address], ["graph", address], ["help", address],
                          ["item", "show", address], ["--dir", address, "status"], ["job", "pause", address],
                          ["explain", address], ["review", "edit", "1", "--output", address]]:
                for mode in [[], ["--json"]]:
                    answer = self.pawl(*mode, *words, code=None)
                    self.assertNotIn("secret", answer.out + answer.err, words)
            answer = self.pawl("status", env={"PAWL_STORE": address}, code=None)
            self.assertNotEqual(answer.code, 0)
            self.assertNotIn("secret", answer.out + answer.err, address)
            made = [str(path) for path in self.project.rglob("*") if "secret" in str(path)]
            self.assertEqual(made, [], "no file is named after it")

    def test_a_list_of_processes_does_not_show_the_password(self):
        (self.project / "postgres:/me:secret@host:1/db").mkdir(parents=True)
        with subprocess.Popen([PROGRAM, "--store", "new.db", "--dir", "postgres://me:secret@host:1/db", "import", "-"],
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              cwd=self.project, env=self.environment) as process:
            shown = b""
            end = time.monotonic() + PATIENCE
            while b"***" not in shown and time.monotonic() < end and process.poll() is None:
                shown = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
            process.stdin.close()
        self.assertIn(b"postgres://me:***@host:1/db", shown)
        self.assertNotIn(b"secret", shown)

    def test_a_server_that_is_not_there_is_told_without_the_password(self):
        answer = self.pawl("status", "--store", "postgres://me:secret@127.0.0.1:1/db", code=1)
        self.assertIn("cannot connect to PostgreSQL at 127.0.0.1:1/db", answer.err)
        self.assertNotIn("secret", answer.err)


class Reference(StoreTest):
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

    def test_it_describes_every_command_and_no_other(self):
        described = re.findall(r"(?m)^### `pawl ([a-z ]+)`$", REFERENCE.read_text(encoding="utf-8"))
        self.assertEqual(sorted(described), sorted(self.commands()))

    def test_every_help_begins_with_an_example_of_itself(self):
        for command in self.commands():
            text = self.pawl(*command.split(), "--help").out
            self.assertTrue(text.startswith(f"Example:\n  pawl {command}"), text)


if __name__ == "__main__":
    unittest.main()
