"""Bytes that are not text, from commands, items and people: on SQLite and on PostgreSQL the same, the
job ends, and what was replaced shows."""

import subprocess

from each_store import on_each_store
from protocol import *

NUL = "a\0b"
SHOWN = "a\ufffdb"


class TextTest(ProtocolTest):
    def pawl(self, *words, **options):
        return super().pawl("--store", self.store, *words, **options)

    @on_each_store
    def test_an_error_in_latin_1_ends_the_attempt_and_shows_what_was_replaced(self):
        [attempt] = self.run_stage(r"printf 'Gr\366\337e\n' >&2; exit 1", "timeout: 5s", code=JOB_FAILED)
        self.assert_error(attempt, "retryable", "exit", "Gr\ufffd\ufffde")
        self.assertEqual(attempt["summary"], "Error: Gr\ufffd\ufffde")
        self.assertIn("Gr\ufffd\ufffde", self.pawl("item", "attempts", "a").out)
        self.assert_verified()

    @on_each_store
    def test_a_log_that_is_kept_as_a_file_keeps_its_bytes(self):
        self.run_stage(r"for i in $(seq 2000); do printf 'Gr\366\337e\n' >&2; done", "capture: text")
        kept = subprocess.run([PROGRAM, "--store", self.store, "item", "logs", "a"], cwd=self.dir,
                              env=self.environment(), capture_output=True, timeout=PATIENCE).stdout
        self.assertIn(b"Gr\xf6\xdfe\n" * 2000, kept)

    @on_each_store
    def test_a_zero_byte_in_what_a_command_says_ends_the_attempt(self):
        [attempt] = self.run_stage(result({"output": {}, "summary": NUL}), code=DONE)
        self.assertEqual(attempt["summary"], SHOWN)

        said = {"class": "final", "code": NUL, "message": NUL, "details": {"a": NUL}}
        [attempt] = self.run_stage(result({"error": said}) + "exit 1", code=JOB_FAILED)
        self.assert_error(attempt, "final", "reported", SHOWN)
        self.assertEqual(attempt["error"]["code"], SHOWN)
        self.assertEqual(attempt["error"]["details"], {"a": NUL}, "JSON is data")

        [attempt] = self.run_stage(result({"outcome": "skipped", "summary": NUL}), code=DONE)
        self.assertEqual((attempt["result"], attempt["summary"]), ("skipped", SHOWN))

        usage = {"model": NUL, "input_tokens": 1}
        [attempt] = self.run_stage(result({"output": {"n": NUL}, "usage": usage}), code=DONE)
        self.assertEqual(attempt["output"], {"n": NUL}, "JSON is data")
        self.assert_verified()

    @on_each_store
    def test_bytes_of_a_gate_and_of_standard_output_are_text(self):
        [attempt] = self.run_stage(r"printf 'Gr\366\337e'", "capture: text", code=DONE)
        self.assertEqual(attempt["output"], {"text": "Gr\ufffd\ufffde"})

        self.write("verdict.json", json.dumps(
            {"verdict": "rejected", "summary": NUL,
             "criteria": [{"name": NUL, "passed": False, "actual": NUL}]}))
        gate = "capture: text\ngates:\n  - name: g\n    "
        [attempt] = self.run_stage("true", gate + "run: [cat, verdict.json]", code=JOB_FAILED)
        self.assertEqual(attempt["feedback"]["summary"], SHOWN)
        self.assertEqual(attempt["feedback"]["criteria"][0]["name"], SHOWN)

        self.write("gate.sh", r"printf 'Gr\366\337e\n' >&2; exit 1")
        [attempt] = self.run_stage("true", gate + "run: [sh, gate.sh]", code=JOB_FAILED)
        self.assert_error(attempt, "retryable", "gate", "Gr\ufffd\ufffde")
        self.assert_verified()

    @on_each_store
    def test_zero_bytes_in_ids_and_broken_bytes_of_people_are_text(self):
        latin = "Gr\udcf6\udcdfe"  # the bytes F6 and DF on a command line
        self.write("items.jsonl", json.dumps({"id": NUL}) + "\n")
        self.write("w.yaml", stage_of("echo fine", "capture: text\nreview: { when: always }",
                                      "items: { file: items.jsonl }"))
        self.pawl("run", "w.yaml", "--detach", "--key", latin)
        self.pawl("run", "w.yaml", "--detach", "--key", latin)
        self.assertEqual(len(self.pawl("job", "list", "--json").json["jobs"]), 1)
        self.pawl("work", "--drain", code=PEOPLE)
        [review] = self.pawl("review", "list", "--json").json["reviews"]
        self.assertEqual(review["item"], SHOWN)
        self.pawl("review", "reject", review["review"], "--reason", latin, env={"PAWL_USER": latin})
        answered = json.dumps(self.pawl("review", "show", review["review"], "--json").json, ensure_ascii=False)
        self.assertEqual(answered.count("Gr\ufffd\ufffde"), 4, answered)  # the answer, and its row
        self.pawl("item", "retry", SHOWN, "--note", latin)
        self.assertIn("Gr\ufffd\ufffde", self.pawl("item", "show", SHOWN, "--json").out)
        self.assert_verified()


if __name__ == "__main__":
    main()
