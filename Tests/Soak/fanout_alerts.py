"""Goals of `deploy/soak fanout` about coordinators that die, hand over and freeze in the middle of an alert."""

import collections
import time

from fanout_fixture import CLAIMED, SHARDS, THREADS, WINDOW, Failed, FanOut, tokens
from harness import now_ms, say

# As short as it can be set: a dead coordinator's shards are free after a second.
LEASE = "1s"
# Of a takeover and of what is left of the alert, on a busy machine.
CONVERGENCE_MAX = 90.0
# An alert lasts so long at least, so that what befalls its sender befalls it in the middle.
ALERT_SECONDS = 4.0
# A coordinator that is asked to stop has three seconds to tell what it has claimed (`LACoordinator.Timing.drainMax`). APNs takes
# that much in a fraction of a second; our slow one gets the time that a busy machine may add.
CLAIMED_SECONDS = 1.0
# How many rounds in three must do so: a busy machine may be late with a signal now and then.
MID_OF_THREE = 2
# That a loop has at least (`APNsConnectionPool.wanted`), and the bytes of our payload.
CONNECTIONS_MIN = 2
PAYLOAD = 650
# The smallest window that apns-simulator takes.
WINDOW_MIN = 8_192


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


def bound(fanout, coordinator):
    """Phones that may miss an alert because of a kill: what one loop has claimed at once, for each loop, and what was under
    way on its connections, which is the window that APNs gives each of them over the size of a push."""
    claimed = max(CLAIMED, fanout.largest_shard)
    under_way = fanout.simulator.connections(coordinator) * (WINDOW // 600)
    return THREADS * claimed + under_way


class Round:
    """One alert and what befell its senders."""

    def __init__(self, fanout, title, audience=None):
        """`audience` are the tokens of those whose sender it befalls; without it, all."""
        self.fanout = fanout
        self.audience = audience or set(tokens(fanout.phones))
        self.since = fanout.simulator.newest()
        self.begun = time.monotonic()
        self.version = fanout.commit(title)
        self.allowed = 0
        self.strikes = []

    def reach(self, share):
        """Waits until that share of the phones was told."""
        wanted = max(1, int(share * self.fanout.phones))
        told = self.fanout.wait_until_told(self.version.title, wanted)
        if told < wanted:
            raise Failed(f"{self.version.title} was told to {told} phones of {wanted} within a minute")
        return told

    def disturb(self, coordinator):
        """What is about to happen to it may cost so many phones their alert."""
        self.allowed += bound(self.fanout, coordinator)

    def strikes_now(self, title=None, at_ms=None):
        """The signal leaves, or left, at this moment, while the alert of that title (without it, the round's) is told."""
        self.strikes.append((title or self.version.title, now_ms() if at_ms is None else at_ms))

    def told_at_strikes(self):
        """By the simulator's log: the share of the audience that was told at each strike, oldest first."""
        told = [set() for _ in self.strikes]
        for push in self.fanout.simulator.log(self.since):
            if push.at_ms >= self.strikes[-1][1]:
                break
            if push.verdict != "handled" or push.token not in self.audience:
                continue
            for (title, at_ms), found in zip(self.strikes, told):
                if push.alert == title and push.at_ms < at_ms:
                    found.add(push.token)
        return [len(found) / len(self.audience) for found in told]


class Strikes:
    """How far each alert was when its sender was struck."""

    def __init__(self):
        self.shares = []

    def note(self, round_, judged=None):
        """A round in the middle of the alert is one whose strikes (of a kill that follows another one, only the first: who
        missed the alert by it is never told) all came before everybody was told."""
        self.shares.append(round_.told_at_strikes()[:judged])
        return ", ".join(f"{share:.0%}" for share in self.shares[-1])

    def finish(self, verdict):
        middle = sum(all(share < 1 for share in shares) for shares in self.shares)
        verdict.require(
            3 * middle >= MID_OF_THREE * len(self.shares),
            f"only {middle} of {len(self.shares)} alerts were under way when their sender was struck")
        verdict.figures |= {
            "midAlert": middle, "toldAtSignal": [round(share, 3) for shares in self.shares for share in shares]}


def check_round(verdict, fanout, round_, newest, told_by):
    """All at the newest version; `told_by`, the version with the last alert, told to all but those who were allowed to miss
    it. Returns the number of those that missed it."""
    try:
        fanout.wait_until_newest(newest, CONVERGENCE_MAX)
    except Failed as failure:
        verdict.require(False, f"{round_.version.title}: {failure}")
    # An alert that comes after the state would show now.
    fanout.wait_until_quiet(0.6)
    missed = fanout.phones - fanout.told(told_by.title)
    verdict.require(
        missed <= round_.allowed, f"{told_by.title}: {missed} phones missed it, of {round_.allowed} at most")
    return missed


def finish(verdict, fanout, missed, seconds, since, newest):
    devices, pushes = fanout.told_twice()
    verdict.require(devices == 0, f"{devices} phones were alerted twice")
    verdict.require(pushes == 0, f"{pushes} pushes carried an alert to a phone that had been sent it")
    other = fanout.check_states(since, newest)
    verdict.require(other == 0, f"{other} phones do not show the committed state")
    verdict.figures |= {
        "phones": fanout.phones, "alerts": len(missed), "alertedTwice": devices, "pushedTwice": pushes,
        "claimedAtOnce": THREADS * max(CLAIMED, fanout.largest_shard), "missedMost": max(missed, default=0),
        "missedMean": round(sum(missed) / max(1, len(missed)), 1),
        "slowestSeconds": round(max(seconds, default=0), 1),
    }


def last_version(verdict, fanout):
    """One more, after everything: what it finds in the log is the newest state of every phone."""
    since = fanout.simulator.newest()
    version = fanout.commit()
    try:
        fanout.wait_until_newest(version, CONVERGENCE_MAX)
    except Failed as failure:
        verdict.require(False, str(failure))
    return since, version


def settings(options):
    return {"LEASE_DURATION": LEASE, "ALERT_FRESHNESS": "30s"}


def pace(options, seconds=ALERT_SECONDS, coordinators=1):
    """The simulator's settings with which an alert lasts so long at least. Answers come late, and a connection's window is
    given back with them, so that it carries one in each delay: where the phones are few, the windows are small, and where
    they cannot be small enough, the answers come later than asked for."""
    each = options.phones / seconds / (coordinators * THREADS * CONNECTIONS_MIN)
    delay_ms = max(options.answer_delay, int(WINDOW_MIN / PAYLOAD / each * 1_000))
    window = int(each * delay_ms / 1_000 * PAYLOAD)
    return {
        "APNS_SIMULATOR_ANSWER_DELAY": f"{delay_ms}ms",
        "APNS_SIMULATOR_CONNECTION_WINDOW": str(min(max(window, WINDOW_MIN), WINDOW)),
    }


def kills(options, dice):
    """SIGKILL at a random share of an alert; another process takes over: one of the same name, which has its leases at once,
    one of another name, which waits for them, or one that has been waiting."""
    verdict = Verdict("kills")
    missed, seconds, ways, allowed, strikes = [], [], collections.Counter(), 0, Strikes()
    with FanOut(options.binaries, options.phones, settings(options), pace(options)) as fanout:
        active = fanout.warm_up()
        for number in range(1, options.kills + 1):
            way = dice.choice(["same name", "other name", "waiting"])
            standby = None
            if way == "waiting":
                standby = fanout.start()
                standby.wait_until_up()
            # Some die again while the takeover is under way.
            again = dice.random() < 0.2
            share = dice.uniform(0.01, 0.97)
            say(f"  kill {number} of {options.kills}: at {share:.0%}, {way}{', twice' if again else ''}")
            round_ = Round(fanout, f"kills {number}")
            told = round_.reach(share)
            active = kill(fanout, round_, active, way, standby)
            ways[way] += 1
            if again:
                # In the middle of what is left, or of reading who is there.
                wait = dice.uniform(0, 2.5)
                fanout.wait_until_told(round_.version.title, told + max(1, (fanout.phones - told) // 3), within=wait)
                active = kill(fanout, round_, active, dice.choice(["same name", "other name"]), None)
            missed.append(check_round(verdict, fanout, round_, round_.version, round_.version))
            seconds.append(time.monotonic() - round_.begun)
            allowed = max(allowed, round_.allowed)
            told = strikes.note(round_, judged=1)
            say(f"    told at the signal: {told}; {missed[-1]} missed it of {round_.allowed} at most; all at the newest state"
                f" after {seconds[-1]:.1f} s")
        finish(verdict, fanout, missed, seconds, *last_version(verdict, fanout))
    strikes.finish(verdict)
    verdict.figures |= {"kills": sum(ways.values()), "missedAllowed": allowed, "takeovers": dict(sorted(ways.items()))}
    return verdict


def kill(fanout, round_, active, way, standby, title=None):
    round_.disturb(active)
    round_.strikes_now(title)
    active.kill()
    if standby:
        return standby
    return fanout.start(active.name if way == "same name" else None)


def newer(options, dice):
    """The next version is committed while an alert is half sent, with an alert of its own or without, with a kill or
    without one, before it or after."""
    verdict = Verdict("newer")
    missed, seconds, kinds, strikes = [], [], collections.Counter(), Strikes()
    with FanOut(options.binaries, options.phones, settings(options), pace(options)) as fanout:
        active = fanout.warm_up()
        for number in range(1, options.rounds + 1):
            kind = ["plain", "alert", "plain", "alert"][number % 4]
            dies = ["never", "before", "after", "never"][number // 2 % 4]
            share = dice.uniform(0.05, 0.9)
            say(f"  newer {number} of {options.rounds}: at {share:.0%}, {kind}, kill: {dies}")
            round_ = Round(fanout, f"newer {number}")
            told = round_.reach(share)
            if dies == "before":
                active = kill(fanout, round_, active, "other name", None)
            newest = fanout.commit(f"newer {number} again" if kind == "alert" else None)
            round_.strikes_now(at_ms=newest.at_ms)
            if dies == "after":
                # Half way through what the newer one brings.
                title = newest.title or round_.version.title
                fanout.wait_until_told(title, told + (fanout.phones - told) // 3 if title != newest.title else
                                       fanout.phones // 3, within=3)
                active = kill(fanout, round_, active, "same name", None, title)
            kinds[f"{kind}, kill {dies}"] += 1
            # Who is told the newer alert is not told the older one any more; without a newer one the older one rides on.
            missed.append(check_round(verdict, fanout, round_, newest, newest if newest.title else round_.version))
            seconds.append(time.monotonic() - round_.begun)
            say(f"    told at the strikes: {strikes.note(round_)}; {missed[-1]} missed it of {round_.allowed} at most; all at"
                f" the newest state after {seconds[-1]:.1f} s")
        finish(verdict, fanout, missed, seconds, *last_version(verdict, fanout))
    strikes.finish(verdict)
    verdict.figures["kinds"] = dict(sorted(kinds.items()))
    return verdict


def share_out(fanout, names, dice):
    """Leaves leases behind, so that each of these names takes its own when its process starts: without them the first one
    takes all."""
    cut = dice.randint(SHARDS // 4, 3 * SHARDS // 4)
    fanout.sql(f"""
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
    missed, seconds, statuses, strikes = [], [], [], Strikes()
    lasts = min(ALERT_SECONDS, CLAIMED_SECONDS * options.phones / (2 * THREADS * CLAIMED))
    with FanOut(options.binaries, options.phones, settings(options), pace(options, lasts, coordinators=2)) as fanout:
        for number in range(1, options.rounds + 1):
            names = [f"a{number}", f"b{number}"]
            fanout.stop_coordinators()
            counts = share_out(fanout, names, dice)
            pair = [fanout.start(name) for name in names]
            # They even them out at once.
            fanout.wait_for_shards(pair)
            fanout.wait_until_newest(fanout.commit(), within=120)
            fanout.wait_until_quiet(0.3)
            share = dice.uniform(0.05, 0.85)
            joins = dice.choice(["before", "with", "never"])
            say(f"  handover {number} of {options.rounds}: {counts[0]} shards at {share:.0%}, a third one: {joins}")
            if joins == "before":
                fanout.start().wait_until_up()
            # Of the phones of the one that is stopped: the other one's share proves nothing.
            round_ = Round(fanout, f"handover {number}", fanout.tokens_below(counts[0]))
            round_.reach(share)
            # Nothing is allowed to be lost: who is asked to stop tells what it has claimed.
            if joins == "with":
                fanout.start()
            round_.strikes_now()
            statuses.append(pair[0].stop())
            missed.append(check_round(verdict, fanout, round_, round_.version, round_.version))
            seconds.append(time.monotonic() - round_.begun)
            say(f"    told at the signal, of its own phones: {strikes.note(round_)}; {missed[-1]} missed it of"
                f" {round_.allowed} at most; all at the newest state after {seconds[-1]:.1f} s")
        finish(verdict, fanout, missed, seconds, *last_version(verdict, fanout))
    strikes.finish(verdict)
    verdict.require(set(statuses) <= {0}, f"coordinators ended with {statuses}")
    return verdict


def freeze(options, dice):
    """SIGSTOP in mid-alert, for longer than the lease and the alert's freshness. Another coordinator takes over; a version
    is committed meanwhile. When the first one wakes, nothing of the alert leaves any more."""
    verdict = Verdict("freeze")
    missed, seconds, late, stale, strikes = [], [], 0, 0, Strikes()
    # The alert is old when the frozen one wakes, and fresh while the other one takes over and tells what is left.
    fresh = min(30, max(1, options.freeze_seconds - 1))
    lasts = min(ALERT_SECONDS, options.freeze_seconds / 4)
    with FanOut(
        options.binaries, options.phones, settings(options) | {"ALERT_FRESHNESS": f"{fresh}s"}, pace(options, lasts)
    ) as fanout:
        active = fanout.warm_up()
        for number in range(1, options.freezes + 1):
            standby = fanout.start()
            standby.wait_until_up()
            share = dice.uniform(0.05, 0.8)
            say(f"  freeze {number} of {options.freezes}: at {share:.0%}")
            since = fanout.simulator.newest()
            round_ = Round(fanout, f"freeze {number}")
            round_.reach(share)
            round_.disturb(active)
            round_.strikes_now()
            active.pause()
            frozen_at = time.monotonic()
            standby.wait_for_shards()
            try:
                fanout.wait_until_newest(round_.version, options.freeze_seconds)
                newest = fanout.commit()
                fanout.wait_until_newest(newest, options.freeze_seconds)
            except Failed as failure:
                verdict.require(False, f"{round_.version.title}, while frozen: {failure}")
            seconds.append(time.monotonic() - frozen_at)
            time.sleep(max(0, options.freeze_seconds - (time.monotonic() - frozen_at)))
            woken_ms = now_ms()
            active.resume()
            # It reads, finds its shards gone, and lets go of its connections' last bytes.
            time.sleep(2)
            missed.append(check_round(verdict, fanout, round_, newest, round_.version))
            for push in fanout.simulator.log(since):
                if push.at_ms < woken_ms:
                    continue
                late += push.alert is not None
                # The repetition of a newest state is none of these.
                stale += push.version < newest.number
            verdict.require(active.is_running, "the frozen coordinator ended")
            say(f"    told at the signal: {strikes.note(round_)}; {missed[-1]} missed it of {round_.allowed} at most; since it"
                f" woke {late} alerts, {stale} old states")
            active.stop()
            active = standby
        finish(verdict, fanout, missed, seconds, *last_version(verdict, fanout))
    strikes.finish(verdict)
    verdict.require(late == 0, f"{late} alerts left after the freeze")
    verdict.figures |= {"freezes": options.freezes, "frozenSeconds": options.freeze_seconds, "lateAlerts": late,
                        "oldStatesAfterwards": stale}
    return verdict
