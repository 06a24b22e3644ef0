"""Installs the tools of package-lock.json into a folder of the build: install.py FOLDER. What is there
already is kept as long as the lists say the same."""

import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
LISTS = ("package.json", "package-lock.json")
NO_NETWORK = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ERR_SOCKET_TIMEOUT",
              "ENETUNREACH", "EHOSTUNREACH")


def check_lock():
    """The lock file must not say where packages come from: that is the choice of each machine."""
    packages = json.loads((HERE / "package-lock.json").read_text())["packages"]
    if named := sorted(name for name, package in packages.items() if "resolved" in package):
        sys.exit(f"package-lock.json names a registry for {', '.join(named)}: "
                 "npm config set omit-lockfile-registry-resolved true, and write it again")


def why(output):
    if any(word in output for word in NO_NETWORK):
        registry = subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True,
                                  check=False).stdout.strip()
        return (f"the npm registry {registry} does not answer, so the tools that check the API cannot be "
                "installed. They are needed once; later runs find them in the build directory.")
    return "npm could not install the tools that check the API."


def install(folder):
    if not shutil.which("npm"):
        sys.exit("npm is missing: apt-get install nodejs npm")
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in LISTS)).hexdigest()
    stamp = folder / "installed"
    if stamp.exists() and stamp.read_text() == digest:
        return
    stamp.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    for name in LISTS:
        shutil.copy(HERE / name, folder)
    # Nothing that the packages bring may run while they are installed.
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n{why(done.stdout)}")
    stamp.write_text(digest)


if __name__ == "__main__":
    check_lock()
    install(pathlib.Path(sys.argv[1]))
