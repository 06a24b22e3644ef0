"""The criteria of all attempts side by side, as a table and as a document."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

from pawl import *

# Each attempt writes what LINES has for it; the gate measures it. The last attempt is judged by a person.
WORKFLOW = """version: 1
workflow: letters
items: [ada]
stages:
  draft:
    sh: |
      case $PAWL_ATTEMPT in
        1) text='one' words=1 tone=calm ;;
        2) text='one\\ntwo\\nthree' words=4 tone=calm ;;
        3) text='one' words=1 tone=calm ;;
        *) text='one\\n2\\nthree' words=6 tone=angry ;;
      esac
      printf '{"output": {"text": "%s", "words": %d, "tone": "%s"}}' "$text" "$words" "$tone" > "$PAWL_RESULT"
    out: { text: string, words: integer, tone: string }
    gates:
      - name: length
        expect: { words: { at_least: 9 }, text: { min_length: 2 } }
      - name: style
        advisory: true
        expect: { tone: { equals: calm } }
    refine: { attempts: 4, exhausted: review }
    review: { when: on_escalation }
"""


# The whole table, as a pipe and a wide terminal show it.
TABLE = r"""
GATE    CRITERION  EXPECTED     #1             #2                    #3             #4                  TREND
length  words      >= 9         no, 1          no, 4                 no, 1          no, 6               converging
style   tone       = calm       yes, calm      yes, calm             yes, calm      no, angry           worse
types   text       string       yes, one       yes, one\ntwo\nthree  yes, one       yes, one\n2\nthree  met
types   words      integer      yes, 1         yes, 4                yes, 1         yes, 6              met
types   tone       string       yes, calm      yes, calm             yes, calm      yes, angry          met
length  text       length >= 2  yes, length 3  yes, length 13        yes, length 3  yes, length 11      met
""".strip().splitlines()

NARROW_TABLE = r"""
GATE    CRITERION  EXPECTED     #4                TREND
length  words      >= 9         no, 6             converging
style   tone       = calm       no, angry         worse
types   text       string       yes,              met
                                one\n2\nthree
