"""`pawl check --serve`: the settings of the service are checked before it starts."""

import os
import unittest

from made_store import StoreTest


class Settings(StoreTest):
    def write(self, text, name=".pawl/serve.yaml"):
        path = self.project / name
        path.write_text(text, encoding="utf-8")
        return path

    def codes(self, *words, code):
        answer = self.pawl("check", "--serve", *words, "--json", code=code).json
        self.assertEqual(answer["ok"], code == 0)
        return [(one["code"], one["line"]) for one in answer["diagnostics"]]

    def test_without_a_file_every_setting_has_its_default(self):
        self.assertEqual(self.pawl("check", "--serve").out,
                         ".pawl/serve.yaml: ok (every setting has its default)\n")
        self.assertEqual(self.codes(code=0), [])

    def test_a_good_file_says_where_the_service_would_listen(self):
        self.write("listen: 127.0.0.1:8080\n")
        self.assertEqual(self.pawl("check", "--serve").out, ".pawl/serve.yaml: ok (listens on 127.0.0.1:8080)\n")
        below = self.project / "some" / "where"
        below.mkdir(parents=True)
        self.assertIn("127.0.0.1:8080", self.pawl("check", "--serve", cwd=below).out)

    def test_every_fault_is_reported_at_once_with_its_place(self):
        self.write("lisen: 1\nsession_time: 12\nproxy: { user_header: X-User }\nworkflow: [a]\n")
        self.assertEqual(self.codes(code=2), [("E010", 1), ("E011", 1), ("E022", 2), ("E105", 3), ("E010", 4)])
        text = self.pawl("check", "--serve", code=2).out
        self.assertIn("--> .pawl/serve.yaml:2:15", text)
        self.assertIn('did you mean "workflows"?', text)
        self.assertIn("5 errors in .pawl/serve.yaml", text)
        for code in ("E010", "E022", "E105"):
            self.assertIn(code, self.pawl("explain", code).out)

    def test_an_unsafe_file_is_an_error(self):
        self.write("listen: 0.0.0.0:80\nsign_in: none\n")
        self.assertEqual(self.codes(code=2), [("E106", 2)])
        self.assertIn("E106", self.pawl("serve", code=2).err)
        self.write("sign_in: none\n")
        self.assertEqual(self.codes(code=0), [])
        self.assertIn("0.0.0.0:0", self.pawl("serve", "--listen", "0.0.0.0:0", code=2).err)

    def test_missing_directories_are_warnings_and_errors_if_strict(self):
        (self.project / "flows").mkdir()
        self.write("workflows: [flows, flow]\n")
        self.assertEqual(self.codes(code=0), [("W101", 1)])
        self.assertIn("1 warning", self.pawl("check", "--serve").out)
        self.assertEqual(self.codes("--strict", code=2), [("W101", 1)])

    def test_files_can_be_named(self):
        self.write("listen: 127.0.0.1:1\n", "one.yaml")
        self.write("listen: 127.0.0.1\n", "two.yaml")
        out = self.pawl("check", "--serve", "one.yaml", "two.yaml", code=2).out
        self.assertIn("one.yaml: ok", out)
        self.assertIn("E101", out)
        self.assertEqual(self.codes("missing.yaml", "one.yaml", code=2), [("E001", 0)])
        self.assertIn("no such file", self.pawl("check", "--serve", "missing.yaml", code=2).err)

    def test_a_file_that_others_could_have_changed_is_refused(self):
        path = self.write("listen: 127.0.0.1:1\n")
        os.chmod(path, 0o666)
        self.assertIn("chmod", self.pawl("check", "--serve", code=2).err)

    def test_a_hostile_file_does_not_reach_the_terminal(self):
        self.write('listen: "\\e[31m"\n"\\e[2J": 1\npublic_url: "http://a\\u202eb"\n')
        answer = self.pawl("check", "--serve", code=2)
        for character in ("\x1b", "\u202e"):
            self.assertNotIn(character, answer.out + answer.err)

    def test_workflow_files_must_be_named(self):
        self.assertIn("FILE is required", self.pawl("check", code=2).err)


if __name__ == "__main__":
    unittest.main()
