#!/usr/bin/env python3
"""The tests' own PostgreSQL server, on loopback; never the system's.

    private_server.py start DIR [NAME=VALUE ...] [--for PID]   prints its url, also in DIR/url
    private_server.py stop DIR [--for PID]
    private_server.py url DIR

DIR holds the state of the server: its data, its log, its owners. Another `start` returns the running server,
or replaces what a killed run left behind. The server belongs to a process, the caller unless --for names
another: it is stopped when the last of its owners has called `stop` or has ended in any way. NAME=VALUE are
settings of the server.

Python programs use PrivateServer, which can also restart the server and kill it, and StandbyServer.

PostgreSQL refuses to run as root. Then the server runs as `postgres`, or else as `nobody`, and keeps
its data under the temporary directory if that user cannot reach DIR.
"""

import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

# Long enough for a busy machine, short enough for a person.
PATIENCE = 60
# The path of a socket ends with this name and has a length limit.
SOCKET_PATH_MAX = 107 - len("/.s.PGSQL.65535")
# Below the ports that the system assigns to clients: while the server is down no other program gets its port,
# and a client is never connected to itself.
PORTS = range(20000, 32000)

SETTINGS = {
    "max_connections": "200",
    "shared_buffers": "32MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %a ",
}
# Processes that this process started and others may end; kept, because Python warns about processes
# that it loses.
STARTED = []
STOPS = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}


class ServerError(Exception):
    pass


def programs():
    """The folder with initdb and postgres: the newest of Debian's, or the one in PATH."""
    newest = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"),
                 key=lambda path: int(path.parts[-3]), default=None)
    found = newest or shutil.which("initdb")
    if not found:
        raise ServerError("no PostgreSQL server is installed here; `./dev test` installs it, "
                          "or: apt-get install postgresql-15")
    return pathlib.Path(found).resolve().parent


def server_user():
    """The user that runs the server; None: the current user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise ServerError("as root a PostgreSQL server needs an unprivileged user, `postgres` or `nobody`")


def as_server_user():
    user = server_user()
    return {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def environment():
    """The environment without variables that lead PostgreSQL's programs to another server."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C"}


