/// The codes of errors that occur when a workflow runs: why a command did not start.

#include <algorithm>
#include <array>

#include "pawl/workflow/diagnostic.hpp"

namespace pawl {
namespace {

constexpr auto stories = std::to_array<CodeStory>({
    {"R201", "the command was not found",
     R"(No directory of PATH contains a program with the name given in `run:`. The attempt is not
retried, because that would not help. A name with a slash is a path, relative to the stage's
directory.

Install it or give its path, then:  pawl dlq retry --filter 'code = "R201"' --dry-run
)"},
    {"R202", "the command may not be executed",
     R"(The file exists, but it is not executable, or it is a script without a first line such as
#!/bin/sh.

chmod +x stages/convert.py, or name the interpreter:  run: [python3, stages/convert.py]
)"},
    {"R203", "the working directory does not exist",
     R"(A stage runs in its `dir:`, or in the directory of its workflow file, which was recorded
when the job was submitted. That directory no longer exists, or is not on this machine.
)"},
    {"R204", "arguments and environment are too long together",
     R"(The operating system limits the total size of a program's arguments and environment. Pass large
values under `in:`; the command receives them in the envelope on stdin, or as files.
)"},
    {"R205", "a secret is not set",
     R"(The stage names a secret under `secrets:`, but the environment of the worker process has no such
variable. Secrets are never read from the workflow file. Since version 0.5 a worker leaves such a
stage to a worker that has the secret, so only older attempts end with this code.

KEY=... pawl resume, then:  pawl dlq retry --filter 'code = "R205"' --dry-run
)"},
    {"R206", "a reference has no value here",
     R"(An argument, or a part of a longer text, refers to a value that is null or missing for this
item: a field that the item does not have, or the output of a skipped stage. Only a whole value
under `in:` may be null.

Run the stage only if the value is present:  when: { "${item.page}": { present: true } }
)"},
});

}  // namespace

std::span<const CodeStory> runtime_codes() { return stories; }

}  // namespace pawl
