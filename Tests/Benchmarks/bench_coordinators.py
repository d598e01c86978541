"""Part of `deploy/bench scale`: what a push costs when one la-coordinator has all phones, and when two share them."""

import statistics
import time

from fanout_fixture import SHARDS, FanOut
from harness import processor_seconds, say

# Versions in a turn, each to all phones.
VERSIONS = 8


def turn(fanout, coordinators):
    """Processor time of these for a push, in microseconds, and pushes a second while they push."""
    fanout.wait_until_quiet()
    before = sum(processor_seconds(each.pid) for each in coordinators)
    pushes, begun, busy = fanout.simulator.newest(), time.monotonic(), 0.0
    for _ in range(VERSIONS):
        busy += fanout.wait_until_newest(fanout.commit(), within=120)
    elapsed = time.monotonic() - begun
    seconds = sum(processor_seconds(each.pid) for each in coordinators) - before
    count = fanout.simulator.newest() - pushes
    return {"us": seconds / count * 1e6, "cores": seconds / elapsed, "pushesPerSecond": count / busy}


def measure(binaries, phones, rounds):
    """One and two coordinators in turns; the ratio of what a push costs is the median of the rounds' own."""
    turns = {1: [], 2: []}
    with FanOut(binaries, phones) as fanout:
        first = fanout.warm_up()
        for round_ in range(rounds):
            for count in (1, 2) if round_ % 2 == 0 else (2, 1):
                second = None
                if count == 2:
                    second = fanout.start()
                    second.wait_until("they share the shards", lambda: second.holds() == SHARDS // 2, within=60)
                found = turn(fanout, [first, second] if second else [first])
                if second:
                    second.stop()
                    fanout.coordinators.remove(second)
                    first.wait_for_shards()
                say(f"  {count}: {found['us']:.2f} µs a push, {found['pushesPerSecond']:.0f} a second")
                turns[count].append(found)
        told_twice = sum(fanout.told_twice())
    ratio = statistics.median(two["us"] / one["us"] for one, two in zip(turns[1], turns[2]))
    return {
        "coordinatorRatio": round(ratio, 3),
        **{f"{key}{count}": round(statistics.median(each[key] for each in turns[count]), 2)
           for count in turns for key in ("us", "cores", "pushesPerSecond")},
        "toldTwice": told_twice,
    }
