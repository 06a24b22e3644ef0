"""Installs the package where there is nothing but Debian 12, uses it, upgrades it and removes it:

    clean_root.py PACKAGE [ROOT]

It works in a root that debootstrap makes, or in a copy of ROOT, which debootstrap has made before. Needs root,
debootstrap and the network; `./dev package --try` calls it. There is no systemd in that root, so the program is
started here as the unit says."""

import http.client
import json
import os
import pathlib
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import urllib.parse

DEBIAN, MIRROR = "bookworm", "http://deb.debian.org/debian"
PATIENCE = 60
UNIT = "lib/systemd/system/pawl.service"
SETTINGS = "etc/pawl/serve.yaml"
RECORDS = "var/lib/pawl"
ENABLED = "etc/systemd/system/multi-user.target.wants/pawl.service"
HELLO = """version: 1
workflow: hello
items: [ann, bob]
stages:
  greet:
    sh: echo "hello $PAWL_ITEM"
"""


def fail(why):
    sys.exit(f"clean_root: {why}")


def expect(is_so, what):
    if not is_so:
        fail(f"not so: {what}")
    print(f"  {what}", flush=True)


def run(*words, **options):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **options)
    if done.returncode != 0:
        fail(f"{shlex.join(map(str, words))} ended with {done.returncode}\n{done.stdout}")
    return done.stdout


