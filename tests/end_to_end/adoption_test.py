"""What a second run takes over from the first, and what it does not."""

import os
import shutil
import unittest

from pawl import PEOPLE, ProjectTest

WORKFLOW = """
version: 1
workflow: s
items:
  file: items.jsonl
  id: "${item.name}"
stages:
  work:
    run: [sh, scripts/work.sh, "${item.name}"]
    gates:
      - name: judge
        run: [sh, scripts/judge.sh]
"""


class ChangedScripts(ProjectTest):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", WORKFLOW)
        self.write("items.jsonl", '{"name": "a"}\n{"name": "b"}\n')
        self.write("scripts/work.sh", "echo broken\n")
        self.write("scripts/judge.sh", """echo '{"verdict": "accepted"}' > "$PAWL_RESULT"\n""")
        self.pawl("run", "s.yaml")

    def texts(self):
        return {line["outputs"]["work"]["text"].strip() for line in self.pawl("results", "--jsonl").lines}

    def test_what_is_unchanged_is_adopted(self):
        self.assertIn("2 finished (skip), 0 to run", self.pawl("run", "s.yaml", "--dry-run").out)
        self.assertEqual(self.pawl("run", "s.yaml", "--json").json["items"]["adopted"], 2)

    def test_a_mended_script_runs_the_items_again_and_the_dry_run_names_it(self):
        self.write("scripts/work.sh", "echo mended\n")
        plan = self.pawl("run", "s.yaml", "--dry-run").out
        self.assertIn("2 because scripts/work.sh changed", plan)
        self.assertEqual(self.pawl("run", "s.yaml", "--json").json["items"]["adopted"], 0)
        self.assertEqual(self.texts(), {"mended"})

    def test_the_script_of_a_gate_counts_too(self):
        self.write("scripts/judge.sh", """echo '{"verdict":"accepted"}' > "$PAWL_RESULT"\n""")
        self.assertIn("because scripts/judge.sh changed", self.pawl("run", "s.yaml", "--dry-run").out)

    def test_a_script_behind_options_counts_too(self):
        for options in ["-e", "-e, -u", "-eu, --"]:
            with self.subTest(options=options):
                name = f"o{len(options)}.yaml"
                self.write(name, WORKFLOW.replace("workflow: s", f"workflow: o{len(options)}")
                           .replace("[sh, scripts/work.sh", f"[sh, {options}, scripts/work.sh"))
                self.write("scripts/work.sh", "echo broken\n")
                self.pawl("run", name)
                self.assertIn("2 finished (skip), 0 to run", self.pawl("run", name, "--dry-run").out)
                self.write("scripts/work.sh", "echo mended\n")
                self.assertIn("2 because scripts/work.sh changed", self.pawl("run", name, "--dry-run").out)
                self.assertEqual(self.pawl("run", name, "--json").json["items"]["adopted"], 0)
                self.assertEqual(self.texts(), {"mended"})


