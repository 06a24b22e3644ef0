"""A day with the API: submit a workflow, watch it, decide, repair, collect, as a program does with
curl; on both stores."""

import json
import subprocess
import sys
import unittest

from daemon import ServeTest

from each_store import on_each_store

LETTERS = """
version: 1
workflow: letters
params:
  mended: { type: string }
items: [a, b, c]
stages:
  draft:
    sh: |
      jq -n --arg n "$PAWL_ITEM" '{output:{text:("Dear " + $n), words:2}}' >"$PAWL_RESULT"
    out: { text: string, words: integer }
  check:
    needs: [draft]
    sh: |
      if [ "$PAWL_ITEM" = c ] && [ ! -e "$MENDED" ]; then echo "no c today" >&2; exit 65; fi
      echo '{"output":{}}' >"$PAWL_RESULT"
    env: { MENDED: "${params.mended}" }
  sign:
    needs: [draft, check]
    review: { when: always, editable: [text] }
    in: { text: "${stages.draft.out.text}" }
"""


class ADay(ServeTest):

    @on_each_store
    def test_from_the_submission_to_the_results(self):
        self.write("flows/letters.yaml", LETTERS)
        mended = self.dir / "mended"
        mended.unlink(missing_ok=True)
        daemon = self.daemon(store=self.store, workflows=["flows"])
        api = daemon.client(self.token("olga", "admin", self.store))

        [workflow] = api.rows("/api/v1/workflows", "workflows")
        self.assertEqual(workflow["workflow"], "letters")
        job = api.post("/api/v1/jobs", {"workflow": "letters", "params": {"mended": str(mended)},
                                        "key": "monday"}, status=201).json["job"]
        # The same key again is the same job.
        again = api.post("/api/v1/jobs", {"workflow": "letters", "params": {"mended": str(mended)},
                                          "key": "monday"}).json
        self.assertEqual(again["job"], job)

        self.wait_until("two ask, one is dead", lambda: (
            len(api.rows(f"/api/v1/reviews?job={job}", "reviews")) == 2 and
            len(api.rows(f"/api/v1/dead-letters?job={job}", "dead_letters")) == 1))
        shown = api.get(f"/api/v1/jobs/{job}").json
        printed = self.pawl("job", "show", job, "--json", "--store", self.store).json
        self.assertEqual({name: shown[name] for name in printed}, printed)

        # The dead letter: mend the cause, look first, then retry it in the background.
        [letter] = api.rows(f"/api/v1/dead-letters?job={job}", "dead_letters")
        self.assertIn("no c today", json.dumps(letter))
        mended.touch()
        preview = api.post("/api/v1/dead-letters/preview", {"act": "retry", "job": job, "all": True}).json
        self.assertEqual(preview["would"], 1)
        operation = {"id": "mend-c", "kind": "dead_letters.retry", "job": job, "all": True}
        api.post("/api/v1/operations", operation, status=202)
        self.wait_until("the operation ends", lambda: api.get(
            "/api/v1/operations/mend-c").json["phase"] == "finished")

        # Reviews: one approved, one with edits, one sent back first.
        self.wait_until("three ask", lambda: len(api.rows(f"/api/v1/reviews?job={job}", "reviews")) == 3)
        reviews = {it["item"]: it["review"] for it in api.rows(f"/api/v1/reviews?job={job}", "reviews")}
        for item, answer in (("a", {"outcome": "approve"}),
                             ("b", {"outcome": "approve_with_edits", "edits": {"text": "Dearest b"}})):
            path = f"/api/v1/reviews/{reviews[item]}"
            digest = api.get(path).json["digest"]
            api.post(f"{path}/claim")
            api.post(f"{path}/answer", {**answer, "digest": digest})
            # The same answer again changes nothing.
            api.post(f"{path}/answer", {**answer, "digest": digest}, status=None)
        stale = api.post(f"/api/v1/reviews/{reviews['c']}/answer",
                         {"outcome": "approve", "digest": "0" * 64}, status=409)
        self.assertIn("digest", json.dumps(stale.json))
        path = f"/api/v1/reviews/{reviews['c']}"
        api.post(f"{path}/answer", {"outcome": "approve", "digest": api.get(path).json["digest"]})
        self.wait_until("the job ends",
                        lambda: api.get(f"/api/v1/jobs/{job}").json["state"] == "completed")

        lines = api.get(f"/api/v1/jobs/{job}/results?stage=sign",
                        headers={"Accept": "application/jsonl"}).body.decode().splitlines()
        self.assertEqual({it["item"]: it["outputs"]["sign"]["text"] for it in map(json.loads, lines)},
                         {"a": "Dear a", "b": "Dearest b", "c": "Dear c"})
        table = api.get(f"/api/v1/jobs/{job}/results?stage=sign", headers={"Accept": "text/csv"}).body
        self.assertIn(b"Dearest b", table)

        # Who did it is on record, with the way they came.
        trail = api.rows(f"/api/v1/audit?job={job}", "entries")
        self.assertIn(("olga", "token", "review.answer"),
                      [(it["by"], it["method"], it["act"]) for it in trail])
        daemon.stop()
        self.pawl("verify", *(["--store", self.store]))

    def test_curl_can_do_it(self):
        self.write("flows/letters.yaml", LETTERS)
        daemon = self.daemon(workflows=["flows"])
        token = self.token("olga", "admin")

        def curl(path, *words, code=0):
            done = subprocess.run(
                ["curl", "-sS", "--fail-with-body", "-H", f"Authorization: Bearer {token}", *words,
                 f"http://{daemon.address}{path}"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout

        said = curl("/api/v1/jobs", "--json", '{"workflow":"letters","params":{"mended":"/"}}')
        job = json.loads(said)["job"]
        self.assertIn("letters", curl("/api/v1/jobs", "-H", "Accept: text/csv"))
        self.assertEqual(json.loads(curl(f"/api/v1/jobs/{job}/pause", "--json", "{}"))["state"], "paused")
        refused = json.loads(curl("/api/v1/jobs/4711/pause", "--json", "{}", code=22))
        self.assertEqual(refused["error"]["code"], "not_found")
        daemon.stop()

    def test_wrong_input_is_reported_all_at_once_and_changes_nothing(self):
        self.write("flows/letters.yaml", LETTERS)
        daemon = self.daemon(workflows=["flows"])
        api = daemon.client(self.token("olga", "admin"))
        for body, words in (
                ({"workflow": "leters", "params": {"mended": "x"}}, ["leters", "letters"]),
                ({"workflow": "letters", "parms": 1, "priority": "high"}, ["parms", "params", "priority"]),
                ({"workflow": "letters", "params": {"mendet": "x"}}, ["mendet", "mended"]),
                ({"workflow": "../letters", "params": {}}, ["letters"]),
                ({}, ["workflow"]),
        ):
            with self.subTest(body=body):
                reply = api.post("/api/v1/jobs", body, status=None)
                self.assertIn(reply.status, (400, 404))
                for word in words:
                    self.assertIn(word, reply.body.decode())
        self.assertEqual(api.rows("/api/v1/jobs", "jobs"), [])
        mistyped = api.post("/api/v1/jobs", {"workflow": 7}, status=400).error["message"]
        self.assertIn("must be a string", mistyped)
        self.assertNotIn("missing", mistyped)
        for_ever = {"name": "olga", "kind": "person", "role": "viewer", "expires": ""}
        self.assertIn("expires", api.post("/api/v1/tokens", for_ever, status=400).error["message"])
        # Where every member may be left out, so may the body.
        job = api.post("/api/v1/jobs", {"workflow": "letters", "params": {"mended": "/"}}, status=201)
        path = f"/api/v1/jobs/{job.json['job']}"
        self.assertEqual(api.send("POST", f"{path}/pause", b"").status, 200)
        self.assertEqual(api.send("POST", f"{path}/cancel", b"").status, 200)
        for body in (b"", b"{", b"[]", b'{"workflow":"letters","workflow":"letters"}', b"\xff",
                     b'{"a":' * 100_000):
            self.assertEqual(api.send("POST", "/api/v1/jobs", body, {
                "Content-Type": "application/json"}).status, 400)
        self.assertEqual(len(api.rows("/api/v1/jobs", "jobs")), 1)
        daemon.stop()


if __name__ == "__main__":
    unittest.main()
