"""What `deploy/soak restore` runs: the whole suite, two of each service, and a database that goes back in the middle of two
matches while they run. A line of JSON for each kind of backup, and one for all."""

import argparse
import json
import subprocess
import sys
import time

import restore_backups
from attack_phones import accounts
from attack_suite import AttackSuite, LiveMatch, at_once
from chaos_records import SHOWN
from fanout_alerts import Verdict
from fanout_fixture import Failed
from fanout_soak import positive, some
from harness import ENVIRONMENT, SERVICES, EndedTooSoon, HarnessError, now_ms, say, wait_until
from restore_phones import FORCE_QUIT, OFF, ONLINE, Phone

TAPE, LATER_TAPE = "1216517", "1178424"
# The verdict of a phone that shows this state, or a newer one.
DROPPED = "droppedOldTimestamp"
# From the commit of the first version after the restore to every card.
GOES_ON_WITHIN_MS = 5_000
# A phone is asked by the orchestrator's next pass, wakes, and answers.
ANSWERED_WITHIN = 30.0
# So long we look for starts that must not come.
WATCHED_FOR = 5.0


class RestoreSuite(AttackSuite):
    PREFIX = "ss-restore-"

    def __init__(self, binaries, kind):
        super().__init__(
            binaries, more=[{"name": f"{service}-b", "service": service} for service in SERVICES], restarts=True)
        self.kind_of_backup = kind
        # Push tokens are encrypted, by the demo's keys: accounts are known by their hashes.
        del self.description["settings"]["TOKEN_KEY_FILE"]
        self.erased = None

    def prepare(self, stack):
        self.description["postgres"] += self.kind_of_backup.settings(self.folder)

    def erase(self, database_url):
        """The accounts whose deletions are in the gateways' logs, in another database than the services'."""
        log = self.folder / "gateways.log"
        log.write_text(self.log("api-gateway") + self.log("api-gateway-b"))
        done = subprocess.run(
            [self.binaries / "sightscreen", "erase", "--hashed", log, "--database-url", database_url, "--key-file",
             f"{self.endpoints['secrets']}/token-keys"], env=ENVIRONMENT, capture_output=True, text=True)
        if done.returncode != 0:
            raise HarnessError(f"sightscreen erase: {done.stderr.strip()}")
        self.erased = done.stdout.strip()


class LaterMatch(LiveMatch):
    """One that is known, and begins when we want."""

    def __init__(self, suite, tape):
        self.suite = suite
        self.id = int(suite.control("POST", f"tapes/{tape}/load", {"paused": True})["matchId"])
        self.wickets = list(self.find_wickets(suite.control("GET", f"matches/{self.id}/labels")))
        self.cursor = None

    def begin(self):
        self.seek(self.wickets[0])


