"""A job is exported from one store and imported into another, as people do it."""

import hashlib
import json
import shutil
import subprocess

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


CHECKPOINT = {
    "job_id": "mapreduce-17",
    "work_items": [{"id": "fresh"}, {"id": "done"}, {"id": "due"}, {"id": "dead"}],
    "completed_agents": ["done"],
    "agent_results": {"done": {"item_id": "done", "status": "Success", "output": {"ok": True}}},
    "failed_agents": {"due": {"item_id": "due", "attempts": 2, "last_error": "busy",
                              "last_attempt": "2025-01-02T03:04:05Z"}},
    "pending_items": ["fresh", "due"],
}
DEAD_LETTERS = {"items": [{
    "item_id": "dead", "item_data": {"id": "dead"}, "failure_count": 2,
    "first_attempt": "2025-01-02T03:00:00Z", "last_attempt": "2025-01-02T03:01:00Z",
    "failure_history": [
        {"attempt_number": 1, "timestamp": "2025-01-02T03:00:00Z", "error_type": "Timeout",
         "error_message": "slow"},
        {"attempt_number": 2, "timestamp": "2025-01-02T03:01:00Z",
         "error_type": {"CommandFailed": {"exit_code": 7}}, "error_message": "torn"}]}]}
CONTINUES = """\
version: 1
workflow: continued
items: []
stages:
  map:
    run: ["true"]
"""


class Checkpoint(ProjectTest):
    """The state of an older MapReduce runner."""

    def setUp(self):
        super().setUp()
        self.write("old/checkpoint.json", json.dumps(CHECKPOINT, indent=2))
        self.write("old/dlq.json", json.dumps(DEAD_LETTERS))
        self.write("w.yaml", CONTINUES)

    def bring_in(self, *words, **options):
        return self.pawl("import", "checkpoint", "old/checkpoint.json", "--workflow", "w.yaml",
                         "--dead-letters", "old/dlq.json", *words, **options)

    def test_a_checkpoint_and_its_dead_letters_become_a_job_that_goes_on(self):
        would = self.bring_in("--dry-run", "--json").json
        self.assertEqual((would["job"], would["items"]), (None, 4))
        self.assertFalse((self.dir / ".pawl").exists())
        brought = self.bring_in("--json").json
        self.assertEqual({name: brought[name] for name in
                          ("job", "imported_from", "completed", "due", "fresh", "dead")},
                         {"job": 1, "imported_from": "mapreduce-17", "completed": 1, "due": 1,
                          "fresh": 1, "dead": 1})
        self.assertEqual(self.bring_in("--json").json["job"], 1)
        letters = self.pawl("dlq", "show", 1, "--json").json["items"]
        self.assertEqual([one["attempt_number"] for one in letters[0]["failure_history"]], [1, 2])
        self.pawl("resume", 1, code=JOB_FAILED)
        self.assertEqual([one["attempt_number"] for one in self.attempts("due")], [1, 2, 3])
        self.pawl("dlq", "retry", "dead")
        self.pawl("resume", 1)
        self.assertEqual([one["attempt_number"] for one in self.attempts("dead")], [1, 2, 3])
        self.assertEqual(self.job(1)["items"]["succeeded"], 4)
        self.assert_verified()

    def test_a_checkpoint_goes_to_the_store_that_run_would_use(self):
        self.write("sub/w.yaml", CONTINUES)
        self.pawl("init", cwd=self.dir / "sub")
        answer = self.pawl("import", "checkpoint", "old/checkpoint.json", "--workflow", "sub/w.yaml")
        self.assertFalse((self.dir / ".pawl").exists())
        self.assertEqual(self.pawl("job", "list", "-q", cwd=self.dir / "sub").out, "1\n", answer)

    def test_a_checkpoint_is_not_imported_for_a_workflow_of_another_user(self):
        (self.dir / "w.yaml").chmod(0o666)
        answer = self.bring_in(code=FAILED)
        self.assertIn("w.yaml", answer.err)
        self.assertFalse((self.dir / ".pawl").exists())
        self.bring_in("--trust-owner")

    def test_import_of_a_checkpoint_says_how_to_import_it(self):
        for name in ("old/checkpoint.json", "old/dlq.json"):
            answer = self.pawl("import", name, code=USAGE)
            self.assertIn("older MapReduce runner", answer.err)
            self.assertIn("pawl import checkpoint PATH", answer.err)
        self.assertFalse((self.dir / ".pawl").exists())
        self.pawl("import", code=USAGE)

    def test_every_fault_of_a_checkpoint_is_reported_and_nothing_is_imported(self):
        self.write("old/checkpoint.json",
                   json.dumps({**CHECKPOINT, "job_id": 3, "pending_items": [1]}))
        answer = self.bring_in(code=USAGE)
        self.assertIn("job_id", answer.err)
        self.assertIn("pending_items", answer.err)
        self.assertFalse((self.dir / ".pawl").exists())


