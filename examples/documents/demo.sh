#!/usr/bin/env bash
# The document workflow, shown on the command line: a run that is killed and resumed, attempts and
# criteria, reviews answered by a person, dead letters, results.
#
#     demo.sh PAWL [DIRECTORY]       PAWL: the program; DIRECTORY: empty or new; without: a temporary one
#
# Ends with an error as soon as something is not as it should be.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$(readlink -f "${1:?demo.sh wants the path of pawl}")
if [[ -n ${2-} ]]; then
  mkdir -p "$2"
  work=$(readlink -f "$2")
  [[ -z $(ls -A "$work") ]] || { echo "demo: $work is not empty" >&2; exit 1; }
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
cp -r "$here"/{documents.yaml,stages,gates,corpus,search.py} "$work"
cd "$work"
unset PAWL_STORE
export PAWL_USER=edith PYTHONDONTWRITEBYTECODE=1 PAWL_ALLOW_ROOT=1

heading() { printf '\n== %s\n' "$*"; }
say() { printf '\n%s\n' "$*"; }
fail() { printf 'demo: NOT as it should be: %s\n' "$*" >&2; exit 1; }

# promise WHAT ACTUAL EXPECTED
promise() { [[ $2 == "$3" ]] || fail "$1: expected $3, got $2"; }

# show EXIT_CODE ARG...: prints the command, runs it, and checks how it ended.
show() {
  local expected=$1 code=0
  shift
  printf '\n$ pawl'
  printf ' %q' "$@"
  printf '\n'
  "$program" "$@" || code=$?
  promise "the exit code of pawl $1" "$code" "$expected"
}

# ask FILTER ARG...: what a command answers with --json, through jq.
ask() {
  local filter=$1
  shift
  "$program" --json "$@" | jq -r "$filter"
}

review_of() {  # ITEM STAGE
  ask ".reviews[] | select(.item == \"$1\" and .stage == \"$2\") | .review" review list
}

# Verdicts of a stage in order; an attempt that was interrupted has none.
verdicts_of() {  # ITEM STAGE
  ask '[.attempts[].verdict | values] | join(" ")' item attempts "$1" --stage "$2"
}

finished_tasks() { "$program" events --jsonl --type task.succeeded | jq -r '"\(.item) \(.stage)"' | sort; }

heading "1. A run, killed half way"
say "Eleven PDFs. The workflow is checked before anything runs."
show 0 check documents.yaml
show 0 graph documents.yaml

say "It starts, and is killed as soon as twelve stages are done: no warning, no goodbye."
printf '\n$ pawl run documents.yaml &\n'
"$program" run documents.yaml >run.log 2>&1 &
victim=$!
while true; do
  ((SECONDS < 60)) || fail "twelve stages were not done within a minute"
  done_now=$("$program" --json status 2>/dev/null | jq '[.stages[].succeeded] | add' 2>/dev/null || echo 0)
  ((${done_now:-0} < 12)) || break
  kill -0 "$victim" 2>/dev/null || { cat run.log >&2; fail "the run ended before it was killed"; }
done
kill -KILL "$victim"
wait "$victim" 2>/dev/null || true
printf '$ kill -KILL %s\n' "$victim"
finished_tasks >before.txt
[[ $(ask '.state' status) == running ]] || fail "the job is not unfinished"

say "What was done is in the store; what ran is known to have been open."
show 0 status

heading "2. The rest, without doing anything twice"
say "Resume goes on until only people are left; exit code 11 says so."
show 11 resume
promise "stages done twice" "$(finished_tasks | uniq -d | wc -l)" 0
promise "stages done before and forgotten" "$(finished_tasks | comm -23 before.txt - | wc -l)" 0
interrupted=$("$program" events --jsonl --type attempt.finished | jq -c 'select(.data.result == "interrupted")' | wc -l)
say "$(wc -l <before.txt) stages were done before the kill, and none of them ran again. $interrupted attempts were interrupted; they count for nothing."
show 0 status

