#!/usr/bin/env python3
"""Runs the commands in a document.

    run_console.py DOCUMENT PROGRAM

A code block after the comment `<!-- file: NAME -->` is written to that file without the executable bit;
the document sets it where needed. In a block marked
`console` every line that begins with `$ ` is run, in one shell, in one empty directory, with the
program as `pawl`; the lines after it are what it prints, stdout and stderr together. `…` stands for
anything inside a line, and alone on a line for any number of lines. A command that shows nothing is
run and not compared. A command ends with 0, or the document shows its exit code with `echo $?`
in the same line or the next.

An address `postgres://pawl@db/pawl?schema=NAME` stands for a schema of its own on the tests' server, which
PAWL_TEST_POSTGRES (its url) or PAWL_TEST_POSTGRES_FILE (a file that holds it) names.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import uuid

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"<!-- file: (\S+) -->\s*$")
MARK = "--pawl-document-mark--"
PATIENCE = 90  # seconds for one command, such as a loop that waits for something
ADDRESS = re.compile(r"postgres://pawl@db/pawl\?schema=(\w+)")


class Server:
    """The tests' own PostgreSQL server, if a document names an address; its schemas are dropped at the end."""

    def __init__(self):
        self.schemas = {}

    @staticmethod
    def url():
        if said := os.environ.get("PAWL_TEST_POSTGRES"):
            return said
        if named := os.environ.get("PAWL_TEST_POSTGRES_FILE"):
            return pathlib.Path(named).read_text().strip()
        raise SystemExit("this document needs a PostgreSQL server. ctest starts it; by hand:\n  export PAWL_TEST_"
                         "POSTGRES=$(python3 tests/postgres/private_server.py start /tmp/pawl-server)")

    def reached_by(self, command):
        def place(match):
            schema = self.schemas.setdefault(match[1], "document_" + uuid.uuid4().hex)
            return f"{self.url()}?schema={schema}"
        return ADDRESS.sub(place, command)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for schema in self.schemas.values():
            subprocess.run(["psql", "-X", "-q", self.url(), "-c", "SET client_min_messages = warning",
                            "-c", f"DROP SCHEMA IF EXISTS {schema} CASCADE"], check=True)


class Shell:
    """One shell for the whole document."""

    def __init__(self, directory, program):
        bin_directory = pathlib.Path(directory) / ".bin"
        bin_directory.mkdir()
        (bin_directory / "pawl").symlink_to(program)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PAWL_")}
        self.process = subprocess.Popen(
            ["bash", "--norc"], cwd=directory, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            env={**kept, "PATH": f"{bin_directory}:{os.environ['PATH']}", "PAWL_USER": "ada", "PAWL_ALLOW_ROOT": "1",
                 "LANG": "C.UTF-8", "EDITOR": "true"})

    def end(self):
        """Ends the shell, and what the document has left running in the background."""
        self.process.stdin.close()
        self.process.wait()
        self.kill()

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def run(self, command):
        limit = threading.Timer(PATIENCE, self.kill)
        limit.start()
        try:
            return self.printed_by(command)
        finally:
            limit.cancel()

    def printed_by(self, command):
        self.process.stdin.write(f"{command}\n__code=$?; echo; echo '{MARK}' $__code; "
                                 "(exit $__code)\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(MARK):
                text = "".join(lines)
                return text[:-1] if text.endswith("\n") else text, int(line.split()[1])
            lines.append(line)
        raise SystemExit(f"the shell ended at: {command}\n{''.join(lines)}")


def matches(expected, actual):
    """Whether the shown lines, with their ellipses, match the printed ones."""
    if not expected:
        return not actual
    if expected[0] == "…":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    if not actual:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].rstrip().split("…"))
    return re.fullmatch(pattern, actual[0].rstrip()) is not None and \
        matches(expected[1:], actual[1:])


def commands_of(block):
    """(command, shown lines) of a console block; a command goes on after a backslash."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1][0] = found[-1][0] + "\n" + line
        elif found:
            found[-1][1].append(line)
    return found


def run_document(path, program):
    text = path.read_text()
    failures = 0
    count = 0
    with Server() as server, tempfile.TemporaryDirectory(prefix="pawl-document-") as directory:
        shell = Shell(directory, program)
        for fence in FENCE.finditer(text):
            language, block = fence.groups()
            line = text.count("\n", 0, fence.start()) + 1
            if named := FILE.search(text[:fence.start()]):
                target = pathlib.Path(directory) / named[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block)
            elif language == "console":
                commands = commands_of(block)
                for i, (command, shown) in enumerate(commands):
                    count += 1
                    printed, code = shell.run(server.reached_by(command))
                    next_one = commands[i + 1][0] if i + 1 < len(commands) else ""
                    says_code = "echo $?" in command or next_one.startswith("echo $?")
                    wrong_code = code != 0 and not says_code
                    differs = shown and not matches(shown, printed.splitlines())
                    if wrong_code or differs:
                        failures += 1
                        print(f"{path.name}:{line}: $ {command}\n  exit {code}; it printed:\n"
                              + "".join(f"    {one}\n" for one in printed.splitlines())
                              + ("  shown is:\n" + "".join(f"    {one}\n" for one in shown)
                                 if differs else ""))
        shell.end()
    print(f"{path.name}: {count} commands run, {failures} not as shown")
    if count == 0:
        raise SystemExit(f"{path}: shows no command")
    return failures == 0


if __name__ == "__main__":
    if not run_document(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()):
        raise SystemExit(1)
