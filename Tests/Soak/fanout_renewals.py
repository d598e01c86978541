"""The goal of `deploy/soak fanout` about phones whose activity is replaced by its next generation around the moment of an
alert."""

import collections
import concurrent.futures
import hashlib

from fanout_alerts import Verdict, pace, settings
from fanout_fixture import MATCH, FanOut, token
from harness import HarnessError, say, wait_until

# Of the phones in each batch, and the batches of an alert: the first one just before it is committed, the others while it
# is told.
BATCH_SHARE = 0.05
BATCH_MAX = 1_000
BATCHES = 6
# The transaction of the first one takes so long, as on a disk that stalls: the new tokens are older than the alert, but the
# coordinator hears of them only when the former ones have been told.
STALL_SECONDS = 2.0
# For the last of the alert, and then for a routine version.
QUIET = 1.5


class Phones:
    """Which token each phone has in which generation."""

    def __init__(self, fanout):
        self.fanout = fanout
        self.generations = dict.fromkeys(range(1, fanout.phones + 1), 1)
        self.owners = {token(number): number for number in self.generations}

    def token(self, number):
        generation = self.generations[number]
        if generation == 1:
            return token(number)
        return hashlib.md5(f"update{number} {generation}".encode()).hexdigest() * 5

    def renew(self, numbers, stall=0.0):
        """The phones report a new activity, which a start has brought them: the running one is ended and the new one put
        into its place, by one statement as the gateway's (`ActivityTokenStore.replacement`). Its transaction stays open for
        `stall` seconds."""
        for number in numbers:
            self.generations[number] += 1
            self.owners[self.token(number)] = number
        self.fanout.simulator.register([self.token(number) for number in numbers])
        rows = ", ".join(f"({number}, {self.generations[number]}, '{self.token(number)}')" for number in numbers)
        done = self.fanout.sql(f"""
            BEGIN;
            CREATE TEMPORARY TABLE v AS
            SELECT md5('user' || n)::uuid::text AS user_id, md5('phone' || n)::uuid::text AS device_id, next, token
            FROM (VALUES {rows}) AS renewed (n, next, token);
            UPDATE live_activities la SET renewal_start_id = gen_random_uuid()::text, renewal_sent_at = clock_timestamp()
            FROM v WHERE la.match_id = {MATCH} AND la.user_id = v.user_id AND la.device_id = v.device_id
                AND la.generation = v.next - 1 AND la.status = 'active';
            WITH old AS (
                UPDATE live_activities la SET status = 'ended', end_reason = 'match_end', ended_at = clock_timestamp(),
                    end_push = 'due', end_dismissal = 'now'
                FROM v
                WHERE la.match_id = {MATCH} AND la.user_id = v.user_id AND la.device_id = v.device_id
                    AND la.generation = v.next - 1 AND la.status = 'active'
                RETURNING la.match_id, la.user_id, la.device_id, la.route, la.shard, la.renewal_start_id, la.renewal_sent_at,
                    v.next, v.token
            )
            INSERT INTO live_activities
                (match_id, user_id, device_id, generation, route, shard, status, start_id, start_sent_at, activity_id,
                 update_token, token_at, activated_at)
            SELECT match_id, user_id, device_id, next, route, shard, 'active', renewal_start_id, renewal_sent_at,
                gen_random_uuid()::text, token, clock_timestamp(), clock_timestamp()
            FROM old
            RETURNING user_id;
            DO $$ BEGIN PERFORM pg_sleep({stall}); END $$;
            COMMIT""")
        if len(done) != len(numbers):
            raise HarnessError(f"{len(done)} activities of {len(numbers)} were replaced")

    def begin_to_renew(self, threads, numbers):
        """Returns when all is done but the end of the transaction."""
        done = threads.submit(self.renew, numbers, STALL_SECONDS)
        wait_until("a renewal stalls", lambda: done.done() or self.fanout.sql(
            "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'"), pause=0.01)
        return done


def renewals(options, dice):
    """Phones get a new activity while an alert is told: each is alerted once at most, over both tokens."""
    verdict = Verdict("renewals")
    twice, pushed_twice, missed, stale, renewed, told_before, in_time = 0, 0, 0, 0, 0, 0, 0
    with (
        FanOut(options.binaries, options.phones, settings(options), pace(options)) as fanout,
        concurrent.futures.ThreadPoolExecutor(1) as threads,
    ):
        fanout.warm_up()
        phones = Phones(fanout)
        for number in range(1, options.rounds + 1):
            title = f"renewals {number}"
            batch = min(int(BATCH_SHARE * fanout.phones), BATCH_MAX)
            chosen = dice.sample(sorted(phones.generations), batch * BATCHES)
            batches = [chosen[place::BATCHES] for place in range(BATCHES)]
            since = fanout.simulator.newest()
            stalled = phones.begin_to_renew(threads, batches[0])
            fanout.commit(title)
            for place, batch in enumerate(batches[1:]):
                fanout.wait_until_told(title, int(fanout.phones * (place + dice.random()) / BATCHES), within=5)
                phones.renew(batch)
            stalled.result()
            fanout.wait_until_quiet(QUIET, within=60)
            shown, pushed, before = count(fanout, phones, since, title, set(chosen))
            routine = fanout.simulator.newest()
            newest = fanout.commit()
            fanout.wait_until_quiet(QUIET, within=60)
            current = {phones.token(each) for each in phones.generations}
            last = {push.token: push.version for push in fanout.simulator.log(routine) if push.verdict == "handled"}
            stale += sum(last.get(each) != newest.number for each in current)
            round_twice = sum(times > 1 for times in shown.values())
            twice += round_twice
            pushed_twice += sum(times > 1 for times in pushed.values())
            missed += sum(each not in shown for each in phones.generations if each not in set(chosen))
            renewed += len(chosen)
            told_before += len(before)
            in_time += len(before & set(batches[0]))
            say(f"  {title}: {len(chosen)} phones got another activity, {len(before)} of them after they had been told;"
                f" {round_twice} were alerted twice")
        again, _ = fanout.told_twice()
    verdict.require(twice == 0, f"{twice} phones were alerted twice, over both tokens")
    verdict.require(pushed_twice == 0, f"{pushed_twice} phones were sent an alert twice, over both tokens")
    verdict.require(again == 0, f"{again} activities were alerted twice")
    verdict.require(missed == 0, f"{missed} phones that kept their activity missed an alert")
    verdict.require(stale == 0, f"{stale} phones did not come to the next version")
    # Without them hardly anybody could have been told twice.
    verdict.require(in_time > 0, "nobody was told by the former token of an activity that began before the alert")
    verdict.figures |= {
        "phones": options.phones, "alerts": options.rounds, "renewed": renewed, "renewedAfterAlert": told_before,
        "begunBeforeAlert": in_time,
        "alertedTwice": twice, "pushedTwice": pushed_twice, "missed": missed,
    }
    return verdict


def count(fanout, phones, since, title, renewed):
    """By the simulator's log: how often each phone showed the alert and was sent it, over all of its tokens; and those of
    the renewed ones that were told by their former token."""
    shown, pushed, before = collections.Counter(), collections.Counter(), set()
    for push in fanout.simulator.log(since):
        if push.alert != title or push.status != 200:
            continue
        number = phones.owners[push.token]
        pushed[number] += 1
        if push.verdict == "handled":
            shown[number] += 1
            if number in renewed and push.token != phones.token(number):
                before.add(number)
    return shown, pushed, before