class Root:
    """The root in which the package is tried."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def __truediv__(self, name):
        return self.folder / name

    def run(self, *words):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root",
                       "DEBIAN_FRONTEND": "noninteractive"}
        return run("chroot", str(self.folder), *words, env=environment)

    def install(self, package, *words):
        shutil.copy(package, self / "root/pawl.deb")
        return self.run("apt-get", "install", "-y", "--no-install-recommends", *words, "/root/pawl.deb")

    def line(self, database, name):
        return self.run("getent", database, name).strip().split(":")


def is_there(path):
    return path.exists() or path.is_symlink()


# The service, as systemd would start it

def directives(unit):
    """The directives of the section [Service]; the last of a name counts."""
    found, section = {}, ""
    for line in unit.read_text().splitlines():
        if line.startswith("["):
            section = line
        elif section == "[Service]" and "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found[name] = value
    return found


class Service:
    """The daemon of the unit, with its user, directory, umask and notification socket."""

    def __init__(self, root):
        unit = directives(root / UNIT)
        notify = root / "run/notify"
        notify.unlink(missing_ok=True)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(str(notify))
        notify.chmod(0o666)
        self.manager.settimeout(PATIENCE)
        start = (f"umask {unit['UMask']} && cd {unit['WorkingDirectory']} && "
                 f"exec setpriv --reuid {unit['User']} --regid {unit['Group']} --init-groups --no-new-privs "
                 f"-- {unit['ExecStart']} --json")
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
                       "NOTIFY_SOCKET": "/run/notify", "HOME": "/" + RECORDS, "USER": unit["User"],
                       "LOGNAME": unit["User"]}
        self.process = subprocess.Popen(["chroot", str(root.folder), "sh", "-c", start], env=environment, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line:
            fail(f"the service did not start:\n{self.process.communicate()[1]}")
        self.said = json.loads(line)
        self.address = urllib.parse.urlsplit(self.said["url"]).netloc
        self.cookie = None
        self.heard("READY=1")

    def heard(self, word):
        message = self.manager.recv(1000).decode()
        if word not in message.splitlines():
            fail(f"the service said {message!r} to its manager, not {word}")

    def send(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status >= 300:
            fail(f"{method} {path}: {answer.status} {text}")
        if given := answer.headers["Set-Cookie"]:
            self.cookie = given.split(";")[0]
        return json.loads(text) if text else None

    def sign_in(self):
        fragment = urllib.parse.urlsplit(self.said["sign_in_url"]).fragment
        self.send("POST", "/api/v1/session", {"code": urllib.parse.parse_qs(fragment)["code"][0]})

    def wait_for(self, job):
        end = time.monotonic() + PATIENCE
        while (state := self.send("GET", f"/api/v1/jobs/{job}")["state"]) != "completed":
            if time.monotonic() > end:
                fail(f"job {job} stays {state}")
            time.sleep(0.05)  # waits: the service has to get there

    def reload(self):
        self.process.send_signal(signal.SIGHUP)
        self.heard("RELOADING=1")
        self.heard("READY=1")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.heard("STOPPING=1")
        _, err = self.process.communicate(timeout=PATIENCE)
        self.manager.close()
        if self.process.returncode != 0:
            fail(f"the service ended with {self.process.returncode}:\n{err}")


# The steps

def check_files(root):
    user = root.line("passwd", "pawl")
    expect(user[5:] == ["/" + RECORDS, "/usr/sbin/nologin"], "the user pawl exists and has no shell")
    expect(root.line("group", "pawl")[0] == "pawl", "so does the group pawl")
    for name, owner, mode in (("usr/bin/pawl", 0, 0o755), (UNIT, 0, 0o644), ("etc/pawl", 0, 0o755),
                              (SETTINGS, 0, 0o644), (RECORDS, int(user[2]), 0o750),
                              (RECORDS + "/workflows", int(user[2]), 0o750)):
        found = (root / name).stat()
        expect((found.st_uid, stat.S_IMODE(found.st_mode)) == (owner, mode),
               f"/{name} belongs to {'pawl' if owner else 'root'} and has mode {mode:04o}")
    expect((root / ENABLED).is_symlink(), "the unit is enabled")
    expect(root.run("/usr/bin/pawl", "check", "--serve", "/" + SETTINGS) is not None, "the shipped settings are right")


def use(root):
    """Submits a workflow and waits for its end; returns the job."""
    service = Service(root)
    expect(service.send("GET", "/healthz") == {"status": "ok"},
           f"the service runs as the unit says, at {service.address}")
    user = int(root.line("passwd", "pawl")[2])
    expect(pathlib.Path(f"/proc/{service.process.pid}").stat().st_uid == user, "as the user pawl")
    flow = root / RECORDS / "workflows/hello.yaml"
    flow.write_text(HELLO)
    os.chown(flow, user, -1)
    service.reload()
    service.sign_in()
    job = service.send("POST", "/api/v1/jobs", {"workflow": "hello"})["job"]
    service.wait_for(job)
    expect(True, f"a workflow was added, and job {job} of it completed")
    service.stop()
    records = root / RECORDS / ".pawl/pawl.db"
    expect(records.stat().st_uid == user and stat.S_IMODE(records.stat().st_mode) & 0o007 == 0,
           "its records belong to pawl, and others cannot read them")
    return job


def check_records(root, job):
    service = Service(root)
    service.sign_in()
    expect(service.send("GET", f"/api/v1/jobs/{job}")["state"] == "completed", f"job {job} is still on record")
    service.stop()


def try_package(root, package):
    print("installing", flush=True)
    root.run("apt-get", "update", "-q")
    root.install(package)
    check_files(root)
    job = use(root)

    print("installing it over itself, with settings that were changed", flush=True)
    changed = (root / SETTINGS).read_text() + "session_time: 8h\n"
    (root / SETTINGS).write_text(changed)
    (root / RECORDS / "workflows").chmod(0o700)
    root.install(package, "--reinstall")
    root.run("/var/lib/dpkg/info/pawl.postinst", "configure", "0")
    expect((root / SETTINGS).read_text() == changed, "the settings stay as they were changed")
    expect(stat.S_IMODE((root / RECORDS / "workflows").stat().st_mode) == 0o700, "so does a directory")
    check_records(root, job)

    print("removing it", flush=True)
    root.run("dpkg", "--remove", "pawl")
    expect(not is_there(root / "usr/bin/pawl") and not is_there(root / UNIT), "the program and its unit are gone")
    expect((root / SETTINGS).read_text() == changed, "the settings stay")
    root.install(package)
    check_records(root, job)

    print("purging it", flush=True)
    root.run("dpkg", "--purge", "pawl")
    expect(not is_there(root / "etc/pawl") and not is_there(root / ENABLED), "the settings are gone")
    expect((root / RECORDS / ".pawl/pawl.db").exists(), "the records stay: they are the work of people")
    expect("pawl" not in root.run("dpkg", "--get-selections").split(), "Debian knows it no more")
    root.install(package)
    check_records(root, job)


def main(package, made=None):
    if os.geteuid() != 0:
        fail("needs root, for chroot and debootstrap")
    if "PAWL_CLEAN_ROOT" not in os.environ:
        # Mounts and processes of their own, which end with this program.
        os.environ["PAWL_CLEAN_ROOT"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                              sys.executable, "-B", *sys.argv])
    with tempfile.TemporaryDirectory(prefix="pawl-root-") as place:
        root = Root(pathlib.Path(place) / "root")
        if made:
            run("cp", "-a", made, str(root.folder))
        else:
            if not shutil.which("debootstrap"):
                fail("debootstrap is missing: apt-get install debootstrap")
            print(f"making a root with nothing but {DEBIAN}; this takes minutes", flush=True)
            run("debootstrap", "--variant=minbase", DEBIAN, str(root.folder), MIRROR)
        run("mount", "-t", "proc", "proc", str(root / "proc"))
        try:
            try_package(root, package)
        finally:
            run("umount", "--lazy", str(root / "proc"))
    print("the package installs, works, upgrades and goes")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        fail(__doc__)
    main(*sys.argv[1:])
