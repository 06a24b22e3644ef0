"""Where paths begin: those of a workflow file at its directory, the store at the nearest `.pawl` above the file."""

import json
import sqlite3
import unittest

from pawl import DONE, JOB_FAILED, USAGE, ProjectTest

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


class OtherItems(ProjectTest):
    """`--items` of another kind than the items of the workflow file."""

    def keys(self, items, given, stdin=""):
        """The keys of the items that the job has."""
        self.write("in/a.md", "a")
        self.write("in/b.md", "b")
        self.write("lines.jsonl", '{"n": 1}\n{"n": 2}\n')
        self.write("w.yaml", f"version: 1\nworkflow: w\nitems: {items}\nstages:\n  s: {{ sh: 'true' }}\n")
        self.pawl("run", "w.yaml", "--items", given, "--new", stdin=stdin)
        return [one["item"] for one in self.pawl("item", "list", "--json").json["items"]]

    def test_files_are_named_by_their_path_whatever_the_workflow_file_has(self):
        for items in ["[x, y]", "{ glob: 'none/*' }", "{ file: lines.jsonl }", "{ run: [cat, lines.jsonl] }"]:
            with self.subTest(items=items):
                self.assertEqual(self.keys(items, "in/*.md"), ["in/a.md", "in/b.md"])

    def test_lines_are_not_named_by_the_path_of_their_file(self):
        from_file = self.keys("{ file: lines.jsonl }", "lines.jsonl")
        self.assertEqual(len(set(from_file)), 2)
        for items in ["[x, y]", "{ glob: 'in/*.md' }", "{ run: [cat, none.jsonl] }"]:
            with self.subTest(items=items):
                self.assertEqual(self.keys(items, "lines.jsonl"), from_file)
                self.assertEqual(self.keys(items, "-", stdin='{"n": 1}\n{"n": 2}\n'), from_file)

    def test_the_id_of_the_workflow_file_is_kept(self):
        self.assertEqual(self.keys("{ run: [cat, none.jsonl], id: '${item.n}' }", "lines.jsonl"), ["1", "2"])
        self.assertEqual(self.keys("{ file: none.jsonl, id: '${item.name}' }", "in/*.md"), ["a.md", "b.md"])

    def test_an_id_that_the_items_do_not_have_is_reported_for_each_of_them(self):
        self.write("in/a.md", "a")
        self.write("in/b.md", "b")
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: { file: x.jsonl, id: '${item.n}' }\n"
                             "stages:\n  s: { sh: 'true' }\n")
        refused = self.pawl("run", "w.yaml", "--items", "in/*.md", code=None)
        self.assertNotEqual(refused.code, DONE)
        for name in ["in/a.md", "in/b.md"]:
            self.assertIn(f"{name}: the item has no id: ${{item.n}} is empty", refused.err)


if __name__ == "__main__":
    unittest.main()
