"""Access to the server fails: logins are refused for a while, rights come and go, TLS breaks."""

import contextlib
import pathlib

from chaos import *
from proxy import Proxy, Rules
from tls import make_certificate, turn_on_tls

# As long as an operator needs to notice a mistake and to undo it.
SHUT = 6
# Longer than all of it: no worker is declared dead, so none loses its tasks and nothing runs again.
LONG_LEASE = 30


class AtTheDoor(ChaosTest):
    lease = LONG_LEASE

    def check(self, **harm):
        super().check(**harm)
        self.assertNotIn('"result":"interrupted"', self.pawl("events", "--jsonl").out)

    def wait(self, seconds):
        until = time.monotonic() + seconds
        wait_until("it was noticed", lambda: time.monotonic() > until)


class ClosedDoor(AtTheDoor):
    def shut_for_a_while(self, shut, opened, ends_connections=True):
        self.submit(60)
        self.work()
        self.work()
        self.wait_for_more(20)
        self.server.sql(shut)
        if ends_connections:
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'worker'")
        self.wait(SHUT)
        self.server.sql(opened)
        if ends_connections:
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'worker'")
        self.expect_all_back()
        self.check(seconds_shut=SHUT)

    def test_login_revoked(self):
        self.shut_for_a_while("ALTER ROLE worker NOLOGIN", "ALTER ROLE worker LOGIN")

    def test_read_only_for_a_while(self):
        self.shut_for_a_while("ALTER ROLE worker SET default_transaction_read_only = on",
                              "ALTER ROLE worker RESET default_transaction_read_only")

    def test_rights_revoked(self):
        tables = f"ON ALL TABLES IN SCHEMA {self.schema}"
        self.shut_for_a_while(f"REVOKE UPDATE {tables} FROM worker", f"GRANT UPDATE {tables} TO worker",
                              ends_connections=False)


class Tls(AtTheDoor):
    parameters = {"sslmode": "require"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = pathlib.Path(tempfile.mkdtemp(prefix="pawl-chaos-tls-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        make_certificate(folder, "server")
        turn_on_tls(cls.server, folder)
        cls.server.restart()

    def test_tls_handshakes_cut(self):
        network = self.enterContext(Proxy(self.server.port))
        self.submit(60)
        self.work(port=network.port)
        self.work(port=network.port)
        self.wait_for_more(20)
        # During the server's first answer to the greeting.
        network.rule(lambda number: Rules(cut_down=200))
        network.drop()
        self.wait(SHUT)
        network.rule(lambda number: Rules())
        self.expect_all_back()
        self.check(handshakes_cut=network.cuts)

    def test_backends_killed_under_tls(self):
        """Each kill ends all sessions of the server, which then recovers as after a crash."""
        self.submit(60)
        self.work()
        self.work()
        kills = 12
        for number in range(kills):
            self.wait_for_more(8)
            self.kill_a_backend(number)
        self.wait_until("the server answers", self.server_answers)
        self.expect_all_back()
        self.check(backends_killed=kills)

    def kill_a_backend(self, number):
        """A session of a worker: its writer or another one."""
        like = "pawl writer %" if number % 2 == 0 else "pawl %"

        def pid():
            with contextlib.suppress(ServerError):
                found = self.server.sql("SELECT pid FROM pg_stat_activity WHERE usename = 'worker' "
                                        f"AND application_name LIKE '{like}' ORDER BY random() LIMIT 1")
                return int(found) if found else None
        victim = self.wait_until("a worker is connected", pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        self.note(f"killed the backend {victim}")

    def server_answers(self):
        with contextlib.suppress(ServerError):
            return self.server.sql("SELECT 1") == "1"


if __name__ == "__main__":
    main()
