"""The subprocess protocol from outside: what a command is given, and what becomes of its end
(docs/reference/subprocess.md)."""

import json
import os
import shutil
import signal
import subprocess

from protocol import *


class HowItEnds(ProtocolTest):
    def test_exit_0_and_a_result_is_ok(self):
        [attempt] = self.run_stage(result({"output": {"n": 7}, "summary": "seven"}), OUT, DONE)
        self.assertEqual((attempt["result"], attempt["output"], attempt["summary"]),
                         ("success", {"n": 7}, "seven"))

    def test_exit_0_without_a_result_is_final_where_one_is_required(self):
        [attempt] = self.run_stage("exit 0", OUT + TWICE, JOB_FAILED)
        self.assert_error(attempt, "final", "protocol", "no result was written")

    def test_a_result_that_was_not_renamed_is_final_and_the_message_says_so(self):
        [attempt] = self.run_stage('echo "{}" > "$PAWL_RESULT.tmp"', OUT + TWICE, JOB_FAILED)
        self.assert_error(attempt, "final", "protocol", "rename it to $PAWL_RESULT")

    def test_a_result_that_is_not_what_the_protocol_wants_is_final(self):
        for text in ("not json", "", "[]", '{"outcome": "fine"}', '{"output": 5}', '{"otput": {}}',
                     '{"output": {"n": 1}} trailing', '{"output": {"n": 1}, "error": {}}',
                     '{"error": {"class": "unheard-of"}}'):
            with self.subTest(result=text):
                self.write("said", text)
                [attempt] = self.run_stage('cp said "$PAWL_RESULT"', OUT + TWICE, JOB_FAILED)
                self.assert_error(attempt, "final", "protocol", "the result does not follow the protocol")

    def test_an_output_that_does_not_fit_its_types_is_final(self):
        for output, said in (({"n": "7"}, 'n: expected integer, got "7"'), ({}, "got missing"),
                             ({"n": 7.5}, "got 7.5"), ({"n": 7, "m": 1}, "m: ")):
            with self.subTest(output=output):
                [attempt] = self.run_stage(result({"output": output}), OUT + TWICE, JOB_FAILED)
                self.assert_error(attempt, "final", "protocol", said)

    def test_with_refine_a_type_error_is_given_back_as_feedback(self):
        first, second = self.run_stage(
            "jq -c .feedback > feedback-$PAWL_ATTEMPT.json\n"
            'if [ $PAWL_ATTEMPT = 1 ]; then n=\'"x"\'; else n=7; fi\n'
            'echo "{\\"output\\":{\\"n\\":$n}}" > "$PAWL_RESULT"',
            OUT + "refine: { attempts: 2, exhausted: fail }\n"
            "gates: [ { name: positive, expect: { n: { at_least: 1 } } } ]", DONE)
        self.assertEqual((first["verdict"], second["verdict"]), ("rejected", "accepted"))
        self.assertIsNone(json.loads(self.read("feedback-1.json")))
        feedback = json.loads(self.read("feedback-2.json"))
        self.assertEqual(feedback["from"], "gate")
        self.assertIn({"name": "n", "expected": "integer", "actual": '"x"', "passed": False},
                      feedback["criteria"])

    def test_a_result_with_an_error_is_what_its_class_says(self):
        for error_class, tries in (("final", 1), ("retryable", 2), ("rate_limited", 2)):
            for code in (0, 3):
                with self.subTest(error_class=error_class, code=code):
                    error = {"class": error_class, "code": "c1", "message": "no luck",
                             "details": {"page": 4}}
                    attempts = self.run_stage(result({"error": error}) + f"exit {code}",
                                              OUT + TWICE, JOB_FAILED)
                    self.assertEqual(len(attempts), tries)
                    self.assert_error(attempts[0], error_class, "reported", "no luck")
                    self.assertEqual(attempts[0]["error"]["code"], "c1")
                    self.assertEqual(attempts[0]["error"]["details"], {"page": 4})

    def test_a_result_with_the_error_blocked_asks_a_person(self):
        [attempt] = self.run_stage(
            result({"error": {"class": "blocked", "message": "which of the two?"}}), OUT, PEOPLE)
        self.assertEqual(attempt["result"], "blocked")
        self.assertEqual(len(self.pawl("review", "list", "-q").out.split()), 1)

    def test_a_result_of_success_and_another_exit_code_is_a_crash_and_tried_again(self):
        for code in (1, 65):
            with self.subTest(code=code):
                attempts = self.run_stage(result({"output": {"n": 7}}) + f"exit {code}",
                                          OUT + TWICE, JOB_FAILED)
                self.assertEqual(len(attempts), 2)
                self.assert_error(attempts[0], "retryable", "exit", "wrote success, then crashed")

    def test_exit_75_is_tried_again(self):
        attempts = self.run_stage("echo busy >&2; exit 75", TWICE, JOB_FAILED)
        self.assertEqual([one["cause"] for one in attempts], ["first", "error_retry"])
        self.assert_error(attempts[0], "retryable", "exit", "busy")
        self.assertEqual(attempts[0]["error"]["code"], "75")

    def test_exit_79_without_a_hint_counts_as_a_failure(self):
        attempts = self.run_stage("exit 79", TWICE, JOB_FAILED)
        self.assertEqual(len(attempts), 2)
        self.assert_error(attempts[0], "rate_limited", "exit")

    def test_exit_79_with_a_hint_waits_that_long_and_costs_nothing(self):
        limited = result({"error": {"class": "rate_limited", "retry_after_s": 0.05}})
        attempts = self.run_stage(
            f"if [ $PAWL_ATTEMPT -lt 4 ]; then\n{limited}exit 79\nfi", code=DONE)
        self.assertEqual([one["cause"] for one in attempts],
                         ["first", "rate_limited", "rate_limited", "rate_limited"])
        self.assertGreaterEqual(attempts[1]["opened_at"], attempts[0]["ended_at"])

    def test_the_exit_codes_of_a_wrong_call_are_final(self):
        for code in (64, 65, 66, 77, 78, 126, 127):
            with self.subTest(code=code):
                [attempt] = self.run_stage(f"exit {code}", TWICE, JOB_FAILED)
                self.assert_error(attempt, "final", "exit", f"exit {code}")

    def test_a_command_that_cannot_be_started_is_final_and_the_message_says_why(self):
        self.write("plain.txt", "no program\n", 0o644)
        self.write("lost.sh", "#!/no/such/interpreter\n", 0o755)
        for argv, more, code, said in (
                ("[no-such-program]", "", "R201", "command not found: no-such-program"),
                ("[./lost.sh]", "", "R201", "interpreter"),
                ("[./plain.txt]", "", "R202", "plain.txt is not executable; try chmod +x"),
                ("[./.]", "", "R202", "is a directory"),
                ('["true"]', "    dir: nowhere\n", "R203", "nowhere")):
            with self.subTest(argv=argv):
                self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n  s:\n"
                           f"    run: {argv}\n{more}    {TWICE}")
                self.pawl("run", "w.yaml", code=JOB_FAILED)
                [attempt] = self.attempts("a")
                self.assert_error(attempt, "final", "exit", said)
                self.assertEqual(attempt["error"]["code"], code)

    def test_a_signal_is_worth_another_try(self):
        attempts = self.run_stage("kill -KILL $$", TWICE, JOB_FAILED)
        self.assertEqual(len(attempts), 2)
        self.assert_error(attempts[0], "retryable", "signal", "SIGKILL")
        self.assertEqual(attempts[0]["error"]["code"], "SIGKILL")

    def test_a_killed_worker_costs_no_attempt_and_leaves_no_process(self):
        mark = f"86399.{os.getpid()}"
        self.write("w.yaml", stage_of(
            f"if [ $PAWL_ATTEMPT = 1 ]; then\n  setsid sleep {mark} &\n"
            f"  touch started; sleep {mark}\nfi"))
        run = self.start("run", "w.yaml")
        self.wait_until("both run", lambda: (self.dir / "started").exists() and
                        len(processes_with(mark)) >= 2)
        run.kill()
        run.wait()
        self.assertNotEqual(processes_with(mark), [], "they outlive a worker that was killed")
        answer = self.pawl("resume")
        self.assertIn("left behind by a killed worker were ended", answer.err)
        self.assertEqual(processes_with(mark), [])
        self.assertEqual([(one["result"], one["cause"]) for one in self.attempts("a")],
                         [("interrupted", "first"), ("success", "interrupted")])
        self.assertEqual(list((self.dir / ".pawl/run").iterdir()), [])

    def test_a_stopped_worker_costs_no_attempt(self):
        self.write("w.yaml", stage_of(
            "if [ $PAWL_ATTEMPT = 1 ]; then\n  trap 'touch told; exit 1' TERM\n"
            "  touch started\n  while :; do sleep 0.02; done\nfi"))
        run = self.start("run", "w.yaml")
        self.wait_until("it runs", lambda: (self.dir / "started").exists())
        # The first asks to finish what runs, the second to stop it.
        run.send_signal(signal.SIGINT)
        self.wait_until("it is told", lambda: (self.dir / "told").exists() or
                        run.send_signal(signal.SIGINT))
        self.finish(run, code=INTERRUPTED)
        self.pawl("resume")
        self.assertEqual([one["result"] for one in self.attempts("a")], ["interrupted", "success"])

    def test_a_deadline_is_worth_another_try_whatever_was_written_in_the_grace(self):
        ok = result({"output": {"n": 7}}).replace("'", "'\\''").strip()
        attempts = self.run_stage(f"trap '{ok}; touch told; exit 0' TERM\n"
                                  "while :; do sleep 0.02; done",
                                  OUT + TWICE + "timeout: 200ms\n", JOB_FAILED)
        self.assertTrue((self.dir / "told").exists(), "SIGTERM comes before SIGKILL")
        self.assertEqual([one["result"] for one in attempts], ["timed_out", "timed_out"])
        self.assert_error(attempts[0], "retryable", "timeout")

    def test_any_other_code_is_tried_again_only_if_retry_says_so(self):
        self.assertEqual(len(self.run_stage("exit 1", TWICE, JOB_FAILED)), 2)
        [attempt] = self.run_stage("exit 1", "", JOB_FAILED)
        self.assert_error(attempt, "retryable", "exit", "exit 1")

    def test_no_exit_code_skips_but_a_result_does(self):
        [attempt] = self.run_stage("exit 99", "", JOB_FAILED)
        self.assertEqual(attempt["result"], "failure")
        [attempt] = self.run_stage(result({"outcome": "skipped", "summary": "empty"}), OUT, DONE)
        self.assertEqual((attempt["result"], attempt["summary"]), ("skipped", "empty"))
        self.assertEqual(self.task("a", "s")["state"], "skipped")

    def test_a_result_may_ask_for_a_review(self):
        [attempt] = self.run_stage(
            result({"outcome": "needs_review", "output": {"n": 7}, "summary": "odd"}), OUT, PEOPLE)
        self.assertEqual((attempt["result"], attempt["output"]), ("needs_review", {"n": 7}))
        [review] = self.pawl("review", "list", "-q").out.split()
        self.pawl("review", "approve", review)
        self.pawl("resume")
        self.assertEqual(self.output(), {"n": 7})


