"""A short job that uses every feature (story.yaml), run in four acts by the real program, and what must hold
afterwards."""

import collections
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "end_to_end"))

import disk_record  # noqa: E402
from pawl import CANCELLED, CONFLICT, DONE, FAILED, PATIENCE, PEOPLE, PROGRAM  # noqa: E402

LIBRARY = os.environ["PAWL_FAILING_DISK"]

class Violation(Exception):
    """A promise was broken."""


def sanitizers_of(program):
    """The library of a sanitizer, if the program has one, must be loaded first."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"=> (\S*/lib[at]san\.so\S*)", listed)


SANITIZERS = sanitizers_of(PROGRAM)
IS_SANITIZED = bool(SANITIZERS)
PRELOAD = " ".join([*SANITIZERS, LIBRARY])


class Answer:
    """The result of a call of the program, and the record of what it did to the disk."""

    def __init__(self, words, code, out, err, record):
        self.words, self.code, self.out, self.err = words, code, out, err
        self.points = disk_record.read(record)
        self.fault_fired = any(one.what == "fault" for point in self.points for one in point.done)

    @property
    def trouble(self):
        """Where trouble with the disk is reported."""
        return self.err

    def __str__(self):
        return f"pawl {' '.join(self.words)} -> {self.code}\n--- out\n{self.out}--- err\n{self.err}"


def disk_environment(project, record, fault="none", at=0, times=1, with_bytes=False):
    """The environment of a program that runs on our disk."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAWL_")}
    return {
        **kept, "PAWL_USER": "tester", "PAWL_ALLOW_ROOT": "1", "LANG": "C.UTF-8", "LD_PRELOAD": PRELOAD,
        "PAWL_DISK_FOLDER": str(project / ".pawl"), "PAWL_DISK_RECORD": str(record),
        "PAWL_DISK_FAULT": fault, "PAWL_DISK_AT": str(at), "PAWL_DISK_TIMES": str(times),
        "PAWL_DISK_BYTES": "1" if with_bytes else ""}


def pawl(project, *words, killed_after=None, **disk):
    """Calls the program on our disk. `killed_after`: how many seconds it gets after it has reported trouble."""
    record = project.with_name(project.name + ".record")
    told = project.with_name(project.name + ".told")
    with open(told, "w") as stderr:
        process = subprocess.Popen([PROGRAM, *words], cwd=project, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=stderr,
                                   env=disk_environment(project, record, **disk))
    try:
        if killed_after:
            kill_when_it_has_told(process, told, killed_after)
        out, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Violation(f"pawl {' '.join(words)} does not end")
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    answer = Answer(words, process.returncode, out, told.read_text(errors="replace"), record)
    record.unlink()
    told.unlink()
    return answer


# Messages that report the trouble.
WORDS_OF_TROUBLE = ("the disk is full", "the disk does not answer", "could not be opened a moment ago",
                    "No space left on device", "Input/output error")


def tells_of_trouble(text):
    return any(words in text for words in WORDS_OF_TROUBLE)


def kill_when_it_has_told(process, told, seconds):
    """On a busy machine the trouble may come late, so the seconds count from its report."""
    ends_at = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < ends_at and not tells_of_trouble(told.read_text(errors="replace")):
        time.sleep(0.05)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()


def expect(answer, *codes):
    if answer.code not in codes:
        raise Violation(f"expected {' or '.join(map(str, codes))}: {answer}")
    return answer


# The content of the store

def store_of(project):
    return project / ".pawl" / "pawl.db"


Facts = collections.namedtuple("Facts", "jobs opened tasks reviews sessions")
NOTHING = Facts(0, 0, {}, (), 0)
SUCCEEDED = 6  # as stored in the file