class NamedFiles(ProjectTest):
    """Files that commands name in other ways: which of them count."""

    def project(self, stage):
        self.write("w.yaml", f"""
version: 1
workflow: w
items: {{ file: items.jsonl, id: "${{item.name}}" }}
stages:
  work:
    {stage}
""")
        self.write("items.jsonl", '{"name": "a"}\n{"name": "b"}\n')

    def adopted(self):
        return self.pawl("run", "w.yaml", "--json").json["items"]["adopted"]

    def plan(self):
        return self.pawl("run", "w.yaml", "--dry-run").out

    def assert_counts(self, stage, name, before="echo broken\n", after="echo mended\n"):
        with self.subTest(stage=stage):
            for path in self.dir.glob(".pawl/pawl.db*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            self.project(stage)
            self.write(name, before, 0o755)
            self.pawl("run", "w.yaml")
            self.assertEqual(self.adopted(), 2)
            self.write(name, after, 0o755)
            self.assertIn(f"2 because {name} changed", self.plan())
            self.assertEqual(self.adopted(), 0)
            self.assertEqual(self.adopted(), 2, "and only once")

    def test_a_script_counts_however_the_command_comes_to_it(self):
        for stage in ["run: [bash, -euo, pipefail, x.sh]", 'run: [timeout, "60", sh, x.sh]', "run: [nice, -n, 5, ./x.sh]",
                      "run: [env, X=1, ./x.sh]", "sh: ./x.sh", "sh: sh x.sh", "sh: cd . && ./x.sh > log.txt",
                      'run: [sh, -c, "./x.sh"]']:
            self.assert_counts(stage, "x.sh", "#!/bin/sh\necho broken\n", "#!/bin/sh\necho mended\n")
        self.assert_counts("run: [python3, -W, ignore, x.py]", "x.py", "print(1)\n", "print(2)\n")

    def test_a_prompt_file_counts_wherever_it_stands(self):
        for stage in ["run: [cat, prompts/p.md]", "run: [echo, --prompt=prompts/p.md]", "sh: cat prompts/p.md",
                      "sh: cat < prompts/p.md", "sh: P=prompts/p.md; cat $P", "dir: prompts\n    run: [cat, p.md]"]:
            self.assert_counts(stage, "prompts/p.md", "be kind\n", "be brief\n")

    def test_what_the_stage_writes_itself_runs_nothing_again(self):
        for stage in ["run: [sh, -c, 'date +%N > made.txt']", "sh: date +%N | tee made.txt",
                      "run: [cp, /proc/uptime, made.txt]", "sh: date +%N >> made.txt; cat made.txt"]:
            with self.subTest(stage=stage):
                for path in self.dir.glob(".pawl/pawl.db*"):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                (self.dir / "made.txt").unlink(missing_ok=True)
                self.project(stage)
                self.pawl("run", "w.yaml")
                self.assertTrue((self.dir / "made.txt").exists())
                for _ in range(2):
                    self.assertIn("2 finished (skip), 0 to run", self.plan())
                    self.assertEqual(self.adopted(), 2)
                self.pawl("run", "w.yaml", "--fresh")
                self.assertEqual(self.adopted(), 2, "after its file was written again")

    def test_a_target_of_a_redirection_does_not_count_even_if_it_was_there_before(self):
        self.project("sh: date +%N > made.txt")
        self.write("made.txt", "")
        self.pawl("run", "w.yaml")
        self.assertEqual(self.adopted(), 2)

    def test_a_file_that_is_gone_counts_as_changed_and_still_counts_when_it_is_back(self):
        self.project("sh: cat p.md || true")
        self.write("p.md", "be kind\n")
        self.pawl("run", "w.yaml")
        (self.dir / "p.md").unlink()
        self.assertIn("2 because p.md changed", self.plan())
        self.assertEqual(self.adopted(), 0)
        self.write("p.md", "be kind\n")
        self.assertEqual(self.adopted(), 2, "from the first job")
        self.write("p.md", "be brief\n")
        self.assertEqual(self.adopted(), 0)

    def test_pipes_directories_links_out_and_huge_files_do_no_harm(self):
        self.write("real/outside.txt", "one\n")
        self.write("in/kept", "")
        work = self.dir / "in"
        os.mkfifo(work / "pipe")
        (work / "folder").mkdir()
        (work / "out").symlink_to(self.dir / "real/outside.txt")
        (work / "loop").symlink_to("loop")
        with open(work / "huge", "wb") as file:
            file.truncate(1 << 40)
        (work / "w.yaml").write_text("""
version: 1
workflow: w
items: { file: items.jsonl, id: "${item.name}" }
stages:
  work:
    run: ["true", ./pipe, ./folder, ./out, ./loop, ../real/outside.txt, ./huge, "%s", /dev/zero]
""" % ("x" * 300))
        (work / "items.jsonl").write_text('{"name": "a"}\n')
        self.pawl("run", "w.yaml", cwd=work)
        (self.dir / "real/outside.txt").write_text("two\n")
        self.assertEqual(self.pawl("run", "w.yaml", "--json", cwd=work).json["items"]["adopted"], 1,
                         "what lies elsewhere belongs to the machine")
        with open(work / "huge", "r+b") as file:
            file.write(b"x")
        self.assertIn("1 because huge changed", self.pawl("run", "w.yaml", "--dry-run", cwd=work).out)


class Cancelled(ProjectTest):
    """A job that adopted an item, and was cancelled before the other one could run."""

    def setUp(self):
        super().setUp()
        self.write("w.yaml", """
version: 1
workflow: w
items: { file: items.jsonl, id: "${item.name}" }
stages:
  work: { sh: echo done }
""")
        self.write("items.jsonl", '{"name": "a"}\n')
        self.pawl("run", "w.yaml")
        self.write("items.jsonl", '{"name": "a"}\n{"name": "b"}\n')
        self.pawl("run", "w.yaml", "--detach")
        self.pawl("job", "cancel", 2, "--yes")

    def test_the_adopted_item_stays_done_and_the_other_one_is_cancelled(self):
        job = self.job(2)
        self.assertEqual(job["state"], "cancelled")
        self.assertEqual({name: job["items"][name] for name in ["total", "succeeded", "cancelled", "adopted"]},
                         {"total": 2, "succeeded": 1, "cancelled": 1, "adopted": 1})
        states = {one["item"]: one["state"] for one in self.pawl("item", "list", "--job", 2, "--json").json["items"]}
        self.assertEqual(states, {"a": "succeeded", "b": "cancelled"})
        self.assertIn("1/2 done", self.pawl("status", 2).out)
        self.assert_verified()

    def test_the_next_job_adopts_the_item_again_and_runs_the_other_one(self):
        plan = self.pawl("run", "w.yaml", "--dry-run").out
        self.assertIn("1 finished (skip), 1 to run", plan)
        again = self.pawl("run", "w.yaml", "--json").json
        self.assertEqual((again["items"]["adopted"], again["items"]["succeeded"]), (1, 2))
        [line] = [line for line in self.pawl("results", 3, "--jsonl").lines if line["item"] == "a"]
        self.assertEqual(line["outputs"]["work"]["text"], "done\n")
        self.assert_verified()

    def test_an_export_of_it_has_what_was_adopted(self):
        self.pawl("export", 2, "-o", "job.jsonl")
        moved = self.pawl("import", "job.jsonl", "--store", "other.db", "--json").json
        self.assertIsNotNone(moved["originals"])
        [line] = [line for line in self.pawl("results", moved["job"], "--jsonl", "--store", "other.db").lines
                  if line["item"] == "a"]
        self.assertEqual(line["outputs"]["work"]["text"], "done\n")
        self.assert_whole(self.pawl("verify", "--store", "other.db", "--json").json)


class Rejections(ProjectTest):
    WORKFLOW = """
version: 1
workflow: pictures
items:
  file: items.jsonl
  id: "${item.name}"
stages:
  draw:
    sh: echo "$NAME"
    env: { NAME: "${item.name}" }
  check:
    needs: [draw]
    review: { when: always, rejected: end_item }
  publish:
    needs: [check]
    sh: echo published
"""

    def test_an_item_may_end_as_rejected_and_is_not_run_again(self):
        self.write("p.yaml", self.WORKFLOW)
        self.write("items.jsonl", '{"name": "a"}\n{"name": "b"}\n')
        self.pawl("run", "p.yaml", code=PEOPLE)
        first, second = (review["review"] for review in self.pawl("review", "list", "--json").json["reviews"])
        self.pawl("review", "reject", first, "--reason", "blurred")
        self.pawl("review", "approve", second)
        job = self.pawl("resume", "--json").json
        self.assertEqual(job["state"], "completed")
        self.assertEqual((job["items"]["succeeded"], job["items"]["rejected"], job["items"]["failed"]), (1, 1, 0))
        self.assertEqual(self.pawl("dlq", "list", "--json").json["items"], [])
        listed = self.pawl("item", "list", "--state", "rejected", "--json").json["items"]
        self.assertEqual([item["state"] for item in listed], ["rejected"])
        self.assertIn("1 rejected", self.pawl("status").out)
        self.assertIn("blurred", self.pawl("why", listed[0]["item"]).out)
        again = self.pawl("run", "p.yaml", "--json").json
        self.assertEqual((again["items"]["adopted"], again["items"]["rejected"]), (2, 1))
        self.pawl("verify")

    def test_an_export_has_the_originals_of_adopted_items_that_were_rejected(self):
        self.write("p.yaml", self.WORKFLOW)
        self.write("items.jsonl", '{"name": "a"}\n')
        self.pawl("run", "p.yaml", code=PEOPLE)
        self.pawl("review", "reject", 1, "--reason", "blurred")
        self.pawl("resume")
        again = self.pawl("run", "p.yaml", "--json").json
        self.assertEqual((again["items"]["adopted"], again["items"]["rejected"]), (1, 1))
        self.pawl("export", 2, "-o", "job.jsonl")
        moved = self.pawl("import", "job.jsonl", "--store", "other.db", "--json").json
        self.assertIsNotNone(moved["originals"], "only a rejected item was adopted")
        there = ["--store", "other.db"]
        originals = self.pawl("status", moved["originals"], *there, "--json").json
        self.assertEqual((originals["items"]["total"], originals["items"]["rejected"]), (1, 1))
        self.assertEqual(self.pawl("status", moved["job"], *there, "--json").json["items"], again["items"])
        [line] = self.pawl("results", moved["job"], "--jsonl", *there).lines
        self.assertEqual(line["outputs"]["draw"]["text"], "a\n")
        self.assertIn("blurred", self.pawl("why", f"{moved['originals']}/a", *there).out)
        self.assert_whole(self.pawl("verify", *there, "--json").json)

    def test_a_stage_for_all_items_cannot_end_one(self):
        workflow = self.WORKFLOW.partition("  publish:")[0]
        self.write("p.yaml", workflow.replace("needs: [draw]", "scope: all\n    needs: [draw]"))
        answer = self.pawl("check", "p.yaml", code=2)
        self.assertIn("a rejection cannot end an item", answer.out + answer.err)


if __name__ == "__main__":
    unittest.main()
