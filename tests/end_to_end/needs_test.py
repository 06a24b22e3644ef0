"""What stages need of a machine, secrets, scripts and programs: what is checked beforehand, and which
stages a worker leaves to others."""

import os

from pawl import *

WORKFLOW = """version: 1
workflow: w
items: [a, b]
stages:
  first: { sh: "true" }
  convert: { needs: [first], run: [./tools/convert.sh] }
"""
SCRIPT = "#!/bin/sh\necho converted\n"


class Needs(ProjectTest):
    def test_a_missing_script_of_the_first_stage_is_reported_before_anything_starts(self):
        self.write("w.yaml", WORKFLOW.replace("needs: [first], ", ""))
        refused = self.pawl("run", "w.yaml", code=FAILED)
        self.assertIn("stage 'convert': the script 'tools/convert.sh' does not exist here", refused.err)
        self.assertIn("put the script in place, or submit the job with --detach", refused.err)
        self.assertEqual(self.pawl("job", "list", "-q").out, "", "nothing was submitted")

    def test_a_stage_waits_for_a_worker_that_has_its_script(self):
        self.write("w.yaml", WORKFLOW)
        self.pawl("run", "w.yaml", "--detach")
        left = self.pawl("work", "--drain", code=FAILED)
        self.assertIn("stage 'convert' of workflow 'w' is left to other workers: "
                      "the script 'tools/convert.sh' does not exist here", left.err)
        self.assertEqual(len(self.attempts("a", "--stage", "first")), 1, "what it can run, it runs")
        self.assertEqual(self.attempts("a", "--stage", "convert"), [])
        self.write("tools/convert.sh", SCRIPT, 0o755)
        self.pawl("work", "--drain")
        self.assertEqual(self.job()["state"], "completed")

    def test_a_running_worker_notices_a_script_that_is_put_in_place(self):
        self.write("w.yaml", WORKFLOW)
        self.pawl("run", "w.yaml", "--detach")
        worker = self.start("work")
        self.wait_until("the first stage has run",
                        lambda: self.job()["stages"]["first"]["succeeded"] == 2)
        self.write("tools/convert.sh", SCRIPT, 0o755)
        self.wait_until("the job has ended", lambda: self.job()["state"] == "completed")
        worker.terminate()

    def test_a_script_that_an_earlier_stage_makes_is_run(self):
        self.write("w.yaml", """version: 1
workflow: w
items: [a]
stages:
  make: { sh: "printf '#!/bin/sh\\\\necho made\\\\n' > made.sh; chmod +x made.sh" }
  use: { needs: [make], run: [./made.sh] }
""")
        done = self.pawl("run", "w.yaml")
        self.assertIn("there is no file", done.err)
        self.assertEqual(self.job()["state"], "completed")

    def test_run_ends_if_only_stages_are_left_whose_scripts_are_missing(self):
        self.write("w.yaml", WORKFLOW)
        ended = self.pawl("run", "w.yaml", code=FAILED)
        self.assertIn("the script 'tools/convert.sh' does not exist here", ended.err)
        self.assertIn("continue with `pawl resume 1`", ended.err)
        self.assertEqual(self.attempts("a", "--stage", "convert"), [], "no attempt is used up")
        self.write("tools/convert.sh", SCRIPT, 0o755)
        self.pawl("resume", "1")
        self.assertEqual(self.job()["state"], "completed")

    def test_a_program_that_is_not_in_path_is_a_warning(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n  s: { run: [no-such-program] }\n")
        done = self.pawl("run", "w.yaml", code=JOB_FAILED)
        self.assertIn("warning: stage 's': the program 'no-such-program' is not in PATH here", done.err)

    def test_doctor_says_what_unfinished_jobs_lack(self):
        self.write("w.yaml", WORKFLOW + '  ask: { sh: "true", secrets: [TOKEN] }\n'
                                        "  call: { run: [no-such-program] }\n")
        self.pawl("run", "w.yaml", "--detach")
        findings = self.pawl("doctor", "--json").json["findings"]
        self.assertEqual([(one["text"], one["health"]) for one in findings if one["what"] == "job 1"], [
            ("stage 'convert': the script 'tools/convert.sh' does not exist here", "warning"),
            ("stage 'ask': the secret TOKEN is not set here", "warning"),
            ("stage 'call': the program 'no-such-program' is not in PATH here", "warning")])

    def test_a_script_behind_options_is_needed_too(self):
        self.write("w.yaml", WORKFLOW.replace("needs: [first], run: [./tools/convert.sh]",
                                              "run: [sh, -e, -u, tools/convert.sh]"))
        refused = self.pawl("run", "w.yaml", code=FAILED)
        self.assertIn("stage 'convert': the script 'tools/convert.sh' does not exist here", refused.err)
        self.write("tools/convert.sh", SCRIPT)
        self.pawl("run", "w.yaml")
        self.assertEqual(self.job()["state"], "completed")

    def test_a_script_behind_values_of_options_and_other_programs_is_needed_too(self):
        for command in ["bash, -euo, pipefail, tools/convert.sh", "python3, -W, ignore, tools/convert.sh",
                        "env, X=1, ./tools/convert.sh", 'timeout, "60", nice, -n, 5, ./tools/convert.sh']:
            with self.subTest(command=command):
                self.write("w.yaml", WORKFLOW.replace("needs: [first], run: [./tools/convert.sh]", f"run: [{command}]"))
                missing = "the script 'tools/convert.sh' does not exist here"
                self.assertIn(missing, self.pawl("run", "w.yaml", code=FAILED).err)
                self.assertEqual(self.pawl("job", "list", "-q").out, "", "nothing was submitted")
                checked = self.pawl("check", "w.yaml")
                self.assertRegex(checked.out + checked.err, r'W001.*there is no file "(\./)?tools/convert.sh" yet')

    def test_a_file_that_is_only_an_argument_is_not_needed(self):
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n"
                             "  s: { run: [echo, no/prompt.md] }\n  t: { sh: 'echo ./no/script.sh' }\n")
        self.pawl("run", "w.yaml")
        self.assertEqual(self.job()["state"], "completed")

    def test_code_behind_an_option_is_not_a_script(self):
        self.write("w.yaml", 'version: 1\nworkflow: w\nitems: [a]\nstages:\n'
                             '  s: { run: [sh, -ec, "echo ./no/script.sh"] }\n'
                             '  p: { run: [python3, -c, "print(1.5)"] }\n')
        self.pawl("run", "w.yaml")
        self.assertEqual(self.job()["state"], "completed")

    def test_why_names_the_script_that_a_worker_lacks(self):
        self.write("w.yaml", WORKFLOW)
        self.pawl("run", "w.yaml", "--detach")
        worker = self.start("work")
        reason = "the script 'tools/convert.sh' does not exist there"
        waits = self.wait_until("why names it", lambda: next(
            (told for told in [self.pawl("why", "a/convert", "--json").json]
             if reason in (told["waits_for"] or "")), None))
        self.assertEqual([one["kind"] for one in waits["waits"]], ["not_served"])
        self.assertRegex(waits["waits_for"], r"^a worker that runs stage convert: worker 1 \(pawl work on [^)]+\) "
                                             r"leaves it to others: the script")
        self.assertIn("waits for a worker that runs stage convert: ", self.pawl("why", "a").out)
        [one] = self.pawl("workers", "--json").json["workers"]
        self.assertEqual(one["limits"]["leaves"], [{"job": 1, "stage": "convert", "reason": reason}])
        self.write("tools/convert.sh", SCRIPT, 0o755)
        self.wait_until("the job has ended", lambda: self.job()["state"] == "completed")
        self.assertEqual(self.pawl("why", "a", "--json").json["waits"], [])
        self.wait_until("the worker leaves nothing to others any more", lambda: [] == self.pawl(
            "workers", "--json").json["workers"][0]["limits"]["leaves"])
        worker.terminate()

    def test_run_reports_the_one_job_that_it_works_on_and_nothing_of_others(self):
        self.write("w.yaml", 'version: 1\nworkflow: w\nitems: [a]\nstages:\n  s: { sh: "true" }\n')
        for _ in range(3):
            self.pawl("run", "w.yaml", "--detach", "--new")
        self.pawl("run", "w.yaml", "--new")
        [one] = self.pawl("workers", "--all", "--json").json["workers"]
        self.assertEqual((one["limits"]["jobs"], one["limits"]["leaves"]), ([4], []))


if __name__ == "__main__":
    main()
