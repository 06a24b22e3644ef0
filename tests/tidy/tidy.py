#!/usr/bin/env python3
"""The project's rules that a machine can check.

    tidy.py [--root DIR] [CHECK ...]     without a CHECK: all of them

Each check is a function that yields offences as (file, line, what is wrong). tidy_selftest.py
proves that each can fail.
"""

import argparse
import pathlib
import re
import sys
from collections.abc import Callable, Iterator

Offence = tuple[pathlib.Path, int, str]
Check = Callable[["Tree"], Iterator[Offence]]

# What the sources of a layer may include from other layers. A layer may always include itself.
LAYERS = {
    "core": set(),
    "text": {"core"},
    "codec": {"core", "text"},
    "files": {"core"},
    "store": {"core", "text", "codec", "files"},
    "transfer": {"core", "codec", "files", "store"},
    "sql": {"core", "codec", "store"},
    "sqlite": {"core", "codec", "files", "store", "sql"},
    "postgres": {"core", "text", "codec", "store", "sql"},
    "runtime": {"core", "codec", "store"},
    "compat": {"core", "codec", "store", "runtime"},  # only the program includes it
    "workflow": {"core", "text", "codec"},
    "views": {"core", "text", "codec", "store", "workflow"},
    "actions": {"core", "text", "codec", "files", "store", "runtime", "workflow", "views"},
    "testing": {"core", "text", "codec", "store", "transfer", "runtime", "workflow", "actions"},
    "service": {"core", "text", "codec", "files", "store", "runtime", "workflow", "views", "actions"},
    "cli": {"core", "text", "codec", "files", "store", "transfer", "sqlite", "postgres", "runtime",
            "workflow", "views", "actions", "compat", "service"},
}
# What else they may include, by the start of the header's name. Public headers: nothing.
THIRD_PARTY = {
    "codec": ("boost/json", "openssl/"),
    "sqlite": ("sqlite3.h",),
    "postgres": ("libpq-fe.h",),
    "workflow": ("libfyaml.h", "re2/"),
    "actions": ("re2/",),
    "service": ("boost/asio", "boost/beast", "boost/system", "prometheus/", "openssl/"),
    "cli": ("CLI/",),
}
# Layers that use the operating system.
POSIX_LAYERS = {"files", "store", "transfer", "sqlite", "postgres", "runtime", "actions", "service", "cli"}
POSIX = re.compile(r"(sys/|linux/|netinet/|arpa/)?[a-z_]+\.h$")

# Files that may be longer, each with its reason: {"src/x/y.cpp": "why"}.
LONGER: dict[str, str] = {}
HEADER_LINES_MAX = 300
SOURCE_LINES_MAX = 600

MEANINGLESS = {"manager", "managers", "helper", "helpers", "util", "utils", "utility", "utilities",
               "common", "misc"}

CODE_FOLDERS = ("include", "src", "tests", "examples", "bench", "fuzz")
TEXT_SUFFIXES = {".hpp", ".cpp", ".h", ".in", ".py", ".cmake", ".txt", ".md", ".json", ".sql", ".yaml",
                 ".yml", ".sh", ".case"}
TEXT_FOLDERS = CODE_FOLDERS + ("cmake", "docs", ".ci")

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)")
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<digits>\b\d[\w.]*(?:'\w+)+)
      | (?P<char>'(?:\\.|[^'\\\n])+')""",
    re.DOTALL | re.VERBOSE)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def without_comments(text: str) -> str:
    return TOKEN.sub(lambda m: _blank(m[0]) if m["comment"] else m[0], text)


def comments_only(text: str) -> str:
    """Without code; every line keeps its number."""
    kept, end = [], 0
    for match in TOKEN.finditer(text):
        if match["comment"]:
            kept += [_blank(text[end:match.start()]), match[0]]
            end = match.end()
    return "".join(kept) + _blank(text[end:])


def code_only(text: str) -> str:
    """Without comments and literals; every line keeps its number."""
    return TOKEN.sub(lambda m: m[0] if m["digits"] else _blank(m[0]), text)


class Tree:
    """The files of one checkout, each read once."""

    def __init__(self, root: pathlib.Path):
        self.root = root
        self._text: dict[pathlib.Path, str] = {}

    def files(self, folders: tuple[str, ...], suffixes: set[str]) -> list[pathlib.Path]:
        return sorted(path for folder in folders for path in (self.root / folder).rglob("*")
                      if path.suffix in suffixes and path.is_file())

    def code(self, *folders: str) -> list[pathlib.Path]:
        return self.files(folders or CODE_FOLDERS, {".hpp", ".cpp", ".h"})

    def text(self, path: pathlib.Path) -> str:
        if path not in self._text:
            self._text[path] = path.read_bytes().decode("utf-8", errors="replace")
        return self._text[path]

    def name(self, path: pathlib.Path) -> str:
        return path.relative_to(self.root).as_posix()


