#include <algorithm>
#include <array>

#include "pawl/workflow/diagnostic.hpp"

namespace pawl {
namespace {

// Sorted by code. A code keeps its meaning for ever; one that is no longer used stays unused.
constexpr auto stories = std::to_array<CodeStory>({
    {"E001", "the text is not YAML",
     R"(The file cannot be read as YAML from this place on. The place is where the reading stopped;
the cause may stand a line above it: an unclosed bracket or quote, a line with the wrong
indentation, or a second ": " in unquoted text. A file that holds nothing is not YAML either,
and neither is one that is not there or cannot be read.

wrong:  description: note: read twice
right:  description: "note: read twice"
)"},
    {"E002", "the file is not UTF-8 text",
     R"(A workflow file is UTF-8 text. A byte that is none, or a control
character, usually comes from an editor that saved another encoding, or from a file that is
no text at all.

wrong:  a file saved as Latin-1 or UTF-16
right:  iconv -f latin1 -t utf-8 old.yaml > workflow.yaml
)"},
    {"E003", "a key appears twice",
     R"(A map holds each key once. Other readers silently keep one of the two
values, and nobody can say which was meant.

wrong:  greet: { timeout: 10s, timeout: 30s }
right:  greet: { timeout: 30s }
)"},
    {"E004", "anchors, aliases and merge keys are not allowed",
     R"(The file says what it means in the place where it stands: &name, *name and << would let a
line far away change a stage. What every stage shares belongs under `defaults:`.

wrong:  a: { retry: &slow { attempts: 4 } }
        b: { retry: *slow }
right:  defaults: { retry: { attempts: 4 } }

Text that begins with * or & is quoted: "*.pdf".
)"},
    {"E005", "tags and directives are not allowed",
     R"(A value's type follows from how it is written: quotes make text. Tags such as !!str or
!include, and lines that begin with % to direct the YAML reader, are not understood, so they
are refused rather than ignored. Text that begins with ! is quoted.

wrong:  version_text: !!str 1
right:  version_text: "1"
)"},
    {"E006", "the file holds several documents",
     R"(A workflow file is one YAML document. A line `---` in the
middle begins a second one, which would never be looked at.

wrong:  workflow: a
        ---
        workflow: b
right:  two files, a.yaml and b.yaml
)"},
    {"E007", "a key is not text",
     R"(Keys are names. An unquoted number, true, false or null in the place of a
key is another type in YAML, and so is a list or a map. Quotes make it text.

wrong:  in: { 1: first, true: second }
right:  in: { "1": first, "true": second }
)"},
    {"E008", "the file is too large",
     R"(A workflow file may have 4 MiB, 200,000 values and 64 levels inside each
other. Data does not belong in it: read the items from a file.

wrong:  items: [ … a million of them … ]
right:  items: { file: items.jsonl }

Too many levels usually mean a bracket that is not closed.
)"},
    {"E009", "a tab in the indentation",
     R"(YAML is indented with spaces; how wide a tab is, no two programs agree.
Tabs inside of text are fine, also after the indentation of a block that | began.

wrong:  greet:
        <tab>sh: echo hello
right:  greet:
          sh: echo hello
)"},
    {"E010", "a key that pawl does not know",
     R"(Every key means something or is an error: a misspelt `review:` that was silently ignored would
let work pass that a person should have seen.

wrong:  convert: { run: [convert], reveiw: { when: always } }
right:  convert: { run: [convert], review: { when: always } }

The keys of every place are in docs/reference/workflow-file.md.
)"},
    {"E011", "a value of the wrong kind",
     R"(Each key takes one kind of value: text, a number, true or false, a list, or a map. There is one
way to write each thing, so one name alone is still a list.

wrong:  needs: convert
right:  needs: [convert]

A command is a list of arguments; a script is `sh`.

wrong:  run: python3 convert.py
right:  run: [python3, convert.py]
)"},
    {"E012", "a stage that is not there",
     R"(A name under `needs`, in `changes_rerun` or in a reference must be that of a stage of this
file, written as it stands under `stages:`.

wrong:  needs: [convrt]
right:  needs: [convert]
)"},
    {"E013", "a stage is read but not needed",
     R"(A stage can read the output only of stages that have ended before it starts: those it needs,
directly or through others. The file's order of stages means nothing.

wrong:  extract: { run: [extract, "${stages.convert.out.text}"] }
right:  extract: { needs: [convert], run: [extract, "${stages.convert.out.text}"] }
)"},
    {"E014", "a number that cannot be used",
     R"(Infinity (.inf), not-a-number (.nan) and numbers beyond the range of a
double have no place in JSON, in which all values of a workflow travel. No limit is written
by leaving the key out.

wrong:  budget: { cost_usd: .inf }
right:  budget: { attempts: 4000 }
)"},
    {"E015", "a reference in [ ] or { } is not quoted",
     R"(Inside [ ] and { } an unquoted brace begins a map, so the YAML
reader never sees the reference. Quotes keep it together; in a line of its own it needs none.

wrong:  run: [convert, ${item.path}]
right:  run: [convert, "${item.path}"]
)"},
    {"E016", "a key of a later version",
     R"(The key has a meaning that this version cannot honour, so it is refused instead of being
ignored. Actions other than commands can be written as commands.

wrong:  embed: { http: { post: "http://127.0.0.1:8900/embed" } }
right:  embed: { run: [curl, --fail, --data, "@-", "http://127.0.0.1:8900/embed"] }
)"},
    {"E017", "a key that needs `pawl serve`",
     R"(Assignments, due dates, several approvals and notifications need a daemon that is always there
to honour them. This version has none; a due date that nobody watches would be a promise that
nobody keeps.

wrong:  review: { when: always, due: 24h }
right:  review: { when: always }
)"},
    {"E018", "a word that is not one of the choices",
     R"(The key takes one of a few words, written exactly so, in small letters. YAML's true and false
are never among them.

wrong:  review: { when: Always }
right:  review: { when: always }

wrong:  on_failure: false
right:  on_failure: dead_letter
)"},
    {"E019", "a name that cannot be used",
     R"(Names of workflows, stages, fields, gates, params and pools are letters, digits, _ and -, at
most 64, beginning with a letter or _; so they fit into references and addresses. Names of
environment variables have no -, and those that begin with PAWL_ are pawl's own.

wrong:  env: { PAWL_RESULT: out.json, my-key: x }
right:  env: { OUT_FILE: out.json, MY_KEY: x }
)"},
    {"E020", "not exactly one action",
     R"(A stage does one thing: `run` (a command) or `sh` (a script). A stage without either is done by
people, and then it says so with `review: { when: always }`.

wrong:  check: { needs: [convert] }
right:  check: { needs: [convert], review: { when: always } }
)"},
    {"E021", "stages that wait for each other",
     R"(Each stage of the cycle needs the next one, so none could ever start.

wrong:  a: { needs: [b], sh: make a }
        b: { needs: [a], sh: make b }
right:  a: { sh: make a }
        b: { needs: [a], sh: make b }
)"},
    {"E022", "not a duration",
     R"(A duration is a number and a unit: ms, s, m, h or d. Without a unit nobody can tell seconds
from minutes. Only delays may be nothing at all.

wrong:  timeout: 30
right:  timeout: 30s
)"},
    {"E023", "a number out of range",
     R"(The number means nothing here. Attempts include the first one, so there is at least 1; a factor
is at least 1, because delays never get shorter; a jitter is between 0 and 1.

wrong:  retry: { attempts: 0 }
right:  retry: { attempts: 1 }
)"},
    {"E024", "not a rate",
     R"(A rate is how many attempts may start in each second, minute, hour or day.

wrong:  limits: { rate: 60 }
right:  limits: { rate: 60/m }
)"},
    {"E025", "not a tolerance",
     R"(How many failures are borne before the rest is given up: a number, or a percentage from 0% to
100%, without a space.

wrong:  tolerate_failures: 5 %
right:  tolerate_failures: 5%
)"},
    {"E026", "the same thing is named twice",
     R"(A name stands once in a list, a gate has a name of its own, an exit code one meaning, a
variable one source. A gate called "types" is added by `refine` itself, to give an output back
that does not fit `out`.

wrong:  needs: [convert, convert]
right:  needs: [convert]
)"},
    {"E027", "a key that has no meaning here",
     R"(The key is known, but could do nothing in this place, so something else must have been meant. A
person is not retried or timed; `tolerate_failures` of a stage counts the children of its
`each`; a gate with `expect` or `schema` is never uncertain.

wrong:  check: { review: { when: always }, timeout: 1h }
right:  check: { review: { when: always } }
)"},
    {"E028", "a stage for each item needs one for all",
     R"(A stage with `scope: all` runs once, when every item has come through. A stage that runs for
each item would have to wait for it, while it waits for the items.

wrong:  publish: { needs: [report], sh: publish }
right:  publish: { scope: all, needs: [report], sh: publish }
)"},
    {"E029", "stages disagree about a pool",
     R"(Stages that name the same pool share its limits. Two different limits for one pool cannot both
hold.

wrong:  a: { run: [a], limits: { pool: gpu, parallel: 2 } }
        b: { run: [b], limits: { pool: gpu, parallel: 3 } }
right:  a: { run: [a], limits: { pool: gpu, parallel: 2 } }
        b: { run: [b], limits: { pool: gpu } }
)"},
    {"E030", "a reference inside a shell script",
     R"(A script is never changed: a file called "; rm -rf ~" would otherwise be run. Values reach a
script by its environment (or as JSON on stdin), where they stay values. Put the variable in
double quotes, so that the shell keeps it together. A shell's own ${NAME} is fine.

wrong:  sh: pandoc ${item.path} -o out.md
right:  sh: pandoc "$ITEM_PATH" -o out.md
        env: { ITEM_PATH: "${item.path}" }
)"},
    {"E031", "not a reference",
     R"(${…} names a value and nothing more: item, params, in, out, each or stages.NAME.out.FIELD, then
parts by .name and [0]. There are no functions and no arithmetic; what has to be computed is
computed by a stage. For a plain "${" write "$${".

wrong:  run: [convert, "${upper(item.name)}"]
right:  run: [convert, "${item.name}"]
)"},
    {"E032", "a field, input or param that is not declared",
     R"(What a reference, an expectation or a reviewer names must be declared: outputs under `out`,
inputs under `in`, params under `params`. A stage without `out` yields one field, text. A stage
for people yields its `in`.

wrong:  out: { words: integer }
        gates: [{ name: long, expect: { word: { at_least: 100 } } }]
right:  out: { words: integer }
        gates: [{ name: long, expect: { words: { at_least: 100 } } }]
)"},
    {"E033", "a reference that is not known here",
     R"(Each place knows certain values. `out` is known in the stage's own gates; `in` after `in`
itself; `each` in a stage with `each`, but not in its gates, which judge all children together;
the items' source knows params only; a stage with `scope: all` knows no single item: its
command reads all of them from "items_file". Elsewhere, as in `dir` or `instructions`, nothing
is replaced.

wrong:  report: { scope: all, run: [report, "${item.path}"] }
right:  report: { scope: all, run: [report] }
)"},
    {"E034", "json where text is needed",
     R"(An argument, a variable and a part of a longer text are text. A json value goes under `in:`,
whole; the command reads it from stdin.

wrong:  run: [publish, "${stages.extract.out.graph}"]
right:  run: [publish]
        in: { graph: "${stages.extract.out.graph}" }
)"},
    {"E035", "a part of a value that has none",
     R"(Only json has parts. A field that is declared as text, a number, true or false, or a file is
one whole value.

wrong:  out: { name: string }    …    "${stages.read.out.name.first}"
right:  out: { name: json }      …    "${stages.read.out.name.first}"
)"},
    {"E036", "not the reference that is wanted",
     R"(`each` takes exactly one reference, to a list; `when` takes one to true or false, or a map from
references to expectations.

wrong:  when: "${stages.read.out.pages}"
right:  when: { "${stages.read.out.pages}": { at_least: 2 } }
)"},
    {"E040", "an operator that does not fit the type",
     R"(at_least and at_most compare numbers; matches, min_length and max_length look at text; of a
file it can only be said that it is present.

wrong:  out: { name: string }    expect: { name: { at_least: 3 } }
right:  out: { name: string }    expect: { name: { min_length: 3 } }
)"},
    {"E041", "a value that does not fit the operator",
     R"(The value must be one that the field can have: a number for a number, text for text. A
reference may stand for it, if its type fits.

wrong:  expect: { words: { at_least: many } }
right:  expect: { words: { at_least: "${params.min_words}" } }
)"},
    {"E042", "not a regular expression",
     R"(`matches` takes a regular expression of RE2, which runs in linear time whatever it says: no
look-around and no back-references. In YAML a backslash is safe in single quotes.

wrong:  matches: "([a-z"
right:  matches: '^[a-z]+\.md$'
)"},
    {"E043", "a gate that judges by not exactly one thing",
     R"(A gate has one of `expect` (fields compared with values), `schema` (a JSON Schema for the
output) and `run` (a command that answers). Several gates stand side by side.

wrong:  gates: [{ name: good, run: [judge], expect: { words: { at_least: 3 } } }]
right:  gates:
          - { name: long, expect: { words: { at_least: 3 } } }
          - { name: judged, run: [judge] }
)"},
    {"E044", "not a JSON Schema",
     R"(The schema of a gate is a file of the project, or stands in the workflow file itself. It is
read when the file is checked and becomes a part of the workflow; a schema that cannot be
understood would judge nothing.

wrong:  schema: schemas/missing.json
right:  schema: { type: object, required: [nodes] }
)"},
    {"E045", "refine without a gate",
     R"(`refine` runs a stage again, with feedback, when a gate rejects its output. Without gates
nothing is ever rejected. What breaks is tried again by `retry`.

wrong:  convert: { run: [convert], refine: { attempts: 3 } }
right:  convert: { run: [convert], retry: { attempts: 3 } }
)"},
    {"E046", "refine and review disagree",
     R"(`exhausted: review` asks a person when the last refined output is rejected too; then
`review.when` must cover escalation. `exhausted: fail` beside such a policy would never happen.

wrong:  refine: { attempts: 3, exhausted: review }
right:  refine: { attempts: 3, exhausted: review }
        review: { when: on_escalation }
)"},
    {"E047", "nothing here can be uncertain",
     R"(`when: on_uncertain` asks a person when a gate is in doubt. Only a gate with `run` can be,
unless it is advisory or its `on_uncertain` decides by itself.

wrong:  gates: [{ name: long, expect: { words: { at_least: 3 } } }]
        review: { when: on_uncertain }
right:  gates: [{ name: judged, run: [judge] }]
        review: { when: on_uncertain }
)"},
    {"E049", "changes cannot go back there",
     R"("Request changes" starts again at the stage that `changes_rerun` names, and everything after
it. That stage must be upstream of the review, and of the same scope. Without `changes_rerun`
the stage itself runs again.

wrong:  check: { needs: [convert], review: { when: always, changes_rerun: publish } }
right:  check: { needs: [convert], review: { when: always, changes_rerun: convert } }
)"},
    {"E050", "a stage may fail, but its output is read",
     R"(With `on_failure: continue` later stages run although this one failed, and there is no output
to read then.

wrong:  thumbnail: { run: [thumb], on_failure: continue }
        page: { needs: [thumbnail], run: [page, "${stages.thumbnail.out.text}"] }
right:  thumbnail: { run: [thumb], on_failure: continue }
        page: { needs: [thumbnail], run: [page] }
)"},
    {"E051", "capture and out do not fit together",
     R"(`capture` says where the output comes from when no result document is written: `text` makes
stdout the one field out.text, `json` reads stdout as the fields that `out` declares, `file`
wants a result document with them.

wrong:  count: { run: [wc], capture: text, out: { words: integer } }
right:  count: { run: [count-words], capture: json, out: { words: integer } }
)"},
    {"E052", "a default of the wrong type",
     R"(The default of a param must be what its type says.

wrong:  params: { pages: { type: integer, default: "10" } }
right:  params: { pages: { type: integer, default: 10 } }
)"},
    {"E053", "not exactly one source of items",
     R"(Items are a list, or come from one of `glob` (files), `file` (JSON lines) and `run` (a command
that prints JSON lines). Without `items` there is one item.

wrong:  items: { glob: "*.pdf", file: list.jsonl }
right:  items: { glob: "*.pdf" }
)"},
    {"E055", "more than the engine can hold",
     R"(The file is well written, but the workflow it describes cannot be run: a stage has more than 64
needs, or there are more than 65,535 stages. The message says which.

wrong:  all: { needs: [s1, s2, … s70], sh: report }
right:  first: { needs: [s1, … s35], sh: gather }
        all: { needs: [first, s36, … s70], sh: report }
)"},
    {"E056", "something is missing",
     R"(The file must say its version, the workflow's name and at least one stage; a param its type, a
gate its name, a review when a person is asked. Nothing of that can be guessed safely.

wrong:  review: { instructions: read it twice }
right:  review: { when: always, instructions: read it twice }
)"},
    {"E057", "another version of the file",
     R"(The version says which rules the file was written for. This pawl reads version 1, written as a
number.

wrong:  version: 2
right:  version: 1
)"},
    {"W001", "a script that is not there",
     R"(The command names a file of the project that does not exist now. That is no error: it may be
made before the stage runs. Paths are relative to the project, or to the stage's `dir`.

wrong:  run: [python3, stage/convert.py]
right:  run: [python3, stages/convert.py]
)"},
    {"W002", "a script that cannot be run",
     R"(The command names a file of the project that is there and that nobody may execute, so every
attempt would fail. Make it executable, or name the program that reads it.

wrong:  run: [stages/convert.sh]        where it may not be executed
right:  run: [sh, stages/convert.sh]    or: chmod +x stages/convert.sh
)"},
    {"W003", "a directory that is not there",
     R"(The stage's `dir` does not exist now. That is no error: it may be made before the stage runs; where
it is not, every attempt fails. It is relative to the project.

wrong:  dir: stage
right:  dir: stages
)"},
});

}  // namespace

const CodeStory* find_code(std::string_view code) {
  for (const std::span<const CodeStory> known : {all_codes(), runtime_codes()}) {
    const auto found = std::ranges::find(known, code, &CodeStory::code);
    if (found != known.end()) return &*found;
  }
  return nullptr;
}

std::span<const CodeStory> all_codes() { return stories; }

}  // namespace pawl
