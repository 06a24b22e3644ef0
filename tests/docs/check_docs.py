#!/usr/bin/env python3
"""Checks that the documents describe what exists.

    check_docs.py [--root DIR] [CHECK ...]       without a CHECK: all of them
    check_docs.py --output TEST PROGRAM          does PROGRAM print what documents show of TEST?

Each check is a function that yields offences as (file, line, what is wrong).
check_docs_selftest.py proves that each can fail.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator

import markdown

Offence = tuple[pathlib.Path, int, str]
Check = Callable[[pathlib.Path], Iterator[Offence]]

# The list of requirements: how many there are of each letter, and which of them must be proven by a
# test because they are edge rules, defaults or named tests.
LISTS = {"A": 89, "B": 85, "C": 56, "D": 53, "E": 47, "trap ": 33}
PROVEN = {
    "A": [*range(15, 21), 22, *range(25, 28), *range(30, 34), *range(48, 52), 58, *range(62, 72)],
    "B": [12, 26, 35, 53, 78, 79],
    "C": [*range(18, 24), *range(40, 51)],
    "D": [17],
    "E": [*range(36, 44)],
    "trap ": [*range(1, 19), *range(23, 34)],
}

# Every command in README, and the test that runs it. What `./dev` itself does around it (install packages,
# configure, build) is exercised by running the tests.
COMMANDS = {
    "./dev demo": "documents.demo",
    "./dev test": "docs.dev_knows_every_command_that_the_documents_show",
    "./dev package": "serve.package",
    "./dev build": "consumer.finds_links_and_runs_the_installed_package",
    "./dev bench --quick": "bench.program",
    "cmake --install build/release --prefix ~/.local":
        "consumer.finds_links_and_runs_the_installed_package",
}


def _line_of(text: str, part: str) -> int:
    return text[:text.index(part)].count("\n") + 1


# Tests by name.

TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+)\s*,"
                  r"\s*\"?(\w+)", re.MULTILINE)


def gtest_names(root: pathlib.Path) -> set[str]:
    """Suite.test of every test in the sources."""
    return {f"{suite}.{name}" for path in (root / "tests").rglob("*.cpp")
            for suite, name in TEST.findall(path.read_text())}


def ctest_names(root: pathlib.Path) -> set[str]:
    """Tests outside GoogleTest, by their ctest name."""
    names = set()
    for path in [*(root / "tests").rglob("CMakeLists.txt"), *(root / "tests").rglob("*.cmake")]:
        text = path.read_text()
        names |= set(re.findall(r"NAME\s+([a-z_]+\.\w+)", text)) | names_made_in_loops(text)
        for prefix, listed in re.findall(r"set\((\w+)_tests\s+([^)]*)\)", text):
            names |= {f"{prefix}.{name}" for name in listed.split()}
        names |= {"examples." + name for name in re.findall(r"pawl_example_run\(\s*(\w+)", text)}
        for prefix, listed in re.findall(r"set\(pawl_(\w+)_checks\s+([^)]*)\)", text):
            names |= {f"{prefix}.{name}" for name in listed.split()}
        if path.parent.name == "must_not_compile":
            names |= {"must_not_compile." + each.stem for each in path.parent.glob("*.cpp")}
    return names


def python_names(root: pathlib.Path) -> set[str]:
    """Class.test of every Python test in the sources."""
    names = set()
    for path in (root / "tests").rglob("*_test.py"):
        suite = ""
        for line in path.read_text().splitlines():
            if opened := re.match(r"class (\w+)\(", line):
                suite = opened[1]
            elif test := re.match(r"    def (test_\w+)\(", line):
                names.add(f"{suite}.{test[1]}")
    return names


def test_names(root: pathlib.Path) -> set[str]:
    return gtest_names(root) | ctest_names(root) | python_names(root)


TEST_NAME = re.compile(r"[A-Z]\w*\.[a-z]\w*|[a-z_]+\.[a-z0-9]\w*")
NOT_A_TEST = re.compile(r".*\.(md|cpp|hpp|py|txt|cmake|case|json)$")


def names_made_in_loops(text: str) -> set[str]:
    """The values of `foreach(x IN LISTS l)` and `foreach(x RANGE a b)` with a test for each."""
    lists = {name: words.split()
             for name, words in re.findall(r"\bset\((\w+)\s([^)$]*)\)", text)}
    names = set()
    for variable, how, words, body in re.findall(
            r"foreach\((\w+) (IN LISTS|RANGE) ([^)]*)\)(.*?)endforeach", text, re.DOTALL):
        if how == "RANGE":
            first, last = (int(word) for word in words.split())
            values = [str(number) for number in range(first, last + 1)]
        else:
            values = [value for name in words.split() for value in lists.get(name, [])]
        for test in re.findall(r"NAME\s+([a-z_]+\.[\w${}]+)", body):
            names |= {test.replace("${" + variable + "}", value) for value in values}
    return names


def named_tests(cell: str) -> list[str]:
    return [span for span in markdown.code_spans(cell)
            if TEST_NAME.fullmatch(span) and not NOT_A_TEST.match(span)]


# docs/requirements.md

ID = re.compile(r"(trap |[A-E])(\d+)(?:\s*[–-]\s*(?:trap |[A-E])?(\d+))?")


def ids_in(cell: str) -> list[tuple[str, int]]:
    found = []
    for prefix, first, last in ID.findall(cell):
        found += [(prefix, number) for number in range(int(first), int(last or first) + 1)]
    return found


def requirement_rows(root: pathlib.Path) -> Iterator[tuple[markdown.Row, list[tuple[str, int]]]]:
    for row in markdown.rows((root / "docs/requirements.md").read_text()):
        if row.columns[0] == "id":
            yield row, ids_in(row["id"])


def requirements_name_each_id_once(root: pathlib.Path) -> Iterator[Offence]:
    """Every id of the lists is in one row of docs/requirements.md, and nowhere else."""
    path = root / "docs/requirements.md"
    seen: dict[tuple[str, int], int] = {}
    for row, ids in requirement_rows(root):
        if not ids:
            yield path, row.line, f"'{row['id']}' is no id"
        for prefix, number in ids:
            if not 1 <= number <= LISTS[prefix]:
                yield path, row.line, f"there is no {prefix}{number}"
            if (prefix, number) in seen:
                yield path, row.line, f"{prefix}{number} stands in line {seen[prefix, number]} too"
            seen[prefix, number] = row.line
    for prefix, count in LISTS.items():
        missing = [f"{prefix}{n}" for n in range(1, count + 1) if (prefix, n) not in seen]
        if missing:
            yield path, 1, "missing: " + ", ".join(missing)


def requirements_are_answered(root: pathlib.Path) -> Iterator[Offence]:
    """Each row names a test, a ruling, the reason why it does not apply, or what is missing ("not
    met:"); edge rules, defaults and named tests have a test or a ruling."""
    path = root / "docs/requirements.md"
    for row, ids in requirement_rows(root):
        answer = row["answer"]
        proven = bool(named_tests(answer)) or re.search(r"\b[Rr]uling \d|\bmodel \d", answer)
        if re.search(r"\bnot met\b(?!: \S)", answer):
            yield path, row.line, f"{row['id']} is not met and does not say what is missing"
        if not proven and not re.match(r"(not applicable|later|not met): \S", answer):
            yield path, row.line, f"{row['id']} has neither a test nor a ruling nor a reason"
        for prefix, number in ids:
            if not proven and number in PROVEN[prefix]:
                yield path, row.line, f"{prefix}{number} needs a test or a ruling"


def named_tests_exist(root: pathlib.Path) -> Iterator[Offence]:
    """A test that a document names is in the sources."""
    known = test_names(root)
    for path in [root / "docs/requirements.md", root / "ARCHITECTURE.md",
                 *sorted((root / "docs/decisions").glob("*.md"))]:
        for row in markdown.rows(path.read_text()):
            for cell in row.cells:
                for name in named_tests(cell):
                    if name not in known:
                        yield path, row.line, f"no test is called {name}"
    for command, name in COMMANDS.items():
        if name not in known:
            yield root / "README.md", 1, f"{command}: no test is called {name}"


# docs/failures.md

FAILURE_COLUMNS = ["what breaks", "what the user sees", "what is lost", "proven by"]


def failures_are_told_whole(root: pathlib.Path) -> Iterator[Offence]:
    """Each row of docs/failures.md says what breaks, what is seen and what is lost, and names at
    least one test that proves it; every name in its last column is that of a test."""
    path = root / "docs/failures.md"
    known = test_names(root)
    count = 0
    for row in markdown.rows(path.read_text()):
        if row.columns != FAILURE_COLUMNS:
            yield path, row.line, f"a table here has the columns {', '.join(FAILURE_COLUMNS)}"
            continue
        count += 1
        if len(row.cells) != len(FAILURE_COLUMNS):
            yield path, row.line, f"a row of {len(row.cells)} cells, where there are four columns"
            continue
        for column, cell in zip(row.columns, row.cells):
            if not re.search(r"\w", cell):
                yield path, row.line, f"nothing stands under '{column}'"
        tests = named_tests(row["proven by"])
        if not tests:
            yield path, row.line, f"no test proves: {row['what breaks']}"
        for span in markdown.code_spans(row["proven by"]):
            if span not in tests or span not in known:
                yield path, row.line, f"no test is called {span}"
    if count == 0:
        yield path, 1, "there is no table of failures"


# Code and commands in the documents.

def _dedented(lines: list[str]) -> list[str]:
    return textwrap.dedent("\n".join(lines)).strip("\n").split("\n")


def _stands_in(part: list[str], source: list[str]) -> bool:
    wanted = _dedented(part)
    return any(_dedented(source[i:i + len(wanted)]) == wanted
               for i in range(len(source) - len(wanted) + 1))


def code_is_quoted_from_files(root: pathlib.Path) -> Iterator[Offence]:
    """Every C++ and CMake block names its source with `<!-- quote: FILE -->` and is in that file,
    line for line. A line `// ...` in a block marks an omission."""
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md")),
                 *sorted((root / "docs/guide").glob("*.md"))]:
        for block in markdown.blocks(path.read_text()):
            if block.language not in ("cpp", "cmake"):
                continue
            quoted = re.fullmatch(r"quote: (\S+)", block.note)
            if not quoted or not (root / quoted[1]).is_file():
                yield path, block.line, "this code names no file of ours that it stands in"
                continue
            source = (root / quoted[1]).read_text().splitlines()
            for part in re.split(r"(?m)^\s*// \.\.\.\n?", "\n".join(block.lines) + "\n"):
                lines = part.strip("\n").split("\n")
                if not _stands_in(lines, source):
                    yield path, block.line, f"{quoted[1]} has no such lines: {lines[0].strip()}"


