"""The daemon beside others on one store: `pawl run` and `pawl work`, a second daemon that is killed
under load, a database that goes away and comes back."""

import pathlib
import sys
import unittest

from daemon import PATIENCE, ServeTest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "postgres"))
from each_store import new_schema, on_each_store
from private_server import PrivateServer

STEPS = """
version: 1
workflow: steps
items: [%s]
job: { parallel: 4 }
stages:
  one: { sh: 'echo "$PAWL_ITEM $PAWL_ATTEMPT" >> one.log; sleep 0.02; echo "$PAWL_ITEM"' }
  two: { needs: [one], run: ["true"] }
"""

# Every attempt of the first stage waits for the file `go`.
HELD = """
version: 1
workflow: held
items: [%s]
job: { parallel: 24 }
stages:
  one: { sh: 'while [ ! -e go ]; do sleep 0.01; done' }
  two: { needs: [one], run: ["true"] }
"""

SECRET = """
version: 1
workflow: secret
items: [a, b]
stages:
  open: { run: ["true"] }
  locked:
    needs: [open]
    sh: test "$KEY" = sesame
    secrets: [KEY]
"""


class BesideOthers(ServeTest):

    @on_each_store
    def test_run_and_work_go_on_beside_it(self):
        self.write("flows/steps.yaml", STEPS % ", ".join(f"i{n}" for n in range(40)))
        daemon = self.daemon(store=self.store, workflows=["flows"])
        api = daemon.client(self.token("olga", store=self.store))
        worker = self.start("work", "--store", self.store)
        job = api.post("/api/v1/jobs", {"workflow": "steps"}, status=201).json["job"]
        self.pawl("run", "flows/steps.yaml", "--new", "--store", self.store)
        self.wait_until("the job ends",
                        lambda: api.get(f"/api/v1/jobs/{job}").json["state"] == "completed")
        kinds = {it["name"] for it in api.rows("/api/v1/workers", "workers")}
        self.assertLessEqual({"pawl serve", "pawl work"}, kinds)
        worker.terminate()
        worker.wait(PATIENCE)
        daemon.stop()
        ran = sorted((self.dir / "flows/one.log").read_text().split("\n"))
        self.assertEqual(len([line for line in ran if line]), 80)  # each once, in two jobs
        (self.dir / "flows/one.log").unlink()
        self.pawl("verify", "--store", self.store)

    def test_a_missing_secret_makes_no_dead_letter(self):
        self.write("flows/secret.yaml", SECRET)
        daemon = self.daemon(workflows=["flows"])
        api = daemon.client(self.token("olga"))
        job = api.post("/api/v1/jobs", {"workflow": "secret"}, status=201).json["job"]
        self.wait_until("the first stage is done", lambda: api.get(
            f"/api/v1/jobs/{job}").json["stages"]["open"]["succeeded"] == 2)
        self.assertEqual(api.rows("/api/v1/dead-letters", "dead_letters"), [])
        [first, *_] = api.rows(f"/api/v1/jobs/{job}/items", "items")
        why = api.get(f"/api/v1/items/{first['item_id']}/why").body.decode()
        self.assertIn("KEY", why)
        # A worker with the secret finishes what the daemon leaves.
        self.pawl("work", "--drain", env={"KEY": "sesame"})
        self.assertEqual(api.get(f"/api/v1/jobs/{job}").json["state"], "completed")
        daemon.stop()

    def test_without_work_it_serves_and_sweeps_but_runs_nothing(self):
        self.write("flows/steps.yaml", STEPS % "a, b")
        daemon = self.daemon("--no-work", workflows=["flows"])
        api = daemon.client(self.token("olga"))
        job = api.post("/api/v1/jobs", {"workflow": "steps"}, status=201).json["job"]
        api.post(f"/api/v1/jobs/{job}/pause")
        api.post(f"/api/v1/jobs/{job}/resume")
        self.assertFalse((self.dir / "flows/one.log").exists())
        self.pawl("work", "--drain")
        self.assertEqual(api.get(f"/api/v1/jobs/{job}").json["state"], "completed")
        daemon.stop()


class TwoDaemons(ServeTest):

    def test_one_is_killed_under_load_and_the_other_goes_on(self):
        store = new_schema(self)
        self.write("flows/held.yaml", HELD % ", ".join(f"i{n}" for n in range(60)))
        limits = ("--lease", "2s", "--parallel", "8")
        one = self.daemon(*limits, store=store, workflows=["flows"])
        token = self.token("olga", store=store)
        two = self.daemon(*limits, store=store, workflows=["flows"])
        first, second = one.client(token), two.client(token)
        job = first.post("/api/v1/jobs", {"workflow": "held"}, status=201).json["job"]
        follower = two.events(path=f"/api/v1/events/stream?job={job}", token=token, last=0)
        self.wait_until("both work", lambda: sum(
            it["attempts_open"] > 0 for it in second.rows("/api/v1/workers", "workers")) == 2)
        one.kill()
        (self.dir / "flows/go").touch()
        self.wait_until("the job ends",
                        lambda: second.get(f"/api/v1/jobs/{job}").json["state"] == "completed")
        shown = second.get(f"/api/v1/jobs/{job}").json
        self.assertEqual(shown["items"]["succeeded"], 60)
        everything = [it["seq"] for it in self.pawl("events", "--job", job, "--jsonl",
                                                    "--store", store).lines]
        self.wait_until("every event came", lambda: len(follower.ids) >= len(everything))
        self.assertEqual(follower.ids, everything)
        two.stop()
        self.pawl("verify", "--store", store)


class TheStoreGoesAway(ServeTest):

    def test_it_answers_503_with_the_reason_and_is_well_again(self):
        server = PrivateServer(self.dir / "postgres")
        server.start()
        self.addCleanup(server.release)
        store = server.url(schema="away")
        self.write("flows/steps.yaml", STEPS % ", ".join(f"i{n}" for n in range(60)))
        daemon = self.daemon(store=store, workflows=["flows"])
        api = daemon.client(self.token("olga", store=store))
        job = api.post("/api/v1/jobs", {"workflow": "steps"}, status=201).json["job"]
        server.stop()
        self.wait_until("it is not ready", lambda: api.get("/readyz", status=None).status == 503)
        self.assertTrue(api.get("/readyz", status=503).json["reasons"])
        refused = api.get("/api/v1/jobs", status=503)
        self.assertEqual(refused.error["code"], "unavailable")
        self.assertIn("Retry-After", refused.headers)
        self.assertEqual(api.get("/healthz").status, 200)
        server.go_on()
        self.wait_until("it is ready", lambda: api.get("/readyz", status=None).status == 200)
        self.wait_until("the job ends", lambda: api.get(
            f"/api/v1/jobs/{job}", status=None).json.get("state") == "completed")
        daemon.stop()
        self.pawl("verify", "--store", store)


if __name__ == "__main__":
    unittest.main()