def facts(project):
    """What stands in the store's file, without asking the program: how many jobs, how many attempts of commands were
    opened, the state of every task, the outcome of every review, how many sessions of people there are."""
    path = store_of(project)
    if not path.exists() or path.stat().st_size == 0:
        return NOTHING
    with sqlite3.connect(path) as store:
        # Among the last tables that are created.
        if not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").fetchone():
            return NOTHING
        [jobs] = store.execute("SELECT count(*) FROM jobs").fetchone()
        # A stage that fans out has attempts in which no command runs.
        [opened] = store.execute("SELECT coalesce(sum(attempts), 0) FROM tasks WHERE expansion = 0").fetchone()
        tasks = {(item or 0, task % 65536, child or ""): state for item, task, child, state in
                 store.execute("SELECT item, id, child_key, state FROM tasks")}
        reviews = tuple(outcome for [outcome] in store.execute("SELECT outcome FROM reviews ORDER BY id"))
        [sessions] = store.execute("SELECT count(*) FROM sessions").fetchone()
    store.close()
    return Facts(jobs, opened, tasks, reviews, sessions)


STAGES = ("draft", "print", "bind", "count")


def broken_words(points, before, kept):
    """What an act told or started up to here and is not in the store: everything told to people is kept, and every
    attempt is recorded before its command starts."""
    told = b"".join(one.bytes for point in points for one in point.done if one.what == "said").decode()
    started = sum(one.what == "started" for point in points for one in point.done)
    if "job 1 ·" in told and kept.jobs < 1:
        yield "a job was told, and is lost"
    recorded = kept.opened - before.opened
    if started > recorded:
        yield f"{started} commands were started, {recorded} attempts are recorded"
    for stage, done in re.findall(r"^(\w+): (\d+) done", told, re.M):
        number = STAGES.index(stage)
        there = sum(task == number and not child and state == SUCCEEDED
                    for (_, task, child), state in kept.tasks.items())
        if there < int(done):
            yield f"{stage}: {done} done was told, {there} are"


def verify(project):
    """The store is sound. So is a store that was never created: there is no file, or it is empty."""
    answer = pawl(project, "verify", "--json")
    is_there = store_of(project).exists() and store_of(project).stat().st_size > 0
    if answer.code == FAILED and '"not_found"' in answer.err and not is_there:
        return
    expect(answer, DONE)


class Act:
    """A call of the program, and the code that it ends with."""

    codes_of_trouble = (FAILED,)

    def __init__(self, *words, code):
        self.words = words
        self.code = code
        self.title = "pawl " + " ".join(words)

    def carry_out(self, project, **disk):
        return pawl(project, *self.words, **disk)

    def succeeded(self, answer):
        return answer.code == self.code

    @staticmethod
    def broken_words(points, _answer, before, _after, kept):
        return broken_words(points, before, kept)


ACTS = (
    Act("run", "story.yaml", code=PEOPLE),
    Act("review", "approve", "1", code=DONE),
    Act("dlq", "retry", "--all", "--yes", "--note", "again", code=DONE),
    Act("resume", code=DONE),
)


def finish(project, act):
    """Continues from the interrupted act to the end."""
    if act == 0:
        # There may be no job yet, or one that was cancelled because its items could not be added.
        if expect(pawl(project, "resume"), PEOPLE, FAILED, CANCELLED).code != PEOPLE:
            expect(pawl(project, *ACTS[0].words), PEOPLE)
    if act <= 1:
        expect(pawl(project, *ACTS[1].words), DONE, CONFLICT)
    if act <= 2:
        expect(pawl(project, *ACTS[2].words), DONE)
    expect(pawl(project, *ACTS[3].words), DONE)