def _matches(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        for match in pattern.finditer(line):
            yield number, match


INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>[<"])(?P<name>[^>"]+)[>"]')


def _is_std(name: str) -> bool:
    return re.fullmatch(r"[a-z0-9_]+", name) is not None


def _layer_of_header(tree: Tree, includer: pathlib.Path, name: str) -> str | None:
    """The layer of a header; None if it is not part of the project."""
    if name == "pawl/version.hpp":
        return "version"
    match = re.match(r"(?:pawl/)?([a-z_]+)(?:/|\.hpp$)", name)
    if match and match[1] in LAYERS and (name.startswith("pawl/") or "/" in name):
        return match[1]
    if name.startswith("pawl/"):
        return "the whole"
    beside = (includer.parent / name).resolve()
    if beside.is_file():
        return _layer_of_file(tree, beside)[0]
    return None


def _layer_of_file(tree: Tree, path: pathlib.Path) -> tuple[str | None, bool]:
    """The layer a file belongs to, and whether it is public."""
    try:
        parts = path.relative_to(tree.root.resolve()).parts
    except ValueError:
        return None, False
    if parts[:2] == ("include", "pawl") and len(parts) > 2:
        return parts[2].removesuffix(".hpp"), True
    if parts[0] == "src" and len(parts) > 2:
        return parts[1], False
    return None, False


def includes_point_left(tree: Tree) -> Iterator[Offence]:
    """A layer includes only layers to its left; public headers include nothing foreign."""
    for path in tree.code("include", "src"):
        layer, public = _layer_of_file(tree, path.resolve())
        if layer is None:
            continue
        on_top = public and path.parent.name == "pawl" and layer not in LAYERS
        if layer not in LAYERS and not on_top:
            yield path, 1, f"no layer '{layer}' is known; say in LAYERS what it may include"
            continue
        for number, match in _matches(without_comments(tree.text(path)), INCLUDE):
            name, angle = match["name"], match["open"] == "<"
            used = _layer_of_header(tree, path, name)
            if used == "version":
                fine = layer != "core"
            elif used is not None:
                fine = on_top or used == layer or used in LAYERS[layer]
                if public and not name.startswith("pawl/"):
                    fine = False  # a header that is not installed
            elif angle and _is_std(name):
                fine = True
            else:
                fine = not public and (
                    name.startswith(THIRD_PARTY.get(layer, ()) or ("\0",))
                    or (layer in POSIX_LAYERS and angle and not name.startswith("sqlite")
                        and POSIX.match(name) is not None))
            if not fine:
                who = "a public header" if public else f"'{layer}'"
                if public and layer == "core":
                    who = "a public header of 'core'"
                yield path, number, f"{who} may not include {name}"


def commands_stand_alone(tree: Tree) -> Iterator[Offence]:
    """A command includes no other command, and only the reader of the command line includes commands."""
    shared = {"cli/commands/commands.hpp", "cli/commands/command_entry.hpp"}
    for path in tree.code("src"):
        inside = path.parent == tree.root / "src/cli/commands"
        for number, match in _matches(without_comments(tree.text(path)), INCLUDE):
            name = match["name"]
            if not name.startswith("cli/commands/") or (inside and name in shared):
                continue
            if inside:
                yield path, number, f"a command may not include {name}: move what they share out of commands/"
            elif tree.name(path) != "src/cli/arguments.cpp":
                yield path, number, f"only arguments.cpp may include {name}"


CLI_ROOMS = ["output", "project", "input", "work", "commands"]


def rooms_of_the_program_point_left(tree: Tree) -> Iterator[Offence]:
    """A room of src/cli includes only the rooms to its left, and what lies outside of all rooms."""
    for place, room in enumerate(CLI_ROOMS):
        later = tuple(f"cli/{other}/" for other in CLI_ROOMS[place + 1:])
        for path in tree.code(f"src/cli/{room}"):
            for number, match in _matches(without_comments(tree.text(path)), INCLUDE):
                if match["name"].startswith(later):
                    yield path, number, f"'{room}' may not include {match['name']}"


IMPURE = re.compile(
    r"""\b\w*[Cc]lock\w*\s*::\s*now\b
      | \b(?:std\s*::\s*)(?:jthread|thread|async|this_thread|(?:\w+_)?mutex|condition_variable\w*
                          |random_device)\b
      | \b(?:s?rand|gettimeofday|clock_gettime)\s*\(
      | \btime\s*\(\s*(?:nullptr|NULL|0)\s*\)
      | ^\s*\#\s*include\s*<(?:thread|mutex|shared_mutex|condition_variable|future|ctime)>""",
    re.VERBOSE)


def core_has_no_clock_or_thread(tree: Tree) -> Iterator[Offence]:
    """The core is pure: same arguments, same answer."""
    for path in tree.code("include/pawl/core", "src/core"):
        for number, match in _matches(code_only(tree.text(path)), IMPURE):
            yield path, number, f"the core may not use '{match[0].strip()}'"


def every_test_source_is_built(tree: Tree) -> Iterator[Offence]:
    """Each test and each source of ours, the bench's too, is named in a CMakeLists.txt."""
    named: set[pathlib.Path] = set()
    for listing in tree.files(CODE_FOLDERS, {".txt"}):
        if listing.name != "CMakeLists.txt":
            continue
        text = re.sub(r"#[^\n]*", "", tree.text(listing))
        for word in re.findall(r"[^\s()\"]+\.cpp\b", text):
            word = word.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
            word = word.replace("${PROJECT_SOURCE_DIR}", str(tree.root))
            named.add((listing.parent / word).resolve())
    sources = [p for folder in ("src", "bench") for p in tree.code(folder) if p.suffix == ".cpp"]
    tests = [p for p in tree.code("tests") if p.name.endswith("_test.cpp")]
    for path in sources + tests:
        if path.resolve() not in named:
            yield path, 1, "no CMakeLists.txt names this file, so it is never built"


NAMESPACE = re.compile(r"^namespace (pawl[\w:]*) \{", re.MULTILINE)
DEFINITION = re.compile(r"^(?:class|struct|union|enum(?: class)?) ([A-Za-z_]\w*)(?![\w:]*::)[^;{]*\{", re.MULTILINE)

# Modules whose private headers have their own namespace. The others share `pawl` with the public headers.
OWN_NAMESPACE = {"actions", "cli", "codec", "compat", "files", "transfer", "postgres", "runtime", "sql", "sqlite",
                 "store", "testing", "text", "views", "workflow"}


def modules_have_their_namespace(tree: Tree) -> Iterator[Offence]:
    """A private header is in the namespace of its module, and no type is defined in two headers."""
    first: dict[tuple[str, str], pathlib.Path] = {}
    for path in tree.code("include", "src"):
        if path.suffix != ".hpp":
            continue
        text = code_only(tree.text(path))
        layer, public = _layer_of_file(tree, path.resolve())
        for number, match in _matches(text, NAMESPACE):
            own = f"pawl::{layer}"
            if not public and layer in OWN_NAMESPACE and not (match[1] + "::").startswith(own + "::"):
                yield path, number, f"a private header of '{layer}' is in namespace {own}"
        for match in DEFINITION.finditer(text):
            opened = NAMESPACE.findall(text, 0, match.start())
            name = (opened[-1] if opened else "", match[1])
            if name in first and first[name] != path:
                number = text.count("\n", 0, match.start()) + 1
                yield path, number, f"{'::'.join(name)} is also defined in {first[name].name}"
            first.setdefault(name, path)


TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+class|\s+struct)?|concept|using|typename)\s+"
                  r"(?:\[\[[^\]]*\]\]\s*)?([A-Za-z_]\w*)")


