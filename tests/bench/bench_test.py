"""The bench as a program: it measures what it claims, both sides write the same, and its exit code
reports missed bars. No times are asserted here; the benchmark checks them itself."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BENCH = os.environ["PAWL_BENCH"]


def bench(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([BENCH, "--folder", folder, *arguments], capture_output=True, text=True,
                              timeout=120, check=False)
        assert not os.listdir(folder), f"left behind: {os.listdir(folder)}"
    return done


class Bench(unittest.TestCase):
    def test_both_sides_write_the_same_rows_with_the_same_pragmas(self):
        done = bench("--quick", "--only", "W1-sqlite", "--rounds", "1", "--items", "300", "--json")
        lines = json.loads(done.stdout)["lines"]
        self.assertTrue(lines)
        engine, limit = (lines[0]["wrote"][side] for side in ("engine", "limit_sqlite"))
        for table in ("items", "tasks", "attempts"):
            self.assertEqual(engine["rows"][table], limit["rows"][table], table)
        self.assertEqual(engine["rows"]["attempts"]["inserted"], 5 * 300)
        self.assertEqual(engine["pragmas"], limit["pragmas"])
        self.assertIn("synchronous 2", engine["pragmas"])
        self.assertGreater(engine["log_fsyncs"], 0)
        self.assertGreater(limit["log_fsyncs"], 0)

    def test_both_sides_write_the_same_rows_to_a_server(self):
        done = bench("--quick", "--only", "W1-postgres", "--rounds", "1", "--items", "300", "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        beside_the_limit, two_workers = json.loads(done.stdout)["lines"]
        for line in (beside_the_limit, two_workers):
            ours, other = line["wrote"].values()
            for table in ("items", "tasks", "attempts"):
                self.assertEqual(ours["rows"][table], other["rows"][table], table)
            self.assertEqual(ours["rows"]["attempts"]["inserted"], 5 * 300)
            self.assertGreater(ours["wal_syncs"], 0)
            self.assertGreater(other["wal_syncs"], 0)

    def test_an_engine_without_work_asks_little_of_a_server(self):
        done = bench("--quick", "--only", "idle-postgres,W3-postgres,W5-postgres", "--rounds", "1", "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        lines = json.loads(done.stdout)["lines"]
        figures = {line["figure"]: line["ours"]["median"] for line in lines}
        self.assertLessEqual(figures["transactions/s"], 2)
        self.assertGreaterEqual(figures["writes per item"], 6)
        for figure in ("p50 ms", "p99 ms", "claim of 100, ms", "ready_lanes, ms"):
            self.assertGreater(figures[figure], 0, figure)

    def test_the_exit_code_tells_of_missed_bars(self):
        done = bench("--quick", "--only", "W1-memory", "--rounds", "1", "--items", "300", "--json")
        lines = json.loads(done.stdout)["lines"]
        met = [line["met"] for line in lines if line["bar"]]
        self.assertTrue(met)
        self.assertEqual(done.returncode, 0 if all(met) else 1, done.stderr)

    def test_a_lone_item_takes_six_commits(self):
        done = bench("--quick", "--only", "W3-sqlite", "--rounds", "1", "--json")
        commits = next(line for line in json.loads(done.stdout)["lines"]
                       if line["figure"] == "commits per item")
        self.assertEqual(commits["ours"]["median"], 6)
        self.assertTrue(commits["met"])

    def test_the_service_is_measured_while_it_works(self):
        done = bench("--quick", "--only", "W7-start,W7-pages,W7-live", "--rounds", "1", "--items", "1000",
                     "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        lines = {(line["work"], line["figure"]): line for line in json.loads(done.stdout)["lines"]}
        for page in ("overview", "jobs", "items, far down", "why", "inbox", "dead letters, groups", "metrics"):
            line = lines[f"W7 {page}", "p95 ms"]
            self.assertGreater(line["ours"]["median"], 0, page)
            self.assertGreater(line["other"]["median"], 0, page)
            self.assertIn(line["met"], (True, False), page)
        self.assertGreater(lines["W7 memory after all pages", "MB resident"]["ours"]["median"], 1)
        started = next(line for (work, _), line in lines.items() if work.startswith("W7 start"))
        self.assertGreater(started["ours"]["median"], 0)
        # The benchmark itself refuses to go on if a client misses an event or sees one twice.
        followed = lines["W7 live, 1,000 clients", "executions/s"]
        self.assertGreater(followed["ours"]["median"], 0)
        self.assertEqual(followed["bar"], ">= 0.95")
        self.assertGreater(lines["W7 live, all events to all", "events/s delivered"]["ours"]["median"], 0)

    def test_what_it_does_not_know_is_refused(self):
        for arguments in (("--fast",), ("--only", "W9"), ("--rounds", "none")):
            done = bench(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertTrue(done.stderr, arguments)


if __name__ == "__main__":
    sys.exit(unittest.main())