class ExitCodes(ProtocolTest):
    def test_a_stage_may_give_codes_another_meaning(self):
        codes = "exit_codes: { retryable: [65, 127], final: [75, 1, 137] }\n"
        for script, error_class in (("exit 65", "retryable"), ("exit 127", "retryable"),
                                    ("exit 75", "final"), ("exit 1", "final"),
                                    ("kill -KILL $$", "final"), ("kill -TERM $$", "retryable")):
            with self.subTest(script=script):
                attempts = self.run_stage(script, codes + TWICE, JOB_FAILED)
                self.assertEqual(attempts[0]["error"]["class"], error_class)
                self.assertEqual(len(attempts), 2 if error_class == "retryable" else 1)

    def test_what_a_result_says_of_its_error_stands_above_them(self):
        [attempt] = self.run_stage(result({"error": {"class": "final"}}) + "exit 65",
                                   "exit_codes: { retryable: [65] }\n" + OUT + TWICE, JOB_FAILED)
        self.assert_error(attempt, "final", "reported")


class Injection(ProtocolTest):
    VALUES = [
        "$(touch pwned)", "`touch pwned`", "'; touch pwned; '", '"; touch pwned; "',
        "| touch pwned", "two\nlines\n", "\n", "-rf", "--help", "-", "$HOME", "${HOME}", "*", "~",
        "", " ", "\\", "%s%n", "it's \"both\"", "tab\there", "\x1b[31mred", "naïve 日本",
        "../../etc/passwd", "#", "a=b", "x" * 100_000,
    ]

    def test_a_value_stays_one_argument_one_variable_and_one_string(self):
        show = self.python("show.py", """
import json, os, sys
given = json.load(sys.stdin)
with open(os.environ["PAWL_RESULT"], "w") as file:
    json.dump({"output": {"seen": [sys.argv[1:], os.environ["V"], given["in"]["v"],
                                   given["item"]["v"]]}}, file)
""")
        self.write("w.yaml", f"""version: 1
workflow: w
items: {{ file: items.jsonl, id: "${{item.n}}" }}
stages:
  s:
    run: [{show}, "${{item.v}}", "--v=${{item.v}}", last]
    env: {{ V: "${{item.v}}" }}
    in: {{ v: "${{item.v}}" }}
    out: {{ seen: json }}
  script:
    needs: [s]
    sh: printf '%s' "$V" > "script-$PAWL_ITEM"
    env: {{ V: "${{item.v}}" }}
""")
        self.write("items.jsonl", "".join(
            json.dumps({"n": f"n{n}", "v": value}) + "\n" for n, value in enumerate(self.VALUES)))
        self.pawl("run", "w.yaml")
        outputs = {line["item"]: line["outputs"]["s"]["seen"]
                   for line in self.pawl("results", "--jsonl").lines}
        for n, value in enumerate(self.VALUES):
            with self.subTest(value=value[:40]):
                self.assertEqual(outputs[f"n{n}"],
                                 [[value, f"--v={value}", "last"], value, value, value])
                self.assertEqual((self.dir / f"script-n{n}").read_bytes(), value.encode())
        self.assertFalse((self.dir / "pwned").exists())

    def test_a_value_is_never_read_as_a_reference(self):
        self.write("w.yaml", """version: 1
workflow: w
params: { secretive: { type: string, default: hidden } }
items: { file: items.jsonl, id: "${item.id}" }
stages:
  s:
    run: [printf, "%s", "${item.v}"]
""")
        self.write("items.jsonl", json.dumps({"id": "a", "v": "${params.secretive}"}))
        self.pawl("run", "w.yaml")
        self.assertEqual(self.output(), {"text": "${params.secretive}"})

    def test_what_no_program_can_be_given_is_refused_before_it_starts(self):
        for value, code in (("zero\0byte", "R206"), ("x" * 200_000, "R204"), (None, "R206"),
                            ([1], "R206")):
            with self.subTest(value=str(value)[:20]):
                self.write("w.yaml", 'version: 1\nworkflow: w\nitems: { file: items.jsonl }\n'
                           'stages:\n  s:\n    run: [touch, ran, "${item.v}"]\n    ' + TWICE)
                self.write("items.jsonl", json.dumps({"id": "a", "v": value}))
                self.pawl("run", "w.yaml", code=JOB_FAILED)
                [letter] = self.pawl("dlq", "list", "--json").json["items"][:1]
                self.assertEqual(letter["error_class"], "final", letter)
                self.assertIn("with `in`" if value is not None else "null",
                              letter["failure_history"][0]["message"])
                self.assertFalse((self.dir / "ran").exists())
                shutil.rmtree(self.dir / ".pawl")

    def test_hostile_file_names_stay_one_argument(self):
        names = ["it's $(touch pwned).txt", "`touch pwned`.txt", "-rf.txt", "--help.txt",
                 "two\nlines.txt", '"quoted".txt', " blank around .txt", "[x].txt", "*.txt",
                 "\\.txt", "semi;touch pwned;.txt", "naïve 日本.txt",
                 "${item.path}.txt", "a&b|c.txt"]
        for name in names:
            self.write("in/" + name, "content of " + name)
        self.write("w.yaml", """version: 1
workflow: w
items: { glob: "in/*.txt", id: "${item.path}" }
stages:
  s:
    run: [sh, -c, 'cat -- "$1" && printf %s "|$PAWL_ITEM|$#"', sh, "${item.path}"]
    out: { text: string }
    capture: text
""")
        self.pawl("run", "w.yaml")
        outputs = {line["item"]: line["outputs"]["s"]["text"]
                   for line in self.pawl("results", "--jsonl").lines}
        self.assertEqual(outputs, {f"in/{name}": f"content of {name}|in/{name}|1"
                                   for name in names})
        self.assertFalse((self.dir / "pwned").exists())