def readme_shows_the_first_example(root: pathlib.Path) -> Iterator[Offence]:
    """README has the code of the first example."""
    notes = {block.note for block in markdown.blocks((root / "README.md").read_text())}
    if "quote: examples/01_first_workflow.cpp" not in notes:
        yield root / "README.md", 1, "nothing is quoted from examples/01_first_workflow.cpp"


def readme_commands_are_tested(root: pathlib.Path) -> Iterator[Offence]:
    """Every command in README is in the table above, with the test that runs it."""
    path = root / "README.md"
    for block in markdown.blocks(path.read_text()):
        if block.language != "sh":
            continue
        for offset, line in enumerate(block.lines, 1):
            command = line.split("  #")[0].strip()
            if command and command not in COMMANDS:
                yield path, block.line + offset, f"no test runs: {command}"


def dev_knows_every_command_that_the_documents_show(root: pathlib.Path) -> Iterator[Offence]:
    """`./dev help` lists every `./dev` command that a document shows."""
    said = subprocess.run([root / "dev", "help"], capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"^\./dev (\w+)", said, re.MULTILINE))
    for path in markdown.documents(root):
        text = path.read_text()
        for number, line in enumerate(text.splitlines(), 1):
            for word in re.findall(r"\./dev ([a-z]+)", line):
                if word not in known:
                    yield path, number, f"./dev knows no '{word}'"


