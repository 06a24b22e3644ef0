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

# Two pages ask a person, one is held until it is released, and one waits for the pool.
HOLDING = """
version: 1
workflow: w
items: [{ id: a, pages: [ask, ask too, hold, rest] }]
stages:
  scan:
    each: "${item.pages}"
    limits: { pool: gpu, parallel: 1 }
    env: { NAME: "${each}" }
    sh: |
      case $NAME in
        ask*) echo '{"outcome": "needs_review", "output": {}}' > "$PAWL_RESULT" ;;
        hold) touch started; while [ ! -e release ]; do sleep 0.05; done ;;
      esac
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
        self.assertEqual(self.task("a", "scan")["retry_count"], 0, "to expand and to join is no retry")
        self.assertRegex(self.pawl("dlq", "list").out, r"\n +1 +a +scan\[page index\] ")
        [letter] = self.pawl("dlq", "list", "--json").json["items"]
        self.assertEqual((letter["child"], letter["id"]), ("page index", "1/a/scan[page index]"))

    def test_are_in_the_tables_of_workers_and_pools_while_they_run(self):
        self.write("w.yaml", HOLDING)
        self.pawl("run", "w.yaml", "--detach")
        worker = self.start("work", "--drain")
        self.wait_until("a page is held", lambda: (self.dir / "started").exists())
        self.assertIn("holds job 1 a scan[hold], attempt 1,", self.pawl("workers", "-v").out)
        [one] = self.pawl("workers", "--json").json["workers"]
        self.assertEqual([held["child"] for held in one["holds"]], ["hold"])
        self.assertIn("a/scan[hold] (worker 1)", self.pawl("pools").out)
        self.write("release", "")
        self.finish(worker, code=PEOPLE)

    def test_are_in_reviews(self):
        self.write("release", "")
        self.write("w.yaml", HOLDING)
        self.pawl("run", "w.yaml", code=PEOPLE)
        table = self.pawl("review", "list").out
        for review, child in [(1, "ask"), (2, "ask too")]:
            self.assertRegex(table, rf"\n +{review} +1 +a +scan\[{child}\] +requested ")
            shown = self.pawl("review", "show", review)
            self.assertIn(f"w/scan[{child}]  a  asked", shown.out)
            [document] = self.pawl("review", "show", review, "--json").json["reviews"]
            self.assertEqual((document["stage"], document["child"]), ("scan", child))
        self.assertEqual([one["child"] for one in self.pawl("review", "list", "--json").json["reviews"]],
                         ["ask", "ask too"])
        self.assertIn("w/scan[ask]  a  asked", self.pawl("review", "next").out)
        claimed = self.pawl("review", "claim", 1, "--json").json["reviews"]
        self.assertEqual([one["child"] for one in claimed], ["ask"])
        approved = self.pawl("review", "approve", 1, "--json").json["reviews"]
        self.assertEqual([one["child"] for one in approved], ["ask"])
        table = self.pawl("review", "list", "--status", "all").out
        self.assertRegex(table, r"scan\[ask\] .* approved +tester")

    def test_that_cannot_be_text_are_refused_before_any_child_runs(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [{ id: a, pages: [{ name: good }, { name: [1] }] }]
stages:
  scan:
    each: { list: "${item.pages}", id: "${each.name}" }
    sh: touch ran
""")
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        [attempt] = self.attempts("a")
        self.assertEqual((attempt["stage"], attempt.get("child"), attempt["result"]), ("scan", None, "failure"))
        self.assertIn("each", attempt["error"]["message"])
        self.assertFalse((self.dir / "ran").exists(), "no child ran")


