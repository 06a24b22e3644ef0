"""Each disagreement between record and traces is found."""

import unittest

from agreement import Ended, Trace, disagreements

ITEMS, STAGES = ["a", "b"], ["one"]
ENDED = [Ended("a", "one", 1, "interrupted"), Ended("a", "one", 2, "success"), Ended("b", "one", 1, "success")]
TRACES = [Trace("a", "one", 1, "t1"), Trace("a", "one", 2, "t2"), Trace("b", "one", 1, "t3")]


class Agreement(unittest.TestCase):
    def assert_wrong(self, pattern, ended=ENDED, traces=TRACES, items=ITEMS):
        wrong = disagreements(items, STAGES, ended, traces)
        self.assertTrue(wrong, pattern)
        self.assertRegex("\n".join(wrong), pattern)

    def test_a_sound_record_agrees_whether_or_not_the_interrupted_attempt_ran(self):
        self.assertEqual(disagreements(ITEMS, STAGES, ENDED, TRACES), [])
        self.assertEqual(disagreements(ITEMS, STAGES, ENDED, TRACES[1:]), [])

    def test_a_lost_item_is_found(self):
        self.assert_wrong("'c'.*results are \\[\\]", items=[*ITEMS, "c"])

    def test_an_item_out_of_nowhere_is_found(self):
        self.assert_wrong("'b'.*nobody submitted it", items=["a"])

    def test_a_gap_in_the_numbers_is_found(self):
        self.assert_wrong("numbered \\[2\\]", ended=ENDED[1:], traces=TRACES[1:])

    def test_a_number_given_twice_is_found(self):
        self.assert_wrong("numbered \\[1, 2, 2\\]", ended=[*ENDED, ENDED[1]])

    def test_a_result_that_counts_twice_is_found(self):
        self.assert_wrong("results are \\['success', 'success'\\]",
                          ended=[Ended("a", "one", 1, "success"), *ENDED[1:]])

    def test_a_task_without_success_is_found(self):
        self.assert_wrong("results are \\['interrupted'\\]", ended=[ENDED[0], ENDED[2]], traces=TRACES[::2])

    def test_an_attempt_that_ran_twice_is_found(self):
        self.assert_wrong("ran 2 times", traces=[*TRACES, Trace("a", "one", 1, "t4")])

    def test_a_token_that_ran_twice_is_found(self):
        self.assert_wrong("token t3", traces=[TRACES[0], Trace("a", "one", 2, "t3"), TRACES[2]])

    def test_an_unrecorded_execution_is_found(self):
        self.assert_wrong("not recorded", traces=[*TRACES, Trace("b", "one", 2, "t4")])

    def test_a_success_that_never_ran_is_found(self):
        self.assert_wrong("never ran", traces=TRACES[:2])


if __name__ == "__main__":
    unittest.main()