# Names of files and functions.

PATH = re.compile(r"(?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:hpp|cpp|md|py)")
QUALIFIED = re.compile(r"(\w+)::(\w+)(?:\(\))?")


def _places(root: pathlib.Path, name: str) -> list[pathlib.Path]:
    """Where the path in a document may be: from the root, or below the folders of the code."""
    tops = [root, root / "src", root / "include/pawl", root / "include", root / "src/sqlite",
            root / "src/sql"]
    return [top / name for top in tops if (top / name).exists()]


def _defines(source: str, function: str) -> bool:
    """Whether a source has the function: as `Class::name(`, or as `name(` inside the class."""
    scope, _, name = function.rpartition("::")
    if not scope:
        return re.search(rf"\b{name}\(", source) is not None
    return (re.search(rf"\b{scope}::{name}\(", source) is not None or
            (re.search(rf"\bclass {scope}\b", source) is not None and
             re.search(rf"\b{name}\(", source) is not None))


def named_files_and_functions_exist(root: pathlib.Path) -> Iterator[Offence]:
    """The names in ARCHITECTURE.md and the decisions exist: files, `Class::function`, and in a
    table with a function and a file, the function in that file."""
    sources = {path: path.read_text() for folder in ("include", "src")
               for path in (root / folder).rglob("*.[hc]pp")}
    whole = "\n".join(sources.values())
    for path in [root / "ARCHITECTURE.md", *sorted((root / "docs/decisions").glob("*.md"))]:
        text = path.read_text()
        for number, line in enumerate(markdown.prose(text).splitlines(), 1):
            for span in markdown.code_spans(line):
                if PATH.fullmatch(span) and not _places(root, span):
                    yield path, number, f"there is no file {span}"
                elif match := QUALIFIED.fullmatch(span):
                    if not all(re.search(rf"\b{part}\b", whole) for part in match.groups()):
                        yield path, number, f"there is no {span}"
        for row in markdown.rows(text):
            if "function" not in row.columns or "file" not in row.columns:
                continue
            files = [place.read_text() for span in markdown.code_spans(row["file"])
                     for place in _places(root, span)]
            for span in markdown.code_spans(row["function"]):
                if not any(_defines(text, span) for text in files):
                    yield path, row.line, f"{row['file']} has no {span}"