class Surroundings(ProtocolTest):
    OURS = {"PAWL_RESULT", "PAWL_DIR", "PAWL_EVENTS", "PAWL_STAGE", "PAWL_ITEM", "PAWL_ATTEMPT",
            "PAWL_KEY", "PAWL_DEADLINE", "PAWL_RUN"}
    SHOW = ("version: 1\nworkflow: w\nitems: [a]\nstages:\n  s:\n"
            "    run: [/usr/bin/env]\n    env: { MINE: \"x ${item}\" }\n")

    def variables(self):
        return dict(line.split("=", 1) for line in self.output()["text"].splitlines())

    def test_the_environment_is_clean(self):
        self.write("w.yaml", self.SHOW)
        self.pawl("run", "w.yaml", env={"TZ": "UTC", "TMPDIR": "/tmp", "HOME": "/somewhere",
                                        "OTHER": "must not be seen", "LC_ALL": "C.UTF-8"})
        seen = self.variables()
        self.assertEqual(set(seen), self.OURS | {"MINE", "PATH", "HOME", "LANG", "TZ", "TMPDIR"})
        self.assertEqual((seen["MINE"], seen["HOME"], seen["PATH"]),
                         ("x a", "/somewhere", os.environ["PATH"]))
        self.assertEqual((seen["PAWL_STAGE"], seen["PAWL_ITEM"], seen["PAWL_ATTEMPT"],
                          seen["PAWL_KEY"]), ("s", "a", "1", "1/a/s/1.1"))
        self.assertRegex(seen["PAWL_DEADLINE"], r"^\d{4}-\d\d-\d\dT[\d:.]+Z$")

    def test_what_pawl_itself_has_not_a_command_has_not_but_a_path(self):
        self.write("w.yaml", self.SHOW)
        subprocess.run([PROGRAM, "run", "w.yaml"], cwd=self.dir, env={"PAWL_USER": "tester"},
                       check=True, capture_output=True, timeout=PATIENCE)
        seen = self.variables()
        self.assertEqual(set(seen), self.OURS | {"MINE", "PATH"})
        self.assertEqual(seen["PATH"], "/usr/local/bin:/usr/bin:/bin")

    def test_it_has_the_three_streams_a_group_of_its_own_and_the_usual_signals(self):
        show = self.python("show.py", """
import json, os, signal, sys
names = os.listdir("/proc/self/fd")  # one of them is of the listing itself
streams = sorted(int(name) for name in names if os.path.exists("/proc/self/fd/" + name))
blocked = [line for line in open("/proc/self/status") if line.startswith("SigBlk")][0].split()[1]
print(json.dumps({"seen": [streams, os.getpgid(0) == os.getpid(), int(blocked, 16),
                           json.load(sys.stdin)["protocol"], sys.stdin.read()]}))
""")
        self.write("w.yaml", "version: 1\nworkflow: w\nitems: [a]\nstages:\n  s:\n"
                   f"    run: [{show}]\n"
                   "    out: { seen: json }\n    capture: json\n")
        self.pawl("run", "w.yaml")
        self.assertEqual(self.output()["seen"], [[0, 1, 2], True, 0, 1, ""])

    def test_the_working_directory_is_the_project_or_dir(self):
        self.write("below/keep", "")
        self.run_stage("pwd -P", code=DONE)
        self.assertEqual(self.output()["text"].strip(), str(self.dir.resolve()))
        self.run_stage("pwd -P", "dir: below", DONE)
        self.assertEqual(self.output()["text"].strip(), str(self.dir.resolve() / "below"))

    def test_each_attempt_has_an_empty_scratch_directory_that_is_gone_afterwards(self):
        self.run_stage('ls -A "$PAWL_DIR" > left; test ! -e "$PAWL_RESULT" || exit 65\n'
                       'touch "$PAWL_DIR/mine"; echo "$PAWL_DIR" >> places\n'
                       'stat -c %a "$(dirname "$PAWL_DIR")" > rights; exit 1', TWICE, JOB_FAILED)
        self.assertEqual(self.read("left"), "")
        self.assertEqual(self.read("rights").strip(), "700")
        places = self.read("places").split()
        self.assertEqual(len(set(places)), 2)
        for place in places:
            self.assertFalse(os.path.exists(place))
        self.assertEqual(list((self.dir / ".pawl/run").iterdir()), [])

    def test_what_is_left_in_the_group_ends_with_the_command(self):
        mark = f"86398.{os.getpid()}"
        self.run_stage(f"sleep {mark} & echo done", code=DONE)
        self.assertEqual(processes_with(mark), [])
        self.assertEqual(self.output()["text"].strip(), "done")

    def test_the_envelope_of_a_second_attempt_tells_of_the_first(self):
        self.run_stage('cat > "envelope-$PAWL_ATTEMPT"\nif [ $PAWL_ATTEMPT = 1 ]; then\n'
                       "  echo jammed >&2; exit 75\nfi", TWICE, DONE,
                       head="items: [ { id: a, colour: red } ]\n"
                       "params: { size: { type: integer, default: 3 } }")
        first, second = (json.loads(self.read(f"envelope-{n}")) for n in (1, 2))
        self.assertEqual(first["item"], {"id": "a", "colour": "red"})
        self.assertEqual((first["protocol"], first["job"], first["workflow"], first["stage"],
                          first["params"], first["feedback"], first["previous"]),
                         (1, 1, "w", "s", {"size": 3}, None, []))
        self.assertEqual((second["attempt"]["number"], second["attempt"]["cause"]),
                         (2, "error_retry"))
        self.assertEqual(second["attempt"]["idempotency_key"],
                         first["attempt"]["idempotency_key"])
        self.assertEqual(second["feedback"]["from"], "error")
        self.assertIn("jammed", second["feedback"]["summary"])
        self.assertEqual([one["number"] for one in second["previous"]], [1])


if __name__ == "__main__":
    main()
