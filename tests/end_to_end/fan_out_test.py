"""Children of a fan-out: their names, and what an operator does with one of them."""

from pawl import *

PAGES = """
version: 1
workflow: w
items: [{ id: a, pages: [{ name: cover }, { name: index }, { name: back }] }]
stages:
  scan:
    each: { list: "${item.pages}", id: "page ${each.name}" }
    tolerate_failures: 1
    env: { NAME: "${each.name}", DIR: "%s" }
    sh: |
      [ "$NAME" != index ] || [ -e "$DIR/mended" ] || exit 65
      echo "$NAME"
"""


class Names(ProjectTest):
    def children(self):
        names = [attempt.get("child") for attempt in self.attempts("a")]
        return sorted({name for name in names if name})

    def test_come_from_the_id_that_each_gives(self):
        self.write("w.yaml", PAGES % self.dir)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertEqual(self.children(), ["page back", "page cover", "page index"])

    def test_are_positions_where_elements_have_no_name_of_their_own(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [{ id: a, pages: [{ text: x }, { text: y }, plain, { id: own }, null] }]
stages:
  scan:
    each: "${item.pages}"
    sh: "true"
""")
        self.pawl("run", "w.yaml")
        self.assertEqual(self.children(), ["1", "2", "5", "own", "plain"])

    def test_are_in_events_in_tables_and_in_the_documents(self):
        self.write("w.yaml", PAGES % self.dir)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        events = self.pawl("events", "--json").json["events"]
        started = [one["child"] for one in events if one["type"] == "attempt.started"]
        self.assertEqual(sorted(map(str, started)),
                         ["None", "None", "page back", "page cover", "page index"])
        self.assertIn("1/a/scan[page index]", self.pawl("events", "--type", "task.failed").out)
        shown = self.pawl("item", "show", "a").out
        self.assertIn("2 (1 expand, 1 join)", shown)

    def test_that_cannot_be_text_are_refused_before_any_child_runs(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [{ id: a, pages: [{ name: [1] }] }]
stages:
  scan:
    each: { list: "${item.pages}", id: "${each.name}" }
    sh: "true"
""")
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertIn("each", self.pawl("item", "attempts", "a").out)


class OneChild(ProjectTest):
    def test_is_retried_by_its_name_alone(self):
        self.write("w.yaml", PAGES % self.dir)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.write("mended", "")
        retried = self.pawl("item", "retry", "1/a/scan[page index]", "--json").json
        self.assertEqual(retried["items"][0]["child"], "page index")
        self.pawl("resume", "1")
        self.assertEqual(self.pawl("results", "--json").out.count("index"), 1)
        ran = [one for one in self.pawl("events", "--json").json["events"]
               if one["type"] == "attempt.started" and one["child"] == "page cover"]
        self.assertEqual(len(ran), 1, "its siblings keep their results")

    def test_that_did_not_fail_is_not_run_again(self):
        self.write("w.yaml", PAGES % self.dir)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        answer = self.pawl("item", "retry", "1/a/scan[page cover]", code=None)
        self.assertNotEqual(answer.code, 0)


if __name__ == "__main__":
    main()