def started_at(pid):
    """Identifies a process, even if its number is reused later; None: there is none."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def wait_until(what, condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise ServerError(f"after {seconds} s, still not so: {what}")
        time.sleep(0.01)  # waits: another process has to get there


def free_port():
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe:
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port


class PrivateServer:
    """One server with its state in a folder. Not for several threads."""

    def __init__(self, folder, settings=None):
        self.folder = pathlib.Path(folder).absolute()
        self.wanted = {**SETTINGS, **(settings or {})}
        self._process = None

    # The owners

    def start(self, owner=None):
        """Makes sure that it runs, for as long as this process (or the owner) lives."""
        with self._locked():
            self._claim(owner or os.getpid())
            known = self._known()
            if known and self._pid() and known["settings"] == self.wanted:
                self._watch()
                return self
            if known:
                self._forget()
            self._create()
            self._launch()
            self._make_database()
            (self.folder / "url").write_text(self.url() + "\n")
            self._watch()
        return self

    def release(self, owner=None):
        """Stops it, unless another process still needs it. Returns whether it is gone."""
        with self._locked():
            self._claim_file(owner or os.getpid()).unlink(missing_ok=True)
            if self._owners():
                return False
            self._forget()
            return True

    def watch(self, instance):
        """Stops it when no owner is left."""
        while self.folder.exists():
            with self._locked():
                known = self._known()
                if not known or known["instance"] != instance:
                    return
                if not self._owners():
                    self._forget()
                    return
            time.sleep(0.5)  # waits: for processes that are not our children

    # Faults for chaos tests

    def stop(self, mode="fast"):
        """Stops it, data kept. immediate: as after a crash, it recovers when started again."""
        self._signal(STOPS[mode])

    def kill(self):
        """Kills the postmaster; its backends notice and end."""
        self._signal(signal.SIGKILL)

    def go_on(self):
        """Starts it again on the same data and port."""
        self._launch()

    def keep_copy(self):
        """Stops it, copies its data, and starts it again."""
        self.stop()
        shutil.rmtree(self._copy(), ignore_errors=True)
        subprocess.run(["cp", "--archive", self._data(), self._copy()], check=True)
        self.go_on()

    def go_on_from_copy(self):
        """Starts it on the data of the copy: everything committed since is lost."""
        self.kill()
        shutil.rmtree(self._data())
        self._copy().rename(self._data())
        self.go_on()

    def restart(self, mode="fast"):
        self.stop(mode)
        self.go_on()

    def is_running(self):
        return self._pid() is not None

    # How to connect

    @property
    def port(self):
        return self._known()["port"]

    def url(self, user="pawl", database="pawl", port=None, **parameters):
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        return f"postgres://{user}@127.0.0.1:{port or self.port}/{database}" + (f"?{query}" if query else "")

    def psql(self, **where):
        """The command line of psql for this server."""
        return [str(programs() / "psql"), "-X", "-At", "-v", "ON_ERROR_STOP=1", self.url(**where)]

    def sql(self, text, **where):
        """Runs it and returns the unaligned output of psql."""
        done = subprocess.run([*self.psql(**where), "-c", text], env=environment(), text=True,
                              capture_output=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise ServerError(f"{text}: {done.stderr}")
        return done.stdout.strip()

    # Implementation

    @contextlib.contextmanager
    def _locked(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _known(self):
        try:
            return json.loads((self.folder / "server.json").read_text())
        except FileNotFoundError:
            return None

    def _claim_file(self, owner):
        return self.folder / "owners" / str(owner)

    def _claim(self, owner):
        since = started_at(owner)
        if since is None:
            raise ServerError(f"no process {owner} lives, so a server for it would end at once")
        self._claim_file(owner).parent.mkdir(exist_ok=True)
        self._claim_file(owner).write_text(since)

    def _owners(self):
        try:
            claims = list((self.folder / "owners").iterdir())
        except FileNotFoundError:
            return []
        return [claim.name for claim in claims if started_at(claim.name) == claim.read_text()]

    def _data(self):
        return pathlib.Path(self._known()["home"]) / "data"

    def _copy(self):
        return self._data().with_name("copy")

    def _create(self):
        """Creates a new cluster and its state."""
        home = self.folder / "cluster"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(mode=0o700)
        user = server_user()
        if user:
            os.chown(home, user.pw_uid, user.pw_gid)
            reached = subprocess.run(["test", "-w", home], cwd="/", **as_server_user())
            if reached.returncode != 0:
                home.rmdir()
                home = self._temporary(user)
        sockets = home if len(str(home)) <= SOCKET_PATH_MAX else self._temporary(user)
        known = {"instance": uuid.uuid4().hex, "home": str(home), "sockets": str(sockets),
                 "port": free_port(), "settings": self.wanted}
        # Written first: whatever happens now, the next run knows what to remove.
        (self.folder / "server.json").write_text(json.dumps(known, indent=1))
        words = self._words_that_make(home / "data")
        with open(self.folder / "log", "w") as log:
            done = subprocess.run(words, cwd="/", env=environment(), stdin=subprocess.DEVNULL,
                                  stdout=log, stderr=log, **as_server_user())
        if done.returncode != 0:
            raise ServerError(f"{words[0].name} failed:\n{self._log()}")

    def _words_that_make(self, data):
        return [programs() / "initdb", "--pgdata", data, "--username", "pawl", "--auth", "trust",
                "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions"]

    def _make_database(self):
        self.sql("CREATE DATABASE pawl", database="postgres")

    @staticmethod
    def _temporary(user):
        made = tempfile.mkdtemp(prefix="pawl-pg-")
        if user:
            os.chown(made, user.pw_uid, user.pw_gid)
        return pathlib.Path(made)

    def _launch(self):
        for _ in range(10):
            if self._launched():
                return
            known = self._known()
            if self._process_ended_for_want_of_a_port():
                known["port"] = free_port()
                (self.folder / "server.json").write_text(json.dumps(known, indent=1))
                continue
            break
        raise ServerError(f"the server did not start; {self.folder / 'log'} ends with:\n{self._log()}")

    def _launched(self):
        known = self._known()
        settings = {**self.wanted, "port": str(known["port"]), "listen_addresses": "127.0.0.1",
                    "unix_socket_directories": known["sockets"]}
        words = [str(programs() / "postgres"), "-D", str(self._data())]
        for name, value in settings.items():
            words += ["-c", f"{name}={value}"]
        # Its own session: Ctrl-C is for the tests, which then stop the server themselves.
        with open(self.folder / "log", "a") as log:
            self._process = subprocess.Popen(words, cwd="/", env=environment(), stdin=subprocess.DEVNULL,
                                             stdout=log, stderr=log, start_new_session=True,
                                             **as_server_user())
        STARTED.append(self._process)
        wait_until("the server starts", lambda: self._is_ready() or self._process.poll() is not None)
        return self._process.poll() is None

    def _is_ready(self):
        """The eighth line of the postmaster's file says so; a standby calls itself one."""
        with contextlib.suppress(OSError, IndexError):
            lines = (self._data() / "postmaster.pid").read_text().splitlines()
            return lines[0] == str(self._process.pid) and lines[7].strip() in ("ready", "standby")
        return False

    def _process_ended_for_want_of_a_port(self):
        # Only the first start may choose another port: later ones must use the same.
        return not (self.folder / "url").exists() and re.search("Address already in use", self._log())

    def _log(self):
        with contextlib.suppress(OSError):
            return "".join((self.folder / "log").read_text(errors="replace").splitlines(True)[-20:])
        return ""

    def _pid(self):
        """The postmaster of our data, if it is alive. The number alone may belong to another process."""
        with contextlib.suppress(OSError, IndexError):
            pid = int((self._data() / "postmaster.pid").read_text().splitlines()[0])
            if started_at(pid) and os.path.samefile(f"/proc/{pid}/cwd", self._data()):
                return pid
        return None

    def _signal(self, number):
        pid = self._pid()
        if pid is None:
            return
        data = self._data()
        os.kill(pid, number)

        def all_gone():
            if self._process and self._process.pid == pid and self._process.poll() is None:
                return False
            # A backend that outlives the postmaster keeps the next one from starting.
            return not processes_in(data)
        wait_until("the server is gone", all_gone)

    def _forget(self):
        """Stops the server and removes everything except its log."""
        known = self._known()
        if not known:
            return
        with contextlib.suppress(ServerError):
            self.stop("immediate")
        self.kill()
        self._end_watcher()
        for place in (known["home"], known["sockets"]):
            shutil.rmtree(place, ignore_errors=True)
        for name in ("url", "watcher", "server.json"):
            (self.folder / name).unlink(missing_ok=True)

    def _watch(self):
        """Makes sure that a watcher runs."""
        if self._watcher():
            return
        with open(self.folder / "log", "a") as log:
            started = subprocess.Popen(
                [sys.executable, "-B", __file__, "watch", str(self.folder), self._known()["instance"]],
                cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        STARTED.append(started)
        (self.folder / "watcher").write_text(f"{started.pid} {started_at(started.pid)}")

    def _watcher(self):
        with contextlib.suppress(OSError):
            pid, since = (self.folder / "watcher").read_text().split()
            if started_at(pid) == since:
                return int(pid)
        return None

    def _end_watcher(self):
        watcher = self._watcher()
        if watcher and watcher != os.getpid():
            os.kill(watcher, signal.SIGKILL)


class StandbyServer(PrivateServer):
    """Follows another server asynchronously, and is read-only."""

    def __init__(self, folder, primary, settings=None):
        super().__init__(folder, settings)
        self.primary = primary

    def _words_that_make(self, data):
        return [programs() / "pg_basebackup", "--pgdata", data, "--write-recovery-conf", "--checkpoint=fast",
                "--wal-method=stream", "--no-sync", "--dbname", self.primary.url(database="postgres")]

    def _make_database(self):
        """It is copied from the primary."""

    def has_caught_up(self):
        written = self.primary.sql("SELECT pg_current_wal_insert_lsn()")
        return self.sql(f"SELECT pg_last_wal_replay_lsn() >= '{written}'") == "t"


def processes_in(folder):
    """The living processes with this working directory, which every process of a server has."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if os.path.samefile(entry / "cwd", folder) and started_at(entry.name):
                    found.append(int(entry.name))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("start", "stop", "url", "watch"))
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("rest", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--for", dest="owner", type=int, default=os.getppid(), metavar="PID")
    words = parser.parse_args()
    if words.verb == "start" and any("=" not in one for one in words.rest):
        parser.error("a setting is NAME=VALUE")
    settings = dict(one.split("=", 1) for one in words.rest) if words.verb == "start" else None
    server = PrivateServer(words.folder, settings)
    try:
        if words.verb == "start":
            print(server.start(words.owner).url())
        elif words.verb == "stop":
            if not server.release(words.owner):
                print("others still need the server; it ends with them")
        elif words.verb == "watch":
            server.watch(words.rest[0])
        else:
            print((server.folder / "url").read_text().strip())
    except FileNotFoundError as error:
        sys.exit(f"no server runs for {words.folder}: {error}")
    except ServerError as error:
        sys.exit(f"private_server: {error}")


if __name__ == "__main__":
    main()
