"""The TLS settings and passwords of the address are used: a role that may only connect with TLS and a
password, and a certificate that the program must check."""

import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path += [str(HERE.parent / "end_to_end"), str(HERE)]

from pawl import DONE, FAILED, PEOPLE, ProjectTest, main  # noqa: E402
from private_server import PrivateServer  # noqa: E402
from tls import data_directory, make_certificate, turn_on_tls  # noqa: E402

PASSWORD = "not-to-be-told"


class Secured(ProjectTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pawl-tls-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.server = PrivateServer(cls.folder / "server")
        cls.server.folder.mkdir()
        cls.addClassCleanup(cls.server.release)
        cls.server.start()
        for name in ("server", "stranger"):
            make_certificate(cls.folder, name)
        turn_on_tls(cls.server, cls.folder)
        data = data_directory(cls.server)
        rules = (data / "pg_hba.conf").read_text()
        (data / "pg_hba.conf").write_text("hostssl all guarded 127.0.0.1/32 scram-sha-256\n"
                                          "host all guarded all reject\n" + rules)
        cls.server.sql(f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'; GRANT CREATE ON DATABASE pawl TO guarded")
        cls.server.restart()

    def address(self, **parameters):
        told = "&".join(f"{name}={value}" for name, value in parameters.items())
        return f"postgres://guarded@localhost:{self.server.port}/pawl?{told}"

    def call(self, address, *words, code, password=PASSWORD):
        answer = self.pawl("--store", address, *words, code=code, env={"PGPASSWORD": password})
        self.assertNotIn(password, answer.out + answer.err)
        return answer

    def test_a_certificate_that_is_right_and_a_password_are_enough(self):
        address = self.address(sslmode="verify-full", sslrootcert=self.folder / "server.crt", schema="right")
        self.pawl("init", ".")
        self.call(address, "run", "hello.yaml", code=PEOPLE)
        self.call(address, "verify", code=DONE)

    def test_a_strangers_certificate_is_refused(self):
        address = self.address(sslmode="verify-full", sslrootcert=self.folder / "stranger.crt")
        self.assertIn("certificate", self.call(address, "status", code=FAILED).err)

    def test_without_tls_the_server_refuses_and_its_word_is_told(self):
        answer = self.call(self.address(sslmode="disable"), "status", code=FAILED)
        self.assertIn("pg_hba.conf", answer.err)

    def test_a_wrong_password_is_told_without_the_password(self):
        address = self.address(sslmode="require")
        answer = self.call(address, "status", code=FAILED, password="guessed")
        self.assertIn("password authentication failed", answer.err)


if __name__ == "__main__":
    main()