def outcome(project):
    """All that does not depend on how often the job was interrupted: by item, stage and child, the state of each task
    and every attempt that came to an end by itself; items, reviews and counters."""
    newest = str(facts(project).jobs)
    lines = [json.loads(line) for line in expect(pawl(project, "export", newest), DONE).out.splitlines()]
    of = collections.defaultdict(list)
    for line in lines:
        [(kind, value)] = line.items()
        of[kind].append(value)
    keys = {item["id"]: item["key"] for item in of["item"]}

    attempts = collections.defaultdict(list)
    numbers = collections.defaultdict(list)
    for one in of["attempt"]:
        numbers[one["task"]].append(one["number"])
        if one["result"] == "interrupted":
            continue
        failures, rejections, *_ = one["counts_before"]
        attempts[one["task"]].append({
            "epoch": one["epoch"], "round": one["round"], "result": one["result"], "verdict": one.get("verdict"),
            "output": one.get("output"), "error": one.get("error"), "feedback": one.get("feedback"),
            "decision": one["decision"]["kind"], "rule": one["decision"]["rule"],
            "failures": failures, "rejections": rejections})
    tasks = {}
    for task in of["task"]:
        name = (keys.get(task.get("item"), "*"), STAGES[task["id"] % 65536], task.get("child", {}).get("key", ""))
        if numbers[task["id"]] != list(range(1, 1 + task["attempts"])):
            raise Violation(f"the attempts of {name} are {numbers[task['id']]}, not 1..{task['attempts']}")
        state = {word: value for word, value in task["state"].items() if word != "attempt"}
        tasks[name] = {"state": state, "attempts": attempts[task["id"]]}
    [job] = of["job"]
    return {
        "tasks": tasks,
        "items": {item["key"]: item["state"] for item in of["item"]},
        # Without its digest: the attempt that was shown has another number after an interruption.
        "reviews": [(one["reason"], one["status"], one["answer"]["outcome"], one["answer"]["reviewer"])
                    for one in of["review"]],
        "job": {word: job[word] for word in ("items", "dead_letters", "failed_tasks", "stages", "children")},
        "payloads": sorted((one["sha256"], one["size"]) for one in of["payload"]),
    }


class Story:
    """The story told once without faults: the project before each act and at the end, what was done to the disk
    in each, and the outcome that every other telling must have."""

    def __init__(self, folder, acts=ACTS, prepare=None):
        """`prepare` is called with the project before the first act."""
        self.folder = pathlib.Path(folder)
        self.acts = acts
        self.before = []
        self.facts = []
        self.answers = []
        project = self.folder / "project"  # every copy is told there: the job remembers its place
        project.mkdir()
        shutil.copy(HERE / "story.yaml", project)
        if prepare:
            prepare(project)
        for number, act in enumerate(acts):
            self._keep(project, number)
            self.answers.append(act.carry_out(project, with_bytes=True))
            if not act.succeeded(self.answers[-1]):
                raise Violation(f"without any fault: {self.answers[-1]}")
            self._compare_record(project, number)
        self._keep(project, len(acts))
        verify(project)
        self.outcome = outcome(project)
        shutil.rmtree(project)

    def _keep(self, project, number):
        copy = self.folder / f"before-{number}"
        shutil.copytree(project, copy)
        self.before.append(copy)
        self.facts.append(facts(project))

    def disk(self, act, project, lies=False):
        """The disk before an act, in a project at this place."""
        disk = disk_record.Disk(self.before[act], lies)
        disk.folder = project
        return disk

    def _compare_record(self, project, number):
        """Checks that the record has every change to the files."""
        disk = self.disk(number, project)
        for point in self.answers[number].points:
            disk.follow(point)
        if disk.shown() != disk_record.Disk(project).shown():
            raise Violation(f"the record of act {number} is not what happened to the files")

    def project(self, act=None):
        """A fresh copy of the project before an act, or an empty place."""
        place = self.folder / "project"
        shutil.rmtree(place, ignore_errors=True)
        if act is not None:
            shutil.copytree(self.before[act], place)
        else:
            place.mkdir()
            shutil.copy(HERE / "story.yaml", place)
        return place

    def broken_words(self, act, points, answer, kept):
        """What was promised up to these points of an act and is not in the store."""
        return self.acts[act].broken_words(points, answer, self.facts[act], self.facts[act + 1], kept)

    def check_end(self, project):
        verify(project)
        found = outcome(project)
        for part, expected in self.outcome.items():
            if found[part] != expected:
                raise Violation(f"{part} differ from the uninterrupted run:\n{different(expected, found[part])}")


def different(expected, found):
    if not isinstance(expected, dict):
        return f"  expected {expected}\n  found    {found}"
    return "\n".join(f"  {key}: expected {expected.get(key)}\n  {key}: found    {found.get(key)}"
                     for key in {**expected, **found} if expected.get(key) != found.get(key))
