"""Events while they happen: a thousand clients while workers run, a killed daemon, and everybody
goes on where they were; nothing is missed and nothing comes twice."""

import json
import resource
import selectors
import socket
import sys
import time
import unittest

from daemon import PATIENCE, Events, ServeTest

MANY = """
version: 1
workflow: many
items: [%s]
stages:
  one: { run: ["true"] }
  two: { needs: [one], run: ["true"] }
"""

CLIENTS = 1000


class Crowd:
    """Many clients of the stream on one thread: of each, the ids that it has seen."""

    def __init__(self, address, token):
        host, _, port = address.rpartition(":")
        self.place = (host, int(port))
        self.address = address
        self.token = token
        self.seen = [[] for _ in range(CLIENTS)]
        self.sockets = [None] * CLIENTS
        self.rest = [b""] * CLIENTS
        self.waiting = selectors.DefaultSelector()

    def connect(self, address=None):
        """Connects everybody, each after the last event that it has seen."""
        if address:
            host, _, port = address.rpartition(":")
            self.place, self.address = (host, int(port)), address
        for number in range(CLIENTS):
            last = self.seen[number][-1] if self.seen[number] else 0
            peer = socket.create_connection(self.place, timeout=PATIENCE)
            peer.sendall((f"GET /api/v1/events/stream HTTP/1.0\r\nHost: {self.address}\r\n"
                          f"Authorization: Bearer {self.token}\r\nLast-Event-ID: {last}\r\n\r\n").encode())
            peer.setblocking(False)
            self.sockets[number] = peer
            self.rest[number] = b""
            self.waiting.register(peer, selectors.EVENT_READ, number)

    def read_until(self, is_enough):
        """Reads what comes until the condition holds or every connection has ended."""
        end = time.monotonic() + PATIENCE
        while self.waiting.get_map() and not is_enough():
            if time.monotonic() > end:
                raise AssertionError("the crowd waited too long")
            for key, _ in self.waiting.select(0.1):
                self._read(key.fileobj, key.data)

    def _read(self, peer, number):
        try:
            piece = peer.recv(1 << 16)
        except BlockingIOError:
            return
        except ConnectionResetError:
            piece = b""
        if not piece:
            self.waiting.unregister(peer)
            peer.close()
            return
        *lines, self.rest[number] = (self.rest[number] + piece).split(b"\n")
        self.seen[number] += [int(line[3:]) for line in lines if line.startswith(b"id:")]

    def close(self):
        for key in list(self.waiting.get_map().values()):
            key.fileobj.close()
        self.waiting.close()


class Following(ServeTest):

    def setUp(self):
        super().setUp()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < 4 * CLIENTS:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(4 * CLIENTS, hard), hard))

    def test_a_thousand_clients_miss_nothing_over_a_killed_daemon(self):
        items = ", ".join(f"i{number}" for number in range(150))
        self.write("flows/many.yaml", MANY % items)
        daemon = self.daemon(workflows=["flows"])
        token = self.token("olga")
        crowd = Crowd(daemon.address, token)
        self.addCleanup(crowd.close)
        crowd.connect()
        api = daemon.client(token)
        job = api.post("/api/v1/jobs", {"workflow": "many"}, status=201).json["job"]
        crowd.read_until(lambda: len(crowd.seen[0]) > 100 and len(crowd.seen[-1]) > 20)
        daemon.kill()
        crowd.read_until(lambda: False)
        again = self.daemon(workflows=["flows"])
        crowd.connect(again.address)
        api = again.client(token)

        crowd.read_until(lambda: len(crowd.seen[0]) > 0 and api.get(
            f"/api/v1/jobs/{job}").json["state"] == "completed")
        everything = [it["seq"] for it in self.pawl("events", "--jsonl").lines]
        crowd.read_until(lambda: all(seen and seen[-1] >= everything[-1] for seen in crowd.seen))
        for number, seen in enumerate(crowd.seen):
            self.assertEqual(seen, everything, f"client {number}")
        again.stop()
        self.pawl("verify")

    def test_filters_choose_and_the_cursor_goes_on(self):
        self.write("flows/many.yaml", MANY % "a, b")
        daemon = self.daemon(workflows=["flows"])
        token = self.token("olga")
        api = daemon.client(token)
        jobs = [api.post("/api/v1/jobs", {"workflow": "many", "new": True}, status=201).json["job"]
                for _ in range(2)]
        self.wait_until("both end", lambda: all(
            api.get(f"/api/v1/jobs/{job}").json["state"] == "completed" for job in jobs))
        path = f"/api/v1/events/stream?job={jobs[1]}&type=attempt.*"
        follower = daemon.events(path=path, token=token, last=0)
        wanted = [it["seq"] for it in self.pawl("events", "--job", jobs[1], "--jsonl").lines
                  if it["type"].startswith("attempt.")]
        self.wait_until("all are there", lambda: len(follower.ids) >= len(wanted))
        self.assertEqual(follower.ids, wanted)
        for event in follower.seen:
            document = json.loads(event["data"])
            self.assertEqual(document["job"], jobs[1])
            self.assertEqual(document["type"], event["event"])
        rest = daemon.events(path=path, token=token, last=wanted[3])
        self.wait_until("the rest is there", lambda: len(rest.ids) >= len(wanted) - 4)
        self.assertEqual(rest.ids, wanted[4:])
        ahead = daemon.events(token=token, last=10**15)
        self.wait_until("it is told to begin again", lambda: any(
            event.get("event") == "reset" for event in ahead.seen))
        daemon.stop()

    def test_events_of_other_processes_come_too(self):
        self.write("flows/many.yaml", MANY % "a, b")
        daemon = self.daemon("--no-work")
        token = self.token("olga")
        follower = daemon.events(token=token)
        self.assertTrue(follower.is_open.wait(PATIENCE))
        self.pawl("run", "flows/many.yaml")
        everything = [it["seq"] for it in self.pawl("events", "--jsonl").lines]
        self.wait_until("all are there", lambda: follower.ids and follower.ids[-1] == everything[-1])
        self.assertEqual(follower.ids, [seq for seq in everything if seq >= follower.ids[0]])
        daemon.stop()


if __name__ == "__main__":
    unittest.main()
