"""Faults at every point: sweep_test.py FAULT

The story runs once without faults, which numbers all changes to the disk: the points. Then, for each point:
the story runs up to the point, the fault happens, the store is opened and verified and must have everything
that was reported, the story runs to its end, the store is verified again, and the outcome is compared with
that of the run without faults.

Most faults happen to the real program while it runs. A power cut is computed from the record of an act without
faults (see disk_record.py): one act gives the files that a cut at any point may leave. Files that are equal
byte by byte, or after SQLite has opened them, have the same future, which is tested once.

PAWL_SWEEP=all tests every point instead of a sample."""

import collections
import concurrent.futures
import hashlib
import os
import sys
import tempfile
import time

import disk_record
from story import ACTS, FAILED, IS_SANITIZED, Story, Violation, facts, finish, pawl, tells_of_trouble, verify
from story_by_http import ACTS_BY_HTTP, HttpAct, add_person

# `every`: one of how many points is tested, and always the last. Kills and power cuts are tested everywhere; but a
# kill after an operation leaves the same files as one before the next, so those are sampled.
Kind = collections.namedtuple("Kind", "fault only every times kills", defaults=("", 1, 1, False))
NEEDS_SPACE = ("create", "write and grow", "mkdir", "rename")
FAULTS = {
    "kill_before": Kind("kill_before", kills=True),
    "kill_after": Kind("kill_after", every=7, kills=True),
    "short_write": Kind("short_write", "write", every=7, kills=True),
    "short_count": Kind("short_count", "write", every=17),
    "sync_error": Kind("sync_error", "sync", every=2),
    "sync_error_lasting": Kind("sync_error", "sync", every=8, times=0),
    "io_error": Kind("io_error", "write", every=11),
    "io_error_lasting": Kind("io_error", "write", every=40, times=0),
    "disk_full": Kind("disk_full", NEEDS_SPACE, every=11),
    "disk_full_lasting": Kind("disk_full", NEEDS_SPACE, every=40, times=0),
    # The two acts by HTTP, with the kinds of faults that the daemon answers in a way of its own.
    "http_kill_before": Kind("kill_before", kills=True),
    "http_sync_error": Kind("sync_error", "sync"),
    "http_io_error": Kind("io_error", "write", every=5),
    "http_io_error_lasting": Kind("io_error", "write", every=12, times=0),
    "http_disk_full": Kind("disk_full", NEEDS_SPACE, every=5),
    # Tests the sweep itself: a disk without faults shows nothing, and must not pass.
    "calm_disk": Kind("none", "write", every=80),
}
# The number of operations depends a little on how commits gather, so the last points of an act may lie beyond its end.
# Such a point is tried so often; of all points no larger share than this may have seen no fault in the end.
TRIES_TO_REACH = 3
NOT_REACHED_SHARE_MAX = 0.05
WORKERS = 2
# A lasting fault makes the program wait; it is killed this long after it has reported that.
SECONDS_OF_TROUBLE = 2
SHOWN_MAX = 5


class Tally:
    """The results of the points, and the violations in words."""

    def __init__(self):
        self.counts = collections.Counter()
        self.violations = []

    def add(self, other):
        self.counts += other.counts
        self.violations += other.violations


