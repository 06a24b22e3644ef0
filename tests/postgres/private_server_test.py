"""The tests' own PostgreSQL: it exists when it is needed, and is removed when it is not."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from private_server import PrivateServer, ServerError, started_at, wait_until

SCRIPT = pathlib.Path(__file__).with_name("private_server.py")


class Server(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="pawl-test-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def server(self, folder=None, settings=None):
        server = PrivateServer(folder or self.dir / "server", settings)
        self.addCleanup(server.release)
        return server.start()

    def call(self, *words):
        return subprocess.run([sys.executable, "-B", SCRIPT, *words], text=True, capture_output=True,
                              timeout=120)

    def assert_ends(self, server, postmaster):
        wait_until("the server ends", lambda: not started_at(postmaster))
        wait_until("nothing is left", lambda: not (server.folder / "server.json").exists())
        self.assertFalse((server.folder / "cluster").exists())

    def test_is_found_again_and_replaced_when_other_settings_are_asked(self):
        first = self.server()
        first.sql("CREATE TABLE kept (n int)")
        again = self.server()
        self.assertEqual(again.url(), first.url())
        self.assertEqual(again.sql("SELECT count(*) FROM kept"), "0")
        other = self.server(settings={"max_connections": "17"})
        self.assertEqual(other.sql("SHOW max_connections"), "17")
        self.assertEqual(other.sql("SHOW fsync"), "on")
        with self.assertRaisesRegex(ServerError, "kept"):
            other.sql("SELECT * FROM kept")

    def test_keeps_its_data_and_its_url_over_stops_and_kills(self):
        server = self.server()
        url = server.url()
        server.sql("CREATE TABLE lines (n int)")
        for number, end in enumerate((server.stop, lambda: server.stop("immediate"), server.kill)):
            server.sql(f"INSERT INTO lines VALUES ({number})")
            end()
            self.assertFalse(server.is_running())
            with self.assertRaises(ServerError):
                server.sql("SELECT 1")
            server.go_on()
        self.assertEqual(server.url(), url)
        self.assertEqual(server.sql("SELECT string_agg(n::text, ' ' ORDER BY n) FROM lines"), "0 1 2")

    def test_is_gone_after_the_process_it_was_started_for_was_killed(self):
        holder = subprocess.Popen(["sleep", "86397"])
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        folder = self.dir / "server"
        started = self.call("start", str(folder), "--for", str(holder.pid))
        self.assertEqual(started.returncode, 0, started.stderr)
        server = PrivateServer(folder)
        self.assertEqual(started.stdout.strip(), server.url())
        postmaster = server._pid()
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        self.assert_ends(server, postmaster)

    def test_stays_while_somebody_else_needs_it(self):
        server = self.server()
        holder = subprocess.Popen(["sleep", "86397"])
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        server.start(owner=holder.pid)
        postmaster = server._pid()
        self.assertIn("others still need", self.call("stop", str(server.folder)).stdout)
        self.assertEqual(server.sql("SELECT 1"), "1")
        self.assertTrue(server.release(holder.pid))
        self.assert_ends(server, postmaster)

    def test_what_a_killed_run_left_is_replaced(self):
        server = self.server()
        before = server._pid()
        os.kill(server._watcher(), signal.SIGKILL)
        wait_until("nobody watches", lambda: not server._watcher())
        os.kill(before, signal.SIGKILL)
        server._process.wait()
        again = self.server()
        self.assertNotEqual(again._pid(), before)
        self.assertEqual(again.sql("SELECT 1"), "1")
        self.assertTrue(again._watcher())

    def test_runs_where_the_path_is_long_or_closed_to_others(self):
        closed = self.dir / "closed"
        closed.mkdir(mode=0o700)
        server = self.server(closed / ("long-" * 30))
        self.assertEqual(server.sql("SELECT 1"), "1")
        places = [pathlib.Path(server._known()[name]) for name in ("home", "sockets")]
        self.assertTrue(server.release())
        self.assertEqual([place for place in places if place.exists()], [])


if __name__ == "__main__":
    unittest.main()