types   words      integer      yes, 6            met
types   tone       string       yes, angry        met
length  text       length >= 2  yes, length 11    met
not shown: 3 older attempts; use a wider terminal, or --json
""".strip().splitlines()


def table_in(lines):
    """The table of the criteria with its note, out of everything that a command printed."""
    start = next(i for i, line in enumerate(lines) if line.startswith("GATE "))
    table = []
    for line in lines[start:]:
        if not line or line.startswith("attempts:"):
            break
        table.append(line)
    return table


class Letters(ProjectTest):
    def setUp(self):
        super().setUp()
        self.write("w.yaml", WORKFLOW)
        self.pawl("run", "w.yaml", code=PEOPLE)

    def on_terminal(self, columns, *words):
        """The lines that the program prints on a terminal of this width, without colours."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.dir, stdin=subprocess.DEVNULL,
                                   stdout=theirs, stderr=subprocess.DEVNULL,
                                   env=self.environment(NO_COLOR="1"))
        os.close(theirs)
        text = b""
        try:
            while got := os.read(ours, 65536):
                text += got
        except OSError:
            pass  # the program has ended
        os.close(ours)
        self.assertEqual(process.wait(PATIENCE), DONE)
        return text.decode().replace("\r\n", "\n").splitlines()

    def test_the_attempts_of_a_task_end_with_the_table_of_their_criteria(self):
        text = self.pawl("item", "attempts", "ada").out
        self.assertIn("\n\ndraft, criteria by attempt\nGATE ", text)
        self.assertEqual(table_in(text.splitlines()), TABLE)
        self.assertEqual(text.count("CRITERION"), 1, "the attempts have no tables of their own")

    def test_a_review_shows_the_same_table(self):
        self.assertEqual(table_in(self.pawl("review", "show", 1).out.splitlines()), TABLE)
        self.assertEqual(table_in(self.pawl("review", "next").out.splitlines()), TABLE)

    def test_a_terminal_of_120_columns_shows_all_attempts(self):
        for words in [["item", "attempts", "ada"], ["review", "show", "1"]]:
            self.assertEqual(table_in(self.on_terminal(120, *words)), TABLE)

    def test_a_terminal_of_60_columns_shows_the_newest_attempts_and_says_so(self):
        for words in [["item", "attempts", "ada"], ["review", "show", "1"]]:
            self.assertEqual(table_in(self.on_terminal(60, *words)), NARROW_TABLE)

    def test_each_output_is_compared_with_those_before(self):
        attempts = self.pawl("item", "attempts", "ada").out.split("\n\n")
        self.assertNotIn("output", attempts[1])
        self.assertIn("\noutput changed since attempt 1: 5 lines added, 2 lines removed, 12 B larger", attempts[2])
        self.assertIn("\nsame output as attempt 1", attempts[3])
        self.assertIn("\noutput changed since attempt 3: 6 lines added, 3 lines removed, 11 B larger", attempts[4])
        self.assertIn("\noutput changed since attempt 3: 6 lines added, 3 lines removed, 11 B larger\n",
                      self.pawl("review", "show", 1).out)

    def test_the_lines_that_changed_are_those_of_item_diff(self):
        [document] = self.pawl("item", "attempts", "ada", "--json").json["criteria"]
        for before, after in [(1, 2), (2, 3), (3, 4)]:
            difference = document["attempts"][after - 1]["difference"]
            diff = self.pawl("item", "diff", "ada/draft", before, after, "--json").json["diff"].splitlines()
            self.assertEqual((difference["from"], difference["lines_added"], difference["lines_removed"]),
                             (before, sum(line.startswith("+") for line in diff),
                              sum(line.startswith("-") for line in diff)))

    def test_the_document_has_every_attempt_and_every_criterion(self):
        [document] = self.pawl("item", "attempts", "ada", "--json").json["criteria"]
        self.assertEqual((document["stage"], document["child"], document["epoch"]), ("draft", None, 1))
        self.assertEqual([(one["attempt_number"], one["same_output_as"]) for one in document["attempts"]],
                         [(1, None), (2, None), (3, 1), (4, None)])
        self.assertEqual([(row["gate"], row["name"], row["trend"]) for row in document["rows"]],
                         [("length", "words", "converging"), ("style", "tone", "worse"), ("types", "text", "met"),
                          ("types", "words", "met"), ("types", "tone", "met"), ("length", "text", "met")])
        self.assertEqual(document["rows"][0]["cells"][3],
                         {"attempt_number": 4, "passed": False, "expected": ">= 9", "actual": "6"})
        [review] = self.pawl("review", "show", 1, "--json").json["reviews"]
        self.assertEqual(review["criteria"], document)
        self.assertNotIn("criteria", self.pawl("item", "attempts", "ada", "--jsonl").lines[0])

    def test_work_that_begins_again_has_trends_of_its_own(self):
        self.pawl("review", "reject", 1, "--reason", "no")
        self.pawl("item", "retry", "ada", "--from", "draft")
        self.pawl("resume", code=PEOPLE)
        [document] = self.pawl("item", "attempts", "ada", "--json").json["criteria"]
        self.assertEqual(document["epoch"], 2)
        self.assertEqual([one["epoch"] for one in document["attempts"]], [1] * 4 + [2] * 4)
        [words] = [row for row in document["rows"] if (row["gate"], row["name"]) == ("length", "words")]
        self.assertEqual([cell["attempt_number"] for cell in words["cells"]], list(range(1, 9)))
        self.assertEqual(words["trend"], "stalled", "attempts 5 to 8 all write 6 words")


class FanOut(ProjectTest):
    def test_the_gates_judge_the_joined_output_and_children_have_documents_without_criteria(self):
        self.write("w.yaml", """version: 1
workflow: w
items: [{ id: a, pages: [one, two] }]
stages:
  read:
    each: "${item.pages}"
    sh: |
      echo '{"output": {"words": 3}}' > "$PAWL_RESULT"
    out: { words: integer }
    gates:
      - { name: length, expect: { words: { min_length: 3 } } }
    refine: { attempts: 2 }
""")
        self.pawl("run", "w.yaml", code=JOB_FAILED)
        text = self.pawl("item", "attempts", "a").out
        self.assertEqual(table_in(text.splitlines()),
                         ["GATE    CRITERION  EXPECTED     #2            #4            TREND",
                          "length  words      length >= 3  no, length 2  no, length 2  stalled"])
        self.assertIn("\nread, criteria by attempt\n", text)
        self.assertIn("\nsame output as attempt 2\n", text)
        answer = self.pawl("item", "attempts", "a", "--json").json
        parent, *children = answer["criteria"]
        self.assertEqual((parent["child"], parent["rows"][0]["trend"]), (None, "stalled"))
        self.assertEqual([(one["child"], one["rows"]) for one in children],
                         [("one", []), ("two", []), ("one", []), ("two", [])])
        self.assertEqual([one["task"] for one in children],
                         [one["task"] for one in answer["attempts"] if "child" in one])


if __name__ == "__main__":
    main()
