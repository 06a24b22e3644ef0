"""A network between a program and its server, with all faults of a network: it loses connections, falls silent,
is slow, breaks in the middle of a message, and loses the one answer that mattered.

    with Proxy(server_port) as network:
        ... the program connects to network.port ...
        network.freeze()

Everything runs in the proxy's own thread; its methods may be called from any other.
"""

import asyncio
import contextlib
import random
import socket
import struct
import threading

CHUNK = 65536
GREETING = 256
# What a PostgreSQL server sends after a COMMIT has become durable, and never before.
COMMITTED = b"C\x00\x00\x00\x0bCOMMIT\x00"


class Rules:
    """The faults of one connection; the default rules let everything through."""

    def __init__(self, delay=0.0, cut_up=None, cut_down=None):
        self.delay = delay  # seconds, for each piece that passes
        self.cut_up = cut_up  # bytes from the program to the server, then the connection breaks
        self.cut_down = cut_down  # bytes from the server to the program


def unsteady(seed, delay_max, bytes_min, bytes_max, cuts):
    """Rules from a seed: every connection has its own delay, and the first ones break."""
    dice = random.Random(seed)

    def next_rules(number):
        delay = dice.uniform(0, delay_max)
        up, down = (dice.randint(bytes_min, bytes_max) for _ in range(2))
        return Rules(delay, up, down) if number <= cuts else Rules(delay)
    return next_rules


class Connection:
    def __init__(self, proxy, rules, program, server):
        self.proxy = proxy
        self.rules = rules
        self.program = program  # (reader, writer), as is the server
        self.server = server
        self.greeting = b""  # the startup message of the program

    async def carry(self):
        pumps = [asyncio.ensure_future(self._pump(self.program[0], self.server[1], self.rules.cut_up, None)),
                 asyncio.ensure_future(self._pump(self.server[0], self.program[1], self.rules.cut_down,
                                                  COMMITTED))]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            for _, writer in (self.program, self.server):
                writer.close()

    async def _pump(self, reader, writer, bytes_left, acknowledgement):
        last = b""
        while True:
            try:
                data = await reader.read(CHUNK)
            except OSError:
                data = b""
            await self.proxy.open_road.wait()
            if self.rules.delay:
                await asyncio.sleep(self.rules.delay)  # waits: the requested delay
                await self.proxy.open_road.wait()
            if not data:
                return
            if acknowledgement is None and len(self.greeting) < GREETING:
                self.greeting += data
            if acknowledgement and self.proxy.loses_answer_of(self) and acknowledgement in last + data:
                self.proxy.answers_to_lose -= 1
                self.proxy.answers_lost += 1
                self.reset()
                return
            last = data[-len(COMMITTED):]
            if bytes_left is not None and len(data) >= bytes_left:
                writer.write(data[:bytes_left])
                self.proxy.cuts += 1
                self.reset()
                return
            if bytes_left is not None:
                bytes_left -= len(data)
            writer.write(data)
            try:
                await writer.drain()
            except OSError:
                return

    def reset(self):
        """Breaks it at both ends at once, and drops what is in flight."""
        for _, writer in (self.program, self.server):
            raw = writer.get_extra_info("socket")
            with contextlib.suppress(OSError):  # already closed
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()


class Proxy:
    def __init__(self, target_port):
        self.target_port = target_port
        self.port = None
        # Owned by the proxy's thread.
        self.connections = set()
        self.opened = 0
        self.cuts = 0
        self.answers_to_lose = 0
        self.loser = b""
        self.answers_lost = 0
        self.rules_of = lambda number: Rules()
        self.open_road = None

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

    # The faults

    def drop(self):
        """Breaks every connection."""
        self._ask(self._each(Connection.reset))

    def freeze(self):
        """A black hole: connections stay and new ones are accepted, but nothing passes either way."""
        self._ask(self._set_road(False))

    def thaw(self):
        """Lets everything pass again, including what was in flight."""
        self._ask(self._set_road(True))

    def rule(self, rules_of):
        """Sets the rules of future connections: a function from their number, from 1, to Rules."""
        self._ask(self._set("rules_of", rules_of))

    def lose_answers(self, count, to=b""):
        """The next answers to a COMMIT are swallowed, and their connections broken; only for programs
        whose startup message contains these bytes."""
        self._ask(self._set("loser", to))
        self._ask(self._set("answers_to_lose", count))

    def loses_answer_of(self, connection):
        return self.answers_to_lose > 0 and self.loser in connection.greeting

    # The thread's side

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _ask(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=30)

    async def _listen(self):
        self.open_road = asyncio.Event()
        self.open_road.set()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    async def _close(self):
        self._server.close()
        await self._each(Connection.reset)
        self.open_road.set()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _each(self, act):
        for connection in list(self.connections):
            act(connection)

    async def _set(self, name, value):
        setattr(self, name, value)

    async def _set_road(self, is_open):
        self.open_road.set() if is_open else self.open_road.clear()

    async def _serve(self, reader, writer):
        self.opened += 1
        rules = self.rules_of(self.opened)
        with contextlib.suppress(asyncio.CancelledError):  # asyncio would report it as a failure
            await self.open_road.wait()
            await self._connect(rules, reader, writer)

    async def _connect(self, rules, reader, writer):
        try:
            server = await asyncio.open_connection("127.0.0.1", self.target_port)
        except OSError:
            writer.transport.abort()
            return
        connection = Connection(self, rules, (reader, writer), server)
        self.connections.add(connection)
        try:
            await connection.carry()
        finally:
            self.connections.discard(connection)
