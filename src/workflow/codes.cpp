#include <algorithm>
#include <array>

#include "pawl/workflow/diagnostic.hpp"
#include "workflow/settings_codes.hpp"

namespace pawl {
namespace {

// Sorted by code. A code never changes its meaning; the number of a removed code is not reused.
constexpr auto stories = std::to_array<CodeStory>({
    {"E001", "the file is not valid YAML",
     R"(The file cannot be parsed as YAML from this position on. The cause may be a line above it: an
unclosed bracket or quote, a line with the wrong indentation, or a second ": " in unquoted
text. An empty file, a missing file and a file that cannot be read have this code too.

wrong:  description: note: read twice
right:  description: "note: read twice"
)"},
    {"E002", "the file is not UTF-8 text",
     R"(A workflow file must be UTF-8 text. Invalid bytes and control characters usually come from an
editor that saved the file in another encoding, or from a binary file.

wrong:  a file saved as Latin-1 or UTF-16
right:  iconv -f latin1 -t utf-8 old.yaml > workflow.yaml
)"},
    {"E003", "a key appears twice",
     R"(A map may contain each key only once. Other parsers silently keep one of the two values, and
nobody can tell which one was meant.

wrong:  greet: { timeout: 10s, timeout: 30s }
right:  greet: { timeout: 30s }
)"},
    {"E004", "anchors, aliases and merge keys are not allowed",
     R"(Anchors (&name), aliases (*name) and merge keys (<<) would let a distant line change a stage.
Put settings that all stages share under `defaults:`.

wrong:  a: { retry: &slow { attempts: 4 } }
        b: { retry: *slow }
right:  defaults: { retry: { attempts: 4 } }

Quote text that begins with * or &: "*.pdf".
)"},
    {"E005", "tags and directives are not allowed",
     R"(The type of a value follows from how it is written: quotes make it text. Tags such as !!str or
!include, and directives (lines that begin with %), are not supported, so they are errors
rather than ignored. Quote text that begins with !.

wrong:  version_text: !!str 1
right:  version_text: "1"
)"},
    {"E006", "the file contains several documents",
     R"(A workflow file is one YAML document. A line `---` in the middle starts a second document,
which pawl would never read.

wrong:  workflow: a
        ---
        workflow: b
right:  two files, a.yaml and b.yaml
)"},
    {"E007", "a key is not text",
     R"(Keys are names. An unquoted number, true, false or null has another type in YAML, and so has a
list or a map. Put quotes around such a key.

wrong:  in: { 1: first, true: second }
right:  in: { "1": first, "true": second }
)"},
    {"E008", "the file is too large",
     R"(A workflow file is limited to 4 MiB, 200,000 values and 64 levels of nesting. Data does not
belong in it: read the items from a file.

wrong:  items: [ … a million of them … ]
right:  items: { file: items.jsonl }

Excessive nesting usually means an unclosed bracket.
)"},
    {"E009", "a tab in the indentation",
     R"(Indent YAML with spaces: programs disagree about the width of a tab. Tabs inside text are
allowed, also after the indentation of a block that starts with |.

wrong:  greet:
        <tab>sh: echo hello
right:  greet:
          sh: echo hello
)"},
    {"E010", "unknown key",
     R"(Unknown keys are errors. If a misspelt `review:` were silently ignored, work would pass that a
person should have seen.

wrong:  convert: { run: [convert], reveiw: { when: always } }
right:  convert: { run: [convert], review: { when: always } }

docs/reference/workflow-file.md lists the keys of every map, and docs/reference/serve.md those of
`.pawl/serve.yaml`.
)"},
    {"E011", "wrong kind of value",
     R"(Each key takes one kind of value: text, a number, true or false, a list, or a map. A key that
takes a list needs one even for a single name.

wrong:  needs: convert
right:  needs: [convert]

A command is a list of arguments; a script is `sh`.

wrong:  run: python3 convert.py
right:  run: [python3, convert.py]
)"},
    {"E012", "unknown stage",
     R"(A name under `needs`, in `changes_rerun` or in a reference must be the name of a stage under
`stages:` in this file, spelt in the same way.

wrong:  needs: [convrt]
right:  needs: [convert]
)"},
    {"E013", "a stage reads the output of a stage that it does not need",
     R"(A stage can only read the output of stages that have ended before it starts: the stages that it
needs, directly or indirectly. The order of the stages in the file does not matter.

wrong:  extract: { run: [extract, "${stages.convert.out.text}"] }
right:  extract: { needs: [convert], run: [extract, "${stages.convert.out.text}"] }
)"},
    {"E014", "unsupported number",
     R"(JSON cannot represent infinity (.inf), not-a-number (.nan) or numbers beyond the range of a
double, and pawl passes all values as JSON. To set no limit, leave the key out.

wrong:  budget: { cost_usd: .inf }
right:  budget: { attempts: 4000 }
)"},
    {"E015", "an unquoted reference in [ ] or { }",
     R"(Inside [ ] and { } an unquoted brace starts a map, so YAML splits the reference. Put quotes
around it. Outside brackets it needs none.

wrong:  run: [convert, ${item.path}]
right:  run: [convert, "${item.path}"]
)"},
    {"E016", "a key of a later version",
     R"(The key is reserved for a feature that this version of pawl does not have. Other kinds of
actions can be written as commands.

wrong:  embed: { http: { post: "http://127.0.0.1:8900/embed" } }
right:  embed: { run: [curl, --fail, --data, "@-", "http://127.0.0.1:8900/embed"] }
)"},
    {"E017", "a key that needs `pawl serve`",
     R"(Notifications need a daemon that is always running. This version has none, so nobody would send
them. `pawl events --follow` shows what happens.

wrong:  notify: [{ events: [job.finished], to: editors }]
right:  leave it out
)"},
    {"E018", "not one of the allowed words",
     R"(The key takes one of a few words, in lower case. YAML's true and false are never among them.

wrong:  review: { when: Always }
right:  review: { when: always }

wrong:  on_failure: false
right:  on_failure: dead_letter
)"},
    {"E019", "invalid name",
     R"(Names of workflows, stages, fields, gates, params and pools consist of letters, digits, _ and -,
start with a letter or _, and have at most 64 characters, so that they can be used in references
and addresses. Names of environment variables contain no -, and PAWL_ is a reserved prefix.

wrong:  env: { PAWL_RESULT: out.json, my-key: x }
right:  env: { OUT_FILE: out.json, MY_KEY: x }

Names of people and groups may also contain . and @, and start with a digit. A group has the prefix
group: before its name. "overdue" is the name that pawl itself uses when it rejects an overdue review.

wrong:  assign: [Anna Blum, "group: editors"]
right:  assign: [anna.blum, "group:editors"]
)"},
    {"E020", "not exactly one action",
     R"(A stage has exactly one action: `run` (a command) or `sh` (a script). A stage without an action
is done by people and needs `review: { when: always }`.

wrong:  check: { needs: [convert] }
right:  check: { needs: [convert], review: { when: always } }
)"},
    {"E021", "a cycle of stages",
     R"(Each stage of the cycle needs the next one, so none of them can ever start.

wrong:  a: { needs: [b], sh: make a }
        b: { needs: [a], sh: make b }
right:  a: { sh: make a }
        b: { needs: [a], sh: make b }
)"},
    {"E022", "not a duration",
     R"(A duration is a number with a unit: ms, s, m, h or d. Without a unit, seconds cannot be told
from minutes. Only delays may be zero.

wrong:  timeout: 30
right:  timeout: 30s
)"},
    {"E023", "a number out of range",
     R"(The number is outside the allowed range. Attempts include the first one, so the minimum is 1. A
factor is at least 1, because delays never get shorter. A jitter is between 0 and 1.

wrong:  retry: { attempts: 0 }
right:  retry: { attempts: 1 }
)"},
    {"E024", "not a rate",
     R"(A rate is the number of attempts that may start per second, minute, hour or day.

wrong:  limits: { rate: 60 }
right:  limits: { rate: 60/m }
)"},
    {"E025", "not a tolerance",
     R"(A tolerance says how many failures are accepted before the rest is cancelled: a number, or a
percentage from 0% to 100%, without a space.

wrong:  tolerate_failures: 5 %
right:  tolerate_failures: 5%
)"},
    {"E026", "duplicate name",
     R"(A list may contain a name only once, each gate needs a name of its own, an exit code has one
meaning, and a variable has one source. The gate name "types" is reserved: `refine` adds a gate
of this name, which rejects an output that does not fit `out`.

wrong:  needs: [convert, convert]
right:  needs: [convert]
)"},
    {"E027", "a key that has no meaning here",
     R"(The key is valid elsewhere but would have no effect here. A stage for people is neither retried
nor timed out. `tolerate_failures` of a stage counts the children of its `each`. A gate with
`expect` or `schema` is never uncertain. `rejected: end_item` ends the item under review, so it has
no meaning with `each`, where a review may be about one child, and with `scope: all`.

wrong:  check: { review: { when: always }, timeout: 1h }
right:  check: { review: { when: always } }
)"},
    {"E028", "an item stage needs a job-wide stage",
     R"(A stage with `scope: all` runs once per job, after every item has passed the stages that it
needs. A stage that runs for each item cannot wait for it: it would wait for the items, and the
items would wait for it.

wrong:  publish: { needs: [report], sh: publish }
right:  publish: { scope: all, needs: [report], sh: publish }
)"},
    {"E029", "stages disagree about a pool",
     R"(Stages that name the same pool share its limits. A pool cannot have two different limits.

wrong:  a: { run: [a], limits: { pool: gpu, parallel: 2 } }
        b: { run: [b], limits: { pool: gpu, parallel: 3 } }
right:  a: { run: [a], limits: { pool: gpu, parallel: 2 } }
        b: { run: [b], limits: { pool: gpu } }
)"},
    {"E030", "a reference inside a shell script",
     R"(pawl never inserts values into a script: a file called "; rm -rf ~" would be executed. Pass
values through environment variables (or as JSON on stdin), where they stay values. Put the
variable in double quotes, so that the shell does not split it. Shell variables such as ${NAME}
are allowed.

wrong:  sh: pandoc ${item.path} -o out.md
right:  sh: pandoc "$ITEM_PATH" -o out.md
        env: { ITEM_PATH: "${item.path}" }
)"},
    {"E031", "invalid reference",
     R"(${…} names a value: item, params, in, out, each or stages.NAME.out.FIELD, followed by parts such
as .name and [0]. There are no functions and no arithmetic; use a stage to compute a value. For a
literal "${" write "$${".

wrong:  run: [convert, "${upper(item.name)}"]
right:  run: [convert, "${item.name}"]
)"},
    {"E032", "undeclared field, input or param",
     R"(References, expectations and reviews can only name declared values: outputs under `out`, inputs
under `in`, params under `params`. A stage without `out` has one output field, text. The output
of a stage for people is its `in`.

wrong:  out: { words: integer }
        gates: [{ name: long, expect: { word: { at_least: 100 } } }]
right:  out: { words: integer }
        gates: [{ name: long, expect: { words: { at_least: 100 } } }]
)"},
    {"E033", "a reference to a value that is not available here",
     R"(Which values are available depends on the place. `out` is available in the stage's own gates.
`in` is available in the command, its environment and the gates, but not in `in` itself, `when`
or `each`. `each` is available in a stage with `each`, but not in its gates, which judge all
children together. The source of the items can only use params. A stage with `scope: all` has no
single item: its command reads all items from "items_file". Other texts, such as `dir` and
`instructions`, cannot contain references.

wrong:  report: { scope: all, run: [report, "${item.path}"] }
right:  report: { scope: all, run: [report] }
)"},
    {"E034", "a JSON value in a place for text",
     R"(Arguments, environment variables and parts of a longer text must be text. Pass a JSON value
whole under `in:`; the command reads it from stdin.

wrong:  run: [publish, "${stages.extract.out.graph}"]
right:  run: [publish]
        in: { graph: "${stages.extract.out.graph}" }
)"},
    {"E035", "a value without parts",
     R"(Only a json value has parts. A field declared as string, integer, number, boolean or file is a
single value.

wrong:  out: { name: string }    …    "${stages.read.out.name.first}"
right:  out: { name: json }      …    "${stages.read.out.name.first}"
)"},
    {"E036", "wrong kind of reference",
     R"(`each` takes exactly one reference, to a list. `when` takes one reference to a boolean, or a map
from references to expectations.

wrong:  when: "${stages.read.out.pages}"
right:  when: { "${stages.read.out.pages}": { at_least: 2 } }
)"},
    {"E040", "an operator that does not fit the type",
     R"(at_least and at_most compare numbers. matches, min_length and max_length apply to text. For a
file only `present` can be checked.

wrong:  out: { name: string }    expect: { name: { at_least: 3 } }
right:  out: { name: string }    expect: { name: { min_length: 3 } }
)"},
    {"E041", "a value that does not fit the operator",
     R"(The value must be one that the field can have: a number for a number, text for text. It may be
a reference if its type fits.

wrong:  expect: { words: { at_least: many } }
right:  expect: { words: { at_least: "${params.min_words}" } }
)"},
    {"E042", "invalid regular expression",
     R"(`matches` takes an RE2 regular expression, which always runs in linear time: look-around and
back-references are not supported. In YAML, write backslashes inside single quotes.

wrong:  matches: "([a-z"
right:  matches: '^[a-z]+\.md$'
)"},
    {"E043", "a gate without exactly one of expect, schema, run, all and any",
     R"(A gate has exactly one of `expect` (compares fields with values), `schema` (a JSON Schema for
the output), `run` (a command that answers with a verdict), and `all` and `any` (lists of gates of
which all, or some, must accept). For several checks, write several gates.

wrong:  gates: [{ name: good, run: [judge], expect: { words: { at_least: 3 } } }]
right:  gates:
          - { name: long, expect: { words: { at_least: 3 } } }
          - { name: judged, run: [judge] }
)"},
    {"E044", "invalid JSON Schema",
     R"(The schema of a gate is a file, or is written in the workflow file itself. A path is relative
to the directory of the workflow file. The schema is read when the workflow file is checked, and
becomes part of the workflow. A schema with an error could not judge anything.

wrong:  schema: schemas/missing.json
right:  schema: { type: object, required: [nodes] }
)"},
    {"E045", "refine without a gate",
     R"(`refine` runs a stage again, with feedback, when a gate rejects its output. Without gates
nothing is ever rejected. To retry failures, use `retry`.

wrong:  convert: { run: [convert], refine: { attempts: 3 } }
right:  convert: { run: [convert], retry: { attempts: 3 } }
)"},
    {"E046", "refine and review contradict each other",
     R"(`exhausted: review` asks a reviewer when the last refined output is rejected too, so
`review.when` must cover escalation. With such a review, `exhausted: fail` would have no effect.

wrong:  refine: { attempts: 3, exhausted: review }
right:  refine: { attempts: 3, exhausted: review }
        review: { when: on_escalation }
)"},
    {"E047", "no gate can be uncertain",
     R"(`when: on_uncertain` asks a reviewer when a gate is uncertain. Only a gate with `run` can be
uncertain, and only if it is not advisory and its `on_uncertain` does not decide by itself.

wrong:  gates: [{ name: long, expect: { words: { at_least: 3 } } }]
        review: { when: on_uncertain }
right:  gates: [{ name: judged, run: [judge] }]
        review: { when: on_uncertain }
)"},
    {"E049", "changes_rerun cannot name this stage",
     R"("Request changes" reruns the stage that `changes_rerun` names and everything after it. That
stage must be upstream of the review and have the same scope. Without `changes_rerun` the stage
itself runs again.

wrong:  check: { needs: [convert], review: { when: always, changes_rerun: publish } }
right:  check: { needs: [convert], review: { when: always, changes_rerun: convert } }
)"},
    {"E050", "reading the output of a stage that may fail",
     R"(With `on_failure: continue` later stages run even if this one has failed, and then it has no
output to read.

wrong:  thumbnail: { run: [thumb], on_failure: continue }
        page: { needs: [thumbnail], run: [page, "${stages.thumbnail.out.text}"] }
right:  thumbnail: { run: [thumb], on_failure: continue }
        page: { needs: [thumbnail], run: [page] }
)"},
    {"E051", "capture and out contradict each other",
     R"(`capture` says where the output comes from if the command writes no result document: `text`
makes stdout the single field out.text, `json` reads the fields of `out` from stdout, and `file`
requires a result document.

wrong:  count: { run: [wc], capture: text, out: { words: integer } }
right:  count: { run: [count-words], capture: json, out: { words: integer } }
)"},
    {"E052", "a default of the wrong type",
     R"(The default of a param must be a value of its type.

wrong:  params: { pages: { type: integer, default: "10" } }
right:  params: { pages: { type: integer, default: 10 } }
)"},
    {"E053", "not exactly one source of items",
     R"(Items are a list, or come from exactly one of `glob` (files), `file` (JSON lines), `run` (a
command that prints JSON lines) and `tasks` (task specs). Without `items` the job has one item.

wrong:  items: { glob: "*.pdf", file: list.jsonl }
right:  items: { glob: "*.pdf" }
)"},
    {"E055", "over a limit of the engine",
     R"(The file is valid, but the workflow exceeds a limit: a stage has more than 64 needs, or there
are more than 65,535 stages. The message says which.

wrong:  all: { needs: [s1, s2, … s70], sh: report }
right:  first: { needs: [s1, … s35], sh: gather }
        all: { needs: [first, s36, … s70], sh: report }
)"},
    {"E056", "a required key is missing",
     R"(These keys are required: the version, the name of the workflow and at least one stage; the type
of a param; the name of a gate; the `when` of a review. pawl does not guess them.

wrong:  review: { instructions: read it twice }
right:  review: { when: always, instructions: read it twice }
)"},
    {"E057", "unsupported version of the file",
     R"(The version says which rules the file was written for. This version of pawl reads version 1,
written as a number.

wrong:  version: 2
right:  version: 1
)"},
    {"E058", "a list of tasks that cannot be used",
     R"(The file that `items: { tasks: FILE }` names is a JSON list of task specs, or has one spec on
each line. A spec has a type with a handler, and its dependencies are titles of other tasks.

wrong:  [{"type": "fetsh", "title": "news"}]
right:  [{"type": "fetch", "title": "news"}]    with handlers: { fetch: { run: [./fetch.sh] } }
)"},
    {"E059", "review rules that contradict each other",
     R"(With these rules a review could never be approved, or one of them would never apply. There must
be as many assigned people as `approvals`, or a group among them; `escalate_to` does not count,
because its people come only when the review is overdue. `overdue: escalate` and `overdue: reject`
need `due`, and `escalate_to` needs `overdue: escalate` and `assign`. A stage with `when: never`
cannot have such rules.

wrong:  review: { when: always, assign: [anna, ben], approvals: 3 }
right:  review: { when: always, assign: [anna, ben, "group:editors"], approvals: 3 }

wrong:  review: { when: always, overdue: reject }
right:  review: { when: always, due: 24h, overdue: reject }
)"},
    {"W001", "missing script",
     R"(The command names a file that does not exist now. This is only a warning: the
file may be created before the stage runs. Paths are relative to the directory of the workflow
file, or to the stage's `dir`.

wrong:  run: [python3, stage/convert.py]
right:  run: [python3, stages/convert.py]
)"},
    {"W002", "a script that is not executable",
     R"(The command names a file that exists but is not executable, so every attempt
would fail. Make it executable, or name the program that runs it.

wrong:  run: [stages/convert.sh]        if the file is not executable
right:  run: [sh, stages/convert.sh]    or: chmod +x stages/convert.sh
)"},
    {"W003", "missing directory",
     R"(The stage's `dir` does not exist now. This is only a warning: it may be created before the stage
runs. If it is not, every attempt fails. The path is relative to the directory of the workflow file.

wrong:  dir: stage
right:  dir: stages
)"},
    {"W004", "unknown person or group",
     R"(The store does not know this person, or nobody in it has this group. This is only a warning: they
may be added before the review opens. Until then nobody can answer in their name. `pawl user list`
shows who there is. Without people in the store there are no such warnings.

wrong:  assign: [ana]
right:  assign: [anna]    or: pawl user add ana
)"},
});

}  // namespace

const CodeStory* find_code(std::string_view code) {
  for (const std::span<const CodeStory> known :
       {all_codes(), runtime_codes(), workflow::settings_codes()}) {
    const auto found = std::ranges::find(known, code, &CodeStory::code);
    if (found != known.end()) return &*found;
  }
  return nullptr;
}

std::span<const CodeStory> all_codes() { return stories; }

}  // namespace pawl