class OneChild(ProjectTest):
    def test_is_retried_by_its_name_alone(self):
        self.write("w.yaml", PAGES % self.dir)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.write("mended", "")
        retried = self.pawl("item", "retry", "1/a/scan[page index]", "--json").json
        self.assertEqual(retried["items"][0]["child"], "page index")
        self.assertIn("tester asked to run it again", self.pawl("why", "a/scan[page index]").out)
        self.assertNotIn("asked to run it again", self.pawl("why", "a/scan[page cover]").out)
        self.pawl("resume", "1")
        self.assertEqual(self.pawl("results", "--json").out.count("index"), 1)
        ran = [one for one in self.pawl("events", "--json").json["events"]
               if one["type"] == "attempt.started" and one["child"] == "page cover"]
        self.assertEqual(len(ran), 1, "its siblings keep their results")

    def test_that_did_not_fail_is_not_run_again(self):
        self.write("w.yaml", PAGES % self.dir)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        before = self.attempts("a")
        refused = self.pawl("item", "retry", "1/a/scan[page cover]", code=FAILED)
        self.assertIn("fan-out child '1/a/scan[page cover]' has not failed", refused.err)
        self.assertIn("pawl item retry 1/a/scan", refused.err)
        self.assertIn("has not failed", self.pawl("dlq", "retry", "1/a/scan[page cover]", code=FAILED).err)
        self.assertIn("did you mean '1/a/scan[page cover]'?",
                      self.pawl("item", "retry", "1/a/scan[page covr]", code=FAILED).err)
        self.pawl("resume", 1, code=None)
        self.assertEqual(self.attempts("a"), before, "nothing ran again")

    def test_is_looked_at_by_the_id_that_events_print(self):
        self.write("w.yaml", PAGES % self.dir)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        ids = {line.split("1/a/")[1].split("]")[0] + "]" for line in self.pawl("events").out.splitlines()
               if "1/a/scan[" in line}
        self.assertEqual(ids, {"scan[page cover]", "scan[page index]", "scan[page back]"})
        self.assertEqual([one["child"] for one in self.attempts("a/scan[page cover]")], ["page cover"])
        shown = self.pawl("item", "attempts", "1/a/scan[page cover]").out
        self.assertIn("scan[page cover], attempt 1\nran: sh ", shown)
        self.assertNotIn("page index", shown)
        self.assertEqual([one["child"] for one in self.pawl("why", "a/scan[page index]", "--json").json["decisions"]],
                         ["page index"])
        logs = self.pawl("item", "logs", "a/scan[page cover]", "--json").json["logs"]
        self.assertEqual({one["stage"] for one in logs}, {"scan[page cover]"})
        self.assertIn("cover", self.pawl("item", "logs", "a/scan[page cover]", "--follow").out)
        alone = self.attempts("1/a/scan[]")
        self.assertEqual([one["cause"] for one in alone], ["first", "join"], "the stage without its children")
        self.assertNotIn("ran:", self.pawl("item", "attempts", "1/a/scan[]").out, "it ran no command itself")
        missing = self.pawl("why", "a/scan[page covr]", code=FAILED).err
        self.assertIn("stage '1/a/scan' has no fan-out child 'page covr'", missing)
        self.assertIn("did you mean '1/a/scan[page cover]'?", missing)

    def test_is_compared_with_its_own_earlier_output(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [{ id: a, pages: [x, y] }]
stages:
  scan:
    each: "${item.pages}"
    env: { NAME: "${each}" }
    sh: echo '{"outcome":"needs_review","output":{"text":"'$NAME $(date +%N)'"}}' > "$PAWL_RESULT"
    out: { text: string }
    review: { when: always }
""")
        self.pawl("run", "w.yaml", code=PEOPLE)
        [first] = [one["review"] for one in self.pawl("review", "list", "--json").json["reviews"]
                   if one["child"] == "x"]
        self.pawl("review", "changes", first, "--note", "again")
        self.pawl("resume", 1, code=PEOPLE)
        diff = self.pawl("item", "diff", "a/scan[x]")
        self.assertIn("--- scan[x] attempt 1\n+++ scan[x] attempt 2\n", diff.out)
        self.assertEqual(self.pawl("item", "diff", "a/scan[x]", "--json").json["child"], "x")

    def test_whose_letter_was_discarded_says_so_in_its_own_why(self):
        self.write("w.yaml", PAGES % self.dir)
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.pawl("dlq", "discard", "a/scan[page index]", "--reason", "old", "--yes")
        for about in ["a", "a/scan", "a/scan[page index]"]:
            [discarded] = [one for one in self.pawl("why", about, "--json").json["decisions"]
                           if one["rule"] == "discarded"]
            self.assertEqual(discarded["child"], "page index", about)
        others = self.pawl("why", "a/scan[page cover]", "--json").json["decisions"]
        self.assertNotIn("discarded", [one["rule"] for one in others])


class Children(ProjectTest):
    def test_that_wait_for_different_things_are_each_named_by_why(self):
        self.write("w.yaml", HOLDING)
        self.pawl("run", "w.yaml", "--detach")
        worker = self.start("work")
        self.wait_until("a page is held", lambda: (self.dir / "started").exists())
        worker.kill()
        worker.wait()
        told = self.pawl("why", "a", "--json").json
        self.assertEqual([(one["kind"], one["child"], one.get("children_alike", 0)) for one in told["waits"]],
                         [("children", None, 0), ("review", "ask", 1), ("lost_worker", "hold", 0),
                          ("no_worker", "rest", 0)])
        self.assertRegex(told["waits_for"],
                         r"^4 of its 4 children; child ask and 1 more: a person: review 1; "
                         r"child hold: another worker to take over attempt 1: .*; child rest: a worker: none is running")
        alone = self.pawl("why", "a/scan[hold]", "--json").json["waits_for"]
        self.assertTrue(alone.startswith("another worker to take over attempt 1: "), alone)
        self.write("release", "")
        self.pawl("work", "--drain", code=PEOPLE)


if __name__ == "__main__":
    main()
