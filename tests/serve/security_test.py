"""Who gets in, and what gets through: every route with every role on both stores, pages of other
sites, other host names, requests that could be read in two ways."""

import json
import pathlib
import re
import sys
import unittest

from daemon import ServeTest

from each_store import on_each_store

ROLES = ("viewer", "reviewer", "operator", "admin")
# The least role that has the right, as the model says.
NEEDS = {"see": "viewer", "decide": "reviewer", "submit": "operator", "operate": "operator",
         "assign": "operator", "destroy": "operator", "trust": "operator", "manage_people": "admin",
         "see_audit": "operator", "work": "operator"}


def routes_of(daemon):
    """(method, path, right) of every route; the right is "open", "signed in" or a name."""
    document = daemon.client().get("/api/v1/openapi.json").json
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            said = operation["description"]
            named = re.search(r"Needs the right `(\w+)`", said)
            right = named[1] if named else ("open" if said.startswith("Open") else "signed in")
            # A record that does not exist: the right is checked before the record is looked for.
            yield method.upper(), re.sub(r"\{\w+\}", "987654321", path), right


class Roles(ServeTest):

    @on_each_store
    def test_every_route_lets_in_exactly_those_who_have_its_right(self):
        daemon = self.daemon(store=self.store)
        clients = {role: daemon.client(self.token(f"the-{role}", role, self.store)) for role in ROLES}
        agent = daemon.client(self.token("robot", "admin", self.store, kind="agent"))
        worker = daemon.client(self.token("gpu", "admin", self.store, kind="worker"))
        stranger = daemon.client()
        checked = 0
        for method, path, right in routes_of(daemon):
            if right == "open" or path.endswith("/stream"):
                continue
            where = f"{method} {path} ({right})"
            self.assertEqual(stranger.send(method, path).status, 401, where)
            if method == "DELETE" and path.endswith("/session"):
                continue
            least = "viewer" if right == "signed in" else NEEDS[right]
            for role, client in clients.items():
                may = ROLES.index(role) >= ROLES.index(least)
                status = client.send(method, path).status
                checked += 1
                if may:
                    self.assertNotIn(status, (401, 403), f"{role}: {where}")
                    self.assertLess(status, 500, f"{role}: {where}")
                else:
                    self.assertEqual(status, 403, f"{role}: {where}")
            if right in ("decide", "assign", "destroy", "trust", "manage_people", "see_audit"):
                self.assertEqual(agent.send(method, path).status, 403, f"agent: {where}")
            if right not in ("work", "signed in"):
                self.assertEqual(worker.send(method, path).status, 403, f"worker: {where}")
        self.assertGreater(checked, 150)
        daemon.stop()

    def test_revoked_expired_and_wrong_tokens_are_refused_at_once(self):
        daemon = self.daemon()
        self.token("ana", "operator")
        created = self.pawl("token", "create", "--name", "ana", "--role", "operator", "--json").json
        client = daemon.client(created["secret"])
        client.get("/api/v1/jobs")
        self.pawl("token", "revoke", created["token"])
        self.assertIn("revoked", client.get("/api/v1/jobs", status=401).error["message"])
        daemon.client("pawl_" + "0" * 43).get("/api/v1/jobs", status=401)
        daemon.client("x" * 5000).get("/api/v1/jobs", status=401)
        daemon.stop()

    def test_somebody_who_is_removed_is_out_at_once(self):
        daemon = self.daemon()
        client = daemon.client(self.token("ben", "operator"))
        browser = daemon.client()
        browser.sign_in(token=client.token)
        browser.get("/api/v1/jobs")
        self.pawl("user", "remove", "ben", "--yes")
        client.get("/api/v1/jobs", status=401)
        browser.get("/api/v1/jobs", status=401)
        daemon.stop()


class HostileNumbers(ServeTest):

    @on_each_store
    def test_no_cursor_keeps_a_thread_busy(self):
        daemon = self.daemon(store=self.store)
        api = daemon.client(self.token("olga", store=self.store))
        lists = [path for path, methods in api.get("/api/v1/openapi.json").json["paths"].items()
                 if "{" not in path and any(parameter["name"] == "after" for parameter in
                                            methods.get("get", {}).get("parameters", []))
                 and not path.endswith("/stream")]
        self.assertIn("/api/v1/events", lists)
        for path in lists:
            for after in (2**63 - 1, 2**63 - 2, 2**63, -1, -2**63, "x"):
                with self.subTest(path=path, after=after):
                    self.assertIn(api.send("GET", f"{path}?after={after}").status, (200, 400, 404))
        daemon.stop()


