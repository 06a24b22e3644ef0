#!/usr/bin/env python3
"""Proves that every check of tidy.py can fail.

Each case is a small clean tree with one offence in it; the check must name the file. The same
tree without offences, and each thing that is allowed, must pass.

    tidy_selftest.py [CHECK ...]     the checks that run as tests; none may be left out
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tidy  # noqa: E402

CLEAN = {
    "include/pawl/core/ids.hpp": "#pragma once\n\n#include <compare>\n\nnamespace pawl {}\n",
    "include/pawl/pawl.hpp": '#pragma once\n#include "pawl/core/ids.hpp"\n#include "pawl/store/store.hpp"\n',
    "include/pawl/store/store.hpp": '#pragma once\n#include <vector>\n#include "pawl/core/ids.hpp"\n',
    "src/core/CMakeLists.txt": "pawl_library(NAME pawl_core SOURCES ids.cpp decide/on_review.cpp)\n",
    "src/core/ids.cpp": '#include "pawl/core/ids.hpp"\n\n#include "core/decide/on_review.hpp"\n',
    "src/core/decide/on_review.cpp": '#include "on_review.hpp"\n',
    "src/core/decide/on_review.hpp": "#pragma once\nstruct Review {};\n",
    "tests/core/CMakeLists.txt": "pawl_test(core SOURCES ids_test.cpp DEPS pawl_core)\n",
    "tests/core/ids_test.cpp": "#include <gtest/gtest.h>\n",
}

SRC = "src/{}/CMakeLists.txt"

# check -> cases; a case is what is added to the clean tree, and its first file is the offender.
OFFENCES: dict[str, list[dict[str, str]]] = {
    "includes_point_left": [
        {"src/core/a.cpp": '#include "pawl/store/store.hpp"\n'},
        {"src/core/a.cpp": '#include "store/ledger/rows.hpp"\n'},
        {"src/core/a.cpp": "#include <boost/json.hpp>\n"},
        {"src/core/a.cpp": "#include <unistd.h>\n"},
        {"src/core/a.cpp": '#include "../store/rows.hpp"\n', "src/store/ledger/rows.hpp": "#pragma once\n"},
        {"src/core/a.cpp": '#include "pawl/version.hpp"\n'},
        {"src/codec/a.cpp": '#include "pawl/store/store.hpp"\n'},
        {"src/codec/a.cpp": "#include <sqlite3.h>\n"},
        {"src/store/a.cpp": "#include <boost/json.hpp>\n"},
        {"src/store/a.cpp": "#include <sqlite3.h>\n"},
        {"src/store/a.cpp": '#include "runtime/engine.hpp"\n'},
        {"src/sql/a.cpp": "#include <sqlite3.h>\n"},
        {"src/sql/a.cpp": "#include <libpq-fe.h>\n"},
        {"src/sql/a.cpp": "#include <unistd.h>\n"},
        {"src/sql/a.cpp": '#include "sqlite/db.hpp"\n'},
        {"src/sqlite/a.cpp": "#include <openssl/evp.h>\n"},
        {"src/sqlite/a.cpp": "#include <libpq-fe.h>\n"},
        {"src/sqlite/a.cpp": '#include "postgres/link.hpp"\n'},
        {"src/postgres/a.cpp": '#include "sqlite/db.hpp"\n'},
        {"src/runtime/a.cpp": '#include "sql/records.hpp"\n'},
        {"src/runtime/a.cpp": '#include "sqlite/database.hpp"\n'},
        {"src/runtime/a.cpp": '#include "pawl/sqlite/open.hpp"\n'},
        {"src/compat/a.cpp": '#include "pawl/workflow/file.hpp"\n'},
        {"src/runtime/a.cpp": '#include "pawl/compat/task_spec.hpp"\n'},
        {"src/store/a.cpp": '#include "compat/old_documents.hpp"\n'},
        {"src/store/a.cpp": '#include "pawl/views/documents.hpp"\n'},
        {"src/views/a.cpp": '#include "pawl/runtime/engine.hpp"\n'},
        {"src/views/a.cpp": '#include "sqlite/db.hpp"\n'},
        {"src/store/a.cpp": '#include "pawl/pawl.hpp"\n'},
        {"src/cli/a.cpp": '#include "import/old_documents.hpp"\n'},
        {"src/cli/a.cpp": "#include <sqlite3.h>\n"},
        {"src/unheard_of/a.cpp": "#include <vector>\n"},
        {"include/pawl/core/a.hpp": '#include "pawl/store/store.hpp"\n'},
        {"include/pawl/store/a.hpp": "#include <boost/json/value.hpp>\n"},
        {"include/pawl/sqlite/a.hpp": "#include <sqlite3.h>\n"},
        {"include/pawl/store/a.hpp": '#include "store/ledger/rows.hpp"\n'},
        {"include/pawl/a.hpp": "#include <openssl/evp.h>\n"},
    ],
    "commands_stand_alone": [
        {"src/cli/commands/a.cpp": '#include "cli/commands/b.hpp"\n'},
        {"src/cli/session.cpp": '#include "cli/commands/commands.hpp"\n'},
    ],
    "rooms_of_the_program_point_left": [
        {"src/cli/output/a.cpp": '#include "cli/input/address.hpp"\n'},
        {"src/cli/work/a.hpp": '#include "cli/commands/commands.hpp"\n'},
    ],
    "modules_have_their_namespace": [
        {"src/workflow/a.hpp": "namespace pawl {\nclass A {};\n}\n"},
        {"src/sqlite/a.hpp": "namespace pawl::sql {\nclass A {};\n}\n"},
        {"src/store/b.hpp": "namespace pawl {\nclass A {};\n}\n",
         "include/pawl/store/a.hpp": "namespace pawl {\nstruct A {\n};\n}\n"},
    ],
    "core_has_no_clock_or_thread": [
        {"src/core/a.cpp": "auto t = std::chrono::system_clock::now();\n"},
        {"src/core/a.cpp": "auto t = std::chrono::steady_clock::now();\n"},
        {"src/core/a.cpp": "std::thread t;\n"},
        {"src/core/a.cpp": "std::mutex m;\n"},
        {"src/core/a.cpp": "#include <thread>\n"},
        {"src/core/a.cpp": "#include <mutex>\n"},
        {"src/core/a.cpp": "int x = std::rand();\n"},
        {"include/pawl/core/a.hpp": "inline std::mutex guard;\n"},
    ],
    "every_test_source_is_built": [
        {"tests/core/forgotten_test.cpp": ""},
        {"src/core/forgotten.cpp": ""},
        # Named, but in a folder where it is not, or in a comment.
        {"src/store/ids.cpp": ""},
        {"src/store/a.cpp": "", SRC.format("store"): "# a.cpp\n"},
    ],
    "no_meaningless_names": [
        {"src/core/string_util.hpp": ""},
        {"src/core/helpers.cpp": ""},
        {"src/common/a.hpp": ""},
        {"src/core/a.hpp": "class LeaseManager {};\n"},
        {"src/core/a.hpp": "struct [[nodiscard]] ReviewHelper {};\n"},
        {"src/core/a.hpp": "enum class MiscKind {};\n"},
        {"src/core/a.hpp": "using CommonRow = int;\n"},
        {"tests/core/a.hpp": "struct TestUtils {};\n"},
    ],
    "lengths": [
        {"include/pawl/core/a.hpp": "\n" * 301},
        {"src/core/a.cpp": "\n" * 601},
    ],
    "tests_do_not_skip_or_sleep": [
        {"tests/core/a.cpp": "TEST(A, DISABLED_b) {}\n"},
        {"tests/core/a.cpp": "GTEST_SKIP();\n"},
        {"tests/core/a.cpp": "GTEST_SKIP();  // loud:\n"},
        {"tests/core/a.cpp": "std::this_thread::sleep_for(1ms);\n"},
        {"tests/core/a.cpp": "usleep(5);  // waits a little\n"},
    ],
    "output_goes_through_the_session": [
        {"src/cli/a.cpp": "std::cout << name;\n"},
        {"src/runtime/a.cpp": "std::cerr << name;\n"},
        {"src/store/a.cpp": "std::fprintf(stderr, format);\n"},
        {"src/cli/a.cpp": "::write(STDOUT_FILENO, text, 1);\n"},
    ],
    "todos_have_a_type": [
        {"src/core/a.cpp": "// TODO make it fast\n"},
        {"src/core/a.cpp": "// TODO: make it fast\n"},
        {"cmake/a.cmake": "# FIXME\n"},
    ],
    "requirement_ids_stay_on_their_page": [
        {"tests/core/a.cpp": "// A21, I3\n"},
        {"src/core/a.cpp": "int x;  // what was left is ended (trap 15)\n"},
        {"include/pawl/core/a.hpp": "/// Model ruling 22: all at once.\n"},
    ],
    "text_has_no_tabs_or_trailing_space": [
        {"src/core/a.cpp": "\tint x;\n"},
        {"src/core/a.cpp": "int x; \n"},
        {"src/core/a.cpp": "int x;\r\n"},
        {"src/core/a.cpp": "int x;"},
        {"README.md": "words \n"},
        {"dev": "\techo\n"},
    ],
}

ALLOWED: dict[str, list[dict[str, str]]] = {
    "includes_point_left": [
        {"src/core/a.cpp": '// #include "pawl/store/store.hpp"\n/*\n#include <sqlite3.h>\n*/\n'},
        {"src/codec/a.cpp": '#include <boost/json.hpp>\n#include <openssl/evp.h>\n'},
        {"src/sqlite/a.cpp": '#include <sqlite3.h>\n#include <sys/file.h>\n#include "store/ledger/rows.hpp"\n'},
        {"src/sql/a.cpp": '#include "codec/values.hpp"\n#include "pawl/store/records.hpp"\n'},
        {"src/postgres/a.cpp": '#include <libpq-fe.h>\n#include <poll.h>\n#include "sql/session.hpp"\n'},
        {"src/runtime/a.cpp": '#include "pawl/store/store.hpp"\n#include "pawl/version.hpp"\n'},
        {"src/cli/arguments.cpp": '#include "pawl/version.hpp"\n#include <CLI/CLI.hpp>\n#include "sqlite/a.hpp"\n'},
        {"include/pawl/sqlite.hpp": '#include "pawl/store/store.hpp"\n'},
    ],
    "commands_stand_alone": [
        {"src/cli/commands/a.cpp": '#include "cli/commands/commands.hpp"\n#include "cli/session.hpp"\n',
         "src/cli/arguments.cpp": '#include "cli/commands/commands.hpp"\n'},
    ],
    "rooms_of_the_program_point_left": [
        {"src/cli/work/a.cpp": '#include "cli/input/address.hpp"\n#include "cli/session.hpp"\n'},
        {"src/cli/arguments.cpp": '#include "cli/commands/commands.hpp"\n'},
    ],
    "core_has_no_clock_or_thread": [
        {"src/core/a.cpp": '// std::mutex is not for here\nauto x = "std::thread"; int operand(int);\n'},
        {"src/core/a.cpp": "constexpr auto n = 1'000'000; /* std::mutex */ char c = 'x';\n"},
        {"src/runtime/a.cpp": "#include <mutex>\nstd::mutex m;\n"},
    ],
    "every_test_source_is_built": [
        {"tests/core/fixtures.cpp": ""},
        {"src/cli/main.cpp": "", SRC.format("cli"): "add_executable(pawl_cli\n  main.cpp\n)\n"},
    ],
    "no_meaningless_names": [
        {"src/core/a.hpp": "// a Manager would be wrong\nstruct Utilisation { int commonest; };\n"},
    ],
    "lengths": [{"src/core/a.cpp": "\n" * 600, "src/core/a.hpp": "\n" * 300}],
    "tests_do_not_skip_or_sleep": [
        {"tests/core/a.cpp": "GTEST_SKIP();  // loud: there is no PostgreSQL here\n"},
        {"tests/core/a.cpp": "usleep(5);  // waits: for the kernel, which tells nobody\n"},
    ],
    "output_goes_through_the_session": [
        {"src/cli/main.cpp": "std::cout.flush();\n", "src/cli/a.cpp": "std::snprintf(a, 1, b); // std::cout\n"},
        {"src/sqlite/a.cpp": "::write(file, text, 1);\n", "tests/core/a.cpp": "std::printf(a);\n"},
    ],
    "todos_have_a_type": [{"src/core/a.cpp": "// TODO(perf): keep the plan\n// TODO(before-1.0)\n"}],
    "requirement_ids_stay_on_their_page": [
        {"src/core/a.cpp": '// I3: the code "E012" of a fault\nint A1 = 1; auto x = "trap 15";\n'},
    ],
    "text_has_no_tabs_or_trailing_space": [{"build/a.cpp": "\t \n"}],
}


def offenders(check: str, files: dict[str, str]) -> set[str]:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        tree = tidy.Tree(root)
        return {tree.name(path) for path, _, _ in tidy.CHECKS[check](tree)}


def main() -> int:
    wrong = []
    registered = set(sys.argv[1:]) or set(tidy.CHECKS)
    for name in sorted(set(tidy.CHECKS) ^ registered):
        wrong.append(f"{name}: a check of tidy.py that is no test, or a test that is no check")
    count = 0
    for check in tidy.CHECKS:
        if not OFFENCES.get(check):
            wrong.append(f"{check}: nothing proves that it can fail")
        if found := offenders(check, CLEAN):
            wrong.append(f"{check}: refuses the clean tree: {found}")
        for files in OFFENCES.get(check, []):
            count += 1
            name = next(iter(files))
            found = offenders(check, CLEAN | files)
            # A folder may be what is named wrongly.
            if not any(name == one or name.startswith(one + "/") for one in found):
                wrong.append(f"{check}: does not see {files}")
            elif len(found) > 1:
                wrong.append(f"{check}: blames more than {name}: {found}")
        for files in ALLOWED.get(check, []):
            count += 1
            if found := offenders(check, CLEAN | files):
                wrong.append(f"{check}: refuses what is allowed: {files}")
    for text in wrong:
        print(text)
    print(f"{len(tidy.CHECKS)} checks, {count} cases, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