def no_meaningless_names(tree: Tree) -> Iterator[Offence]:
    """No file and no type has a name that says nothing."""
    reported: set[pathlib.Path] = set()
    for path in tree.files(CODE_FOLDERS + ("cmake",), TEXT_SUFFIXES):
        for part in [path, *path.parents]:
            if part == tree.root or part in reported:
                continue
            words = set(re.split(r"[^a-z0-9]+", part.name.lower()))
            if words & MEANINGLESS:
                reported.add(part)
                yield part, 1, f"'{(words & MEANINGLESS).pop()}' says nothing: name what it is for"
    for path in tree.code():
        for number, match in _matches(code_only(tree.text(path)), TYPE):
            words = {w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", match[1])}
            if words & MEANINGLESS:
                yield path, number, f"the type name {match[1]} says nothing: name what it is for"


def lengths(tree: Tree) -> Iterator[Offence]:
    """A file that exceeds its limit should be split."""
    for path in tree.code():
        limit = SOURCE_LINES_MAX if path.suffix == ".cpp" else HEADER_LINES_MAX
        count = len(tree.text(path).splitlines())
        if count > limit and tree.name(path) not in LONGER:
            yield path, count, f"{count} lines, where {limit} are the bound"


def tests_do_not_skip_or_sleep(tree: Tree) -> Iterator[Offence]:
    """A test is not disabled and waits for signals. Exceptions give the reason on the same line."""
    for path in tree.code("tests"):
        lines = tree.text(path).splitlines()
        code = code_only(tree.text(path)).splitlines()
        for number, (line, bare) in enumerate(zip(lines, code), 1):
            if "DISABLED_" in bare:
                yield path, number, "a disabled test: mend it or remove it"
            if "GTEST_SKIP" in bare and not re.search(r"//\s*loud:\s*\S", line):
                yield path, number, "a skipped test needs `// loud: why` on this line"
            if (re.search(r"\b(sleep_for|sleep_until|usleep|nanosleep|sleep)\s*\(", bare)
                    and not re.search(r"//\s*waits:\s*\S", line)):
                yield path, number, "a test waits for a signal; else `// waits: why` on this line"


def output_goes_through_the_session(tree: Tree) -> Iterator[Offence]:
    """Output from other places would reach a terminal without being made printable."""
    pattern = re.compile(r"\bstd::(cout|cerr|clog)\b|\b(printf|fprintf|dprintf|puts|fputs|putchar|perror)\s*\("
                         r"|::write\(\s*(?:[12]\b|STD(?:OUT|ERR)_FILENO)")
    # The program's own exits, and a failed `require`, after which nothing else can be trusted.
    doors = {"src/cli/main.cpp", "src/cli/session.cpp", "src/core/require.cpp"}
    for path in tree.code("src"):
        if tree.name(path) in doors:
            continue
        for number, _ in _matches(code_only(tree.text(path)), pattern):
            yield path, number, "print, say or fail by the session; a library writes to no stream"


def todos_have_a_type(tree: Tree) -> Iterator[Offence]:
    """TODO(perf), TODO(before-1.0): a TODO says what it is about."""
    pattern = re.compile(r"\b(?:TODO(?!\([a-z][a-z0-9.-]*\))|FIXME|XXX)\b")
    for path in tree.files(TEXT_FOLDERS, {".hpp", ".cpp", ".h", ".in", ".cmake", ".txt", ".sql", ".py"}):
        if path.parent.name == "tidy":
            continue  # this script and its test speak about them
        for number, _ in _matches(tree.text(path), pattern):
            yield path, number, "say of what kind it is: TODO(perf), TODO(before-1.0)"


REQUIREMENT_ID = re.compile(r"\b(?:[A-E]\d{1,2}|[Tt]raps? \d+|[Rr]ulings? \d+)\b")


def requirement_ids_stay_on_their_page(tree: Tree) -> Iterator[Offence]:
    """docs/requirements.md names the tests of each requirement; a comment says what it means."""
    for path in tree.code():
        for number, match in _matches(comments_only(tree.text(path)), REQUIREMENT_ID):
            yield path, number, f"'{match[0]}' belongs to docs/requirements.md alone: say what is meant"


def text_has_no_tabs_or_trailing_space(tree: Tree) -> Iterator[Offence]:
    """Plain text: UTF-8, spaces, and a newline at the end of each line."""
    top = [p for p in tree.root.iterdir()
           if p.is_file() and (p.suffix in TEXT_SUFFIXES or p.name == "dev")]
    for path in sorted(top) + tree.files(TEXT_FOLDERS, TEXT_SUFFIXES):
        text = tree.text(path)
        for number, line in enumerate(text.split("\n"), 1):
            if "\t" in line:
                yield path, number, "a tab"
            if line != line.rstrip():
                yield path, number, "space at the end of the line"
            if "\ufffd" in line:
                yield path, number, "not UTF-8"
        if text and not text.endswith("\n"):
            yield path, text.count("\n") + 1, "no newline at the end"


CHECKS: dict[str, Check] = {check.__name__: check for check in (
    includes_point_left,
    commands_stand_alone,
    rooms_of_the_program_point_left,
    core_has_no_clock_or_thread,
    every_test_source_is_built,
    modules_have_their_namespace,
    no_meaningless_names,
    lengths,
    tests_do_not_skip_or_sleep,
    output_goes_through_the_session,
    todos_have_a_type,
    requirement_ids_stay_on_their_page,
    text_has_no_tabs_or_trailing_space,
)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Keeps the rules of the house that a machine can keep.")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(CHECKS))
    args = parser.parse_args()
    unknown = [name for name in args.checks if name not in CHECKS]
    if unknown:
        parser.error(f"no check is called {', '.join(unknown)}; there are {', '.join(CHECKS)}")

    tree = Tree(args.root.resolve())
    count = 0
    for name in args.checks or CHECKS:
        for path, line, what in CHECKS[name](tree):
            print(f"{tree.name(path)}:{line}: {what} [{name}]")
            count += 1
    if count:
        print(f"{count} offence{'s' if count > 1 else ''}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
