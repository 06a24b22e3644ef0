"""Poolers between a program and its server, for tests.

    with PgBouncer(server, "transaction") as pooler:   the one of Debian
        ... the program connects to pooler.port ...

    with SharingPooler(server) as pooler:              a stand-in for newer ones
        pooler.share()

PgBouncer supports prepared statements in transaction mode since version 1.21, which Debian 12 does not have.
SharingPooler does what these versions do: it greets with its own process number, assigns server connections
for one transaction each, and prepares on each of them what its client has prepared on another. Unlike them,
it can switch modes: it keeps a server connection for each client until share() is called, and from then on
gives each transaction another one than the last. Its clients log in as one user without a password.
"""

import asyncio
import collections
import contextlib
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

from private_server import STARTED, ServerError, as_server_user, free_port, server_user

PATIENCE = 30


class PgBouncer:
    def __init__(self, server, mode, pool_size=20, more=""):
        self.port = free_port()
        self.program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin:/usr/local/sbin")
        if not self.program:
            raise ServerError("no PgBouncer is installed here; `./dev test` installs it, "
                              "or: apt-get install pgbouncer")
        self.settings = f"""
[databases]
* = host=127.0.0.1 port={server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {pool_size}
max_client_conn = 200
{more}
"""
        # With auth_type = any the names of the clients are lost; the server knows this one.
        self.settings = self.settings.replace("* = ", "* = user=pawl ")

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pawl-pooler-"))
        (self.folder / "settings.ini").write_text(self.settings)
        if server_user():
            for path in (self.folder, self.folder / "settings.ini"):
                shutil.chown(path, server_user().pw_uid, server_user().pw_gid)
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen([self.program, "-q", self.folder / "settings.ini"], cwd="/",
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        **as_server_user())
        STARTED.append(self.process)
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return self
            if self.process.poll() is not None or time.monotonic() > end:
                raise ServerError("PgBouncer did not start: " + (self.folder / "log").read_text())
            time.sleep(0.02)  # waits: another process has to get there

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def message(kind, body):
    return kind + struct.pack("!i", len(body) + 4) + body


SYNC = message(b"S", b"")


def statement_names(kind, body):
    """The begin and end of the name of a prepared statement in a message of a client, or None."""
    if kind == b"P":
        begin = 0
    elif kind == b"B":
        begin = body.index(b"\0") + 1
    elif kind in (b"D", b"C") and body[:1] == b"S":
        begin = 1
    else:
        return None
    return begin, body.index(b"\0", begin)


class Backend:
    """A connection of the pooler to the server."""

    def __init__(self, reader, writer, greeting):
        self.reader = reader
        self.writer = writer
        self.greeting = greeting  # the server's parameters
        self.prepared = set()

    async def next(self):
        kind = await self.reader.readexactly(1)
        size = struct.unpack("!i", await self.reader.readexactly(4))[0]
        return kind, await self.reader.readexactly(size - 4)

    async def prepare(self, statements):
        """Prepares the client's statements that are missing here."""
        missing = {name: body for name, body in statements.items() if name not in self.prepared}
        if not missing:
            return
        for body in missing.values():
            self.writer.write(message(b"P", body))
        self.writer.write(SYNC)
        while (await self.next())[0] != b"Z":
            pass
        self.prepared |= set(missing)


class SharingPooler:
    def __init__(self, server, user="pawl", version=None):
        self.server_port = server.port
        self.user = user
        self.version = version  # server version that clients see; None: the real one
        self.port = None
        self.switches = 0  # how often a client was given another backend than before
        # Owned by the pooler's thread.
        self._is_sharing = False
        self._free = collections.deque()
        self._clients = 0
        self._tasks = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        self.port = self._ask(self._listen())
        return self

    def __exit__(self, *_):
        self._ask(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def share(self, is_sharing=True):
        """From now on, a backend serves one transaction; False: one client, as at first."""
        async def change():
            self._is_sharing = is_sharing
        self._ask(change())

    # The thread's side

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _ask(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=PATIENCE)

    async def _listen(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    async def _close(self):
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for backend in self._free:
            backend.writer.close()

    async def _connect(self, startup):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server_port)
        writer.write(startup)
        backend = Backend(reader, writer, b"")
        while True:
            kind, body = await backend.next()
            if kind == b"E":
                raise ConnectionError(body)
            if kind == b"S":
                backend.greeting += message(kind, self._told(body))
            if kind == b"Z":
                return backend

    def _told(self, body):
        name, value, _ = body.split(b"\0")
        if name == b"server_version" and self.version:
            value = self.version.encode()
        return name + b"\0" + value + b"\0"

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        try:
            await self._talk(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(asyncio.current_task())
            writer.close()

    async def _talk(self, reader, writer):
        while True:
            size, code = struct.unpack("!ii", await reader.readexactly(8))
            rest = await reader.readexactly(size - 8)
            if code >> 16 == 3:
                break
            if code == 80877102:  # a cancel request
                return
            writer.write(b"N")  # neither TLS nor GSSAPI
        self._clients += 1
        client = Client(self, self._clients, reader, writer)
        client.startup = struct.pack("!ii", size, code) + rest
        backend = await self._connect(client.startup)
        own_number = struct.pack("!ii", 1_000_000 + self._clients, 0)
        writer.write(message(b"R", struct.pack("!i", 0)) + backend.greeting + message(b"K", own_number) +
                     message(b"Z", b"I"))
        await client.run(backend)

    async def borrow(self, client, last):
        """Another backend than the last, if there is one or one can be created."""
        for backend in self._free:
            if backend is not last:
                self._free.remove(backend)
                break
        else:
            backend = await self._connect(client.startup)
        self.switches += backend is not last
        await backend.prepare(client.statements)
        return backend

    def give_back(self, backend):
        self._free.append(backend)


class Client:
    def __init__(self, pooler, number, reader, writer):
        self.pooler = pooler
        self.prefix = f"c{number}_".encode()
        self.reader = reader
        self.writer = writer
        self.statements = {}  # by their name on backends: what prepares them
        self.open = 0  # unanswered Syncs and simple queries

    async def run(self, backend):
        last = backend
        answers = None
        try:
            while True:
                kind = await self.reader.readexactly(1)
                body = await self.reader.readexactly(struct.unpack("!i", await self.reader.readexactly(4))[0] - 4)
                if answers and answers.done():
                    answers.result()
                    answers = None
                    if self.pooler._is_sharing:
                        self.pooler.give_back(backend)
                        last, backend = backend, None
                if kind == b"X":
                    return
                if backend is None:
                    backend = await self.pooler.borrow(self, last)
                self.forward(backend, kind, body)
                if answers is None:
                    answers = asyncio.ensure_future(self.answer(backend))
        finally:
            if answers:
                answers.cancel()
                await asyncio.gather(answers, return_exceptions=True)
            if backend:
                backend.writer.close()

    def forward(self, backend, kind, body):
        place = statement_names(kind, body)
        if place and place[1] > place[0]:
            name = self.prefix + body[place[0]:place[1]]
            body = body[:place[0]] + name + body[place[1]:]
            if kind == b"P":
                self.statements[name] = body
                backend.prepared.add(name)
        self.open += kind in (b"S", b"Q")
        backend.writer.write(message(kind, body))

    async def answer(self, backend):
        """Passes on what the server says until the transaction has ended and nothing is under way. While a
        backend is kept for good, that is what it waits for."""
        while True:
            kind, body = await backend.next()
            self.open -= kind == b"Z"
            is_over = kind == b"Z" and body == b"I" and self.open == 0
            self.writer.write(message(kind, body))
            if is_over:
                return
