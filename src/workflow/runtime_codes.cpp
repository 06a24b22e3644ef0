/// The codes of errors that a file cannot have, only its run: why a command did not start.

#include <algorithm>
#include <array>

#include "pawl/workflow/diagnostic.hpp"

namespace pawl {
namespace {

constexpr auto stories = std::to_array<CodeStory>({
    {"R201", "the command was not found",
     R"(The first word of `run:` names no program in the directories of PATH. It was not retried: trying
again would not bring it here. A name with a slash is a path, relative to the stage's directory.

Install it or give its path, then:  pawl dlq retry --filter 'code = "R201"' --dry-run
)"},
    {"R202", "the command may not be executed",
     R"(The file is there, but it is not executable, or it is no program and does not begin with a line
such as #!/bin/sh.

chmod +x stages/convert.py, or name the interpreter:  run: [python3, stages/convert.py]
)"},
    {"R203", "the working directory does not exist",
     R"(A stage runs in its `dir:`, else in the project that was recorded when the job was submitted. That
directory is not there any more, or is not on this machine.
)"},
    {"R204", "arguments and environment are too long together",
     R"(The system limits what a program can be given as words and variables. Hand large values over
under `in:`; they arrive in the envelope on stdin, or as files.
)"},
    {"R205", "a secret is not set",
     R"(The stage names a secret under `secrets:`, and the process that works on the job has no such
variable in its environment. Secrets are never read from the workflow file.

KEY=... pawl resume, then:  pawl dlq retry --filter 'code = "R205"' --dry-run
)"},
    {"R206", "a reference has no value here",
     R"(An argument, or a part of a longer text, refers to something that is null or not there for this
item: a field the item lacks, or the output of a stage that was skipped. A whole value under `in:`
may be null; an argument may not, and text cannot hold it.

Let the stage run only where it is there:  when: { "${item.page}": { present: true } }
)"},
});

}  // namespace

std::span<const CodeStory> runtime_codes() { return stories; }

}  // namespace pawl
