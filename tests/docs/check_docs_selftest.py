#!/usr/bin/env python3
"""Proves that each check of the documents can fail: it finds the fault in a broken copy.

    check_docs_selftest.py [--root DIR] CHECK ...     the checks that must be proven
"""

import argparse
import pathlib
import re
import shutil
import sys
import tempfile

import check_docs

COPIED = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "dev",
          "docs", "include", "src", "tests", "examples")

# check: what is broken (a file, a pattern, its replacement), and what must be found.
BREAKAGES: dict[str, list[tuple[str, str, str, str]]] = {
    "requirements_name_each_id_once": [
        ("docs/requirements.md", r"\| A33 \|[^\n]*\n", "", "missing: A33"),
        ("docs/requirements.md", r"\| A33 \|", "| A33, A32 |", "A32 stands in line"),
        ("docs/requirements.md", r"\| E47 \|", "| E47, E48 |", "there is no E48"),
    ],
    "requirements_are_answered": [
        ("docs/requirements.md", r"(\| A33 \|[^|]*\|)[^|]*\|", r"\1 surely |", "neither a test"),
        ("docs/requirements.md", r"(\| C22 \|[^|]*\|)[^|]*\|", r"\1 not applicable: we say |",
         "C22 needs a test"),
        ("docs/requirements.md", r"(\| C22 \|[^|]*\|)[^|]*\|", r"\1 not met: no hint is read |",
         "C22 needs a test"),
        ("docs/requirements.md", r"(\| A33 \|[^|]*\|)[^|]*\|", r"\1 `Decide.x`; not met |",
         "does not say what is missing"),
    ],
    "named_tests_exist": [
        ("docs/requirements.md", r"`Filter\.a_malformed", "`Filter.a_well_formed", "no test is called"),
        ("docs/requirements.md", r"`examples\.02", "`examples.99", "no test is called"),
        ("ARCHITECTURE.md", r"`Verify\.finds_a_retry", "`Verify.loses_a_retry", "no test is called"),
        ("tests/contract/filter_test.cpp", r"TEST\(Filter, a_malformed", "TEST(Filter, a_former",
         "no test is called"),
    ],
    "failures_are_told_whole": [
        ("docs/failures.md", r"`DiskFull\.a_write", "`DiskFull.a_wish", "no test is called DiskFull.a_wish"),
        ("docs/failures.md", r"`ServerTrouble\.test_server_restarted`", "`ServerTrouble.test_server_fed`",
         "no test is called ServerTrouble.test_server_fed"),
        ("tests/chaos/server_test.py", r"def test_server_restarted", "def test_server_fed",
         "no test is called ServerTrouble.test_server_restarted"),
        ("docs/failures.md", r"(\| The disk is full[^|]*\|)[^|]*\|", r"\1 |",
         "nothing stands under 'what the user sees'"),
        ("docs/failures.md", r"(\| The disk is full[^|]*\|[^|]*\|)[^|]*\|", r"\1 – |",
         "nothing stands under 'what is lost'"),
        ("docs/failures.md", r"(\| The disk is full(?:[^|]*\|){3})[^|]*\|", r"\1 we looked |",
         "no test proves: The disk is full"),
        ("docs/failures.md", r"(\| The disk is full(?:[^|]*\|){2})[^|]*\|", r"\1", "a row of 3 cells"),
        ("docs/failures.md", r"What is lost \|", "What was lost |", "has the columns"),
        ("docs/failures.md", r"(?m)^\|.*\n", "", "there is no table of failures"),
        ("tests/sqlite/disk_full_test.cpp", r"TEST_F\(DiskFull, a_write|TEST\(DiskFull, a_write",
         "TEST(DiskFull, no_write", "no test is called DiskFull.a_write"),
    ],
    "code_is_quoted_from_files": [
        ("README.md", r'build\.stage\("count_words"', 'build.stage("count_word"', "has no such lines"),
        ("examples/01_first_workflow.cpp", r"engine->serve\(sentences\);", "", "has no such lines"),
        ("docs/library.md", r"<!-- quote: [^>]*-->\n", "", "names no file"),
        ("docs/guide/testing.md", r'\.crash_after\("pay"', '.crash_after("play"', "has no such lines"),
    ],
    "readme_shows_the_first_example": [
        ("README.md", r"quote: examples/01_first_workflow", "quote: examples/03_review_with_edits",
         "nothing is quoted"),
    ],
    "readme_commands_are_tested": [
        ("README.md", r"\./dev bench --quick", "./dev bench --fast", "no test runs: ./dev bench --fast"),
    ],
    "dev_knows_every_command_that_the_documents_show": [
        ("docs/guide.md", r"\Z", "\nTry `./dev dance`.\n", "knows no 'dance'"),
        ("dev", r"\n\./dev demo[^\n]*", "", "knows no 'demo'"),
    ],
    "named_files_and_functions_exist": [
        ("ARCHITECTURE.md", r"`src/core/close\.cpp`", "`src/core/shut.cpp`", "no file src/core/shut.cpp"),
        ("ARCHITECTURE.md", r"`Loop::on_stale`", "`Loop::on_fresh`", "there is no Loop::on_fresh"),
        ("ARCHITECTURE.md", r"`Scheduler::pick`", "`Scheduler::deliver`", "has no Scheduler::deliver"),
        ("src/runtime/scheduler.cpp", r"\bpick\b", "choose", "has no Scheduler::pick"),
    ],
    "states_are_those_of_the_source": [
        ("docs/reference/states.md", r"\| `expanded` \| 5", "| `expanded` | 6", "state expanded"),
        ("docs/reference/states.md", r"\| `ready` \| `running`[^\n]*\n", "", "'ready', 'running'"),
        ("src/core/transitions.cpp", r'"retried after a delay"', '"perhaps"', "'retry_scheduled'"),
    ],
    "events_are_those_of_the_source": [
        ("docs/reference/events.md", r"\| `job\.resumed`[^\n]*\n", "", "event job.resumed"),
        ("docs/reference/events.md", r"`outcome`, `note`", "`outcome`", "event review.decided"),
        ("src/views/event_document.cpp", r'"children"', '"kids"', "event task.expanded"),
    ],
    "the_filter_is_that_of_the_source": [
        ("docs/reference/filter.md", r"\| `age` \| duration", "| `age` | number", "field age"),
        ("docs/reference/filter.md", r' \| "~"', "", "sign ~"),
        ("src/text/durations.cpp", r'\{"d", ', '{"w", 604}, {"d", ', "unit w"),
    ],
    "promises_are_those_of_the_source": [
        ("docs/reference/verify.md", r"\| I9 \| No retry is early", "| I9 | No retry is late", "promise I9"),
        ("docs/reference/verify.md", r"\| log \| Rows of the log[^\n]*\n", "", "promise log"),
        ("src/store/invariants.cpp", r'"I13", ', '"I31", ', "promise I31"),
    ],
    "links_resolve": [
        ("README.md", r"\(docs/guide\.md\)", "(docs/guides.md)", "docs/guides.md leads nowhere"),
        ("README.md", r"ARCHITECTURE\.md#invariants", "ARCHITECTURE.md#variants", "#variants"),
    ],
    "words_are_plain": [
        ("README.md", r"\Z", "\nWe run everything exactly once.\n", "exactly once"),
        ("docs/guide.md", r"\Z", "\n\U0001F680\n", "'\U0001F680'"),
    ],
}


