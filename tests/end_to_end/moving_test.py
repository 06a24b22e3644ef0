"""A job is exported from one store and imported into another, as people do it."""

import json

from pawl import *

# Three people are greeted, each greeting is approved by hand; one has a log and a file.
WORKFLOW = """\
version: 1
workflow: moved
items: [ada, grace, alan]
stages:
  greet:
    sh: |
      seq 1 4000
      echo "Hello, $NAME" > "$PAWL_DIR/greeting.txt"
      echo '{"output": {"greeting": "greeting.txt"}}' > "$PAWL_RESULT"
    env: { NAME: "${item}" }
    out: { greeting: file }
  check:
    needs: [greet]
    review: { when: always }
"""


class Moving(ProjectTest):
    def setUp(self):
        super().setUp()
        self.pawl("init")
        self.pawl("run", "hello.yaml", code=PEOPLE)

    def away(self, *words, **options):
        return self.pawl(*words, "--store", self.dir / "away.db", **options)

    def export(self):
        self.pawl("job", "pause", 1)
        return self.pawl("export", 1, "-o", "job.jsonl")

    def test_a_job_goes_on_in_another_store(self):
        answer = self.export()
        self.assertIn("3 items", answer.err)
        self.assertEqual(answer.out, "")
        self.assertEqual([path.name for path in self.dir.glob("job.jsonl*")], ["job.jsonl"])
        answer = self.away("import", "job.jsonl")
        self.assertIn("job 1 (was job 1): 3 items", answer.out)
        self.assertIn("verified: it is paused, as it was", answer.out)
        self.assertIn("pawl job resume 1", answer.err)
        self.assert_whole(self.away("verify", "--json").json)

        self.away("job", "resume", 1)
        reviews = self.away("review", "list", "--json").json["reviews"]
        self.assertEqual({one["item"] for one in reviews}, {"ada", "grace", "alan"})
        for one in reviews:
            self.away("review", "approve", one["review"])
        self.away("resume", 1)
        status = self.away("status", 1, "--json").json
        self.assertEqual(status["state"], "completed")
        results = self.away("results", 1, "--jsonl").lines
        self.assertEqual({line["outputs"]["greet"]["text"] for line in results},
                         {"Hello, ada\n", "Hello, grace\n", "Hello, alan\n"})
        self.assert_whole(self.away("verify", "--json").json)
        # What is left behind is as it was.
        self.assertEqual(self.job(1)["state"], "paused")
        self.assert_verified()

    def test_through_a_pipe_and_in_json(self):
        self.pawl("job", "pause", 1)
        exported = self.pawl("export", 1)
        lines = exported.lines
        self.assertEqual(list(lines[0]), ["pawl_export"])
        self.assertEqual(lines[0]["pawl_export"]["format"], 1)
        self.assertEqual(list(lines[-1]), ["end"])
        self.assertEqual(lines[-1]["end"]["items"], 3)
        answer = self.away("import", "-", "--json", stdin=exported.out).json
        self.assertEqual((answer["job"], answer["was"], answer["state"]), (1, 1, "paused"))
        self.assertEqual(answer["export"], lines[0]["pawl_export"]["export"])
        self.assertTrue(answer["released"] and answer["verification"]["ok"])
        self.assertFalse(answer["went_on"])
        self.assertIsNone(answer["originals"])
        document = self.pawl("export", 1, "-o", "again.jsonl", "--json").json
        self.assertEqual(document["moved"], answer["moved"])
        self.assertNotEqual(document["export"], answer["export"])

    def test_a_running_job_is_refused_with_the_way_out(self):
        answer = self.pawl("export", 1, "-o", "job.jsonl", code=FAILED)
        self.assertIn("pawl job pause 1", answer.err)
        self.assertEqual(list(self.dir.glob("job.jsonl*")), [])
        self.pawl("export", 77, code=FAILED)

    def test_the_same_export_is_imported_once(self):
        self.export()
        self.away("import", "job.jsonl")
        answer = self.away("import", "job.jsonl", code=CONFLICT)
        self.assertIn("it is job 1", answer.err)
        self.assertEqual(len(self.away("job", "list", "--json").json["jobs"]), 1)

    def test_what_is_no_whole_export_is_refused_and_nothing_is_written(self):
        self.export()
        text = self.read("job.jsonl")
        self.write("cut.jsonl", text[:len(text) // 2])
        self.write("flipped.jsonl", text.replace("grace", "grece", 1))
        self.write("other.jsonl", "pawl: 1\n")
        self.away("import", "cut.jsonl", code=FAILED)
        answer = self.away("import", "flipped.jsonl", "--json", code=FAILED)
        self.assertEqual(json.loads(answer.err)["error"]["code"], "corrupt")
        self.assertIn("line 1", self.away("import", "other.jsonl", code=USAGE).err)
        self.away("import", "missing.jsonl", code=FAILED)
        self.assertEqual(list(self.dir.glob("away.db*")), [], "no store was made for them")
        self.away("import", "job.jsonl")
        self.away("import", "cut.jsonl", code=FAILED)
        self.assertEqual(self.away("job", "list", "-q").out, "1\n")

    def test_files_and_logs_come_along(self):
        self.write("moved.yaml", WORKFLOW)
        self.pawl("run", "moved.yaml", code=PEOPLE)
        self.pawl("job", "pause", 2)
        self.pawl("export", 2, "-o", "job.jsonl")
        self.assertGreaterEqual(
            self.away("import", "job.jsonl", "--json").json["moved"]["payloads"], 4)
        self.away("results", 1, "--to", "out")
        for name in ("ada", "grace", "alan"):
            texts = [path.read_text() for path in (self.dir / "out").rglob("*")
                     if path.is_file() and name in str(path) and path.suffix == ".txt"]
            self.assertEqual(texts, [f"Hello, {name}\n"])
        self.assertEqual(self.away("item", "logs", "ada", "--stage", "greet").out.count("4000"), 1)


if __name__ == "__main__":
    main()