class Evening:
    """Two matches and those who follow them, before, in and after the time that is lost."""

    def __init__(self, suite, backup, count):
        self.suite = suite
        self.backup = backup
        self.verdict = Verdict(backup.kind)
        self.match, self.later = LiveMatch(suite, TAPE), LaterMatch(suite, LATER_TAPE)
        phones = [Phone(suite, account) for account in accounts(suite, count + 3)]
        # The last three: whose account is deleted, who is not there yet, and whose phone is off, all in that time.
        *self.fans, self.leaver, self.joiner, self.absent = phones
        self.there = [*self.fans, self.leaver, self.absent]

    # Before.

    def gather(self):
        at_once(self.suite, lambda phone: phone.register(), self.there)
        for match in (self.match, self.later):
            at_once(self.suite, lambda phone, match=match: phone.follow(match), self.there)
        self.await_cards(self.match, self.there)
        for phone in self.fans[::3]:
            phone.state = FORCE_QUIT
        self.absent.state = OFF

    def await_cards(self, match, phones):
        def are_there():
            cards = [phone.card(match.id) for phone in phones]
            return all(card and (card.is_reported or phone.state != ONLINE) for card, phone in zip(cards, phones))

        wait_until(f"the cards of match {match.id}", are_there, within=60, pause=0.2)
        self.await_shown(match, [phone for phone in phones if phone.state == ONLINE])

    def await_shown(self, match, phones, within=60.0, since_ms=0):
        def missing():
            # A phone that began its card since then drops the state that came with the start.
            brought = {(card.token, card.stamp, DROPPED) for phone in phones
                       if (card := phone.card(match.id)) and card.began_ms >= since_ms}
            shown = {push.token for push in self.suite.pushes if push.at_ms >= since_ms and (
                push.verdict == SHOWN or (push.token, push.stamp, push.verdict) in brought)}
            return [phone.name for phone in phones if (card := phone.card(match.id)) is None or card.token not in shown]

        wait_until("all cards have a state", lambda: not missing(), within=within, pause=0.2)

    # The time that is lost.

    def lose_time(self):
        begun = time.monotonic()
        self.match.before_wicket()
        self.match.wicket()
        self.later.begin()
        self.joiner.register()
        self.joiner.follow(self.match)
        self.leaver.call("DELETE", "/user")
        self.await_cards(self.later, self.fans)
        # Their numbers come again.
        while time.monotonic() - begun < self.backup.LOST:
            self.match.step()
            time.sleep(1)
        self.lost_version = self.match.await_quiet().number
        self.backup.nearly_over()

    # After.

    def go_on(self):
        """The first version after it reaches all cards that are known."""
        first = []

        def is_there():
            first[:] = self.suite.sql(
                "SELECT version, stamp, floor(extract(epoch FROM committed_at) * 1000)::bigint FROM match_updates"
                f" WHERE match_id = {self.match.id} AND committed_at > to_timestamp({self.back_ms} / 1000.0)"
                " ORDER BY version LIMIT 1")
            return bool(first)

        wait_until("play goes on", is_there, within=60)
        version, stamp, at_ms = map(int, first[0])
        time.sleep(max(0.0, (at_ms + GOES_ON_WITHIN_MS + 500 - now_ms()) / 1_000))
        shown = {}
        for push in self.suite.pushes:
            if push.verdict == SHOWN and push.stamp >= stamp and push.at_ms >= self.back_ms:
                shown.setdefault(push.token, push.at_ms - at_ms)
        waits = [shown.get(phone.card(self.match.id).token) for phone in self.fans]
        late = sum(wait is None or wait > GOES_ON_WITHIN_MS for wait in waits)
        self.verdict.require(not late, f"{late} of {len(waits)} cards have no version within 5 s of the first")
        self.verdict.require(version <= self.lost_version, f"no version was lost: {version} after {self.lost_version}")
        self.verdict.figures |= {"phones": len(waits), "version": version, "lostVersion": self.lost_version,
                                 "slowestMs": max((wait for wait in waits if wait is not None), default=None)}

    def hear_wicket(self):
        self.match.wickets = [cursor for cursor in self.match.wickets if cursor > self.match.cursor]
        self.match.before_wicket()
        since = len(self.suite.pushes)
        version = self.match.wicket()

        def heard():
            return {push.token for push in self.suite.pushes[since:]
                    if push.verdict == SHOWN and push.alert and push.alert[0] == version.title}

        tokens = {phone.card(self.match.id).token for phone in self.fans}
        try:
            wait_until("the wicket is told", lambda: tokens <= heard(), within=15)
        except HarnessError:
            self.verdict.require(False, f"{len(tokens - heard())} of {len(tokens)} phones did not hear the next wicket")

    def bring_cards_back(self):
        """Cards that were started in the lost time: their phones are asked, or come by themselves."""
        asked = [phone for phone in self.fans if phone.state == ONLINE]
        try:
            self.await_shown(self.later, asked, within=ANSWERED_WITHIN, since_ms=self.back_ms)
        except HarnessError as error:
            self.verdict.require(False, f"cards of the lost time that do not go on though their phones answer: {error}")
        # It was off and has no card: it says so, and gets one.
        self.absent.open()
        try:
            wait_until("a card", lambda: self.absent.card(self.later.id), within=ANSWERED_WITHIN)
        except HarnessError as error:
            self.verdict.require(False, f"a phone that has said that it has no card gets none: {error}")
        time.sleep(WATCHED_FOR)
        silent = [phone for phone in self.fans if phone.state == FORCE_QUIT]
        began_ms = now_ms()
        at_once(self.suite, lambda phone: phone.open(), silent)
        try:
            self.await_shown(self.later, silent, within=ANSWERED_WITHIN, since_ms=began_ms)
        except HarnessError as error:
            self.verdict.require(False, f"cards of phones that were opened do not go on: {error}")
        self.verdict.figures |= {"asked": sum(bool(phone.asked_ms) for phone in self.fans), "opened": len(silent)}

    def judge(self):
        second = [phone.name for phone in self.there if phone.second]
        self.verdict.require(not second, f"{len(second)} phones have a second card: {', '.join(second[:3])}")
        told = {}
        for push in self.suite.pushes:
            if push.tells:
                told[push.token, push.alert] = told.get((push.token, push.alert), 0) + 1
        again = [f"{alert[0]} × {count}" for (_, alert), count in told.items() if count > 1]
        self.verdict.require(not again, f"{len(again)} alerts were told twice: {', '.join(again[:3])}")
        self.verdict.require(told, "no alert was told")
        ended = {name: self.suite.log(name).count("The database went back: this process ends") for name in self.services}
        self.verdict.require(all(ended.values()), f"not noticed by {[name for name, count in ended.items() if not count]}")
        self.verdict.require(
            max(ended.values()) <= 2, f"noticed more than once by {[name for name, count in ended.items() if count > 2]}")
        self.verdict.figures |= {"alerts": len(told)}
        if self.suite.erased is not None:
            self.judge_erasure()

    @property
    def services(self):
        return [*SERVICES, *(f"{service}-b" for service in SERVICES)]

    def judge_erasure(self):
        self.verdict.require(self.suite.erased.startswith("1 of 1 "), f"sightscreen erase: {self.suite.erased}")
        [[tokens]] = self.suite.sql(
            "SELECT count(*) FROM devices WHERE device_id = '" + self.leaver.name + "' AND push_to_start_token IS NOT NULL")
        self.verdict.require(tokens == "0", "a deleted account has its tokens again")
        heard = [push for push in self.suite.pushes
                 if push.at_ms >= self.back_ms and push.event == "update" and push.token in {
                     card.token for card in self.leaver.cards}]
        self.verdict.require(not heard, f"{len(heard)} updates went to a deleted account")

    def run(self):
        self.gather()
        say(f"  {self.backup.kind}: backup")
        self.backup.take()
        self.lose_time()
        say(f"  {self.backup.kind}: restore")
        self.absent.state = FORCE_QUIT
        self.backup.restore()
        self.back_ms = now_ms()
        self.go_on()
        self.hear_wicket()
        self.bring_cards_back()
        self.judge()
        return self.verdict


def goal(kind, chosen):
    backup = restore_backups.KINDS[kind]
    with RestoreSuite(chosen.binaries, backup) as suite:
        return Evening(suite, backup(suite), chosen.phones).run().line()


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--goals", type=some(restore_backups.KINDS), default=list(restore_backups.KINDS))
    parser.add_argument("--phones", type=positive, default=60)
    return parser.parse_args()


def main():
    chosen = options()
    met = True
    for kind in chosen.goals:
        say(f"{kind} …")
        begun = time.monotonic()
        try:
            line = goal(kind, chosen)
        except (Failed, EndedTooSoon, HarnessError) as failure:
            line = {"goal": kind, "met": False, "problems": [str(failure)]}
        met = met and line["met"]
        print(json.dumps(line | {"tookSeconds": round(time.monotonic() - begun)}, separators=(",", ":")), flush=True)
    print(json.dumps({"soak": "restore", "met": met}, separators=(",", ":")), flush=True)
    return 0 if met else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HarnessError as error:
        say(f"soak restore: {error}")
        sys.exit(70)