def share(count, worker):
    """The numbers of one worker's points: neighbours stay together, since they leave the same stores."""
    return range(count * worker // WORKERS, count * (worker + 1) // WORKERS)


def told_once(folder, by_http):
    """The story without faults, and the numbers of its acts that are swept: those that no other story has."""
    if not by_http:
        return Story(folder), range(len(ACTS))
    story = Story(folder, ACTS_BY_HTTP, add_person)
    by_commands = os.path.join(folder, "by_commands")
    os.mkdir(by_commands)
    if Story(by_commands).outcome != story.outcome:
        raise Violation("the story has another outcome by HTTP than by commands")
    return story, [number for number, act in enumerate(ACTS_BY_HTTP) if isinstance(act, HttpAct)]


# Faults that happen to the program

def sweep_faults(kind, every, by_http, worker, folder):
    (story, swept), tally = told_once(folder, by_http), Tally()
    for act in swept:
        answer = story.answers[act]
        points = [point.number for point in answer.points[1:] if point.about.startswith(kind.only)]
        chosen = sorted({*points[::every], points[-1]})
        for number in [chosen[place] for place in share(len(chosen), worker)]:
            tally.counts["points"] += 1
            try:
                tally.counts[one_fault(story, kind, act, number)] += 1
            except Violation as broken:
                tally.violations.append(f"{kind.fault} at operation {number} of {story.acts[act].title}: {broken}")
    return tally


def one_fault(story, kind, act, number):
    for _ in range(TRIES_TO_REACH):
        project = story.project(act)
        answer = story.acts[act].carry_out(project, fault=kind.fault, at=number, times=kind.times,
                                           killed_after=None if kind.times else SECONDS_OF_TROUBLE)
        if answer.fault_fired:
            break
    came = check_answer(answer, kind, story.acts[act])
    verify(project)
    kept = facts(project)
    for broken in story.broken_words(act, answer.points, answer, kept):
        raise Violation(broken)
    if story.acts[act].succeeded(answer) and kept[2:4] != story.facts[act + 1][2:4]:
        raise Violation(f"it told success, and this is not in the store: {kept}, not {story.facts[act + 1]}")
    finish(project, act)
    story.check_end(project)
    return came


def check_answer(answer, kind, act):
    """Killed; or went on to the end; or told that it cannot, and ended or waited."""
    if not answer.fault_fired:
        if not act.succeeded(answer):
            raise Violation(f"there was no fault: {answer}")
        return "not reached"  # shows nothing, and is counted separately
    if kind.kills:
        if answer.code != -9:
            raise Violation(f"not killed: {answer}")
        return "killed"
    if act.succeeded(answer):
        return "went on"
    waited = not kind.times and answer.code == -9
    if answer.code not in act.codes_of_trouble and not waited:
        raise Violation(f"no code for trouble with a disk: {answer}")
    if not tells_of_trouble(answer.trouble):
        raise Violation(f"no clear message: {answer}")
    return "waited" if waited else "told"


# Power cuts

def sweep_power_cuts(how, every, by_http, worker, folder, lies=False):
    """`lies`: on a disk that reports a sync that it did not do."""
    (story, swept), tally = told_once(folder, by_http), Tally()
    seen = {}  # digest of what is left -> what is in it, or the violation that it is
    futures = set()
    for act in swept:
        answer = story.answers[act]
        disk = story.disk(act, story.folder / "project", lies)
        mine = share(len(answer.points), worker)
        for number, point in enumerate(answer.points):
            disk.follow(point)
            is_last = number + 1 == len(answer.points)
            if number not in mine or (number % every and not is_last):
                continue
            tally.counts["points"] += 1
            try:
                left = disk.left(how, disk_record.chance_of(how, act, number))
                kept = look_at(left, story, act, seen, futures, tally)
                for broken in story.broken_words(act, answer.points[:number + 1], answer, kept):
                    raise Violation(broken)
                if is_last and kept != story.facts[act + 1]:
                    raise Violation(f"the act had ended: {kept}, not {story.facts[act + 1]}")
            except Violation as broken:
                tally.violations.append(
                    f"power cut ({how}) after operation {number} of {story.acts[act].title} ({point.about}): {broken}")
    return tally


def digest_of(left):
    digest = hashlib.sha256()
    for name, content in sorted(left.items()):
        digest.update(f"{name} {-1 if content is None else len(content)}\n".encode())
        digest.update(content or b"")
    return digest.hexdigest()


def look_at(left, story, act, seen, futures, tally):
    """What the program finds there; the first time it also has to come to the end from it."""
    digest = digest_of(left)
    if digest not in seen:
        tally.counts["different"] += 1
        try:
            seen[digest] = open_and_finish(left, story, act, futures, tally)
        except Violation as broken:
            seen[digest] = broken
    if isinstance(seen[digest], Violation):
        raise seen[digest]
    return seen[digest]


def open_and_finish(left, story, act, futures, tally):
    project = story.project()
    disk_record.write_out(left, project)
    verify(project)
    kept = facts(project)
    future = digest_of(disk_record.Disk(project).shown())
    if future not in futures:
        finish(project, act)
        story.check_end(project)
        futures.add(future)
        tally.counts["finished"] += 1
    return kept


# A kill, and a power cut after other work

def sweep_kills_and_cuts(every, worker, folder):
    """The next process must make durable what the killed process had not."""
    story, tally = Story(folder), Tally()
    points = [point for point in story.answers[0].points[1:] if not point.about.startswith("write")][::every]
    for point in [points[place] for place in share(len(points), worker)]:
        tally.counts["points"] += 1
        try:
            kill_and_cut(story, point.number)
        except Violation as broken:
            tally.violations.append(
                f"killed before operation {point.number} ({point.about}), then a power cut: {broken}")
    return tally


def kill_and_cut(story, number):
    project = story.project(0)
    disk = story.disk(0, project)
    killed = ACTS[0].carry_out(project, fault="kill_before", at=number, with_bytes=True)
    for point in killed.points:
        disk.follow(point)
    if disk.shown() != disk_record.Disk(project).shown():
        raise Violation("the record of the killed act is not what happened to the files")
    for words in (("resume",), ACTS[0].words):
        gone_on = pawl(project, *words, with_bytes=True)
        for point in gone_on.points:
            disk.follow(point)
        if ACTS[0].succeeded(gone_on):
            break
    else:
        raise Violation(f"it did not go on: {gone_on}")
    left = disk.left("names", disk_record.chance_of(number))
    project = story.project()
    disk_record.write_out(left, project)
    verify(project)
    if facts(project).tasks != story.facts[1].tasks:
        raise Violation(f"the act had ended: {facts(project)}, not {story.facts[1]}")
    finish(project, 1)
    story.check_end(project)


# All points

def in_parts(sweep, *words):
    """Each worker runs its own story; returns the sum."""
    total = Tally()
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool, \
            tempfile.TemporaryDirectory(prefix="pawl-sweep-") as place:
        folders = [os.path.join(place, str(worker)) for worker in range(WORKERS)]
        for folder in folders:
            os.mkdir(folder)
        parts = [pool.submit(sweep, *words, worker, folder) for worker, folder in enumerate(folders)]
        for part in parts:
            total.add(part.result())
    return total


def lying_power_cuts(how, every, by_http, worker, folder):
    return sweep_power_cuts(how, every, by_http, worker, folder, lies=True)


def tell(line):
    print(line, flush=True)
    if "PAWL_FIGURES" in os.environ:
        with open(os.environ["PAWL_FIGURES"], "a") as figures:
            figures.write(line + "\n")


def complaint(tally):
    """Why the sweep has proven nothing; none if it has."""
    points, missed = tally.counts["points"], tally.counts["not reached"]
    if tally.violations:
        return "a promise was broken"
    if missed == points:
        return "no fault happened at any point, so nothing was shown"
    if missed > points * NOT_REACHED_SHARE_MAX:
        return f"{missed} of {points} points were not reached; at most {NOT_REACHED_SHARE_MAX:.0%} may be missed"
    return 0


def shown(counts, *names):
    return ", ".join(f"{counts[name]} {name}" for name in names if counts[name])


def main(name):
    began = time.monotonic()
    takes_all = os.environ.get("PAWL_SWEEP") == "all"
    by_http = name.startswith("http_")
    slower = 10 if IS_SANITIZED and not takes_all else 1
    if name == "lying_disk":
        # Tests the sweep itself: it must notice what such a disk loses.
        tally = in_parts(lying_power_cuts, "all", slower, by_http)
        caught = [one for one in tally.violations if "is lost" in one or "are recorded" in one or "had ended" in one]
        tell(f"crash points: {name}: {tally.counts['points']} points, {len(tally.violations)} violations seen, "
             f"as there must be, {len(caught)} of them losses, {time.monotonic() - began:.1f} s")
        return 0 if caught else "a disk that syncs nothing was not noticed"
    every = slower
    if name == "kill_then_power_cut":
        tally = in_parts(sweep_kills_and_cuts, every)
        told = f"{tally.counts['points']} points, {tally.counts['points'] - len(tally.violations)} finished equal"
    elif "power_cut_" in name:
        tally = in_parts(sweep_power_cuts, name.rpartition("_")[2], every, by_http)
        told = (f"{tally.counts['points']} points, {tally.counts['different']} different disks, "
                f"{tally.counts['finished']} different stores finished equal")
    else:
        kind = FAULTS[name]
        every = 1 if takes_all and name != "calm_disk" else kind.every * slower
        tally = in_parts(sweep_faults, kind, every, by_http)
        missed = tally.counts["not reached"]
        equal = tally.counts["points"] - missed - len(tally.violations)
        ends = shown(tally.counts, "killed", "went on", "told", "waited") or "no fault happened"
        told = f"{tally.counts['points']} points, {missed} not reached, {equal} finished equal ({ends})"
    if every > 1:
        told = f"ONE POINT OF {every} ONLY (PAWL_SWEEP=all takes all): {told}"
    for one in tally.violations[:SHOWN_MAX]:
        print(f"VIOLATION: {one}\n", flush=True)
    tell(f"crash points: {name}: {told}, {len(tally.violations)} violations, {time.monotonic() - began:.1f} s")
    if name == "calm_disk":
        noticed = not tally.violations and tally.counts["points"] and complaint(tally)
        return 0 if noticed else "a disk on which nothing goes wrong was not noticed"
    return complaint(tally)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