def copy_of(root: pathlib.Path, into: pathlib.Path) -> None:
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, into / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif (root / name).exists():
            shutil.copy2(root / name, into / name)


def failures_of(check: str, root: pathlib.Path) -> list[str]:
    """What is wrong with a check; empty if it finds every breakage."""
    wrong = []
    if check not in BREAKAGES:
        return [f"{check}: nothing proves that it can fail"]
    for name, pattern, instead, expected in BREAKAGES[check]:
        path = root / name
        before = path.read_text()
        broken, count = re.subn(pattern, instead, before)
        if count == 0:
            wrong.append(f"{check}: {name} has nothing like {pattern}")
            continue
        path.write_text(broken)
        found = [what for _, _, what in check_docs.CHECKS[check](root)]
        path.write_text(before)
        if not any(expected in what for what in found):
            wrong.append(f"{check}: does not see {expected!r} in a broken {name}; found {found}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Each check of the documents can fail.")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("checks", nargs="*", default=list(check_docs.CHECKS))
    args = parser.parse_args()
    wrong = []
    if unlisted := set(check_docs.CHECKS) - set(args.checks):
        wrong.append(f"not run as tests: {', '.join(sorted(unlisted))}")
    with tempfile.TemporaryDirectory() as folder:
        copy_of(args.root.resolve(), pathlib.Path(folder))
        for check in args.checks:
            wrong += failures_of(check, pathlib.Path(folder))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
