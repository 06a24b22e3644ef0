// The stages in docs/reference/subprocess.md are complete: they are extracted from the page and run
// unchanged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/process.hpp"
#include "actions/workshop.hpp"

namespace pawl::actions {
namespace {

/// The block of the page after the line "<!-- file: NAME -->".
std::string block(const std::string& name) {
  std::istringstream page(text_in(PAWL_SUBPROCESS_PAGE));
  std::string found;
  bool is_wanted = false;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (is_inside && line == "```") return found;
    if (is_inside) found += line + "\n";
    if (is_wanted && line.starts_with("```")) is_inside = true;
    if (line == "<!-- file: " + name + " -->") is_wanted = true;
  }
  ADD_FAILURE() << "the page has no " << name;
  return {};
}

class SubprocessPage : public ::testing::Test {
 protected:
  SubprocessPage() { shop.folder.write("corpus/a.txt", "one two three\n"); }
  void run(const std::string& command) {
    shop.run("version: 1\nworkflow: w\nitems: { glob: corpus/*.txt, id: \"${item.name}\" }\n" +
             std::string("stages:\n  count:\n    run: ") + command +
             "\n    in: { text: \"${item.path}\" }\n    out: { copy: file, words: integer }\n"
             "  read:\n    needs: [count]\n    run: [cat, \"${stages.count.out.copy}\"]\n");
    for (const Attempt& attempt : shop.attempts("count", "a.txt")) {
      EXPECT_EQ(attempt.error.value_or(StageError{}).message, "");
    }
    EXPECT_EQ(field(shop.output("count", "a.txt"), "words").text(), "3");
    EXPECT_EQ(shop.text("read", "a.txt"), "one two three\n");
  }
  Workshop shop;
};

TEST_F(SubprocessPage, shows_a_complete_stage_in_shell) {
  shop.folder.script("count.sh", block("count.sh"));
  run("[./count.sh]");
}

TEST_F(SubprocessPage, shows_a_complete_stage_in_python) {
  shop.folder.write("count.py", block("count.py"));
  run("[python3, count.py]");
}

TEST_F(SubprocessPage, shows_a_complete_stage_in_cpp) {
  shop.folder.write("count.cpp", block("count.cpp"));
  ProcessSpec spec;
  spec.argv = {PAWL_CXX_COMPILER, "-std=c++20", "-o", "count", "count.cpp"};
  spec.env = {std::string("PATH=") + ::getenv("PATH")};
  spec.cwd = shop.folder.path();
  const ProcessEnd built = run_process(spec);
  ASSERT_EQ(built.number, 0) << built.fault_text << built.err;
  run("[./count, \"${in.text}\"]");
}

TEST_F(SubprocessPage, shows_a_complete_gate) {
  shop.folder.script("grounded.sh", block("grounded.sh"));
  shop.run(R"(
version: 1
workflow: w
stages:
  work:
    sh: echo "{\"output\":{\"words\":$PAWL_ATTEMPT}}" > "$PAWL_RESULT"
    out: { words: integer }
    gates:
      - name: grounded
        run: [./grounded.sh]
    refine: { attempts: 3 }
)");
  const auto attempts = shop.attempts("work");
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].verdict, Verdict::rejected);
  EXPECT_EQ(attempts[1].verdict, Verdict::accepted);
}

}  // namespace
}  // namespace pawl::actions
