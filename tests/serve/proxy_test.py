"""The reverse proxies of the guide: nginx and Caddy with the very files that the page shows, over https, under
a path, in front of the real daemon. Only names of files, ports and the host are replaced."""

import http.client
import http.server
import json
import os
import pathlib
import socket
import ssl
import subprocess
import threading
import unittest

from daemon import PATIENCE, Client, Daemon, ServeTest
from guide_page import blocks_of, replaced

GUIDE = blocks_of("operating.md")
HOST = "pawl.example.org"
PREFIX = "/flows"
BROWSER = "127.0.0.9"  # an address that is not the proxy's

STEPS = """
version: 1
workflow: steps
items: [a, b]
stages:
  one: { run: ["true"] }
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Connection(http.client.HTTPSConnection):
    """Reaches the proxy under its public name, from an address of its own."""

    def __init__(self, port, trust):
        super().__init__(HOST, port, timeout=PATIENCE, context=trust)

    def connect(self):
        peer = socket.create_connection(("127.0.0.1", self.port), PATIENCE, (BROWSER, 0))
        self.sock = self._context.wrap_socket(peer, server_hostname=HOST)


class ProxyClient(Client):
    """A client of the daemon that goes through the proxy."""

    def __init__(self, test, token=None):
        super().__init__(test, f"{HOST}:{test.port}", token)
        test.addCleanup(self.close)

    def send(self, method, path, body=None, headers=None):
        self.connection = self.connection or Connection(self.port, self.test.trust)
        return super().send(method, PREFIX + path, body, headers)


class SignInService(http.server.BaseHTTPRequestHandler):
    """Answers as oauth2-proxy does: 202 with the name of who is signed in, else 401."""

    def do_GET(self):
        cookies = self.headers.get("Cookie", "")
        person = cookies.partition("_oauth2_proxy=")[2].split(";")[0]
        if not self.path.startswith("/oauth2/auth"):
            self.answer(403, {}, b"please sign in")
        elif person:
            self.answer(202, {"X-Auth-Request-Email": person})
        else:
            self.answer(401, {})

    def answer(self, status, headers, body=b""):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class ProxyTest(ServeTest):
    """One daemon behind one proxy."""

    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.home = self.dir / "proxy"
        self.home.mkdir()
        self.make_certificate()
        self.write("flows/steps.yaml", STEPS)

    def make_certificate(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}",
             "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", self.home / "key.pem",
             "-out", self.home / "cert.pem"], check=True, capture_output=True)
        self.trust = ssl.create_default_context(cafile=self.home / "cert.pem")

    def start_daemon(self, settings):
        """The daemon with the settings of the guide."""
        text = replaced(GUIDE[f"file: {settings}"], {
            "listen: 127.0.0.1:7878": "listen: 127.0.0.1:0",
            f"https://{HOST}": f"https://{HOST}:{self.port}",
            "/var/lib/pawl/workflows": "flows",
        })
        return Daemon(self, settings=text)

    def start_proxy(self, *words):
        log = open(self.home / "log", "w", encoding="utf-8")
        self.addCleanup(log.close)
        # Nothing of the system's own proxies: neither their files nor their directories.
        process = subprocess.Popen(
            words, cwd=self.home, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env={**os.environ, "HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data"),
                 "XDG_CONFIG_HOME": str(self.home / "config")})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def is_open():
            self.assertIsNone(process.poll(), (self.home / "log").read_text())
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE).close()
            except OSError:
                return False
            return True

        self.wait_until("the proxy listens", is_open)

    def start_nginx(self, block, daemon, **ports):
        text = replaced(GUIDE[f"file: {block}"], {
            "server 127.0.0.1:7878;": f"server {daemon.address};",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port} ssl http2;",
            f"/etc/letsencrypt/live/{HOST}/fullchain.pem": str(self.home / "cert.pem"),
            f"/etc/letsencrypt/live/{HOST}/privkey.pem": str(self.home / "key.pem"),
            **ports,
        })
        folders = "".join(f"{kind}_temp_path temp;\n" for kind in
                          ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        self.write("proxy/nginx.conf", "daemon off;\nmaster_process off;\npid nginx.pid;\n"
                   f"events {{}}\nhttp {{\naccess_log access.log;\n{folders}{text}}}\n")
        self.start_proxy("/usr/sbin/nginx", "-p", str(self.home), "-e", "stderr", "-c", "nginx.conf")

    def start_caddy(self, block, daemon, **ports):
        text = replaced(GUIDE[f"file: {block}"], {
            f"{HOST} {{": f"https://{HOST}:{self.port} {{\n\tbind 127.0.0.1\n\ttls cert.pem key.pem",
            "127.0.0.1:7878": daemon.address,
            **ports,
        })
        self.write("proxy/Caddyfile", "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + text)
        self.start_proxy("caddy", "run", "--config", "Caddyfile", "--adapter", "caddyfile")

    def open_stream(self, path, headers):
        """A stream of events through the proxy: its lines, as they come."""
        connection = Connection(self.port, self.trust)
        self.addCleanup(connection.close)
        connection.request("GET", PREFIX + path, headers={"Accept": "text/event-stream", **headers})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        return response


class Checks:
    """What must hold behind each proxy."""

    def start(self, block_kind):
        raise NotImplementedError

    def test_a_browser_signs_in_and_acts_and_its_address_is_on_record(self):
        daemon = self.start_daemon("serve.yaml")
        self.start_plain(daemon)
        self.assertTrue(daemon.said["sign_in_url"].startswith(f"https://{HOST}:{self.port}{PREFIX}/#code="))
        browser = ProxyClient(self)
        self.assertIn(b"pages/sign_in.js", browser.get("/").body)
        own = {"Origin": f"https://{HOST}:{self.port}"}
        reply = browser.post("/api/v1/session", {"code": daemon.code}, headers=own)
        cookie = reply.headers["Set-Cookie"]
        self.assertTrue(cookie.startswith("__Host-"), cookie)
        self.assertIn("; Secure", cookie)
        browser.cookie = cookie.split(";")[0]
        self.assertEqual(browser.get("/api/v1/session").json["by"], "session")

        forged = {**own, "X-Forwarded-For": "203.0.113.5", "Forwarded": "for=203.0.113.6"}
        browser.post("/api/v1/jobs", {"workflow": "steps"}, status=201, headers=forged)
        trail = browser.rows("/api/v1/audit", "entries")
        self.assertEqual({it["address"] for it in trail if it["act"] == "job.submit"}, {BROWSER})
        browser.post("/api/v1/jobs", {"workflow": "steps"}, status=403,
                     headers={"Sec-Fetch-Site": "cross-site"})

    def test_events_arrive_while_the_stream_is_open(self):
        daemon = self.start_daemon("serve.yaml")
        token = self.token("olga", "admin")
        self.start_plain(daemon)
        stream = self.open_stream("/api/v1/events/stream?after=0", {"Authorization": f"Bearer {token}"})
        self.assertEqual(stream.readline(), b"retry: 1000\n")
        ProxyClient(self, token).post("/api/v1/jobs", {"workflow": "steps"}, status=201)
        types = []
        while "job.finished" not in types:
            line = stream.readline().decode()
            self.assertTrue(line, "the stream has ended")
            if line.startswith("event: "):
                types.append(line[7:].strip())

    def test_nobody_signs_in_with_a_header_of_their_own(self):
        daemon = self.start_daemon("serve-oauth2.yaml")
        self.token("olga", "admin")
        self.start_plain(daemon)
        client = ProxyClient(self)
        for name in ("X-Forwarded-User", "x-forwarded-user", "X_Forwarded_User"):
            client.get("/api/v1/session", status=401, headers={name: "olga"})

    def test_paths_and_large_bodies_come_through_as_they_are(self):
        daemon = self.start_daemon("serve.yaml")
        client = ProxyClient(self, self.token("olga", "admin"))
        self.start_plain(daemon)
        refused = client.get("/api/v1/workflows/a%2Fb", status=404)
        self.assertIn("a/b", refused.error["message"])
        large = json.dumps({"workflow": "x" * (2 << 20)}).encode()
        reply = client.send("POST", "/api/v1/jobs", large, {"Content-Type": "application/json"})
        self.assertEqual((reply.status, reply.error["code"]), (413, "too_large"))

    def test_a_proxy_that_signs_people_in_says_who_calls(self):
        service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SignInService)
        self.addCleanup(service.server_close)
        threading.Thread(target=service.serve_forever, daemon=True).start()
        self.addCleanup(service.shutdown)
        daemon = self.start_daemon("serve-oauth2.yaml")
        self.token("olga", "admin")
        self.token("ana@example.org", "reviewer")
        self.start_signing_in(daemon, service.server_address[1])

        ana = {"Cookie": "_oauth2_proxy=ana@example.org"}
        said = ProxyClient(self).get("/api/v1/session", headers=ana).json
        self.assertEqual((said["person"], said["role"], said["by"]),
                         ("ana@example.org", "reviewer", "proxy"))
        forged = ProxyClient(self).get("/api/v1/session", headers={**ana, "X-Forwarded-User": "olga"})
        self.assertEqual(forged.json["person"], "ana@example.org")
        for headers in ({}, {"X-Forwarded-User": "olga"}):
            self.assertNotEqual(ProxyClient(self).send("GET", "/api/v1/session", headers=headers).status, 200)
        ProxyClient(self).get("/api/v1/jobs", status=403, headers={"Cookie": "_oauth2_proxy=nobody"})
        # A page of another site cannot use the sign-in of the proxy.
        ProxyClient(self).post("/api/v1/reviews/1/claim", status=403, headers=ana)
        ProxyClient(self).post("/api/v1/reviews/1/claim", status=404,
                               headers={**ana, "Origin": f"https://{HOST}:{self.port}"})


class Nginx(Checks, ProxyTest):

    def start_plain(self, daemon):
        self.start_nginx("pawl.nginx", daemon)

    def start_signing_in(self, daemon, port):
        self.start_nginx("pawl-oauth2.nginx", daemon, **{"127.0.0.1:4180": f"127.0.0.1:{port}"})


class Caddy(Checks, ProxyTest):

    def start_plain(self, daemon):
        self.start_caddy("Caddyfile", daemon)

    def start_signing_in(self, daemon, port):
        self.start_caddy("Caddyfile-oauth2", daemon, **{"127.0.0.1:4180": f"127.0.0.1:{port}"})


if __name__ == "__main__":
    unittest.main()
