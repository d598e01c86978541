"""Whether two sets of durations differ: ranks, which a few answers that took long do not move."""

import bisect
import math

# How often a random duration of one set exceeds one of the other, beyond a half: 0.05 is a shift of a sixth of what the
# durations scatter anyway. What lies below is drowned by any network.
EFFECT = 0.05
# With few samples chance alone goes further: beyond this many standard deviations once in 150,000 comparisons.
DEVIATIONS = 4.5
# What `detects` tries to add, in seconds.
STEPS = [step * scale for scale in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2) for step in (1, 2, 5)]


def superiority(left, right):
    """The share of all pairs in which the left one is the greater, ties counted half (Mann-Whitney's U over n·m)."""
    ordered = sorted(right)
    below = sum(bisect.bisect_left(ordered, value) + bisect.bisect_right(ordered, value) for value in left)
    return below / 2 / (len(left) * len(right))


def bound(left, right):
    """How far from a half two sets of these sizes may be."""
    return max(EFFECT, DEVIATIONS * math.sqrt((len(left) + len(right) + 1) / (12 * len(left) * len(right))))


def differ(left, right):
    return abs(superiority(left, right) - 0.5) > bound(left, right)


def halves(values, dice):
    """Two random halves of one set: nothing distinguishes them."""
    values = list(values)
    dice.shuffle(values)
    return values[::2], values[1::2]


def detects(values, dice):
    """The least addition to one half of the set that is found, in seconds; None: not even the largest is."""
    left, right = halves(values, dice)
    return next((step for step in STEPS if differ([value + step for value in left], right)), None)


def median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2]
