"""What programs that were not written here say of the daemon: Redocly's linter and a client with generated types of its
description, Prometheus' own checker of its metrics."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from daemon import DONE, PATIENCE, ServeTest
from pawl import PEOPLE

HERE = pathlib.Path(__file__).parent / "tools"
TOOLS = pathlib.Path(os.environ["PAWL_TOOLS"])

LETTERS = """
version: 1
workflow: letters
params:
  greeting: { type: string, default: Dear }
items: [a]
job: { tolerate_failures: 1 }
stages:
  draft:
    sh: |
      if [ "$PAWL_ITEM" = c ]; then echo 'no "c" today' >&2; exit 65; fi
      jq -n --arg text "$GREETING $PAWL_ITEM" '{output: {text: $text, words: 2, lines: ["one", "two"]}}' >"$PAWL_RESULT"
    env: { GREETING: "${params.greeting}" }
    out: { text: string, words: integer, lines: json }
    gates: [{ name: length, expect: { words: { at_least: 2 } } }]
    review: { when: always, editable: [text] }
  print:
    needs: [draft]
    each: "${stages.draft.out.lines}"
    sh: echo printed
  count:
    scope: all
    needs: [print]
    sh: |
      echo '{"output": {"letters": 4}}' >"$PAWL_RESULT"
    out: { letters: integer }
"""

FLAKY = """
version: 1
workflow: flaky
items: [good, bad]
stages:
  try:
    sh: if [ "$PAWL_ITEM" = bad ]; then echo "no" >&2; exit 75; fi
    retry: { attempts: 2, backoff: { from: 0s, jitter: 0 } }
    limits: { pool: gpu, parallel: 2 }
  ask:
    needs: [try]
    sh: "true"
    review: { when: always }
