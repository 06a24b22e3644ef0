"""What the guide says about operating the daemon, done with it: the settings, the backup while jobs run, the
metrics and their alerts, the filters of the log."""

import json
import re
import subprocess
import unittest

from daemon import ServeTest
from guide_page import ROOT, blocks_of, replaced

GUIDE = blocks_of("operating.md")
PAGE = (ROOT / "docs/guide/operating.md").read_text()

STEPS = """
version: 1
workflow: steps
items: [%s]
stages:
  one:
    sh: |
      yes "$PAWL_ITEM" | head -c 100000 > "$PAWL_DIR/large.txt"
      echo '{"output": {"file": "large.txt"}}' > "$PAWL_RESULT"
    out: { file: file }
  two: { needs: [one], run: ["true"] }
"""


class Backup(ServeTest):

    def script(self, name, **changes):
        text = replaced(GUIDE[f"run: {name}"], changes)
        done = subprocess.run(["bash", "-euc", text], capture_output=True, text=True, check=False,
                              cwd=self.dir, env=self.environment(PATH=self.path()))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def path(self):
        from pawl import PROGRAM
        folder = self.dir / "bin"
        folder.mkdir(exist_ok=True)
        if not (folder / "pawl").exists():
            (folder / "pawl").symlink_to(PROGRAM)
        return f"{folder}:{self.environment()['PATH']}"

    def test_a_copy_that_was_made_while_it_works_is_whole(self):
        self.write("flows/steps.yaml", STEPS % ", ".join(f"i{n}" for n in range(60)))
        daemon = self.daemon("--lease", "2s", workflows=["flows"])
        api = daemon.client(self.token("olga"))
        job = api.post("/api/v1/jobs", {"workflow": "steps"}, status=201).json["job"]
        self.wait_until("some items are done", lambda: api.get(
            f"/api/v1/jobs/{job}").json["items"]["succeeded"] >= 10)
        copy = self.dir / "copy"
        copy.mkdir(mode=0o700)
        self.script("backup", **{"/var/lib/pawl/.pawl": str(self.dir / ".pawl"),
                                 "/var/backups/pawl": str(copy)})
        self.assertIn("ok: 1 job", self.script("check", **{"/var/backups/pawl": str(copy)}))
        daemon.stop()
        # The copy is a store: the rest of the job is done on it.
        self.pawl("work", "--drain", "--lease", "2s", "--store", copy / "pawl.db")
        shown = self.pawl("job", "show", job, "--json", "--store", copy / "pawl.db").json
        self.assertEqual((shown["state"], shown["items"]["succeeded"]), ("completed", 60))
        self.pawl("verify", "--store", copy / "pawl.db")


class Files(ServeTest):

    def test_the_settings_are_good(self):
        for name in ("serve.yaml", "serve-oauth2.yaml"):
            self.write(".pawl/serve.yaml", GUIDE[f"file: {name}"]).parent.chmod(0o700)
            self.pawl("check", "--serve")

    def test_prometheus_accepts_its_files(self):
        self.write("prometheus.yml", GUIDE["file: prometheus.yml"])
        self.write("pawl-alerts.yml", GUIDE["file: pawl-alerts.yml"])
        for words in (["config", "--syntax-only", "prometheus.yml"], ["rules", "pawl-alerts.yml"]):
            done = subprocess.run(["promtool", "check", *words], cwd=self.dir, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Watching(ServeTest):

    def test_every_metric_of_the_page_is_there_for_an_agent_that_only_looks(self):
        self.write("flows/steps.yaml", STEPS % "a, b")
        daemon = self.daemon(workflows=["flows"])
        api = daemon.client(self.token("olga"))
        job = api.post("/api/v1/jobs", {"workflow": "steps"}, status=201).json["job"]
        self.wait_until("the job ends", lambda: api.get(
            f"/api/v1/jobs/{job}").json["state"] == "completed")
        scraper = daemon.client(self.token("prometheus", "viewer", kind="agent"))
        text = scraper.get("/metrics").body.decode()
        known = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
        named = set(re.findall(r"\b(?:pawl|process)_[a-z_]+", "\n".join(
            line for line in PAGE.splitlines() if line.startswith("| `p") or "expr:" in line)))
        self.assertGreater(len(named), 20)
        self.assertEqual({name for name in named if name not in known}, set())
        daemon.client().get("/metrics", status=401)
        daemon.stop()

    def test_the_filters_of_the_log_find_what_they_say(self):
        daemon = self.daemon()
        token = self.token("olga")
        daemon.client(token).get("/api/v1/jobs")
        daemon.client(token).get("/api/v1/jobs/4711", status=404)
        daemon.client().get("/api/v1/jobs", status=401)
        daemon.stop()
        filters = re.findall(r"^journalctl -u pawl -o cat \| (jq .*)$", PAGE, re.MULTILINE)
        self.assertEqual(len(filters), 3)
        found = []
        for one in filters:
            done = subprocess.run(["bash", "-c", one], input="a line that is not JSON\n" + daemon.log_text(),
                                  capture_output=True, text=True, check=True)
            found.append(done.stdout.splitlines())
        self.assertEqual([line.split()[:3] for line in found[1]],
                         [["404", "GET", "/api/v1/jobs/4711"], ["401", "GET", "/api/v1/jobs"]])


if __name__ == "__main__":
    unittest.main()
