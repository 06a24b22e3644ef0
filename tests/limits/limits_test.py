"""The limits in README.md, from outside: input at a limit works, input beyond it is refused with a reason."""

import pathlib
import re
import unittest

from pawl import DONE, FAILED, JOB_FAILED, USAGE, ProjectTest

README = pathlib.Path(__file__).parents[2] / "README.md"
MIB = 1 << 20


def workflow(stages, more=""):
    return f"version: 1\nworkflow: w\n{more}stages:\n{stages}"


def nested(levels):
    return "[" * levels + "]" * levels


class Limits(ProjectTest):
    def test_the_readme_names_what_is_tested_here(self):
        text = " ".join(re.search(r"^Limits: .*?\n\n", README.read_text(), re.M | re.S)[0].split())
        for limit in ("65,535 stages", "64 needs", "4 MiB and 200,000 values for a workflow file",
                      "64 KiB for an output", "16 MiB of JSON and 64 levels", "1 MiB kept of each log",
                      "16 GiB and 1,000 files", "100,000 elements of `each`", "cannot fan out again"):
            self.assertIn(limit, text)

    def check(self, text, code, *words):
        self.write("w.yaml", text)
        answer = self.pawl("check", "w.yaml", code=code)
        for word in words:
            self.assertIn(word, answer.out + answer.err)

    def test_64_needs(self):
        def join(count):
            names = [f"s{i}" for i in range(count)]
            return workflow("".join(f"  {name}: {{ sh: 'true' }}\n" for name in names)
                            + f"  last: {{ sh: 'true', needs: [{', '.join(names)}] }}\n")
        self.check(join(64), DONE)
        self.check(join(65), USAGE, "at most 64 are allowed")

    def test_4_mib_of_a_workflow_file(self):
        text = workflow("  a: { sh: 'true' }\n")
        self.check(text + "#" * (4 * MIB - len(text) - 1) + "\n", DONE)
        self.check(text + "#" * (4 * MIB - len(text)) + "\n", USAGE, "larger than 4 MiB")

    def test_200000_values_of_a_workflow_file(self):
        one = workflow("  a: { sh: 'true' }\n", "items: [1]\n")
        self.check(one, DONE)
        self.check(one.replace("[1]", f"[{'1,' * 199_900}1]"), DONE)
        self.check(one.replace("[1]", f"[{'1,' * 200_000}1]"), USAGE, "more than 200000 values")

    def submit(self, line, code, *words):
        self.write("x.jsonl", line + "\n")
        self.write("w.yaml", workflow("  a: { sh: 'true' }\n", "items: { file: x.jsonl }\n"))
        answer = self.pawl("run", "w.yaml", "--new", code=code)
        for word in words:
            self.assertIn(word, answer.err)

    def test_16_mib_and_64_levels_of_an_item(self):
        def item(size):
            return '{"id":"a","x":"' + "y" * (size - 17) + '"}'
        self.submit(item(16 * MIB), DONE)
        self.submit(item(16 * MIB + 1), USAGE, "longer than 16 MiB")
        self.submit('{"id":"a","x":' + nested(63) + "}", DONE)
        self.submit('{"id":"a","x":' + nested(64) + "}", USAGE, "nested more than 64 levels")

    def stage(self, script, more, code):
        self.write("script.sh", script)
        self.write("w.yaml", workflow(f"  work:\n    run: [sh, script.sh]\n{more}"))
        self.pawl("run", "w.yaml", "--new", code=code)
        return self.attempts("1")[-1]

    def test_16_mib_and_64_levels_of_a_result(self):
        out = "    out: { x: json }\n    capture: json\n"
        self.stage(f"""echo '{{"x":{nested(63)}}}'""", out, DONE)
        attempt = self.stage(f"""echo '{{"x":{nested(64)}}}'""", out, JOB_FAILED)
        self.assertIn("nested more than 64 levels", attempt["error"]["message"])
        text = """printf '{"x":"'; head -c %d /dev/zero | tr '\\0' y; printf '"}'"""
        self.stage(text % (16 * MIB - 8), out, DONE)
        attempt = self.stage(text % (16 * MIB - 7), out, JOB_FAILED)
        self.assertIn("longer than 16 MiB", attempt["error"]["message"])

    def test_1_mib_of_a_log(self):
        self.stage("head -c 1048576 /dev/zero | tr '\\0' y", "", DONE)
        self.assertEqual(self.pawl("item", "logs", "1").out.count("y"), MIB)
        self.stage("head -c 1048577 /dev/zero | tr '\\0' y", "", DONE)
        self.assertIn("bytes left out", self.pawl("item", "logs", "1").out)

    def test_1000_files_of_an_attempt(self):
        def make(count):
            return (f"seq 1 {count} | while read i; do echo $i > $PAWL_DIR/$i; done\n"
                    f"(printf '{{\"artifacts\":['; seq 1 {count} | sed 's/.*/{{\"path\":\"&\"}},/' "
                    "| tr -d '\\n' | sed 's/,$//'; printf ']}') > $PAWL_RESULT\n")
        self.assertEqual(len(self.stage(make(1000), "", DONE)["artifacts"]), 1000)
        attempt = self.stage(make(1001), "", JOB_FAILED)
        self.assertIn("hands in 1,001 files, and at most 1,000 are kept", attempt["error"]["message"])

    def test_16_gib_of_an_attempt(self):
        # A sparse file; a file that is too large is refused before anything is copied.
        attempt = self.stage("truncate -s 17179869185 $PAWL_DIR/a\n"
                             """echo '{"output":{"f":"a"}}' > $PAWL_RESULT\n""",
                             "    out: { f: file }\n", JOB_FAILED)
        self.assertIn("its quota of 17,179,869,184 bytes", attempt["error"]["message"])
        for said in ("0", "-1", "12GB", "GiB", "9000000TiB", "1.5GiB"):
            self.pawl("work", "--drain", f"--file-quota={said}", code=USAGE)
        self.write("w.yaml", workflow("  work:\n    run: [sh, script.sh]\n    out: { f: file }\n"))
        self.write("script.sh", "truncate -s 1025 $PAWL_DIR/a\n"
                   """echo '{"output":{"f":"a"}}' > $PAWL_RESULT\n""")
        self.pawl("run", "w.yaml", "--new", "--file-quota", "1KiB", code=JOB_FAILED)
        self.pawl("run", "w.yaml", "--new", "--file-quota", "1025", code=DONE)

    def test_100000_elements_of_each(self):
        self.write("script.sh", """(printf '{"n":['; seq -s, 1 100001; printf ']}')""")
        self.write("w.yaml", workflow(
            "  list: { run: [sh, script.sh], out: { n: json }, capture: json }\n"
            "  all: { needs: [list], each: '${stages.list.out.n}', sh: 'true' }\n"))
        self.pawl("run", "w.yaml", "--new", code=JOB_FAILED)
        [attempt] = self.attempts("1", "--stage", "all")
        self.assertIn("100001 children, but at most 100,000 are allowed", attempt["error"]["message"])


if __name__ == "__main__":
    unittest.main()