heading "3. Attempts and criteria"
say "The tables of fish-ladder.pdf are set in columns. Attempt 1 lost them, the gate said which criterion failed, attempt 2 kept the layout."
show 0 item attempts corpus/fish-ladder.pdf --stage pdf_to_markdown
promise "verdicts of fish-ladder.pdf" "$(verdicts_of corpus/fish-ladder.pdf pdf_to_markdown)" "rejected accepted"

say "One table of old-locks.pdf is a picture. Three attempts were refused; why a person is asked:"
show 0 why corpus/old-locks.pdf/pdf_to_markdown
promise "verdicts of old-locks.pdf" "$(verdicts_of corpus/old-locks.pdf pdf_to_markdown)" "rejected rejected rejected"

say "The judge is not sure about board-minutes.pdf, so it does not decide:"
show 0 why corpus/board-minutes.pdf/extract_concepts
promise "verdicts of board-minutes.pdf" "$(verdicts_of corpus/board-minutes.pdf extract_concepts)" "uncertain"

say "An encrypted document is a dead letter at once; trying again would not help."
show 0 dlq list --by error
promise "dead letters" "$(ask '.items | length' dlq list)" 1

heading "4. A person answers"
show 0 review list
say "Attempt 2 of old-locks.pdf is good enough, and VWB is the Varn Water Board."
show 0 review approve "$(review_of corpus/old-locks.pdf pdf_to_markdown)" --attempt 2 --note "The picture is in the archive"
show 0 review approve "$(review_of corpus/board-minutes.pdf extract_concepts)" --note "VWB is the Board"

say "A link of ferry-timetable.pdf has half a title. Edited, with the rest as it was:"
ask '.attempts[-1].output | .links[0].title = "Harbour Dues of the Year"' \
  item attempts corpus/ferry-timetable.pdf --stage final_review >edited.json
show 0 review edit "$(review_of corpus/ferry-timetable.pdf final_review)" --output edited.json --note "The whole title"

say "A link of reed-beds.pdf should go. Asking for changes sends the note back to cross_reference:"
show 0 review changes "$(review_of corpus/reed-beds.pdf final_review)" \
  --note 'Please leave out "Harbour Dues of the Year": it only tells of a custom.'

say "And lantern-festival.pdf is a draft."
show 0 review reject "$(review_of corpus/lantern-festival.pdf final_review)" --reason "only a draft"

say "Resumed, the three that were answered early reach the final review; cross_reference has heard the note."
show 11 resume
promise "links of reed-beds.pdf" \
  "$(ask '[.attempts[-1].output.links[].title] | join(", ")' item attempts corpus/reed-beds.pdf --stage cross_reference)" \
  "Lake Levels in Winter"

say "The others are fine."
for review in $("$program" --quiet review list); do
  show 0 review approve "$review"
done

heading "5. The end"
say "Exit code 10: finished, with dead letters."
show 10 resume
show 0 status
show 0 dlq list --by error
promise "dead letters" "$(ask '.items | length' dlq list)" 2
promise "documents through" "$(ask '.items.succeeded' status)" 9

say "The outputs, as files:"
show 0 results --to results
report=$(find results -name report.md)
index=$(find results -name search.db)
[[ -f $report && -f $index ]] || fail "there is no report or no index in results"
printf '\n$ cat %s\n' "$report"
cat "$report"
grep -q '9 documents published, 2 not' "$report" || fail "the report does not tell of 9 documents"
grep -A2 'lead nowhere' "$report" | grep -q 'None\.' || fail "the edited link leads nowhere"

printf '\n$ python3 search.py %s paddles\n' "$index"
python3 search.py "$index" paddles
promise "hits" "$(python3 search.py "$index" paddles | wc -l)" 1

say "Every record is checked: each decision is made again from what was recorded, and must be the same."
show 0 verify

say "A second run would do only what is not done:"
show 0 run documents.yaml --dry-run
say "That was the demo; everything was as it should be."