class Streams(ServeTest):

    def test_a_stream_ends_soon_after_its_token_was_revoked(self):
        daemon = self.daemon()
        token = self.token("olga")
        follower = daemon.events(token=token)
        self.assertTrue(follower.is_open.wait(60))
        [record] = [it for it in self.pawl("token", "list", "--json").json["tokens"]
                    if it["name"] == "olga"]
        self.pawl("token", "revoke", record["token"])
        self.assertTrue(follower.is_over.wait(60))
        self.assertEqual(follower.seen[-1]["event"], "signed_out")
        daemon.stop()


class OtherSites(ServeTest):

    def setUp(self):
        super().setUp()
        self.running = self.daemon()
        self.browser = self.running.browser()

    def status(self, headers, cookie=True):
        said = {"Cookie": self.browser.cookie} if cookie else {}
        client = self.running.client()
        reply = client.send("POST", "/api/v1/jobs/1/pause", headers={**said, **headers})
        return reply.status

    def test_an_unsafe_request_with_a_cookie_must_come_from_this_site(self):
        own = f"http://{self.running.address}"
        port = self.running.address.split(":")[1]
        for headers, may in (
                ({"Sec-Fetch-Site": "same-origin"}, True),
                ({"Origin": own}, True),
                ({}, False),
                ({"Sec-Fetch-Site": "cross-site"}, False),
                ({"Sec-Fetch-Site": "same-site"}, False),
                ({"Sec-Fetch-Site": "none"}, False),
                ({"Origin": "null"}, False),
                ({"Origin": "http://evil.example"}, False),
                ({"Origin": f"http://127.0.0.1.evil.example:{port}"}, False),
                ({"Origin": own + "/"}, False),
                ({"Origin": own, "Sec-Fetch-Site": "cross-site"}, False),
        ):
            with self.subTest(headers=headers):
                self.assertEqual(self.status(headers), 404 if may else 403)

    def test_a_form_of_another_site_cannot_say_json(self):
        client = self.running.client()
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
            reply = client.send("POST", "/api/v1/jobs/1/pause", b"{}", headers={
                "Cookie": self.browser.cookie, "Sec-Fetch-Site": "same-origin", "Content-Type": kind})
            self.assertEqual(reply.status, 415, kind)

    def test_other_host_names_are_turned_away(self):
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "",
                     "localhost@evil.example", "[::1", "127.0.0.1:99999"):
            with self.subTest(host=host):
                reply = self.running.client().send("GET", "/healthz", headers={"Host": host})
                self.assertIn(reply.status, (400, 421))
        for host in ("localhost", "127.0.0.1:1", "[::1]:7878", "LOCALHOST"):
            with self.subTest(host=host):
                self.running.client().get("/healthz", headers={"Host": host})

    def test_every_answer_guards_the_browser(self):
        for path in ("/", "/healthz", "/api/v1/jobs", "/nowhere", "/api/v1/openapi.json"):
            reply = self.running.client().send("GET", path)
            self.assertEqual(reply.headers["X-Content-Type-Options"], "nosniff", path)
            self.assertIn("frame-ancestors 'none'", reply.headers["Content-Security-Policy"], path)
            self.assertNotIn("unsafe", reply.headers["Content-Security-Policy"], path)
            self.assertEqual(reply.headers["Referrer-Policy"], "no-referrer", path)

    def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(self):
        client = self.running.client()
        code = self.running.said["sign_in_url"]
        reply = client.send("POST", "/api/v1/session", {"token": self.token("root", "admin")},
                            headers={"Sec-Fetch-Site": "same-origin"})
        cookie = reply.headers["Set-Cookie"]
        for attribute in ("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="):
            self.assertIn(attribute, cookie)
        self.assertNotIn("Secure", cookie)
        self.assertIn("#code=", code)

    def test_nothing_changes_by_get(self):
        document = self.running.client().get("/api/v1/openapi.json").json
        before = self.pawl("audit", "list", "--json").json
        for path in document["paths"]:
            if "get" in document["paths"][path] and not path.endswith("/stream"):
                self.browser.send("GET", re.sub(r"\{\w+\}", "1", path))
        self.assertEqual(self.pawl("audit", "list", "--json").json, before)


