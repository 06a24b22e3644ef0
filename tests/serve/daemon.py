"""Runs `pawl serve` from outside, as a service manager does, and talks to it as programs do: over
real sockets."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "end_to_end"))
from pawl import DONE, PATIENCE, PROGRAM, ProjectTest  # noqa: E402


class Reply:
    """An answer of the daemon."""

    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]

    def __str__(self):
        return f"{self.status}\n{self.headers}\n{self.body[:4000]!r}"


class Client:
    """One client with its own connection and its own credentials."""

    def __init__(self, test, address, token=None):
        self.test = test
        self.host, _, port = address.rpartition(":")
        self.port = int(port)
        self.token = token
        self.cookie = None
        self.connection = None

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def send(self, method, path, body=None, headers=None):
        said = {"Accept": "application/json", **(headers or {})}
        if self.token:
            said.setdefault("Authorization", f"Bearer {self.token}")
        if self.cookie:
            said.setdefault("Cookie", self.cookie)
            said.setdefault("Sec-Fetch-Site", "same-origin")
        data = body
        if method != "GET" and not isinstance(body, bytes):
            data = json.dumps({} if body is None else body)
            said.setdefault("Content-Type", "application/json")
        for is_last in (False, True):
            if not self.connection:
                self.connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
            try:
                self.connection.request(method, path, body=data, headers=said)
                response = self.connection.getresponse()
                return Reply(response, response.read())
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self.close()  # an idle connection that the daemon has closed
                if is_last:
                    raise

    def call(self, method, path, body=None, status=200, headers=None):
        """Sends a request and checks the status (None: any)."""
        reply = self.send(method, path, body, headers)
        if status is not None:
            self.test.assertEqual(reply.status, status, f"{method} {path}\n{reply}")
        return reply

    def get(self, path, status=200, **more):
        return self.call("GET", path, status=status, **more)

    def post(self, path, body=None, status=200, **more):
        return self.call("POST", path, body, status=status, **more)

    def sign_in(self, code=None, token=None):
        """Opens a session, as a browser does."""
        reply = self.post("/api/v1/session", {"code": code} if code else {"token": token},
                          headers={"Sec-Fetch-Site": "same-origin"})
        self.cookie = reply.headers["Set-Cookie"].split(";")[0]
        return reply.json

    def rows(self, path, name):
        """Every row of a list, page by page."""
        rows, after = [], None
        while True:
            parts = "&" if "?" in path else "?"
            page = self.get(path + (f"{parts}after={urllib.parse.quote(after)}" if after else "")).json
            rows += page[name]
            after = page["next"]
            if after is None:
                return rows


class Events:
    """Follows server-sent events on a thread of its own, until it is closed or the stream ends."""

    def __init__(self, test, address, path="/api/v1/events/stream", token=None, last=None):
        self.seen = []
        self.is_over = threading.Event()
        self.is_open = threading.Event()
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=PATIENCE)
        head = f"GET {path} HTTP/1.0\r\nHost: {address}\r\nAccept: text/event-stream\r\n"
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        if last is not None:
            head += f"Last-Event-ID: {last}\r\n"
        self.socket.sendall(head.encode() + b"\r\n")
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        test.addCleanup(self.close)

    def _read(self):
        fields = {}
        try:
            with self.socket.makefile("rb") as lines:
                self.status = int(lines.readline().split()[1])
                while lines.readline() not in (b"\r\n", b""):
                    pass
                self.is_open.set()
                for line in lines:
                    text = line.decode().rstrip("\r\n")
                    if text:
                        name, _, value = text.partition(": ")
                        if name in ("id", "event", "data"):
                            fields[name] = value
                    elif fields:
                        self.seen.append(fields)
                        fields = {}
        except OSError:
            pass
        self.is_open.set()
        self.is_over.set()

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()
        self.thread.join(PATIENCE)

    @property
    def ids(self):
        return [int(event["id"]) for event in self.seen if "id" in event]


class Daemon:
    """A running `pawl serve`."""

    def __init__(self, test, *words, env=None, store=None, workflows=None, settings=None):
        self.test = test
        if workflows is not None and settings is None:
            settings = "workflows:\n" + "".join(f"  - {folder}\n" for folder in workflows)
        if settings is not None:
            test.write(".pawl/serve.yaml", settings).parent.chmod(0o700)
        call = ["serve", "--json", "--listen", "127.0.0.1:0", *words]
        if store:
            call += ["--store", store]
        self.log_file = open(test.dir / f"serve-{id(self)}.log", "w+", encoding="utf-8")
        test.addCleanup(self.log_file.close)
        self.process = subprocess.Popen(
            [PROGRAM, *[str(word) for word in call]], cwd=test.dir, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.log_file, text=True,
            env=test.environment(**(env or {})))
        test.addCleanup(self._end)
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            test.fail(f"the daemon did not start:\n{self.log_text()}")
        self.said = json.loads(line)
        self.address = urllib.parse.urlsplit(self.said["url"]).netloc

    def _end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    @property
    def code(self):
        return urllib.parse.parse_qs(urllib.parse.urlsplit(self.said["sign_in_url"]).fragment)["code"][0]

    def client(self, token=None):
        client = Client(self.test, self.address, token)
        self.test.addCleanup(client.close)
        return client

    def browser(self):
        """A client that is signed in with the one-time code."""
        client = self.client()
        client.sign_in(code=self.code)
        return client

    def events(self, **more):
        return Events(self.test, self.address, **more)

    def log_text(self):
        self.log_file.flush()
        return pathlib.Path(self.log_file.name).read_text()

    @property
    def log(self):
        return [json.loads(line) for line in self.log_text().splitlines()]

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, code=DONE):
        self.signal(signal.SIGTERM)
        self.test.assertEqual(self.process.wait(PATIENCE), code, self.log_text())

    def kill(self):
        self.process.kill()
        self.process.wait()


class ServeTest(ProjectTest):
    """A test with daemons in a project of its own."""

    def daemon(self, *words, **more):
        return Daemon(self, *words, **more)

    def token(self, name, role="admin", store=None, kind="person"):
        """A token; adds the person first, unless the store knows them, and whoever runs the tests."""
        place = ["--store", store] if store else []
        self.pawl("user", "add", "tester", "--role", "admin", *place, code=None)
        if kind == "person":
            self.pawl("user", "add", name, "--role", role, *place, code=None)
        words = ["token", "create", "--name", name, "--role", role, "--kind", kind, "--json"]
        return self.pawl(*words, *place).json["secret"]

    def raw(self, address, data, is_closed=False):
        """Everything that the daemon sends for these bytes until it closes the connection."""
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as peer:
            peer.sendall(data)
            if is_closed:
                peer.shutdown(socket.SHUT_WR)
            answer = b""
            try:
                while piece := peer.recv(65536):
                    answer += piece
            except ConnectionResetError:
                pass
            return answer
