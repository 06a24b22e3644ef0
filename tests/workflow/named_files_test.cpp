// The files that the commands of a workflow file name.

#include "pawl/workflow/named_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/workflow/file.hpp"

namespace pawl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<NamedFile> files_of(const std::string& stages) {
  const auto file = load_workflow_file("version: 1\nworkflow: w\nstages:\n" + stages);
  if (!file) {
    ADD_FAILURE() << file.error().front().message;
    return {};
  }
  return named_files(file->workflow);
}

TEST(NamedFiles, are_the_program_the_script_of_an_interpreter_and_other_relative_paths) {
  EXPECT_THAT(files_of("  a:\n    run: [./tools/a.sh, conf/x.json]\n"
                       "  b:\n    run: [python3, train.py, data/in.csv]\n"),
              ElementsAre(NamedFile{"a", "tools/a.sh", true}, NamedFile{"a", "conf/x.json", false},
                          NamedFile{"b", "train.py", true}, NamedFile{"b", "data/in.csv", false}));
}

TEST(NamedFiles, leave_out_programs_of_the_path_options_absolute_paths_urls_and_references) {
  EXPECT_THAT(files_of("  a:\n    run: [cat, --fast, /etc/hosts, \"http://h/p\", "
                       "\"out/${item.id}\"]\n"),
              IsEmpty());
}

TEST(NamedFiles, of_a_shell_script_are_not_needed) {
  EXPECT_THAT(files_of("  b:\n    dir: sub\n    sh: sh ./b.sh\n"),
              ElementsAre(NamedFile{"b", "sub/sh", false}, NamedFile{"b", "sub/b.sh", false}));
}

TEST(NamedFiles, are_listed_once_for_each_stage_relative_to_the_workflow_file) {
  EXPECT_THAT(files_of("  a:\n    dir: sub\n    run: [sh, ../x/./a.sh, ../x/a.sh]\n"
                       "  b:\n    run: [cp, x/a.sh, ../y/b]\n"),
              ElementsAre(NamedFile{"a", "x/a.sh", true}, NamedFile{"b", "x/a.sh", false},
                          NamedFile{"b", "../y/b", false}));
}

TEST(NamedFiles, include_those_of_gates_and_of_their_parts) {
  EXPECT_THAT(files_of("  a:\n    run: [work]\n    gates:\n"
                       "      - { name: g, run: [./g.sh] }\n"
                       "      - name: h\n        any:\n          - { run: [python3, h.py] }\n"
                       "          - { expect: { text: { equals: x } } }\n"),
              ElementsAre(NamedFile{"a", "g.sh", true}, NamedFile{"a", "h.py", true}));
}

}  // namespace
}  // namespace pawl