class PublicAddress(ServeTest):

    def test_behind_https_the_cookie_is_bound_to_the_host(self):
        daemon = self.daemon(settings="public_url: https://pawl.example/flows\n")
        self.assertTrue(daemon.said["sign_in_url"].startswith("https://pawl.example/flows/#code="))
        reply = daemon.client().send(
            "POST", "/flows/api/v1/session", {"code": daemon.code},
            headers={"Host": "pawl.example", "Origin": "https://pawl.example"})
        self.assertEqual(reply.status, 200, reply)
        cookie = reply.headers["Set-Cookie"]
        self.assertTrue(cookie.startswith("__Host-"))
        self.assertIn("Secure", cookie)
        for path in ("/flows/api/v1/session", "/api/v1/session"):
            daemon.client().get(path, headers={"Host": "pawl.example", "Cookie": cookie.split(";")[0]})
        daemon.stop()

    def test_only_a_trusted_proxy_says_who_calls(self):
        self.daemon().stop()
        self.pawl("user", "add", "ana", "--role", "operator")
        trusting = "proxy: { trusted: [127.0.0.1], user_header: X-Forwarded-User }\n"
        distrusting = "proxy: { trusted: [10.9.8.7], user_header: X-Forwarded-User }\n"
        daemon = self.daemon(settings=trusting)
        said = daemon.client().get("/api/v1/session", headers={"X-Forwarded-User": "ana"}).json
        self.assertEqual((said["person"], said["role"], said["by"]), ("ana", "operator", "proxy"))
        daemon.client().get("/api/v1/jobs", headers={"X-Forwarded-User": "nobody"}, status=403)
        daemon.stop()
        daemon = self.daemon(settings=distrusting)
        daemon.client().get("/api/v1/session", headers={"X-Forwarded-User": "ana"}, status=401)
        daemon.stop()


class TwoReadings(ServeTest):
    """Requests that two programs could read in two ways end the connection."""

    def test_they_are_refused_and_nothing_after_them_is_read(self):
        daemon = self.daemon()
        host = f"Host: {daemon.address}\r\n"
        smuggled = f"GET /healthz HTTP/1.1\r\n{host}\r\n"
        for name, head in (
                ("length and chunked", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"),
                ("two lengths", "Content-Length: 4\r\nContent-Length: 5\r\n"),
                ("two equal lengths", "Content-Length: 4\r\nContent-Length: 4\r\n"),
                ("another coding", "Transfer-Encoding: gzip, chunked\r\n"),
                ("a coding in disguise", "Transfer-Encoding: xchunked\r\n"),
                ("a space before the colon", "Transfer-Encoding : chunked\r\n"),
                ("a folded field", "X: a\r\n b\r\nContent-Length: 0\r\n"),
                ("a signed length", "Content-Length: +4\r\n"),
                ("a length in words", "Content-Length: 0x4\r\n"),
                ("two hosts", "Host: evil.example\r\n"),
        ):
            with self.subTest(name):
                request = f"POST /api/v1/session HTTP/1.1\r\n{host}{head}\r\n0\r\n\r\n{smuggled}"
                answer = self.raw(daemon.address, request.encode())
                self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer[:200])
                self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)
        daemon.stop()

    def test_large_requests_are_refused_and_the_client_can_read_why(self):
        daemon = self.daemon()
        token = self.token("root", "admin")
        head = f"POST /api/v1/jobs HTTP/1.1\r\nHost: {daemon.address}\r\nAuthorization: Bearer {token}\r\n"
        body = b"x" * (4 << 20)
        answer = self.raw(daemon.address, head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer[:200])
        long = f"GET /healthz HTTP/1.1\r\nHost: {daemon.address}\r\nX: {'x' * 20_000}\r\n\r\n"
        self.assertTrue(self.raw(daemon.address, long.encode()).startswith(b"HTTP/1.1 431 "))
        daemon.client().get("/healthz")
        daemon.stop()

    def test_many_requests_in_one_write_are_answered_in_order(self):
        daemon = self.daemon()
        paths = [f"/nowhere/{number}" for number in range(50)]
        data = "".join(f"GET {path} HTTP/1.1\r\nHost: {daemon.address}\r\n\r\n" for path in paths)
        answer = self.raw(daemon.address, data.encode(), is_closed=True)
        self.assertEqual(answer.count(b"HTTP/1.1 404 "), 50)
        daemon.stop()
        seen = [line["path"] for line in daemon.log if line["message"] == "request"]
        self.assertEqual(seen, paths)


if __name__ == "__main__":
    unittest.main()
