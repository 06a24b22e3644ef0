"""A private server with TLS."""

import pathlib
import shutil
import subprocess

from private_server import server_user


def make_certificate(folder, name):
    """A key and a self-signed certificate for localhost."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / f"{name}.key",
                    "-out", folder / f"{name}.crt"], check=True, capture_output=True)


def data_directory(server):
    return pathlib.Path(server.sql("SHOW data_directory").strip())


def turn_on_tls(server, folder):
    """Uses the certificate called server in the folder; takes effect with the next restart."""
    data = data_directory(server)
    for name in ("server.key", "server.crt"):
        shutil.copy(folder / name, data / name)
        (data / name).chmod(0o600)
        if server_user():
            shutil.chown(data / name, server_user().pw_uid, server_user().pw_gid)
    server.sql("ALTER SYSTEM SET ssl = on")
