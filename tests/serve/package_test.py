"""The Debian package: it is built, read and unpacked, and what was unpacked is run. `./dev package --try` also
installs it in a clean root."""

import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["PAWL_BUILD"])
SOURCE = pathlib.Path(__file__).parent.parent.parent
UNIT = "lib/systemd/system/pawl.service"
SETTINGS = "etc/pawl/serve.yaml"
DOCS = "usr/share/doc/pawl"


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, words))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def fields_of(control):
    """The fields of a control file; lines that go on are joined."""
    return dict(re.findall(r"^([A-Za-z-]+): (.*(?:\n .*)*)", control, re.M))


def directives(unit):
    """(section, name, value) of each line of a unit."""
    section = ""
    for line in unit.splitlines():
        if line.startswith("["):
            section = line
        elif line and not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert equals, f"not a directive: {line}"
            yield section, name, value


class Package(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="pawl-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        # A package says the same whatever the umask of those who build it.
        run("cpack", "-G", "DEB", "-B", cls.place / "built", "--config", BUILD / "CPackConfig.cmake", umask=0o002)
        [cls.package] = cls.place.glob("built/pawl_*.deb")
        cls.root = cls.place / "root"
        run("dpkg-deb", "-x", cls.package, cls.root)
        run("dpkg-deb", "--control", cls.package, cls.place / "control")
        cls.fields = fields_of((cls.place / "control/control").read_text())
        cls.program = cls.root / "usr/bin/pawl"
        cls.unit = list(directives((cls.root / UNIT).read_text()))

    def control(self, name):
        return self.place / "control" / name

    def directive(self, name):
        [value] = [value for _, found, value in self.unit if found == name]
        return value

    def unpacked(self, path):
        return self.root / path.removeprefix("/")

    def test_it_says_what_it_is(self):
        self.assertEqual(self.fields["Package"], "pawl")
        self.assertIn(self.fields["Version"], run(self.program, "version"))
        self.assertEqual(self.fields["Architecture"], run("dpkg", "--print-architecture").strip())
        summary, *description = self.fields["Description"].split("\n")
        self.assertLess(len(summary), 80)
        self.assertGreater(len(description), 1)
        for line in description:
            self.assertLess(len(line), 80)
        self.assertRegex(self.fields["Maintainer"], r"^.+ <.+@.+>$")
        for name in ("Section", "Priority", "Installed-Size"):
            self.assertIn(name, self.fields)
        self.assertEqual(self.package.name, f"pawl_{self.fields['Version']}_{self.fields['Architecture']}.deb")

    def test_it_depends_on_every_library_that_the_program_loads(self):
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-dW", self.program))
        paths = dict(re.findall(r"^\s*(\S+) => (\S+)", run("ldd", self.program), re.M))
        depends = {re.split(r"[ (:]", one)[0] for one in self.fields["Depends"].split(", ")}
        self.assertIn("libsqlite3.so.0", needed)
        for library in needed:
            with self.subTest(library=library):
                if library.startswith("ld-linux"):
                    continue  # comes with libc
                self.assertTrue(self.owners(paths[library]) & depends, f"{library} is not in {depends}")

    @staticmethod
    def owners(path):
        """The packages that bring a file, under the name that it had before /lib became a link."""
        names = {path, os.path.realpath(path)}
        names |= {name.removeprefix("/usr") for name in names} | {"/usr" + name for name in names}
        found = subprocess.run(["dpkg-query", "-S", *names], capture_output=True, text=True, check=False).stdout
        return {re.split(r"[:,]", line)[0] for line in found.splitlines()}

    def test_it_depends_on_what_its_scripts_and_its_unit_call(self):
        depends = self.fields["Depends"]
        scripts = "".join(self.control(name).read_text() for name in ("postinst", "prerm", "postrm"))
        unit = (self.root / UNIT).read_text()
        for command, package in (("adduser", "adduser"), ("/bin/kill", "procps")):
            self.assertIn(command, scripts + unit)
            self.assertIn(package, depends)

    def test_files_belong_to_root_and_nobody_else_may_change_them(self):
        lines = run("dpkg-deb", "--contents", self.package).splitlines()
        self.assertGreater(len(lines), 8)
        for line in lines:
            with self.subTest(line=line):
                mode, owner, *_ = line.split()
                self.assertEqual(owner, "root/root")
                kind, rights = mode[0], mode[1:]
                expected = "rwxr-xr-x" if kind == "d" or line.endswith("/usr/bin/pawl") else "rw-r--r--"
                self.assertEqual(rights, expected)
                self.assertIn(kind, "d-")

    def test_it_brings_the_program_its_service_and_its_pages_and_nothing_else(self):
        files = {str(path.relative_to(self.root)) for path in self.root.rglob("*") if not path.is_dir()}
        self.assertEqual(files, {"usr/bin/pawl", UNIT, SETTINGS, *(f"{DOCS}/{name}" for name in (
            "copyright", "README.md", "CHANGELOG.md", "operating.md", "serve.md"))})

    def test_settings_are_kept_when_it_is_upgraded(self):
        below_etc = {f"/{path.relative_to(self.root)}" for path in (self.root / "etc").rglob("*") if path.is_file()}
        self.assertEqual(set(self.control("conffiles").read_text().split()), below_etc)

    def test_its_sums_are_right(self):
        run("md5sum", "--check", "--strict", self.control("md5sums"), cwd=self.root)
        listed = {line.split(maxsplit=1)[1] for line in self.control("md5sums").read_text().splitlines()}
        self.assertIn("usr/bin/pawl", listed)

    def test_its_scripts_are_shell_scripts_that_stop_at_errors(self):
        for name in ("postinst", "prerm", "postrm"):
            with self.subTest(name=name):
                script = self.control(name)
                self.assertEqual(stat.S_IMODE(script.stat().st_mode), 0o755)
                self.assertTrue(script.read_text().startswith("#!/bin/sh\n"))
                self.assertIn("\nset -e\n", script.read_text())
                run("sh", "-n", script)

    def test_the_program_is_stripped_and_runs_where_it_was_unpacked(self):
        self.assertNotIn(".debug_info", run("readelf", "-SW", self.program))
        home = self.place / "home"
        home.mkdir(exist_ok=True)
        environment = {**os.environ, "HOME": str(home), "PAWL_ALLOW_ROOT": "1"}
        self.assertIn("pawl", run(self.program, "version", cwd=home, env=environment))
        settings = self.unpacked(SETTINGS)
        run(self.program, "check", "--serve", settings, cwd=home, env=environment)

    def test_every_line_of_the_settings_that_is_only_an_example_is_right_too(self):
        text = re.sub(r"^# (\w+: \S+)$", r"\1", self.unpacked(SETTINGS).read_text(), flags=re.M)
        self.assertNotEqual(text, self.unpacked(SETTINGS).read_text())
        examples = self.place / "serve.yaml"
        examples.write_text(text)
        run(self.program, "check", "--serve", examples, cwd=self.place)

    def test_the_unit_starts_the_program_of_the_package_with_its_settings_and_its_user(self):
        program, *words = shlex.split(self.directive("ExecStart"))
        self.assertEqual(self.unpacked(program), self.program)
        self.assertEqual(words[0], "serve")
        known = run(self.program, "serve", "--help") + run(self.program, "--help")
        for word in words[1:]:
            if word.startswith("--"):
                self.assertIn(word, known)
        self.assertIn("/" + SETTINGS, words)
        self.assertIn(self.directive("WorkingDirectory"), words)
        self.assertEqual(self.directive("WorkingDirectory"), "/var/lib/" + self.directive("StateDirectory"))
        self.assertIn(f"adduser --system --group --home {self.directive('WorkingDirectory')}",
                      self.control("postinst").read_text())
        self.assertRegex(self.control("postinst").read_text(), rf"adduser .* {self.directive('User')}\n")

    def test_the_pages_that_the_unit_and_the_settings_name_are_in_the_package(self):
        text = (self.root / UNIT).read_text() + self.unpacked(SETTINGS).read_text()
        named = re.findall(rf"/{DOCS}/\w+(?:\.\w+)*", text)
        self.assertGreater(len(set(named)), 1)
        for page in named:
            self.assertTrue(self.unpacked(page).is_file(), page)

    def test_systemd_accepts_the_unit_where_systemd_is_installed_and_each_line_of_it_is_a_directive_anyway(self):
        sections = {section for section, _, _ in self.unit}
        self.assertEqual(sections, {"[Unit]", "[Service]", "[Install]"})
        names = [name for _, name, _ in self.unit]
        for name, value in (("Type", "notify"), ("Restart", "on-failure"), ("WantedBy", "multi-user.target"),
                            ("NoNewPrivileges", "yes"), ("ProtectSystem", "strict"), ("CapabilityBoundingSet", "")):
            self.assertEqual(self.directive(name), value)
        self.assertEqual(sorted(names), sorted(set(names)), "a directive is there twice")
        if not shutil.which("systemd-analyze"):
            print("systemd-analyze is not installed here, so only the lines of the unit were looked at")
            return
        # The unit of this machine's systemd, but with the program where it was unpacked.
        moved = self.place / "pawl.service"
        moved.write_text((self.root / UNIT).read_text().replace("=/usr/bin/pawl ", f"={self.program} "))
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", moved], capture_output=True, text=True,
                              check=False)
        about = [line for line in said.stderr.splitlines() if "pawl" in line]
        self.assertEqual((said.returncode, about), (0, []), said.stderr)
        exposure = run("systemd-analyze", "security", "--offline=true", "--threshold=25", self.root / UNIT)
        self.assertIn("Overall exposure level", exposure)


if __name__ == "__main__":
    unittest.main()
