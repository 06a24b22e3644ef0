"""What a list prints with -q is what an act that reads it acts on, and nothing else, whatever the keys."""

import unittest

from hostile_store import CHOSEN, OTHERS, HostileTest

DEAD, OPEN, DONE, FAN = 2, 3, 4, 5


class Lists(HostileTest):
    def chosen(self, job):
        """The ids of the chosen items."""
        ids = self.pawl("item", "list", "--job", job, "--category", "chosen", "-q").out
        self.assertEqual(len(ids.splitlines()), len(CHOSEN), "an id is one line")
        self.assertEqual(ids.count("\n"), len(CHOSEN))
        return ids

    def items(self, job):
        return {one["item"]: one for one in self.pawl("item", "list", "--job", job, "--limit", 0, "--json").json["items"]}

    def letters(self, job):
        """The open dead letters of items, by item and child; a stage of the whole job starts over with its items."""
        letters = self.pawl("dlq", "list", "--job", job, "--limit", 10000, "--json").json["items"]
        return {(one["item"], one["stage"], one["child"]): one for one in letters if one["item"] is not None}


class Items(Lists):
    def test_an_id_means_the_item_it_was_printed_for(self):
        for job in (DEAD, OPEN, DONE):
            for id, key in zip(self.chosen(job).splitlines(), CHOSEN):
                shown = self.pawl("item", "show", "--json", "--", id).json
                self.assertEqual((shown["job"], shown["item"], shown["id"]), (job, key, id))

    def test_plain_keys_are_printed_as_they_are(self):
        ids = dict(zip(CHOSEN, self.chosen(OPEN).splitlines()))
        for key in ["über", "日本", "it's", "100%", "#1", "a/b.md", "2024/01/report.pdf", "${HOME}", "…"]:
            self.assertEqual(ids[key], f"{OPEN}/{key}")

    def test_what_a_table_shows_can_be_pasted(self):
        rows = self.pawl("item", "list", "--job", OPEN, "--category", "chosen").out.splitlines()[1:]
        self.assertEqual(len(rows), len(CHOSEN))
        for row, key in zip(rows, CHOSEN):
            shown = row.split("  active  ")[0].rstrip()
            self.assertEqual(self.pawl("item", "show", "--job", OPEN, "--json", "--", shown).json["item"], key)

    def test_a_page_ends_with_the_key_that_the_next_begins_after(self):
        seen, after = [], []
        while True:
            page = self.pawl("item", "list", "--job", OPEN, "--limit", 1, "--json", *after).json
            seen += [one["item"] for one in page["items"]]
            if page["next"] is None:
                break
            after = ["--after=" + page["next"]]
        self.assertEqual(seen, CHOSEN + OTHERS)

    def test_a_cancel_reaches_the_listed_items_alone(self):
        done = self.pawl("item", "cancel", "-", "--yes", "-q", stdin=self.chosen(OPEN))
        self.assertEqual(done.out, self.chosen(OPEN), "what was done is printed as it was listed")
        states = {key: one["state"] for key, one in self.items(OPEN).items()}
        self.assertEqual({key for key, state in states.items() if state == "cancelled"}, set(CHOSEN))
        for job in (DEAD, DONE):
            self.assertNotIn("cancelled", {one["state"] for one in self.items(job).values()})

    def test_a_retry_reaches_the_listed_items_alone(self):
        done = self.pawl("item", "retry", "-", "-q", stdin=self.chosen(DEAD))
        self.assertEqual(done.out, self.chosen(DEAD))
        again = {key for key, one in self.items(DEAD).items() if one["tasks"][0]["state"] == "ready"}
        self.assertEqual(again, set(CHOSEN))

    def test_results_are_listed_by_ids_too(self):
        ids = self.pawl("results", DONE, "-q").out.splitlines()
        self.assertEqual(len(ids), len(CHOSEN + OTHERS) + 1)
        self.assertEqual(ids[-1], f"{DONE}/total", "not a bare number, which would be read as a key")
        self.pawl("item", "retry", "-", "--from", "s", stdin="\n".join(ids[:len(CHOSEN)]) + "\n")
        again = {key for key, one in self.items(DONE).items() if one["state"] == "active"}
        self.assertEqual(again, set(CHOSEN))

    def test_a_raw_newline_on_the_command_line_comes_back_as_one_id(self):
        done = self.pawl("item", "cancel", f"{OPEN}/victim\n2/bystander", "--yes", "-q")
        self.assertEqual(done.out, f"{OPEN}/victim\\n2/bystander\n")

    def test_an_escape_that_is_none_is_refused_and_never_guessed(self):
        wrong = self.pawl("item", "cancel", "back\\slash", "--yes", code=2)
        self.assertIn("does not begin an escape", wrong.err)
        self.assertIn("\\\\", wrong.err)
        self.assertNotIn("cancelled", {one["state"] for one in self.items(OPEN).values()})

    def test_events_and_why_take_ids(self):
        for id, key in zip(self.chosen(OPEN).splitlines(), CHOSEN):
            events = self.pawl("events", "--item=" + id, "--jsonl").lines
            self.assertEqual({one["item"] for one in events}, {key})
            self.pawl("why", "--json", "--", id)
            self.pawl("item", "attempts", "--json", "--", id)


