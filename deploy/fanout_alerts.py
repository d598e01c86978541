"""Goals of the fan-out's lab about coordinators that die, hand over and freeze in the middle of an alert."""

import collections
import time

from fanout_ground import CLAIMED, SHARDS, THREADS, WINDOW, Failed, Ground, say

# As short as it can be set: a dead coordinator's shards are free after a second.
LEASE = "1s"
# Of a takeover and of what is left of the alert, on a busy machine.
CONVERGENCE_MAX = 90.0


class Verdict:
    """What a goal found: what must not be, in words, and figures."""

    def __init__(self, goal):
        self.goal = goal
        self.figures = {}
        self.problems = []

    def require(self, holds, problem):
        if not holds:
            self.problems.append(problem)
            say(f"  {self.goal}: {problem}")

    def line(self):
        line = {"goal": self.goal, "met": not self.problems, **self.figures}
        if self.problems:
            line["problems"] = self.problems[:20]
        return line


def bound(ground, disturbances=1, connections=None):
    """Phones that may miss an alert because of a kill: what one loop has claimed at once, for each loop, and what was under
    way on its connections, which is the window that APNs gives each of them over the size of a push."""
    claimed = max(CLAIMED, ground.largest_shard())
    under_way = (ground.simulator.connections() if connections is None else connections) * (WINDOW // 600)
    return disturbances * (THREADS * claimed + under_way)


class Round:
    """One alert and what befell its senders."""

    def __init__(self, ground, title):
        self.ground = ground
        self.begun = time.monotonic()
        self.version = ground.commit(title)
        self.allowed = 0

    def reach(self, share):
        """Waits until that share of the phones was told."""
        wanted = max(1, int(share * self.ground.phones))
        told = self.ground.wait_until_told(self.version.title, wanted)
        if told < wanted:
            raise Failed(f"{self.version.title} was told to {told} phones of {wanted} within a minute")
        return told

    def disturb(self):
        """What is about to happen may cost so many phones their alert."""
        self.allowed += bound(self.ground)


def check_round(verdict, ground, round_, newest, told_by):
    """All at the newest version; `told_by`, the version with the last alert, told to all but those who were allowed to miss
    it. Returns the number of those that missed it."""
    try:
        ground.wait_until_newest(newest, CONVERGENCE_MAX)
    except Failed as failure:
        verdict.require(False, f"{round_.version.title}: {failure}")
    # An alert that comes after the state would show now.
    ground.wait_until_quiet(0.6)
    missed = ground.phones - ground.told(told_by.title)
    verdict.require(
        missed <= round_.allowed, f"{told_by.title}: {missed} phones missed it, of {round_.allowed} at most")
    return missed


def finish(verdict, ground, missed, seconds, since, newest):
    devices, pushes = ground.told_twice()
    verdict.require(devices == 0, f"{devices} phones were alerted twice")
    verdict.require(pushes == 0, f"{pushes} pushes carried an alert to a phone that had been sent it")
    other = ground.check_states(since, newest)
    verdict.require(other == 0, f"{other} phones do not show the committed state")
    verdict.figures |= {
        "phones": ground.phones, "alerts": len(missed), "alertedTwice": devices, "pushedTwice": pushes,
        "claimedAtOnce": THREADS * max(CLAIMED, ground.largest_shard()), "missedMost": max(missed, default=0),
        "missedMean": round(sum(missed) / max(1, len(missed)), 1),
        "slowestSeconds": round(max(seconds, default=0), 1),
    }


def last_version(verdict, ground):
    """One more, after everything: what it finds in the log is the newest state of every phone."""
    since = ground.simulator.newest()
    version = ground.commit()
    try:
        ground.wait_until_newest(version, CONVERGENCE_MAX)
    except Failed as failure:
        verdict.require(False, str(failure))
    return since, version


def settings(options):
    return {"LEASE_DURATION": LEASE, "ALERT_FRESHNESS": "30s"}


def kills(options, dice):
    """SIGKILL at a random share of an alert; another process takes over: one of the same name, which has its leases at once,
    one of another name, which waits for them, or one that has been waiting."""
    verdict = Verdict("kills")
    missed, seconds, ways, allowed = [], [], collections.Counter(), 0
    with Ground(options.binaries, options.phones, settings(options)) as ground:
        active = ground.warm_up()
        for number in range(1, options.kills + 1):
            way = dice.choice(["same name", "other name", "waiting"])
            standby = None
            if way == "waiting":
                standby = ground.start()
                standby.wait_until_up()
            # Some die again while the takeover is under way.
            again = dice.random() < 0.2
            share = dice.uniform(0.01, 0.97)
            say(f"  kill {number} of {options.kills}: at {share:.0%}, {way}{', twice' if again else ''}")
            round_ = Round(ground, f"kills {number}")
            told = round_.reach(share)
            active = kill(ground, round_, active, way, standby)
            ways[way] += 1
            if again:
                # In the middle of what is left, or of reading who is there.
                wait = dice.uniform(0, 2.5)
                ground.wait_until_told(round_.version.title, told + max(1, (ground.phones - told) // 3), within=wait)
                active = kill(ground, round_, active, dice.choice(["same name", "other name"]), None)
            missed.append(check_round(verdict, ground, round_, round_.version, round_.version))
            seconds.append(time.monotonic() - round_.begun)
            allowed = max(allowed, round_.allowed)
            say(f"    {missed[-1]} missed it of {round_.allowed} at most; all at the newest state after {seconds[-1]:.1f} s")
        finish(verdict, ground, missed, seconds, *last_version(verdict, ground))
    verdict.figures |= {"kills": sum(ways.values()), "missedAllowed": allowed, "takeovers": dict(sorted(ways.items()))}
    return verdict


def kill(ground, round_, active, way, standby):
    round_.disturb()
    active.kill()
    if standby:
        return standby
    return ground.start(active.instance if way == "same name" else None)


def newer(options, dice):
    """The next version is committed while an alert is half sent, with an alert of its own or without, with a kill or
    without one, before it or after."""
    verdict = Verdict("newer")
    missed, seconds, kinds = [], [], collections.Counter()
    with Ground(options.binaries, options.phones, settings(options)) as ground:
        active = ground.warm_up()
        for number in range(1, options.rounds + 1):
            kind = ["plain", "alert", "plain", "alert"][number % 4]
            dies = ["never", "before", "after", "never"][number // 2 % 4]
            share = dice.uniform(0.05, 0.9)
            say(f"  newer {number} of {options.rounds}: at {share:.0%}, {kind}, kill: {dies}")
            round_ = Round(ground, f"newer {number}")
            told = round_.reach(share)
            if dies == "before":
                active = kill(ground, round_, active, "other name", None)
            newest = ground.commit(f"newer {number} again" if kind == "alert" else None)
            if dies == "after":
                # Half way through what the newer one brings.
                title = newest.title or round_.version.title
                ground.wait_until_told(title, told + (ground.phones - told) // 3 if title != newest.title else
                                       ground.phones // 3, within=3)
                active = kill(ground, round_, active, "same name", None)
            kinds[f"{kind}, kill {dies}"] += 1
            # Who is told the newer alert is not told the older one any more; without a newer one the older one rides on.
            missed.append(check_round(verdict, ground, round_, newest, newest if newest.title else round_.version))
            seconds.append(time.monotonic() - round_.begun)
            say(f"    {missed[-1]} missed it of {round_.allowed} at most; all at the newest state after {seconds[-1]:.1f} s")
        finish(verdict, ground, missed, seconds, *last_version(verdict, ground))
    verdict.figures["kinds"] = dict(sorted(kinds.items()))
    return verdict


def share_out(ground, names, dice):
    """Leaves leases behind, so that each of these names takes its own when its process starts: without them the first one
    takes all."""
    cut = dice.randint(SHARDS // 4, 3 * SHARDS // 4)
    ground.sql(f"""
        INSERT INTO leases (name, holder, epoch, expires_at)
        SELECT 'shard:' || n, CASE WHEN n < {cut} THEN '{names[0]}/x' ELSE '{names[1]}/x' END, 1,
            clock_timestamp() + interval '1 hour'
        FROM generate_series(0, {SHARDS - 1}) AS n
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, epoch = leases.epoch + 1,
            expires_at = excluded.expires_at""")
    return cut, SHARDS - cut


def handover(options, dice):
    """Two coordinators share the shards; one is asked to stop in mid-alert, while a third one joins, and the others take its
    shards."""
    verdict = Verdict("handover")
    missed, seconds, statuses = [], [], []
    with Ground(options.binaries, options.phones, settings(options)) as ground:
        for number in range(1, options.rounds + 1):
            names = [f"a{number}", f"b{number}"]
            ground.stop_coordinators()
            counts = share_out(ground, names, dice)
            pair = [ground.start(name) for name in names]
            for coordinator, count in zip(pair, counts):
                coordinator.wait_for_shards(count)
            ground.wait_until_newest(ground.commit(), within=120)
            ground.wait_until_quiet(0.3)
            share = dice.uniform(0.05, 0.85)
            joins = dice.choice(["before", "with", "never"])
            say(f"  handover {number} of {options.rounds}: {counts[0]} shards at {share:.0%}, a third one: {joins}")
            if joins == "before":
                ground.start().wait_until_up()
            round_ = Round(ground, f"handover {number}")
            round_.reach(share)
            # Nothing is allowed to be lost: who is asked to stop tells what it has claimed.
            if joins == "with":
                ground.start()
            statuses.append(pair[0].stop())
            missed.append(check_round(verdict, ground, round_, round_.version, round_.version))
            seconds.append(time.monotonic() - round_.begun)
            say(f"    {missed[-1]} missed it of {round_.allowed} at most; all at the newest state after {seconds[-1]:.1f} s")
        finish(verdict, ground, missed, seconds, *last_version(verdict, ground))
    verdict.require(set(statuses) <= {0}, f"coordinators ended with {statuses}")
    return verdict


def freeze(options, dice):
    """SIGSTOP in mid-alert, for longer than the lease and the alert's freshness. Another coordinator takes over; a version
    is committed meanwhile. When the first one wakes, nothing of the alert leaves any more."""
    verdict = Verdict("freeze")
    missed, seconds, late, stale = [], [], 0, 0
    fresh = min(30, max(1, options.freeze_seconds - 2))
    with Ground(
        options.binaries, options.phones, settings(options) | {"ALERT_FRESHNESS": f"{fresh}s"}
    ) as ground:
        active = ground.warm_up()
        for number in range(1, options.freezes + 1):
            standby = ground.start()
            standby.wait_until_up()
            share = dice.uniform(0.05, 0.8)
            say(f"  freeze {number} of {options.freezes}: at {share:.0%}")
            since = ground.simulator.newest()
            round_ = Round(ground, f"freeze {number}")
            round_.reach(share)
            round_.disturb()
            active.freeze()
            frozen_at = time.monotonic()
            standby.wait_for_shards()
            try:
                ground.wait_until_newest(round_.version, options.freeze_seconds)
                newest = ground.commit()
                ground.wait_until_newest(newest, options.freeze_seconds)
            except Failed as failure:
                verdict.require(False, f"{round_.version.title}, while frozen: {failure}")
            seconds.append(time.monotonic() - frozen_at)
            time.sleep(max(0, options.freeze_seconds - (time.monotonic() - frozen_at)))
            woken_ms = time.time_ns() // 1_000_000
            active.thaw()
            # It reads, finds its shards gone, and lets go of its connections' last bytes.
            time.sleep(2)
            missed.append(check_round(verdict, ground, round_, newest, round_.version))
            for push in ground.simulator.log(since):
                if push.at_ms < woken_ms:
                    continue
                late += push.alert is not None
                # The repetition of a newest state is none of these.
                stale += push.version < newest.number
            verdict.require(active.is_running, "the frozen coordinator ended")
            say(f"    {missed[-1]} missed it of {round_.allowed} at most; since it woke {late} alerts, {stale} old states")
            active.stop()
            active = standby
        finish(verdict, ground, missed, seconds, *last_version(verdict, ground))
    verdict.require(late == 0, f"{late} alerts left after the freeze")
    verdict.figures |= {"freezes": options.freezes, "frozenSeconds": options.freeze_seconds, "lateAlerts": late,
                        "oldStatesAfterwards": stale}
    return verdict
