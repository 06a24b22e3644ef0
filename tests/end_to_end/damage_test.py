"""Stores and payloads that something else than pawl has changed: it is told, never taken for good."""

import sqlite3

from pawl import *

READS = (["status"], ["verify"], ["item", "list"], ["item", "show", "a"], ["item", "attempts", "a"],
         ["why", "a"], ["results", "--jsonl"], ["results"], ["dlq", "list"], ["job", "list"],
         ["events"], ["replay", "1", "--workflow", "w.yaml"])


class Damage(ProjectTest):
    def setUp(self):
        super().setUp()
        self.write("w.yaml", """version: 1
workflow: w
items: [a, b]
stages:
  s:
    sh: |
      printf 'the letter of %s' "$NAME" > "$PAWL_DIR/letter.txt"
      echo '{"output": {"letter": "letter.txt"}}' > "$PAWL_RESULT"
    env: { NAME: "${item}" }
    out: { letter: file }
  t:
    needs: [s]
    sh: echo done
""")
        self.pawl("run", "w.yaml")
        self.store = self.dir / ".pawl" / "pawl.db"

    def sql(self, text):
        with sqlite3.connect(self.store) as database:
            database.execute(text)
        database.close()

    def payload(self, item):
        """The file that the letter of an item is kept in."""
        [one] = [line for line in self.pawl("results", "--jsonl").lines if line["item"] == item]
        return pathlib.Path(one["outputs"]["s"]["letter"]["path"])

    def change(self, path, text):
        path.chmod(0o644)
        path.write_text(text)

    def test_a_definition_that_was_changed_is_told_and_nothing_aborts(self):
        self.sql("UPDATE workflows SET definition ="
                 " replace(definition, '\"needs\"', '\"neeeds\"')")
        [(name,)] = sqlite3.connect(self.store).execute("SELECT hash FROM workflows").fetchall()
        self.assertIn(name, self.pawl("verify", code=FAILED).out)
        for words in [*READS, ["resume"], ["item", "retry", "a/s"], ["work", "--drain"]]:
            answer = self.pawl(*words, code=None)
            self.assertGreaterEqual(answer.code, 0, f"it aborts\n{answer}")
            self.assertNotIn("broken promise", answer.err)
        answer = self.pawl("item", "show", "a", code=FAILED)
        self.assertIn(name, answer.err)
        self.assertIn("backup", answer.err)

    def test_an_output_that_is_no_json_any_more_is_never_printed(self):
        self.sql("UPDATE attempts SET output = '{\"letter\":' WHERE task % 65536 = 0")
        self.assertIn("the stored text is not JSON", self.pawl("verify", code=FAILED).out)
        for words in (["results", "--jsonl"], ["results", "--json"], ["item", "show", "a", "--json"],
                      ["item", "attempts", "a", "--json"]):
            answer = self.pawl(*words, code=None)
            if answer.code == DONE:
                self.assertIsNotNone(answer.lines, answer)
        self.assertIn("attempt 1 of task", self.pawl("results", "--jsonl", code=FAILED).err)

    def test_a_store_that_was_cut_to_nothing_stays_as_it_is(self):
        self.store.write_bytes(b"")
        for words in [*READS, ["resume"], ["work", "--drain"]]:
            answer = self.pawl(*words, code=None)
            self.assertEqual(answer.code, FAILED, answer)
            self.assertIn("is empty", answer.err)
            self.assertEqual(self.store.stat().st_size, 0)

    def test_a_payload_that_is_lost_comes_back_with_a_retry(self):
        lost = self.payload("a")
        lost.unlink()
        told = self.pawl("verify", code=FAILED).out
        self.assertIn("I13", told)
        self.assertIn("pawl item retry ITEM/STAGE", told)
        self.pawl("item", "retry", "a/s", "--yes")
        self.pawl("resume")
        self.assertEqual(lost.read_text(), "the letter of a")
        self.assert_verified()

    def test_a_payload_that_was_changed_is_not_handed_out_and_heals(self):
        changed = self.payload("a")
        self.change(changed, "The letter of a")
        answer = self.pawl("results", "--to", "out", code=FAILED)
        self.assertIn("has changed", answer.err)
        self.assertEqual(list((self.dir / "out").rglob("letter.txt")), [])
        self.assertIn("whose bytes are others", self.pawl("verify", code=FAILED).out)
        self.pawl("item", "retry", "a/s", "--yes")
        self.pawl("resume")
        self.assertEqual(changed.read_text(), "the letter of a")
        self.pawl("results", "--to", "out")
        self.assertEqual(len(list((self.dir / "out").rglob("letter.txt"))), 2)
        self.assert_verified()

    def test_what_was_not_judged_is_named(self):
        self.sql("UPDATE jobs SET labels = '{\"pawl.arriving\":{\"lines\":1,\"originals\":0}}'")
        told = self.pawl("verify").out
        self.assertIn("not judged: job 1 (incomplete", told)
        self.assertIn("ok as far as it could be judged: 0 jobs", told)
        checked = self.pawl("verify", "--json").json
        self.assertEqual((checked["ok"], checked["complete"], checked["arriving"]), (True, False, [1]))


if __name__ == "__main__":
    main()
