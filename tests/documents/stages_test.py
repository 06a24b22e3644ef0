#!/usr/bin/env python3
"""The stages and the gate of examples/documents follow the subprocess protocol: each runs as under
pawl, with an envelope on stdin, and its result document is read. No engine is involved."""

import contextlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "documents"
sys.dont_write_bytecode = True
sys.path.insert(0, str(EXAMPLE))
import make_corpus  # noqa: E402


class Answer:
    """What one run of a program left behind."""

    def __init__(self, done: subprocess.CompletedProcess, folder: pathlib.Path):
        self.code = done.returncode
        self.last_word = (done.stderr.strip().splitlines() or [""])[-1]
        self.folder = folder / "dir"
        written = folder / "result.json"
        self.document = json.loads(written.read_text()) if written.exists() else None
        self.leftovers = [path.name for path in folder.glob("*.tmp")]

    @property
    def out(self) -> dict:
        return self.document["output"]

    def file(self, field: str) -> pathlib.Path:
        return self.folder / self.out[field]


class Stages(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.runs = 0

    def run_program(self, program: str, envelope: dict, *arguments: str, path: str = "") -> Answer:
        self.runs += 1
        folder = self.scratch / str(self.runs)
        (folder / "dir").mkdir(parents=True)
        environment = {"PATH": path or os.environ["PATH"], "PAWL_DIR": str(folder / "dir"),
                       "PAWL_RESULT": str(folder / "result.json")}
        done = subprocess.run([sys.executable, program, *arguments], input=json.dumps(envelope),
                              env=environment, cwd=EXAMPLE, capture_output=True, text=True,
                              timeout=60, check=False)
        answer = Answer(done, folder)
        if answer.code == 0:
            self.assertEqual(answer.leftovers, [])
        return answer

    def convert(self, name: str, refused: int = 0) -> Answer:
        envelope = {"item": {"id": f"corpus/{name}"}, "in": {"pdf": f"corpus/{name}"},
                    "previous": [{"number": n + 1, "verdict": "rejected"} for n in range(refused)]}
        return self.run_program("stages/pdf_to_markdown.py", envelope)

    def convert_until_accepted(self, name: str) -> Answer:
        for refused in range(3):
            answer = self.convert(name, refused)
            if answer.out["tables"] == answer.out["source_tables"]:
                break
        return answer

    def extract(self, markdown: pathlib.Path, feedback: dict | None = None) -> Answer:
        return self.run_program("stages/extract_concepts.py",
                                {"in": {"markdown": str(markdown)}, "feedback": feedback})

    def judge(self, markdown: pathlib.Path, output: dict) -> dict:
        return self.run_program("gates/grounded.py",
                                {"in": {"markdown": str(markdown)}, "out": output}).document


class Corpus(Stages):
    def test_the_shipped_documents_are_those_the_generator_makes(self):
        shipped = {path.name: path.read_bytes() for path in (EXAMPLE / "corpus").glob("*.pdf")}
        made = make_corpus.corpus()
        self.assertEqual(shipped.keys(), made.keys())
        for name, data in made.items():
            self.assertEqual(shipped[name], data, name)

    def test_the_generator_writes_the_same_bytes_as_a_program(self):
        subprocess.run([sys.executable, EXAMPLE / "make_corpus.py", self.scratch / "again"], check=True)
        again = {path.name: path.read_bytes() for path in (self.scratch / "again").iterdir()}
        self.assertEqual(again, make_corpus.corpus())

    def test_the_sealed_document_opens_with_its_password(self):
        text = subprocess.run(["pdftotext", "-upw", "first of June",
                               EXAMPLE / "corpus" / "sealed-tender.pdf", "-"],
                              capture_output=True, text=True, check=True).stdout
        self.assertTrue(text.startswith("Sealed Tender"))

    def test_each_title_that_is_named_is_there_but_for_the_one_that_a_reviewer_mends(self):
        texts = [document.text.strip() for document in make_corpus.DOCUMENTS]
        titles = {text.split("\n")[0] for text in texts}
        named = {" ".join(title.split()) for text in texts for title in re.findall(r'"([^"]+)"', text)}
        self.assertEqual(named - titles, {"Harbour Dues"})


class PdfToMarkdown(Stages):
    def test_most_documents_are_fine_at_the_first_attempt(self):
        fine = []
        for document in make_corpus.DOCUMENTS:
            answer = self.convert(document.name)
            if answer.code == 0 and answer.out["tables"] == answer.out["source_tables"]:
                self.assertGreaterEqual(answer.out["words"], 100, document.name)
                fine.append(document.name)
        self.assertEqual(len(fine), len(make_corpus.DOCUMENTS) - 3)

    def test_headings_tables_and_paragraphs_become_markdown(self):
        answer = self.convert("calder-mill.pdf")
        markdown = answer.file("markdown").read_text()
        self.assertTrue(markdown.startswith("# Calder Mill Repairs\n\n## 1. The plan\n\nCalder Mill "))
        self.assertIn("**Table 1: Steps and cost**\n\n| Step | Work | Cost |\n| --- | --- | --- |\n"
                      "| Wheel | new oak paddles | 8,200 |\n", markdown)
        self.assertEqual(answer.document["summary"].split(":")[0], "pdftotext")

    def test_columns_are_lost_at_first_and_found_once_the_gate_has_said_no(self):
        first, second = self.convert("fish-ladder.pdf"), self.convert("fish-ladder.pdf", refused=1)
        self.assertEqual((first.out["tables"], first.out["source_tables"]), (0, 2))
        self.assertEqual((second.out["tables"], second.out["source_tables"]), (2, 2))
        self.assertIn("| Third of April | 66 | 12 |", second.file("markdown").read_text())
        self.assertTrue(second.document["summary"].startswith("pdftotext -layout:"))

    def test_an_interrupted_attempt_does_not_change_the_way_of_reading(self):
        envelope = {"item": {"id": "x"}, "in": {"pdf": "corpus/fish-ladder.pdf"},
                    "previous": [{"number": 1, "verdict": None}]}
        answer = self.run_program("stages/pdf_to_markdown.py", envelope)
        self.assertEqual(answer.out["tables"], 0)

    def test_a_scanned_table_is_never_found(self):
        for refused in range(4):
            answer = self.convert("old-locks.pdf", refused)
            self.assertEqual((answer.out["tables"], answer.out["source_tables"]), (1, 2))

    def test_an_encrypted_document_is_refused_for_good(self):
        answer = self.convert("sealed-tender.pdf")
        self.assertEqual((answer.code, answer.last_word), (65, "encrypted pdf"))
        self.assertIsNone(answer.document)

    def test_a_damaged_document_is_refused_for_good(self):
        broken = self.scratch / "broken.pdf"
        broken.write_bytes(b"not a pdf at all")
        answer = self.run_program("stages/pdf_to_markdown.py", {"in": {"pdf": str(broken)}})
        self.assertEqual((answer.code, answer.last_word), (65, "damaged pdf"))

    def test_a_missing_pdftotext_is_told_by_name(self):
        answer = self.run_program("stages/pdf_to_markdown.py",
                                  {"in": {"pdf": "corpus/calder-mill.pdf"}}, path="/nowhere")
        self.assertEqual(answer.code, 78)
        self.assertIn("poppler-utils", answer.last_word)

    def test_a_name_with_a_leading_dash_and_blanks_is_a_name(self):
        odd = self.scratch / "-f it's $(odd).pdf"
        odd.write_bytes(make_corpus.corpus()["calder-mill.pdf"])
        answer = self.run_program("stages/pdf_to_markdown.py", {"in": {"pdf": str(odd)}})
        self.assertEqual(answer.out["markdown"], "-f it's $(odd).md")


class Concepts(Stages):
    def markdown_of(self, name: str) -> pathlib.Path:
        return self.convert_until_accepted(name).file("markdown")

    def test_all_but_one_document_are_connected_at_the_first_attempt(self):
        loose = []
        for document in make_corpus.DOCUMENTS:
            if document.password:
                continue
            answer = self.extract(self.markdown_of(document.name))
            self.assertGreaterEqual(answer.out["nodes"], 5, document.name)
            if answer.out["orphans"]:
                loose.append(document.name)
        self.assertEqual(loose, ["reed-beds.pdf"])

    def test_orphans_are_tied_once_the_gate_has_named_them(self):
        markdown = self.markdown_of("reed-beds.pdf")
        first = self.extract(markdown)
        self.assertIn("without a tie: Heron Stone", first.document["summary"])
        feedback = {"from": "gate", "criteria": [
            {"name": "nodes", "expected": ">= 5", "actual": "7", "passed": True},
            {"name": "orphans", "expected": "= 0", "actual": "1", "passed": False}]}
        second = self.extract(markdown, feedback)
        self.assertEqual((second.out["nodes"], second.out["orphans"]), (first.out["nodes"], 0))

    def test_concepts_have_kinds_and_the_graph_names_its_references(self):
        graph = self.extract(self.markdown_of("calder-mill.pdf")).out["graph"]
        kinds = {node["label"]: node["kind"] for node in graph["nodes"]}
        self.assertEqual(kinds, {"Ada Finch": "person", "Alder Weir": "place", "Calder Family": "body",
                                 "Calder Mill": "place", "Heritage Fund": "body",
                                 "Thomas Reed": "person"})
        self.assertEqual(graph["title"], "Calder Mill Repairs")
        self.assertEqual(graph["references"], ["Alder Weir Inspection"])

    def test_the_judge_accepts_what_stands_in_the_text_and_doubts_one_document(self):
        verdicts = {}
        for document in make_corpus.DOCUMENTS:
            if not document.password:
                markdown = self.markdown_of(document.name)
                answer = self.judge(markdown, self.extract(markdown).out)
                verdicts.setdefault(answer["verdict"], []).append(document.name)
                self.assertTrue(answer["criteria"])
        self.assertEqual(verdicts.pop("uncertain"), ["board-minutes.pdf"])
        self.assertEqual(list(verdicts), ["accepted"])

    def test_the_judge_says_what_it_is_not_sure_of(self):
        markdown = self.markdown_of("board-minutes.pdf")
        answer = self.judge(markdown, self.extract(markdown).out)
        self.assertEqual(answer["summary"], '"Varn Water Board" stands in the text only as "VWB"')
        self.assertEqual([each["name"] for each in answer["criteria"] if not each["passed"]],
                         ["Varn Water Board"])

    def test_what_the_judge_rejects_is_left_out_by_the_next_attempt(self):
        markdown = self.markdown_of("calder-mill.pdf")
        output = self.extract(markdown).out
        markdown.write_text(markdown.read_text().replace("Calder Family", "family"))
        answer = self.judge(markdown, output)
        self.assertEqual((answer["verdict"], answer["guidance"]),
                         ("rejected", {"leave_out": ["Calder Family"]}))

        original = self.markdown_of("calder-mill.pdf")
        feedback = {"criteria": answer["criteria"], "guidance": answer["guidance"]}
        labels = [node["label"] for node in self.extract(original, feedback).out["graph"]["nodes"]]
        self.assertNotIn("Calder Family", labels)
        self.assertIn("Calder Mill", labels)


class Embeddings(Stages):
    def embed(self, text: str, max_tokens: int) -> tuple[Answer, list[dict]]:
        source = self.scratch / "text.md"
        source.write_text(text)
        answer = self.run_program("stages/generate_embeddings.py",
                                  {"in": {"markdown": str(source), "max_tokens": max_tokens}})
        return answer, [json.loads(line) for line in answer.file("vectors").read_text().splitlines()]

    def test_no_chunk_is_longer_than_asked_and_no_word_is_lost(self):
        answer, lines = self.embed("# One two\n\n" + "word " * 130 + "\n\nlast words", 50)
        self.assertEqual([line["tokens"] for line in lines], [2, 50, 50, 32])
        self.assertEqual((answer.out["chunks"], answer.out["longest"]), (4, 50))

    def test_vectors_have_length_one_and_are_the_same_every_time(self):
        _, first = self.embed("the river and the lake", 64)
        _, second = self.embed("the river and the lake", 64)
        self.assertEqual(first, second)
        self.assertAlmostEqual(sum(value * value for value in first[0]["vector"]), 1.0, places=4)

    def test_an_empty_document_has_no_chunk(self):
        answer, lines = self.embed("", 64)
        self.assertEqual((answer.out, lines), ({"vectors": "text.vectors.jsonl", "chunks": 0,
                                                "longest": 0}, []))


class Index(Stages):
    def test_the_segment_answers_a_search(self):
        markdown = self.convert("calder-mill.pdf").file("markdown")
        answer = self.run_program("stages/build_fts_index.py",
                                  {"item": {"id": "corpus/calder-mill.pdf"},
                                   "in": {"markdown": str(markdown)}})
        self.assertGreater(answer.out["terms"], 60)
        found = subprocess.run([sys.executable, EXAMPLE / "search.py", answer.file("segment"), "paddles"],
                               capture_output=True, text=True, check=True).stdout
        self.assertIn("corpus/calder-mill.pdf  1. The plan", found)


class CrossReference(Stages):
    GRAPH = {"title": "T", "nodes": [{"label": "Alder Weir"}], "edges": [],
             "references": ["Fish Ladder Count", "Harbour Dues"]}

    def refer(self, feedback: dict | None = None) -> Answer:
        return self.run_program("stages/cross_reference.py",
                                {"item": {"id": "a.pdf"}, "in": {"graph": self.GRAPH},
                                 "feedback": feedback}, "--db", str(self.database))

    def setUp(self):
        super().setUp()
        self.database = self.scratch / "state" / "graph.db"

    def stored(self) -> list[tuple]:
        with contextlib.closing(sqlite3.connect(self.database)) as database:
            return database.execute("SELECT document, title FROM link ORDER BY title").fetchall()

    def test_links_are_stored_once_however_often_it_runs(self):
        self.assertEqual(self.refer().out["count"], 2)
        self.assertEqual(self.refer().out["count"], 2)
        self.assertEqual(self.stored(), [("a.pdf", "Fish Ladder Count"), ("a.pdf", "Harbour Dues")])

    def test_a_reviewer_who_asks_for_changes_is_heard(self):
        self.refer()
        answer = self.refer({"from": "review", "summary": 'Please leave out "Harbour Dues".'})
        self.assertEqual([link["title"] for link in answer.out["links"]], ["Fish Ladder Count"])
        self.assertEqual(self.stored(), [("a.pdf", "Fish Ladder Count")])

    def test_a_database_that_somebody_holds_asks_for_another_try(self):
        self.refer()
        with contextlib.closing(sqlite3.connect(self.database)) as holder:
            holder.execute("BEGIN EXCLUSIVE")
            answer = self.refer()
        self.assertEqual(answer.code, 75)
        self.assertIn("locked", answer.last_word)
        self.assertIsNone(answer.document)


class Report(Stages):
    def line(self, name: str) -> dict:
        markdown = self.convert_until_accepted(name)
        graph = self.extract(markdown.file("markdown")).out["graph"]
        item = {"id": f"corpus/{name}"}
        segment = self.run_program("stages/build_fts_index.py",
                                   {"item": item, "in": {"markdown": str(markdown.file("markdown"))}})
        links = [{"title": title} for title in graph["references"]]
        return item | {"state": "succeeded", "outputs": {
            "pdf_to_markdown": markdown.out, "extract_concepts": {"graph": graph},
            "build_fts_index": {"segment": str(segment.file("segment"))},
            "final_review": {"links": links}}}

    def report(self, lines: list[dict]) -> Answer:
        items = self.scratch / "items.jsonl"
        items.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return self.run_program("stages/corpus_report.py", {"items_file": str(items)})

    def test_it_tells_what_was_published_what_was_not_and_which_links_are_lost(self):
        lines = [self.line("lake-levels.pdf"), self.line("alder-weir.pdf"),
                 {"id": "corpus/sealed-tender.pdf", "state": "failed", "outputs": {}}]
        answer = self.report(lines)
        text = answer.file("report").read_text()
        self.assertIn("2 documents published, 1 not.", text)
        self.assertIn("| Alder Weir | 2 |", text)
        self.assertIn('- corpus/alder-weir.pdf names "Fish Ladder Count"', text)
        self.assertNotIn('names "Alder Weir Inspection"', text)
        self.assertIn("| corpus/sealed-tender.pdf | failed |", text)

        found = subprocess.run([sys.executable, EXAMPLE / "search.py", answer.file("index"), "weir"],
                               capture_output=True, text=True, check=True).stdout
        self.assertIn("corpus/lake-levels.pdf", found)
        self.assertIn("corpus/alder-weir.pdf", found)

    def test_it_works_without_a_single_document(self):
        self.assertIn("0 documents published, 0 not.", self.report([]).file("report").read_text())


if __name__ == "__main__":
    unittest.main()
