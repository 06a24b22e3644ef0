"""The workflow files of examples/, as they are shipped."""

import pathlib

from pawl import *

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


class Examples(ProjectTest):
    def copy(self, name):
        shutil.copytree(EXAMPLES / name, self.dir, dirs_exist_ok=True)

    def test_every_workflow_file_is_sound(self):
        files = sorted(EXAMPLES.rglob("*.yaml"))
        self.assertGreaterEqual(len(files), 3)
        for file in files:
            answer = self.pawl("check", file, "--json", cwd=file.parent)
            self.assertEqual(answer.json, {"ok": True, "diagnostics": []})

    def test_hello_waits_for_three_reviews(self):
        self.copy("hello")
        self.pawl("run", "hello.yaml", code=PEOPLE)
        self.assertEqual(len(self.pawl("review", "list", "-q").out.split()), 3)

    def test_orders_are_picked_line_by_line(self):
        self.copy("orders")
        self.pawl("run", "orders.yaml", code=JOB_FAILED)
        results = {line["item"]: line for line in self.pawl("results", "--jsonl").lines}
        self.assertEqual(results["A-1"]["outputs"]["label"]["text"],
                         "2 x mug, 1 x tea, in blue paper: 25.2 EUR\n")
        self.assertEqual(results["A-2"]["outputs"]["wrap"], None, "skipped by choice")
        self.assertEqual(results["A-4"]["outputs"]["pick"]["text"], ["3 x it's $(odd)\n"])
        [letter] = self.pawl("dlq", "list", "--json").json["items"]
        self.assertEqual((letter["item"], letter["stage"]), ("A-3", "price"))
        self.assert_verified()


if __name__ == "__main__":
    main()
