"""The comparison of durations: it must find a difference, and must not make one up."""

import random
import unittest

from distributions import detects, differ, halves, superiority


def durations(dice, count, added=0.0):
    """As a gateway's: a millisecond or so, now and then ten."""
    return [added + 0.0008 + dice.lognormvariate(-8.5, 0.5) + (0.01 if dice.random() < 0.02 else 0) for _ in range(count)]


class Distributions(unittest.TestCase):
    def test_superiority_counts_pairs(self):
        self.assertEqual(superiority([1, 2, 3], [1, 2, 3]), 0.5)
        self.assertEqual(superiority([4, 5], [1, 2, 3]), 1)
        self.assertEqual(superiority([1, 2], [2, 3]), 0.125)

    def test_nothing_is_found_where_nothing_is(self):
        for seed in range(100):
            dice = random.Random(seed)
            self.assertFalse(differ(durations(dice, 300), durations(dice, 300)), seed)

    def test_a_millisecond_is_found_in_few_samples_and_a_twentieth_of_it_in_many(self):
        for seed in range(20):
            dice = random.Random(seed)
            self.assertTrue(differ(durations(dice, 100, added=0.001), durations(dice, 100)), seed)
            self.assertTrue(differ(durations(dice, 100), durations(dice, 100, added=0.001)), seed)
            self.assertTrue(differ(durations(dice, 5000, added=0.00005), durations(dice, 5000)), seed)

    def test_a_machine_that_grows_slower_makes_no_difference(self):
        dice = random.Random(1)
        values = [value * (1 + number / 500) for number, value in enumerate(durations(dice, 1000))]
        left, right = halves(values, dice)
        self.assertFalse(differ(left, right))

    def test_it_says_what_it_would_have_found(self):
        dice = random.Random(1)
        found = detects(durations(dice, 1000), dice)
        self.assertTrue(0 < found <= 0.0002, found)
        self.assertIsNone(detects([dice.random() * 1000 for _ in range(50)], dice))


if __name__ == "__main__":
    unittest.main()
