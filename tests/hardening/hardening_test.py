"""Checks with readelf and objdump that the program is built as cmake/pawl_harden.cmake says."""

import os
import re
import subprocess
import unittest

PROGRAM = os.environ["PAWL_PROGRAM"]


def told_by(*words):
    return subprocess.run([*words, PROGRAM], check=True, capture_output=True, text=True).stdout


class Hardening(unittest.TestCase):
    def test_the_image_is_loaded_at_a_random_address(self):
        self.assertRegex(told_by("readelf", "-h"), r"Type:\s+DYN \(Position-Independent Executable file\)")

    def test_tables_of_the_linker_are_read_only_before_main(self):
        self.assertIn("GNU_RELRO", told_by("readelf", "-lW"))
        self.assertRegex(told_by("readelf", "-dW"), r"FLAGS_1.*\bNOW\b")

    def test_the_stack_is_not_executable(self):
        stack = re.search(r"GNU_STACK.*", told_by("readelf", "-lW"))[0]
        self.assertRegex(stack, r"\bRW\b")
        self.assertNotRegex(stack, r"\bRWE\b")

    def test_overrun_buffers_end_the_process(self):
        symbols = told_by("readelf", "-sW", "--dyn-syms")
        self.assertIn("__stack_chk_fail", symbols)
        # Calls of the C library that were replaced by checked ones (FORTIFY).
        self.assertRegex(symbols, r"__(read|pread|pread64|memcpy|readlink|poll|fdelt|snprintf|strncpy)_chk\b")

    def test_functions_begin_where_a_jump_may_land(self):
        code = told_by("objdump", "-d", "--no-show-raw-insn", "--disassemble=main")
        begins_so = re.search(r"<main>:\n\s+\w+:\s+endbr64", code) is not None
        # Only x86 has the instruction; CMake has checked the compiler.
        self.assertEqual(begins_so, os.environ["PAWL_HAS_CF_PROTECTION"] == "1")


if __name__ == "__main__":
    unittest.main()
