"""Where paths begin: those of a workflow file at its directory, the store at the nearest `.pawl` above the file."""

import json
import sqlite3
import unittest

from pawl import JOB_FAILED, USAGE, ProjectTest

WORKFLOW = """
version: 1
workflow: s
items:
  glob: "in/*.txt"
  id: "${item.path}"
stages:
  work:
    run: [sh, work.sh, "${item.path}"]
"""
SCRIPT = """echo "$(pwd) $(cat "$1")"\n"""


class Paths(ProjectTest):
    """A project whose workflow file is one directory below its store, with files of equal names in both."""

    def setUp(self):
        super().setUp()
        self.dir = self.dir.resolve()
        (self.dir / ".pawl").mkdir(mode=0o700)
        self.write("sub/s.yaml", WORKFLOW)
        self.write("sub/work.sh", SCRIPT)
        self.write("sub/in/a.txt", "below")
        self.write("work.sh", "exit 1")
        self.write("in/a.txt", "above")
        self.write("in/b.txt", "above")

    def texts(self, cwd=None):
        return {line["item"]: line["outputs"]["work"]["text"].strip()
                for line in self.pawl("results", "--jsonl", cwd=cwd).lines}

    def test_paths_and_commands_begin_at_the_directory_of_the_file(self):
        self.pawl("run", "sub/s.yaml")
        self.assertEqual(self.texts(), {"in/a.txt": f"{self.dir}/sub below"})

    def test_a_store_that_is_not_beside_the_file_is_named(self):
        store = f"store: {self.dir}/.pawl/pawl.db\n"
        self.assertIn(store, self.pawl("run", "sub/s.yaml", "--dry-run").err)
        self.assertIn(store, self.pawl("run", "s.yaml", cwd=self.dir / "sub").err)
        self.assertEqual(self.pawl("run", "sub/s.yaml", "--json").err, "")
        self.write("top.yaml", WORKFLOW.replace("workflow: s", "workflow: top"))
        self.assertNotIn("store:", self.pawl("run", "top.yaml", code=JOB_FAILED).err)
        self.assertNotIn("store:", self.pawl("--store", "other.db", "run", "sub/s.yaml").err)

    def test_a_store_above_the_file_comes_before_one_above_the_working_directory(self):
        elsewhere = self.dir / "elsewhere"
        (elsewhere / ".pawl").mkdir(parents=True, mode=0o700)
        answer = self.pawl("run", self.dir / "sub/s.yaml", cwd=elsewhere)
        self.assertIn(f"store: {self.dir}/.pawl/pawl.db\n", answer.err)
        self.assertEqual(len(self.texts()), 1)
        self.assertEqual(list((elsewhere / ".pawl").iterdir()), [])

    def test_the_store_that_dir_finds_comes_before_the_one_above_the_file(self):
        elsewhere = self.dir / "elsewhere"
        (elsewhere / ".pawl").mkdir(parents=True, mode=0o700)
        answer = self.pawl("--dir", elsewhere, "run", self.dir / "sub/s.yaml")
        self.assertIn(f"store: {elsewhere}/.pawl/pawl.db\n", answer.err)
        self.assertEqual(self.texts(cwd=elsewhere), {"in/a.txt": f"{self.dir}/sub below"})

    def test_a_new_store_is_made_beside_the_file_and_named_where_it_is_not_found_from_here(self):
        (self.dir / ".pawl").rmdir()
        answer = self.pawl("run", "sub/s.yaml")
        self.assertIn(f"store: {self.dir}/sub/.pawl/pawl.db\n", answer.err)
        self.assertFalse((self.dir / ".pawl").exists())
        self.assertNotIn("store:", self.pawl("run", "s.yaml", cwd=self.dir / "sub").err)

    def test_dir_item_files_and_the_command_of_items_begin_at_the_directory_of_the_file(self):
        self.write("sub/list.sh", "cat names.txt")
        self.write("sub/names.txt", "ada\n")
        self.write("names.txt", "nobody\n")
        self.write("sub/deep/where.sh", "pwd")
        stages = "stages: { work: { run: [sh, where.sh], dir: deep } }\n"
        for number, items in enumerate(("{ file: names.txt }", "{ run: [sh, list.sh] }")):
            self.write("sub/t.yaml", f"version: 1\nworkflow: t{number}\nitems: {items}\n{stages}")
            self.pawl("run", "sub/t.yaml")
            self.assertEqual(self.texts(), {"ada": f"{self.dir}/sub/deep"})

    def test_the_items_of_the_command_line_begin_at_the_directory_of_the_file_too(self):
        self.write("sub/more/c.txt", "more")
        self.pawl("run", "sub/s.yaml", "--items", "more/*.txt")
        self.assertEqual(self.texts(), {"more/c.txt": f"{self.dir}/sub more"})
        refused = self.pawl("run", "sub/s.yaml", "--items", "sub/names.jsonl", code=USAGE).err
        self.assertIn(f"no such file in {self.dir}/sub: 'sub/names.jsonl'", refused)
        self.assertIn("relative to the workflow file", refused)

    def test_the_checker_looks_for_scripts_where_they_will_run(self):
        self.assertNotIn("W001", self.pawl("check", "sub/s.yaml").err)
        (self.dir / "sub/work.sh").unlink()
        checked = self.pawl("check", "sub/s.yaml")
        self.assertIn("W001", checked.out + checked.err)

    def test_a_job_of_an_older_version_keeps_its_directory(self):
        self.pawl("run", "sub/s.yaml", "--detach")
        # Older versions recorded the directory of the store.
        with sqlite3.connect(self.dir / ".pawl/pawl.db") as store:
            [(labels,)] = store.execute("SELECT labels FROM jobs").fetchall()
            labels = json.loads(labels)
            self.assertEqual(labels["project"], f"{self.dir}/sub")
            labels["project"] = str(self.dir)
            store.execute("UPDATE jobs SET labels = ?", (json.dumps(labels),))
        store.close()
        self.write("work.sh", SCRIPT)
        self.pawl("resume")
        self.assertEqual(self.texts(), {"in/a.txt": f"{self.dir} above"})


if __name__ == "__main__":
    unittest.main()
