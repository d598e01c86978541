"""The comparison of durations: it must find a difference, and must not make one up."""

import random
import unittest

from distributions import detects, differ, halves, superiority


def durations(dice, count, added=0.0):
    """As a gateway's: a millisecond or so, now and then ten."""
    return [added + 0.0008 + dice.lognormvariate(-8.5, 0.5) + (0.01 if dice.random() < 0.02 else 0) for _ in range(count)]


class Distributions(unittest.TestCase):
    def test_superiority_counts_pairs(self):
        for left, right, share in (([1, 2, 3], [1, 2, 3], 0.5), ([4, 5], [1, 2, 3], 1), ([1, 2], [2, 3], 0.125)):
            self.assertEqual(superiority(left, right), share)

    def test_a_millisecond_is_found_in_few_samples_a_twentieth_in_many_and_nothing_where_nothing_is(self):
        for count, left, right, seeds, found in (
                (300, 0, 0, 100, False), (100, 0.001, 0, 20, True), (100, 0, 0.001, 20, True), (5_000, 0.00005, 0, 20, True)):
            for seed in range(seeds):
                dice = random.Random(seed)
                self.assertEqual(differ(durations(dice, count, left), durations(dice, count, right)), found, (count, seed))

    def test_a_machine_that_grows_slower_makes_no_difference(self):
        dice = random.Random(1)
        values = [value * (1 + number / 500) for number, value in enumerate(durations(dice, 1000))]
        self.assertFalse(differ(*halves(values, dice)))

    def test_it_says_what_it_would_have_found(self):
        dice = random.Random(1)
        found = detects(durations(dice, 1000), dice)
        self.assertTrue(0 < found <= 0.0002, found)
        self.assertIsNone(detects([dice.random() * 1000 for _ in range(50)], dice))


if __name__ == "__main__":
    unittest.main()