class DeadLetters(Lists):
    def ids(self, job):
        ids = self.pawl("dlq", "list", "--job", job, "--limit", 10000, "-q").out.splitlines()
        return [id for id in ids if id != f"{job}/total"]

    def test_a_limit_of_zero_lists_every_letter(self):
        every = self.pawl("dlq", "list", "--job", DEAD, "--limit", 10000, "-q").out
        self.assertGreater(every.count("\n"), 1)
        self.assertEqual(self.pawl("dlq", "list", "--job", DEAD, "--limit", 0, "-q").out, every)

    def test_an_id_means_the_letter_it_was_printed_for(self):
        for job in (DEAD, FAN):
            for id, (item, stage, child) in zip(self.ids(job), self.letters(job)):
                [shown] = self.pawl("dlq", "show", "--json", "--", id).json["items"]
                self.assertEqual((shown["item"], shown["stage"], shown["child"], shown["id"]),
                                 (item, stage, child, id))

    def test_every_act_reaches_the_listed_letters_alone(self):
        for job in (DEAD, FAN):
            before = self.letters(job)
            ids = self.ids(job)
            some = {name: id for id, name in zip(ids, before) if (name[2] or name[0]) in CHOSEN}
            self.assertEqual(len(some), len(CHOSEN))
            for act in (["retry"], ["discard", "--reason", "known"]):
                self.renew()
                done = self.pawl("dlq", *act, "-", "-q", stdin="\n".join(some.values()) + "\n")
                self.assertEqual(done.out.splitlines(), list(some.values()))
                gone = set(before) - set(self.letters(job))
                gone.discard(("parent", "s", None))  # it waits for its children again
                self.assertEqual(gone, set(some))

    def test_a_purge_reaches_the_listed_letters_alone(self):
        self.pawl("dlq", "discard", "--job", DEAD, "--all", "--reason", "known", "--yes")
        listed = self.pawl("dlq", "list", "--job", DEAD, "--discarded", "--limit", 10000, "--json").json["items"]
        ids = [one["id"] for one in listed if one["item"] in CHOSEN]
        self.pawl("dlq", "purge", "-", "--yes", stdin="\n".join(ids) + "\n")
        self.assertEqual(set(self.items(DEAD)), set(OTHERS))

    def test_item_acts_take_the_ids_of_letters(self):
        chosen = [id for id, name in zip(self.ids(DEAD), self.letters(DEAD)) if name[0] in CHOSEN]
        self.pawl("item", "retry", "-", stdin="\n".join(chosen) + "\n")
        again = {key for key, one in self.items(DEAD).items() if one["tasks"][0]["state"] == "ready"}
        self.assertEqual(again, set(CHOSEN))


class Numbers(Lists):
    def test_reviews_and_jobs_are_listed_and_read_by_number(self):
        reviews = self.pawl("review", "list", "--job", OPEN, "--limit", 10000, "-q").out
        for act in (["claim"], ["release"], ["approve"]):
            done = self.pawl("review", *act, "-", "-q", "--as", "ann", stdin=reviews)
            self.assertEqual(done.out, reviews)
        for act in ("pause", "resume", "cancel"):
            jobs = self.pawl("job", "list", "--state", "paused" if act == "resume" else "running", "-q").out
            self.assertTrue(jobs)
            self.assertEqual(self.pawl("job", act, "-", "-q", "--yes", stdin=jobs).out, jobs)


if __name__ == "__main__":
    unittest.main()
