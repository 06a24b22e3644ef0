// Which words of a command may name files.

#include "workflow/command_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::workflow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Argv = std::vector<std::string>;

/// The scripts that a command executes, as words.
std::vector<std::string> scripts(const Argv& argv) {
  std::vector<std::string> words;
  for (const ScriptWord& word : script_words(argv)) words.push_back(argv[word.place]);
  return words;
}

TEST(ScriptWords, are_the_program_and_the_first_argument_of_an_interpreter) {
  EXPECT_THAT(script_words({"./tools/a.sh", "x/y"}), ElementsAre(ScriptWord{0, true}));
  EXPECT_THAT(script_words({"python3", "train.py", "x/y"}), ElementsAre(ScriptWord{1, false}));
  EXPECT_THAT(scripts({"./venv/bin/python3", "train.py"}),
              ElementsAre("./venv/bin/python3", "train.py"));
  EXPECT_THAT(scripts({"cat", "a/b.txt"}), IsEmpty());
  EXPECT_THAT(scripts({"sh", "install"}), IsEmpty()) << "neither a slash nor a dot";
  EXPECT_THAT(scripts({}), IsEmpty());
}

TEST(ScriptWords, are_found_behind_options_and_their_values) {
  for (const Argv& argv : std::initializer_list<Argv>{
           {"sh", "-e", "x.sh"},
           {"bash", "-euo", "pipefail", "x.sh"},
           {"bash", "-o", "pipefail", "-O", "extglob", "--", "x.sh"},
           {"bash", "+o", "history", "--rcfile", "no.rc", "x.sh"},
           {"python3", "-W", "ignore", "x.sh"},
           {"python3", "-Wignore", "-X", "dev", "-u", "x.sh"},
           {"python3", "-uW", "ignore", "x.sh"},
           {"python3", "--check-hash-based-pycs", "never", "x.sh"},
           {"node", "--require", "./hook.js", "--import=a.js", "x.sh"},
           {"ruby", "-rerb", "-I", "lib", "x.sh"},
           {"perl", "-Mre", "-w", "x.sh"},
           {"php", "-d", "a.b=1", "-f", "x.sh"},
       }) {
    EXPECT_THAT(scripts(argv), ElementsAre("x.sh")) << ::testing::PrintToString(argv);
  }
}

TEST(ScriptWords, are_found_behind_programs_that_start_another) {
  for (const Argv& argv : std::initializer_list<Argv>{
           {"env", "X=1", "./x.sh"},
           {"env", "-i", "-u", "HOME", "Y=a/b", "./x.sh", "z/z"},
           {"timeout", "5", "./x.sh"},
           {"timeout", "-k", "1", "--signal", "INT", "5s", "bash", "-eu", "./x.sh"},
           {"nice", "-n", "10", "./x.sh"},
           {"nice", "-10", "nohup", "./x.sh"},
           {"stdbuf", "-o", "L", "-eL", "/usr/bin/env", "sh", "./x.sh"},
       }) {
    EXPECT_THAT(scripts(argv), ElementsAre("./x.sh")) << ::testing::PrintToString(argv);
  }
}

TEST(ScriptWords, are_not_code_modules_or_words_whose_directory_is_unknown) {
  for (const Argv& argv : std::initializer_list<Argv>{
           {"sh", "-c", "x.sh"},
           {"bash", "-euo", "pipefail", "-c", "x.sh"},
           {"sh", "-s", "x.sh"},
           {"python3", "-m", "x.sh"},
           {"python3", "-uc", "print(1.5)"},
           {"perl", "-lane", "print 1.5"},
           {"node", "--eval=1.5", "x.sh"},
           {"python3", "-", "x.sh"},
           {"env", "-C", "sub", "./x.sh"},
           {"env", "-S", "sh x.sh"},
           {"timeout", "5"},
           {"bash", "-o"},
           {"sh", "${item.script}"},
           {"sh", "/etc/x.sh"},
       }) {
    EXPECT_THAT(scripts(argv), IsEmpty()) << ::testing::PrintToString(argv);
  }
}

TEST(ArgumentPaths, are_relative_words_and_values_but_not_scripts_options_urls_and_references) {
  EXPECT_THAT(argument_paths({"agent", "prompt.md", "-p", "conf/x.json", "--schema=s.json",
                              "/etc/hosts", "http://h/p", "out/${item.id}", "--fast"}),
              ElementsAre("prompt.md", "conf/x.json", "s.json"));
  EXPECT_THAT(argument_paths({"env", "LIST=list.txt", "python3", "x.py", "a.csv"}),
              ElementsAre("list.txt", "a.csv"));
}

TEST(ArgumentPaths, are_not_those_that_are_visibly_written_to) {
  EXPECT_THAT(argument_paths({"cc", "a.c", "-o", "a.out", "--output=b", "--out", "c", "d.c"}),
              ElementsAre("a.c", "d.c"));
}

TEST(ArgumentPaths, include_those_in_code_for_a_shell) {
  EXPECT_THAT(argument_paths({"bash", "-euo", "pipefail", "-c", "./x.sh < in.txt > out.txt"}),
              ElementsAre("pipefail", "./x.sh", "in.txt"));
}

TEST(PathsInShell, are_words_without_quotes_expansions_patterns_comments_and_targets) {
  EXPECT_THAT(paths_in_shell("PROMPT=p.md sh 'my script.sh' \"a b\".txt # no.sh\n"
                             "cat <in.txt >out.txt 2>>err.txt; x\\ y.sh|./z.sh&&(w.sh)\n"
                             "$X/a.sh *.txt ~/b.sh \"$DIR/c.sh\" `d.sh /e.sh --f=g.txt"),
              ElementsAre("p.md", "sh", "my script.sh", "a b.txt", "cat", "in.txt", "2", "x y.sh",
                          "./z.sh", "w.sh", "g.txt"));
  EXPECT_THAT(paths_in_shell(""), IsEmpty());
  EXPECT_THAT(paths_in_shell("echo 'never closed"), ElementsAre("echo", "never closed"));
  EXPECT_THAT(paths_in_shell("echo \\"), ElementsAre("echo", "\\"));
}

}  // namespace
}  // namespace pawl::workflow
