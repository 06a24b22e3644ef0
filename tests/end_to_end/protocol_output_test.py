"""The subprocess protocol from outside: what is read, kept, masked and judged of what a command
wrote (docs/reference/subprocess.md)."""

import hashlib
import json
import os
import pathlib

from protocol import *


class FileOutputs(ProtocolTest):
    def test_a_file_is_kept_by_its_content_and_passed_on_under_its_name(self):
        self.write("w.yaml", """version: 1
workflow: w
items: [a, b]
stages:
  s:
    sh: |
      printf 'the same' > "$PAWL_DIR/report $PAWL_ITEM.md"
      jq -n --arg f "report $PAWL_ITEM.md" '{output: {report: $f}}' > "$PAWL_RESULT"
    out: { report: file }
  t:
    needs: [s]
    run: [sh, -c, 'jq -r .in.report; echo "$1"; cat "$1"', sh, "${stages.s.out.report}"]
    in: { report: "${stages.s.out.report}" }
""")
        self.pawl("run", "w.yaml")
        digest = hashlib.sha256(b"the same").hexdigest()
        kept = set()
        for item in "ab":
            report = self.output("s", item)["report"]
            self.assertEqual((report["$file"], report["name"], report["size"]),
                             (f"sha256:{digest}", f"report {item}.md", 8))
            kept.add(report["path"])
            on_stdin, as_argument, content = self.output("t", item)["text"].split("\n")[:3]
            self.assertEqual(on_stdin, as_argument)
            self.assertEqual(os.path.basename(as_argument), f"report {item}.md")
            self.assertEqual(content, "the same")
        [path] = kept
        self.assertEqual(pathlib.Path(path).read_text(), "the same")
        self.assertFalse(os.stat(path).st_mode & 0o222, "nobody writes to what is kept")

    def test_which_files_may_be_named(self):
        self.write("outside.md", "outside")
        (self.dir / "folder").mkdir()
        cases = (("outside.md", "cannot open outside.md"),
                 ("../dir/../../../../../outside.md", "leads out"), ("link.md", "leads out"),
                 ("", "the path is empty or contains a zero byte"), ("sub", "not a regular file"),
                 ("missing.md", "cannot open missing.md"),
                 (str(self.dir / "folder"), "not a regular"))
        for path, said in cases:
            with self.subTest(path=path):
                [attempt] = self.run_stage(
                    f'mkdir "$PAWL_DIR/sub"; ln -s "$PWD/outside.md" "$PAWL_DIR/link.md"\n'
                    + result({"output": {"f": path}}), "out: { f: file }", JOB_FAILED)
                self.assert_error(attempt, "final", "protocol", said)
        for path in (str(self.dir / "outside.md"), "sub/x.md"):
            with self.subTest(path=path):
                self.run_stage('mkdir "$PAWL_DIR/sub"; printf outside > "$PAWL_DIR/sub/x.md"\n'
                               + result({"output": {"f": path}}), "out: { f: file }", DONE)
                kept = self.output()["f"]
                self.assertEqual(kept["name"], os.path.basename(path))
                self.assertEqual(pathlib.Path(kept["path"]).read_text(), "outside")

    def test_artifacts_are_kept_beside_the_output(self):
        [attempt] = self.run_stage(
            'printf pixels > "$PAWL_DIR/p.png"\n'
            + result({"artifacts": [{"path": "p.png", "name": "page 1", "type": "image/png"}]}),
            code=DONE)
        [record] = [one for one in attempt["artifacts"] if one["kind"] == "file"]
        self.assertEqual((record["name"], record["size"], record["sha256"], record["summary"]),
                         ("page 1", 6, hashlib.sha256(b"pixels").hexdigest(),
                          {"type": "image/png"}))