"""

# Workflow files cannot have such names, but nobody checks those of a job that was exported elsewhere.
HOSTILE = {"flaky": 'a "name" \\ {le="1"} é', "try": 'b"} 7 {', "gpu": "\\"}


class ToolsTest(ServeTest):

    def setUp(self):
        super().setUp()
        # Below the tools, so that Node finds the packages.
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="test-", dir=TOOLS))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)

    def description(self, daemon):
        """The description that the daemon serves, in a file."""
        path = self.place / "openapi.json"
        path.write_bytes(daemon.client().get("/api/v1/openapi.json").body)
        return path

    def tool(self, name, *words, code=0, env=None):
        done = subprocess.run([TOOLS / "node_modules/.bin" / name, *[str(word) for word in words]], cwd=self.place,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
                              env={**os.environ, **(env or {})})
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done


class TheDescription(ToolsTest):

    def lint(self, path):
        # It must not look for news of itself, nor report that it was used.
        done = self.tool("redocly", "lint", path, "--config", HERE / "redocly.yaml", "--format", "json",
                         "--max-problems", 1000, code=None,
                         env={"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "CI": "true"})
        said = json.loads(done.stdout)
        problems = [f"{it['severity']} {it['ruleId']} {it['location'][0].get('pointer', '')}: {it['message']}"
                    for it in said["problems"]]
        return said["totals"], problems

    def test_redocly_finds_neither_errors_nor_warnings_in_it(self):
        totals, problems = self.lint(self.description(self.daemon()))
        self.assertEqual((totals["errors"], totals["warnings"], totals["ignored"]), (0, 0, 0), "\n".join(problems))

    def test_redocly_would_find_what_is_wrong(self):
        path = self.description(self.daemon())
        document = json.loads(path.read_text())
        document["paths"]["/api/v1/jobs/{job}"]["get"]["parameters"] = []
        document["paths"]["/api/v1/jobs"]["get"]["operationId"] = "showJob"
        document["components"]["schemas"]["Job"]["type"] = "thing"
        path.write_text(json.dumps(document))
        _, problems = self.lint(path)
        for rule in ("path-parameters-defined", "operation-operationId-unique", "struct"):
            self.assertIn(rule, " ".join(problems))


class ATypedClient(ToolsTest):

    def generate(self, path):
        self.tool("openapi-typescript", path, "--output", "api.ts")
        for name in ("client.ts", "answers.ts", "tsconfig.json"):
            shutil.copy(HERE / name, self.place)
        (self.place / "package.json").write_text('{"type": "module"}')

    def test_it_compiles_and_works_a_day(self):
        self.write("flows/letters.yaml", LETTERS)
        daemon = self.daemon(workflows=["flows"])
        path = self.description(daemon)
        self.generate(path)
        self.tool("tsc", "--project", ".")
        done = subprocess.run(["node", "client.js", f"http://{daemon.address}", self.token("olga"), str(path)],
                              cwd=self.place, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        print(done.stdout.strip())
        daemon.stop()
        self.pawl("verify")

    def test_it_does_not_compile_with_a_description_that_is_wrong(self):
        path = self.description(self.daemon())
        document = json.loads(path.read_text())
        schemas = document["components"]["schemas"]
        schemas["ReviewRow"]["properties"].pop("digest")
        schemas["Error"]["properties"].pop("changed")
        schemas["Job"]["properties"]["state"]["enum"] = ["running", "completed", "failed", "cancelled", "lost"]
        document["paths"].pop("/api/v1/operations/{operation}")
        path.write_text(json.dumps(document))
        self.generate(path)
        errors = self.tool("tsc", "--project", ".", "--noEmit", code=2).stdout
        for words in ("'digest'", "'changed'", "'paused'", "'lost'", "/api/v1/operations/{operation}"):
            self.assertIn(words, errors)


class Metrics(ServeTest):

    def promtool(self, text):
        """What Prometheus' checker says; nothing if all is well."""
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, timeout=PATIENCE,
                              check=False)
        return (done.stdout + done.stderr).decode() or ("" if done.returncode == 0 else f"code {done.returncode}")

    def import_hostile(self):
        """A job from elsewhere, whose names have whatever a label has to escape."""
        elsewhere = self.dir / "elsewhere"
        self.write("elsewhere/flaky.yaml", FLAKY)
        self.pawl("run", "flaky.yaml", cwd=elsewhere, code=PEOPLE)
        self.pawl("job", "pause", 1, cwd=elsewhere)
        lines = self.pawl("export", 1, cwd=elsewhere).out.splitlines()
        workflow = json.loads(lines[1])["workflow"]
        definition = json.dumps(workflow["definition"], ensure_ascii=False)
        for name, hostile in HOSTILE.items():
            definition = definition.replace(f'"{name}"', json.dumps(hostile, ensure_ascii=False))
        digest = "0" * 64
        for _ in range(2):  # the first time it says which digest the definition has
            renamed = f'{{"workflow":{{"hash":"{digest}","definition":{definition}}}}}'
            kept = [line.replace(workflow["hash"], digest) for line in lines[2:-1]]
            text = "".join(line + "\n" for line in (lines[0], renamed, *kept))
            end = json.loads(lines[-1])
            end["end"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
            imported = self.pawl("import", self.write("hostile.jsonl", text + json.dumps(end) + "\n"), code=None)
            digest = (re.findall(r"has the hash ([0-9a-f]{64}) here", imported.err) or [digest])[0]
        self.assertEqual(imported.code, DONE, imported)

    def test_promtool_accepts_those_of_a_daemon_with_failures_and_hostile_names(self):
        self.import_hostile()
        self.write("flows/flaky.yaml", FLAKY)
        daemon = self.daemon(workflows=["flows"])
        api = daemon.client(self.token("olga"))
        job = api.post("/api/v1/jobs", {"workflow": "flaky"}, status=201).json["job"]
        self.wait_until("one asks and one is dead", lambda: (
            len(api.rows(f"/api/v1/reviews?job={job}", "reviews")) == 1 and
            len(api.rows(f"/api/v1/dead-letters?job={job}", "dead_letters")) == 1))
        for path in ("/nowhere", "/api/v1/jobs/4711", "/api/v1/jobs?limit=x", "/%22%0A{}"):
            api.get(path, status=None)
        failed = b'workflow="flaky",stage="try",result="failure"'
        text = self.wait_until("the attempts are counted", lambda: self.metrics_with(api, failed))
        self.assertEqual(self.promtool(text), "")
        for name in (b'a \\"name\\" \\\\ {le=\\"1\\"}', b'b\\"} 7 {', b'pool="\\\\"', b"pawl_http",
                     b"pawl_commit_duration_seconds", b"pawl_sse_followers"):
            self.assertIn(name, text)

    def metrics_with(self, api, word):
        text = api.get("/metrics", headers={"Accept": "text/plain"}).body
        return text if word in text else None

    def test_promtool_would_find_what_is_wrong(self):
        text = self.daemon().browser().get("/metrics", headers={"Accept": "text/plain"}).body
        self.assertEqual(self.promtool(text), "")
        self.assertNotEqual(self.promtool(text + b"pawl_jobs_total{a=\"\n\"} 1\n"), "")
        self.assertNotEqual(self.promtool(text + text), "")


if __name__ == "__main__":
    unittest.main()
