"""Jobs that a limit has ended: how they go on, and what becomes of their dead letters."""

from pawl import *

WORKFLOW = """version: 1
workflow: w
items: [a, b, c, d]
job: { tolerate_failures: 1, parallel: 1 }
stages:
  s: { sh: "test -e ok || case $PAWL_ITEM in c|d) true;; *) exit 65;; esac", exit_codes: { final: [65] } }
"""


class Revival(ProjectTest):
    def setUp(self):
        super().setUp()
        self.write("w.yaml", WORKFLOW)
        self.pawl("run", "w.yaml", code=JOB_FAILED)

    def test_a_job_goes_on_with_a_higher_tolerance_and_its_letters_can_be_retried(self):
        self.assertEqual(self.job()["cancelled"], "tolerance")
        refused = self.pawl("dlq", "retry", "a", code=FAILED)
        self.assertIn("pawl job revive 1", refused.err)
        refused = self.pawl("job", "revive", "1", code=FAILED)
        self.assertIn("tolerates fewer failed items than the 2 that it has", refused.err)
        self.assertIn("pawl job revive 1 --tolerate 2", refused.err)
        revived = self.pawl("job", "revive", "1", "--tolerate", "2")
        self.assertIn("pawl resume 1", revived.err)
        self.write("ok", "")
        self.pawl("dlq", "retry", "--job", "1", "--yes")
        self.pawl("resume", "1")
        job = self.job()
        self.assertEqual(job["state"], "completed")
        self.assertEqual(job["tasks"], {"total": 4, "succeeded": 4, "failed": 0})
        self.assert_verified()

    def test_a_job_with_nothing_left_to_do_is_not_said_to_go_on(self):
        self.write("w.yaml", WORKFLOW.replace("[a, b, c, d]", "[a, b]"))
        self.pawl("run", "w.yaml", "--new", code=JOB_FAILED)
        revived = self.pawl("job", "revive", "2", "--tolerate", "2", code=None)
        self.assertNotIn("goes on", revived.err)
        self.assertIn("pawl dlq retry --job 2", revived.err)
        events = [one["type"] for one in self.pawl("events", "--job", "2", "--json").json["events"]]
        self.assertEqual(events[-2:], ["job.resumed", "job.finished"])

    def test_a_paused_job_is_refused_with_the_command_that_ends_its_pause(self):
        self.pawl("run", "w.yaml", "--detach", "--new")
        self.pawl("job", "pause", "2")
        refused = self.pawl("job", "revive", "2", code=FAILED)
        self.assertIn("job 2 is paused, and has not ended", refused.err)
        self.assertIn("pawl job resume 2", refused.err)

    def test_refusals_of_many_letters_are_one_line_each_and_name_the_letter(self):
        refused = self.pawl("dlq", "retry", "a", "b", code=FAILED).err.splitlines()
        self.assertEqual(refused[:3], ["refused: 1/a/s: job 1 was ended by a limit",
                                       "refused: 1/b/s: job 1 was ended by a limit",
                                       "help: let it go on first: pawl job revive 1"])

    def test_a_percentage_and_nonsense(self):
        for text in ("many", "-1", "101%", "1.5", ""):
            with self.subTest(text=text):
                refused = self.pawl("job", "revive", "1", "--tolerate", text, code=None)
                self.assertNotEqual(refused.code, DONE)
        self.assertIn("not a valid tolerance: 'many'",
                      self.pawl("job", "revive", "1", "--tolerate", "many", code=None).err)
        self.pawl("job", "revive", "1", "--tolerate", "60%")
        self.assertEqual(self.job()["tolerate_failures"]["percent"], 60)

    def test_letters_whose_item_later_succeeded_are_marked(self):
        self.write("ok", "")
        self.assertEqual({letter["superseded_by"] for letter in
                          self.pawl("dlq", "list", "--json").json["items"]}, {None})
        self.pawl("run", "w.yaml")
        letters = self.pawl("dlq", "list", "--json").json["items"]
        self.assertEqual([(one["item"], one["superseded_by"]) for one in letters], [("a", 2), ("b", 2)])
        self.assertIn("superseded by 2", self.pawl("dlq", "list").out)
        self.assertIn("superseded by job 2", self.pawl("dlq", "show", "1/a").out)

    def test_a_cancelled_job_is_neither_resumed_nor_revived(self):
        self.pawl("run", "w.yaml", "--detach", "--new")
        self.pawl("job", "cancel", "2", "--yes")
        self.assertIn("job 2 was cancelled", self.pawl("job", "resume", "2", code=FAILED).err)
        self.assertIn("cancelled by a person", self.pawl("job", "revive", "2", code=FAILED).err)


if __name__ == "__main__":
    main()