class Secrets(ProtocolTest):
    VALUE = "hunter2-hunter2"

    def store_holds(self, text):
        return [path for path in (self.dir / ".pawl").rglob("*")
                if path.is_file() and text.encode() in path.read_bytes()]

    def test_a_secret_is_masked_wherever_it_is_told(self):
        self.run_stage(
            'echo "out $TOKEN $TOKEN"; echo "err $TOKEN" >&2\n'
            'printf %s "${TOKEN%r2}"; sleep 0.1; printf "%s\\n" r2\n'
            'printf \'{"error":{"class":"final","message":"bad %s","details":{"t":"%s"}}}\' '
            '"$TOKEN" "$TOKEN" > "$PAWL_RESULT"; exit 1',
            "secrets: [TOKEN]", JOB_FAILED, env={"TOKEN": self.VALUE})
        [attempt] = self.attempts("a")
        self.assertEqual(attempt["error"]["message"], "bad ***")
        self.assertEqual(attempt["error"]["details"], {"t": "***"})
        logs = self.pawl("item", "logs", "a").out
        self.assertIn("out *** ***\n***\n", logs)
        self.assertIn("err ***", logs)
        self.assertEqual(self.store_holds(self.VALUE), [])

    def test_a_secret_in_undeclared_text_and_in_a_summary_is_masked(self):
        self.run_stage('echo "token $TOKEN"', "secrets: [TOKEN]", DONE, env={"TOKEN": self.VALUE})
        self.assertEqual(self.output()["text"].strip(), "token ***")
        [attempt] = self.run_stage(
            'echo "{\\"summary\\":\\"used $TOKEN\\"}" > "$PAWL_RESULT"', "secrets: [TOKEN]", DONE,
            env={"TOKEN": self.VALUE})
        self.assertEqual(attempt["summary"], "used ***")
        self.assertEqual(self.store_holds(self.VALUE), [])

    def test_a_secret_is_given_only_to_the_stage_that_names_it(self):
        self.write("w.yaml", """version: 1
workflow: w
items: [a]
stages:
  with:
    sh: test -n "$TOKEN"
    secrets: [TOKEN]
  without:
    sh: test -z "${TOKEN+set}"
    env: { NOTHING: x }
""")
        self.pawl("run", "w.yaml", env={"TOKEN": self.VALUE})

    def test_a_missing_secret_is_told_before_anything_starts(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [a]
stages:
  first: { sh: touch ran }
  ask: { needs: [first], sh: touch asked, secrets: [TOKEN, OTHER] }
""")
        refused = self.pawl("run", "w.yaml", code=FAILED)
        self.assertIn("stage 'ask': the secret TOKEN is not set here", refused.err)
        self.assertIn("the secret OTHER", refused.err)
        self.assertFalse((self.dir / "ran").exists())
        self.assertEqual(self.pawl("job", "list", "-q").out, "", "nothing was submitted")

    def test_a_stage_waits_for_a_worker_that_has_its_secrets(self):
        self.write("w.yaml", """
version: 1
workflow: w
items: [a]
stages:
  first: { sh: touch ran }
  ask: { needs: [first], sh: touch asked, secrets: [TOKEN] }
""")
        self.pawl("run", "w.yaml", "--detach")
        left = self.pawl("work", "--drain", code=FAILED)
        self.assertIn("stage 'ask' of workflow 'w' is left to other workers", left.err)
        self.assertTrue((self.dir / "ran").exists(), "what it can run, it runs")
        self.assertEqual(self.attempts("a", "--stage", "ask"), [])
        self.pawl("resume", "1", code=FAILED)
        self.pawl("work", "--drain", env={"TOKEN": self.VALUE})
        self.assertEqual(self.job()["state"], "completed")


class StandardOutput(ProtocolTest):
    MIB = 1 << 20

    def test_logs_are_capped_and_say_how_much_was_left_out(self):
        [attempt] = self.run_stage(
            "echo first; yes abcdefg | head -c 3145728; echo last\n"
            "yes 1234567 | head -c 3145728 >&2", code=DONE)
        sizes = {one["kind"]: one["size"] for one in attempt["artifacts"]}
        self.assertEqual(sizes, {"stdout": 3 * self.MIB + 11, "stderr": 3 * self.MIB})
        text = self.output()["text"]
        self.assertLess(len(text), self.MIB + 100)
        self.assertTrue(text.startswith("first\n") and text.strip().endswith("last"))
        self.assertRegex(text, r"\n… 2,0\d\d,\d\d\d bytes left out …\n")

    def test_declared_text_is_whole(self):
        self.run_stage("yes abcdefg | head -c 3145728",
                       "out: { text: string }\ncapture: text", DONE)
        self.assertGreaterEqual(len(self.output()["text"]), 3 * self.MIB - 1)

    def test_a_captured_output_has_an_end(self):
        for more in ("out: { text: string }\ncapture: text", "out: { n: json }\ncapture: json"):
            with self.subTest(more=more):
                [attempt] = self.run_stage("head -c 17825792 /dev/zero", more, JOB_FAILED)
                self.assert_error(attempt, "final", "protocol", "longer than 16 MiB")

    def test_a_result_has_an_end(self):
        [attempt] = self.run_stage('yes | head -c 17825792 > "$PAWL_RESULT"', OUT, JOB_FAILED)
        self.assert_error(attempt, "final", "protocol", "longer than 16,777,216 bytes")

    def test_capture_json_is_exactly_one_value(self):
        more = OUT + "capture: json"
        self.run_stage("echo reading >&2; echo '{\"n\": 7}'", more, DONE)
        self.assertEqual(self.output(), {"n": 7})
        for script in ("echo '{\"n\": 7} {}'", "echo 'note'; echo '{\"n\": 7}'", "true",
                       "echo '[7]'",
                       "echo '{\"n\": \"7\"}'", "echo '{\"n\": 7, \"n\": 8}'"):
            with self.subTest(script=script):
                [attempt] = self.run_stage(script, more + "\n" + TWICE, JOB_FAILED)
                self.assert_error(attempt, "final", "protocol")

    def test_a_result_stands_above_what_is_captured(self):
        self.run_stage("echo '{\"n\": 1}'\n" + result({"output": {"n": 2}}),
                       OUT + "capture: json", DONE)
        self.assertEqual(self.output(), {"n": 2})


class Events(ProtocolTest):
    def test_usage_is_added_up_and_bad_lines_are_noted(self):
        [attempt] = self.run_stage(
            """echo '{"progress": 0.4, "message": "page 12 of 30"}' >> "$PAWL_EVENTS"
echo '{"usage": {"cost_usd": 0.25, "input_tokens": 100}}' >> "$PAWL_EVENTS"
echo '{"usage": {"cost_usd": 0.5, "output_tokens": 20}}' >> "$PAWL_EVENTS"
echo 'half a li' >> "$PAWL_EVENTS"
exit 1""", code=JOB_FAILED)
        self.assertEqual(attempt["usage"], {"cost_usd": 0.75, "tokens": 120})
        [note] = [one for one in attempt["artifacts"] if "PAWL_EVENTS" in one["name"]]
        self.assertEqual(note["summary"]["lines"], 1)
        self.assertIn("line 4", note["summary"]["first"])

    def test_usage_in_the_result_replaces_the_sum(self):
        [attempt] = self.run_stage(
            """echo '{"usage": {"cost_usd": 0.25}}' >> "$PAWL_EVENTS"\n"""
            + result({"usage": {"cost_usd": 1.5, "model": "m"}}), code=DONE)
        self.assertEqual(attempt["usage"]["cost_usd"], 1.5)


class Gates(ProtocolTest):
    def judged(self, script, more="", code=None):
        self.write("gate.sh", script)
        return self.run_stage(
            "printf page > \"$PAWL_DIR/p.md\"\n" + result({"output": {"f": "p.md"}}),
            "out: { f: file }\ngates:\n  - name: g\n    run: [sh, gate.sh]\n" + more, code)

    def test_a_gate_reads_the_output_and_answers_by_its_result_or_on_stdout(self):
        for way in (' > "$PAWL_RESULT"; echo chatter', ""):
            with self.subTest(way=way):
                [attempt] = self.judged(
                    "f=$(jq -r .out.f); test \"$(cat \"$f\")\" = page || exit 1\n"
                    'test "$(basename "$f")" = p.md || exit 1\n'
                    'test -z "$(ls -A "$PAWL_DIR")" || exit 1\n'
                    "echo '{\"verdict\": \"accepted\"}'" + way, code=DONE)
                self.assertEqual(attempt["verdict"], "accepted")

    def test_a_rejection_is_the_feedback_of_the_next_attempt(self):
        criterion = {"name": "tables", "expected": "4", "actual": "0", "passed": False}
        verdict = json.dumps({"verdict": "rejected", "summary": "no tables",
                              "criteria": [criterion], "guidance": {"hint": "try harder"}})
        first, second = self.judged(
            "cat > seen-$PAWL_ATTEMPT; if [ $PAWL_ATTEMPT = 1 ]; then\n"
            f"  echo '{verdict}'\nelse\n  echo '{{\"verdict\": \"accepted\"}}'\nfi",
            "refine: { attempts: 2, exhausted: fail }", DONE)
        self.assertEqual((first["verdict"], second["verdict"], second["cause"]),
                         ("rejected", "accepted", "gate_feedback"))
        seen = json.loads(self.read("seen-2"))
        self.assertEqual(seen["feedback"], {"from": "gate", "summary": "no tables",
                                            "criteria": [criterion],
                                            "guidance": {"hint": "try harder"}})
        [before] = seen["previous"]
        self.assertEqual((before["number"], before["verdict"]), (1, "rejected"))
        self.assertEqual(os.path.basename(before["out"]["f"]), "p.md")

    def test_a_doubt_goes_to_a_person_unless_the_gate_says_otherwise(self):
        doubt = "echo '{\"verdict\": \"uncertain\", \"summary\": \"blurred\"}'"
        self.judged(doubt, code=PEOPLE)
        self.pawl("job", "cancel", 1, "--yes")
        [attempt] = self.judged(doubt, "    on_uncertain: accept\n", DONE)
        self.assertEqual(attempt["result"], "success")
        self.judged(doubt, "    on_uncertain: reject\n", JOB_FAILED)

    def test_a_gate_that_breaks_is_an_error_and_never_a_verdict(self):
        for script, said in (("echo lost >&2; exit 3", "exit 3: lost"), ("exit 0", "no verdict"),
                             ("kill -KILL $$", "SIGKILL"), ("echo maybe", "cannot be read"),
                             ("echo '{\"verdict\": \"fine\"}'", "cannot be read"),
                             ("echo '{}'", "cannot be read"),
                             ("echo '{\"verdict\": \"accepted\"}'; exit 1", "exit 1")):
            with self.subTest(script=script):
                attempts = self.judged(script, TWICE, JOB_FAILED)
                self.assertEqual(len(attempts), 2)
                self.assert_error(attempts[0], "retryable", "gate", said)
                self.assertIsNone(attempts[0]["verdict"])


class NothingIsLostOrShown(ProtocolTest):
    SECRET = "abc123secret"

    def test_a_secret_is_masked_wherever_an_error_can_carry_it(self):
        [attempt] = self.run_stage("""
            printf '{"error":{"class":"final","code":"c-%s","message":"m %s","details":{"%s":"%s"}}}' \\
              "$KEY" "$KEY" "$KEY" "$KEY" > "$PAWL_RESULT"
            printf '{"%s":1}\\n' "$KEY" >> "$PAWL_EVENTS"
            exit 1
            """, "secrets: [KEY]", env={"KEY": self.SECRET})
        self.assertNotIn(self.SECRET, json.dumps(attempt))
        self.assertEqual(attempt["error"]["code"], "c-***")

    def test_a_secret_is_masked_in_what_a_gate_says(self):
        self.write("gate.sh", """
            printf '{"verdict":"rejected","summary":"s %s","guidance":{"hint":"%s"},"criteria":[
              {"name":"n","expected":"%s","actual":"%s","passed":false}]}' \\
              "$KEY" "$KEY" "$KEY" "$KEY" > "$PAWL_RESULT"
            """)
        [attempt] = self.run_stage("echo x", "secrets: [KEY]\ngates:\n  - name: g\n"
                                   "    run: [sh, gate.sh]", env={"KEY": self.SECRET})
        self.assertEqual(attempt["verdict"], "rejected")
        self.assertNotIn(self.SECRET, json.dumps(attempt))

    def test_a_skip_keeps_its_costs_and_logs(self):
        [attempt] = self.run_stage(
            "echo looked\n" + result({"outcome": "skipped", "summary": "nothing to do",
                                      "usage": {"cost_usd": 0.5}}))
        self.assertEqual(attempt["result"], "skipped")
        self.assertEqual(attempt["usage"]["cost_usd"], 0.5)
        self.assertIn("looked", json.dumps(attempt["artifacts"]))

    def test_a_gate_that_overruns_is_a_timeout(self):
        self.write("gate.sh", "sleep 86397")
        [attempt] = self.run_stage("echo x", "gates:\n  - name: g\n    run: [sh, gate.sh]\n"
                                   "    timeout: 200ms")
        self.assertEqual((attempt["result"], attempt["error"]["code"]),
                         ("timed_out", "gate_timeout"))
        self.assertEqual(attempt["output"], {"text": "x\n"}, "what there is is kept")

    def test_an_attempt_that_overruns_in_its_gate_is_a_timeout(self):
        self.write("gate.sh", "sleep 86396")
        [attempt] = self.run_stage("echo x", "timeout: 300ms\ngates:\n  - name: g\n"
                                   "    run: [sh, gate.sh]")
        self.assertEqual((attempt["result"], attempt["error"]["code"]),
                         ("timed_out", "stage_timeout"))


if __name__ == "__main__":
    main()