# The reference.

def _enum(text: str, name: str) -> dict[str, int]:
    body = re.search(rf"enum class {name} : [\w:]+ \{{(.*?)\}};", text, re.DOTALL)[1]
    return {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", body)}


def _compare(path: pathlib.Path, what: str, told: dict, true: dict) -> Iterator[Offence]:
    for key in [*told, *true]:
        if told.get(key) != true.get(key):
            yield path, 1, f"{what} {key}: the page says {told.get(key)}, the source {true.get(key)}"


def _bare(cell: str) -> str:
    return cell.replace("`", "").strip()


def states_are_those_of_the_source(root: pathlib.Path) -> Iterator[Offence]:
    """docs/reference/states.md has the states with their numbers and the table of transitions."""
    path = root / "docs/reference/states.md"
    rows = list(markdown.rows(path.read_text()))
    told = {_bare(row["state"]): int(row["number"]) for row in rows if "number" in row.columns}
    yield from _compare(path, "state", told,
                        _enum((root / "include/pawl/core/task.hpp").read_text(), "StateKind"))
    moves = {(_bare(row["from"]), _bare(row["to"])): row["when"].replace("`", "")
             for row in rows if "from" in row.columns}
    source = (root / "src/core/transitions.cpp").read_text()
    yield from _compare(path, "move", moves,
                        {(a, b): why.replace("`", "") for a, b, why in
                         re.findall(r'\{(\w+), (\w+), "([^"]*)"\}', source)})


def _event_fields(root: pathlib.Path) -> dict[str, str]:
    """The fields of `data` by event, read from the function that writes them."""
    source = (root / "src/views/event_document.cpp").read_text()
    body = source[source.index("void write_data("):source.index("Json event_document(")]
    fields: dict[str, str] = {}
    waiting: list[str] = []
    found: list[str] = []
    for line in [*body.splitlines(), "case EventType::end:"]:
        if case := re.search(r"case EventType::(\w+):", line):
            if found:
                fields |= {name: ", ".join(found) for name in waiting}
                waiting, found = [], []
            waiting.append(case[1])
        found += re.findall(r'(?:write_\w+(?:<\w+>)?\(object, |object\.write\()"(\w+)"', line)
    return fields


def events_are_those_of_the_source(root: pathlib.Path) -> Iterator[Offence]:
    """docs/reference/events.md has every event with its number, name and data."""
    path = root / "docs/reference/events.md"
    numbers = _enum((root / "include/pawl/core/event.hpp").read_text(), "EventType")
    names = dict(re.findall(r'case EventType::(\w+): return "([^"]+)"',
                            (root / "src/codec/names.cpp").read_text()))
    fields = _event_fields(root)
    true = {names[key]: (number, fields.get(key, "")) for key, number in numbers.items()}
    told = {_bare(row["event"]): (int(row["number"]), ", ".join(markdown.code_spans(row["data"])))
            for row in markdown.rows(path.read_text()) if "event" in row.columns}
    yield from _compare(path, "event", told, true)


def the_filter_is_that_of_the_source(root: pathlib.Path) -> Iterator[Offence]:
    """docs/reference/filter.md has every field with its kind, every sign and every unit."""
    path = root / "docs/reference/filter.md"
    text = path.read_text()
    source = (root / "src/store/dead_letters/dead_letters.cpp").read_text()
    body = source[source.index("dead_letter_fields()"):]
    true = dict(re.findall(r'\{"(\w+)", FieldKind::(\w+)', body))
    told = {_bare(row["field"]): _bare(row["kind"]) for row in markdown.rows(text)
            if "field" in row.columns}
    yield from _compare(path, "field", told, true)
    parser = (root / "src/store/dead_letters/filter.cpp").read_text()
    for sign in re.findall(r'Comparison::\w+, "([^"]+)"', parser):
        if f'"{sign}"' not in text:
            yield path, 1, f"the grammar lacks the sign {sign}"
    units = (root / "src/text/durations.cpp").read_text()
    for unit in re.findall(r'\{"(\w+)", [\d\']+\}', units):
        if f'"{unit}"' not in text:
            yield path, 1, f"the grammar lacks the unit {unit}"


def _promises(root: pathlib.Path) -> dict[str, tuple[str, ...]]:
    """The table of src/store/invariants.cpp, with the texts that several rows share put in."""
    source = (root / "src/store/invariants.cpp").read_text()
    literal = r'"((?:[^"\\]|\\.)*)"'
    join = lambda text: "".join(re.findall(literal, text))
    shared = {name: join(text) for name, text in
              re.findall(r"constexpr std::string_view (\w+) =(.*?);\n\n?(?=constexpr)", source, re.DOTALL)}
    found = {}
    for body in re.findall(r"Invariant\{\s*(\".*?)\},?\n", source, re.DOTALL):
        cells, cell = [], ""
        for text, name, comma in re.findall(literal + r"|(\w+)|(,)", body):
            if comma:
                cells, cell = [*cells, cell], ""
            cell += text or shared.get(name, "")
        found[cells[0]] = (*cells[1:], cell)
    return found


def promises_are_those_of_the_source(root: pathlib.Path) -> Iterator[Offence]:
    """docs/reference/verify.md has every promise with its check, its meaning and its way out."""
    path = root / "docs/reference/verify.md"
    told: dict[str, list[str]] = {}
    for row in markdown.rows(path.read_text()):
        if "promise" not in row.columns:
            continue
        for column in row.columns[1:]:
            told.setdefault(_bare(row["promise"]), []).append(row[column].strip())
    yield from _compare(path, "promise", {key: tuple(cells) for key, cells in told.items()},
                        _promises(root))


# All documents.

def links_resolve(root: pathlib.Path) -> Iterator[Offence]:
    """A relative link leads to a file of ours, and its anchor to a heading there."""
    for path in markdown.documents(root):
        for number, target in markdown.links(path.read_text()):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            place = (path.parent / name).resolve() if name else path
            if not place.exists():
                yield path, number, f"{target} leads nowhere"
            elif anchor and anchor not in markdown.anchors(place.read_text()):
                yield path, number, f"{place.name} has no heading #{anchor}"


FORBIDDEN = re.compile(r"exactly[- ]once(?! of| per)|[\U0001F300-\U0001FAFF\u2705\u274C]", re.I)


def words_are_plain(root: pathlib.Path) -> Iterator[Offence]:
    """No pictures in the text, and "exactly once" always says of what."""
    for path in markdown.documents(root):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if (found := FORBIDDEN.search(line)) and "take effect exactly once" not in line \
                    and "closed exactly once" not in line:
                yield path, number, f"'{found[0]}'"


CHECKS: dict[str, Check] = {check.__name__: check for check in (
    requirements_name_each_id_once,
    requirements_are_answered,
    named_tests_exist,
    failures_are_told_whole,
    code_is_quoted_from_files,
    readme_shows_the_first_example,
    readme_commands_are_tested,
    dev_knows_every_command_that_the_documents_show,
    named_files_and_functions_exist,
    states_are_those_of_the_source,
    events_are_those_of_the_source,
    the_filter_is_that_of_the_source,
    promises_are_those_of_the_source,
    links_resolve,
    words_are_plain,
)}


def missing_output(root: pathlib.Path, test: str, *program: str) -> int:
    """Compares the output in the documents with what the program prints. A number matches
    any number; a line `…` matches omitted lines."""
    said = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    printed = {_shape(line) for line in said.splitlines()}
    shown = [(path.relative_to(root), line) for path in markdown.documents(root)
             for block in markdown.blocks(path.read_text())
             if block.note == f"output: {test}" for line in block.lines]
    missing = [(path, line) for path, line in shown
               if line.strip() not in ("", "…") and _shape(line) not in printed]
    for path, line in missing:
        print(f"{path} shows a line that {test} does not print: {line}")
    if not shown:
        print(f"no document shows anything of {test}")
    return 1 if missing or not shown else 0


def _shape(line: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\d+", "0", line)).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description="The documents say what is there.")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--output", nargs="+", metavar="TEST PROGRAM",
                        help="what documents show of a program's output is what it prints")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(CHECKS))
    args = parser.parse_args()
    root = args.root.resolve()
    if unknown := [name for name in args.checks if name not in CHECKS]:
        parser.error(f"no check is called {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    if args.output:
        return missing_output(root, *args.output)
    count = 0
    for name in args.checks or CHECKS:
        for path, line, what in CHECKS[name](root):
            print(f"{path.relative_to(root)}:{line}: {what} [{name}]")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