class Transfer(ProjectTest):
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
        self.assertIn("verified: the job is paused, as before the export", answer.out)
        self.assertIn("pawl job trust 1", answer.err)
        self.assert_whole(self.away("verify", "--json").json)

        self.away("job", "trust", 1, "--yes")
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
        self.assertEqual(lines[0]["pawl_export"]["format"], 3)
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


# What a stranger would like to be overlooked.
HOSTILE = """\
version: 1
workflow: hostile
items: [one]
stages:
  fetch:
    run: [touch, "${params.where}/ran"]
    env: { LD_PRELOAD: "/tmp/\\e[8mevil.so" }
    dir: sub
    gates:
      - { name: judge, run: [touch, gate-ran] }
  done:
    needs: [fetch]
    when: { "${item}": { equals: one } }
    sh: |
      echo first
      touch script-ran
params:
  where: { type: string, default: "." }
"""


class Trusting(ProjectTest):
    """A job from elsewhere is not run, and not adopted from, before somebody accepts it."""

    def setUp(self):
        super().setUp()
        self.pawl("init")

    def away(self, *words, **options):
        return self.pawl(*words, "--store", self.dir / "away.db", **options)

    def export(self, workflow=HOSTILE, *words):
        self.write("flow.yaml", workflow)
        self.pawl("run", "flow.yaml", "--detach")
        self.pawl("job", "pause", 1)
        self.pawl("export", 1, "-o", "job.jsonl", *words)

    def keys(self, name):
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", f"{name}.pem"],
                       cwd=self.dir, check=True)
        subprocess.run(["openssl", "pkey", "-in", f"{name}.pem", "-pubout", "-out",
                        f"{name}.pub.pem"], cwd=self.dir, check=True)
        (self.dir / f"{name}.pem").chmod(0o600)
        (self.dir / f"{name}.pub.pem").chmod(0o644)

    def test_nothing_runs_before_every_command_was_shown_and_accepted(self):
        self.export()
        answer = self.away("import", "job.jsonl", "--json").json
        self.assertEqual(answer["trust"], "untrusted")
        self.assertIsNone(answer["signed_by"])
        for words in (("resume", 1), ("job", "resume", 1), ("job", "budget", 1, "--attempts", 3),
                      ("item", "retry", "one", "--from", "fetch")):
            refused = self.away(*words, code=FAILED)
            self.assertIn("pawl job trust 1", refused.err, words)
        self.away("work", "--drain", code=PAUSED)
        self.assertEqual(self.away("status", 1, "--json").json["trust"], "untrusted")
        self.assertIn("imported, not trusted", self.away("status", 1).out)
        self.assertIn("untrusted", self.away("job", "list").out)
        self.assertIn("pawl job trust 1", self.away("why", "one").out)

        shown = self.away("job", "trust", 1, code=FAILED)
        self.assertIn("--yes", shown.err)
        for part in ('["touch","${params.where}/ran"]', "LD_PRELOAD=", '["touch","gate-ran"]',
                     "touch script-ran", "when", "dir", "project"):
            self.assertIn(part, shown.out)
        self.assertNotIn("\x1b", shown.out)
        self.assertEqual(self.away("status", 1, "--json").json["trust"], "untrusted")
        self.assertFalse((self.dir / "ran").exists())

        accepted = self.away("job", "trust", 1, "--yes", "--as", "eve", "--json").json
        self.assertEqual((accepted["trust"], accepted["trusted_by"]), ("accepted", "eve"))
        self.assertEqual([one["stage"] for one in accepted["commands"]["stages"]],
                         ["fetch", "done"])
        types = [line["type"] for line in self.away("events", "--job", 1, "--jsonl").lines]
        self.assertEqual(types[-2:], ["job.imported", "job.trusted"])
        self.away("job", "resume", 1)
        self.assert_whole(self.away("verify", "--json").json)

    def test_what_is_accepted_is_shown_with_composed_gates_and_the_names_of_children(self):
        self.export("""
version: 1
workflow: composed
items: [{ list: [{ n: x }] }]
stages:
  split:
    each: { list: "${item.list}", id: "${each.n}" }
    run: [touch, each-ran]
  judge:
    needs: [split]
    run: [touch, ran]
    gates:
      - name: two
        at_least: 1
        any:
          - { name: one, run: [touch, gate-one] }
          - { name: other, run: [touch, gate-other] }
""")
        self.away("import", "job.jsonl")
        shown = self.away("job", "trust", 1, code=FAILED).out
        self.assertRegex(shown, r"id +\$\{each\.n\}")
        self.assertIn("two: at least 1 of these", shown)
        self.assertIn('["touch","gate-other"]', shown)

    def test_a_list_of_reviews_names_the_untrusted_jobs_that_it_leaves_out(self):
        self.write("flow.yaml", "version: 1\nworkflow: ask\nstages:\n  a: { sh: \"true\", review: { when: always } }\n")
        self.pawl("run", "flow.yaml", code=PEOPLE)
        self.pawl("job", "pause", 1)
        self.pawl("export", 1, "-o", "job.jsonl")
        self.away("import", "job.jsonl")
        left_out = self.away("review", "list")
        self.assertEqual(left_out.out, "")
        self.assertIn("reviews of job 1 are not listed", left_out.err)
        self.assertIn("pawl job trust 1", left_out.err)
        self.away("job", "trust", 1, "--yes")
        self.assertEqual(self.away("review", "list", "-q").out, "1\n")

    def test_a_job_that_is_known_by_its_key_is_refused_while_it_is_not_trusted(self):
        self.write("flow.yaml", HOSTILE)
        self.pawl("run", "flow.yaml", "--detach", "--key", "nightly")
        self.pawl("job", "pause", 1)
        self.pawl("export", 1, "-o", "job.jsonl")
        self.away("import", "job.jsonl")
        answer = self.away("run", "flow.yaml", "--key", "nightly", code=FAILED)
        self.assertIn("pawl job trust 1", answer.err)

    def test_a_signature_by_a_trusted_key_skips_the_question(self):
        self.keys("mine")
        self.export(HOSTILE, "--sign", "mine.pem")
        answer = self.away("import", "job.jsonl", "--trusted-key", "mine.pub.pem", "--json").json
        self.assertEqual(answer["trust"], "accepted")
        self.assertTrue(answer["signed_by"].startswith("SHA256:"))
        self.assertEqual(self.away("status", 1, "--json").json["trusted_by"],
                         "key " + answer["signed_by"])
        self.away("job", "resume", 1)

    def test_keys_in_the_project_are_trusted_and_others_are_named(self):
        self.keys("mine")
        self.keys("other")
        self.export(HOSTILE, "--sign", "mine.pem")
        self.pawl("export", 1, "-o", "strange.jsonl", "--sign", "other.pem")
        trusted = self.dir / ".pawl" / "trusted_keys"
        trusted.mkdir(mode=0o700)
        shutil.copy(self.dir / "mine.pub.pem", trusted / "mine.pem")
        answer = self.away("import", "strange.jsonl")
        self.assertIn("which is not trusted", answer.err)
        self.assertIn("pawl job trust 1", answer.err)
        self.assertIn("trusted: signed by the key SHA256:",
                      self.away("import", "job.jsonl").err)

    def test_an_edited_file_that_was_signed_is_refused(self):
        self.keys("mine")
        self.export(HOSTILE, "--sign", "mine.pem")
        lines = self.read("job.jsonl").splitlines(keepends=True)
        body = "".join(lines[:-2]).replace("gate-ran", "evil-ran")
        last = json.loads(lines[-2])
        last["end"]["sha256"] = hashlib.sha256(body.encode()).hexdigest()
        self.write("edited.jsonl",
                   body + json.dumps(last, separators=(",", ":")) + "\n" + lines[-1])
        answer = self.away("import", "edited.jsonl", "--trusted-key", "mine.pub.pem", code=USAGE)
        self.assertIn("hash", answer.err)
        body = "".join(lines[:-2]).replace('"key":"one"', '"key":"two"')
        last["end"]["sha256"] = hashlib.sha256(body.encode()).hexdigest()
        self.write("edited.jsonl",
                   body + json.dumps(last, separators=(",", ":")) + "\n" + lines[-1])
        answer = self.away("import", "edited.jsonl", "--trusted-key", "mine.pub.pem", code=FAILED)
        self.assertIn("the signature does not match this export", answer.err)
        self.assertEqual(list(self.dir.glob("away.db*")), [], "nothing was written")

    def test_keys_that_others_can_reach_are_refused(self):
        self.keys("mine")
        self.export()
        (self.dir / "mine.pem").chmod(0o644)
        answer = self.pawl("export", 1, "-o", "signed.jsonl", "--sign", "mine.pem", code=FAILED)
        self.assertIn("others can read the key", answer.err)
        self.assertIn("chmod 600", answer.err)
        self.assertFalse((self.dir / "signed.jsonl").exists())
        (self.dir / "mine.pub.pem").chmod(0o666)
        answer = self.away("import", "job.jsonl", "--trusted-key", "mine.pub.pem", code=FAILED)
        self.assertIn("others can change the key", answer.err)

    def test_an_edited_job_does_not_approve_the_items_of_ones_own_runs(self):
        # The stranger approves everything in a store of his own.
        self.write("people.jsonl", "".join(json.dumps({"name": name}) + "\n"
                                           for name in ("ada", "grace", "alan")))
        self.write("flow.yaml",
                   WORKFLOW.replace("[ada, grace, alan]",
                                    '{ file: people.jsonl, id: "${item.name}" }')
                   .replace("${item}", "${item.name}"))
        self.pawl("run", "flow.yaml", code=PEOPLE)
        for one in self.pawl("review", "list", "--json").json["reviews"]:
            self.pawl("review", "approve", one["review"])
        self.pawl("resume", 1)
        self.pawl("export", 1, "-o", "job.jsonl")
        self.away("import", "job.jsonl")
        self.away("run", "flow.yaml", code=PEOPLE)
        own = self.away("status", 2, "--json").json
        self.assertEqual(own["items"]["adopted"], 0)
        self.assertEqual(len(self.away("review", "list", "--json").json["reviews"]), 3)
        self.assert_whole(self.away("verify", "--json").json)


if __name__ == "__main__":
    main()
