"""Carries out the faults of a schedule: at their times, or in the middle of an alert."""

import collections
import signal
import threading
import time

from chaos_draw import REPLICAS
from chaos_records import Strike
from chaos_lives import standing_still
from harness import HarnessError, call, now_ms, say, wait_until

SIGNALS = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT, "crash": signal.SIGKILL}
BACK_PATIENCE = 10.0
# Half of what is sent meets the trouble, or the next two requests.
SHARE, COUNT = 0.5, 2
# Of a publish's deliveries, and how long a refused one is to wait, in seconds.
LOST_SHARE, RETRY_AFTER = 0.4, 4
# More calls than the provider gets meanwhile, and half of them.
MANY, FLAPS = 1_000, 50


class Striker:
    def __init__(self, suite, commits, faults, channels=()):
        """`channels`: the set of those that phones listen to."""
        self.channels_known = channels
        self.suite = suite
        self.commits = commits
        self.guard = threading.Lock()
        self.armed = [fault for fault in faults if fault.aim]
        self.timed = [fault for fault in faults if not fault.aim]
        self.told = collections.Counter()
        self.strikes = []
        self.threads = []

    # When.

    def times(self):
        """(seconds after the beginning of play, what is done)."""
        for fault in self.timed:
            yield fault.at, lambda fault=fault: self.fire(fault)
        for fault in self.armed:
            yield fault.at, lambda fault=fault: self.fire_late(fault)

    def committed(self, version, alerts):
        """From the thread that watches the commits: the next one that waits for an alert's commit."""
        if alerts and (fault := self.take(lambda fault: fault.aim[0] == "commit")):
            self.fire(fault, after=fault.aim[1], aimed=True)

    def pushed(self, push):
        """From the thread that reads the deliveries."""
        if not push.tells or not self.armed:
            return
        self.told[push.alert] += 1
        count = self.told[push.alert]
        if fault := self.take(lambda fault: fault.aim[0] == "told" and fault.aim[1] == count):
            self.fire(fault, aimed=True)

    def take(self, fits):
        with self.guard:
            for fault in self.armed:
                if fits(fault):
                    self.armed.remove(fault)
                    return fault
        return None

    def fire_late(self, fault):
        """No alert came that it could be aimed at."""
        if self.take(lambda other: other is fault):
            self.fire(fault)

    def fire(self, fault, after=0.0, aimed=False):
        thread = threading.Thread(target=self.strike, args=(fault, after, aimed), daemon=True)
        self.threads.append(thread)
        thread.start()

    def wait(self):
        """Until all are over."""
        for thread in self.threads:
            thread.join(60)
            if thread.is_alive():
                raise HarnessError("a fault does not end")

    # What.

    def strike(self, fault, after, aimed):
        time.sleep(after)
        target = self.worker(fault.target) if fault.kind in ("kill", "stop", "clock", "host") else fault.target
        strike = Strike(fault.kind, target, now_ms(), 0, fault.how, aimed)
        try:
            getattr(self, fault.kind)(fault, target)
        except HarnessError as error:
            # A process that did not come back is found by those who look for it.
            say(f"    {fault.kind} {target}: {error}")
        strike.ended_ms = now_ms()
        with self.guard:
            self.strikes.append(strike)

    def worker(self, target):
        """An instance; of a service, the one that does the work now."""
        if target not in REPLICAS:
            return target
        prefix = {"la-coordinator": "shard:", "event-bus": "match:", "score-poller": "poll:"}.get(target, target)
        holder = self.commits.holder(prefix)
        return holder if holder in self.suite.processes else f"{target}-a"

    def kill(self, _, target):
        self.suite.processes[target].strike(signal.SIGKILL)

    def stop(self, fault, target):
        with standing_still(self.suite.processes[target].pid):
            time.sleep(fault.lasts)

    def host(self, fault, target):
        # Aimed at the one that does the work, it befalls all that are where that one is.
        host = target[-1] if target.startswith("host-") else self.suite.processes[target].host
        if fault.how == "cut":
            self.suite.hosts.cut(host, fault.lasts)
            return
        for process in self.suite.processes.values():
            if process.host == host and process.is_running:
                process.strike(signal.SIGKILL)

    def rolling(self, _, target):
        for process in self.suite.of(target):
            before = process.pid
            process.strike(signal.SIGTERM)
            wait_until(f"{process.name} is back",
                       lambda process=process, before=before: process.pid != before and process.answers("/health/live"),
                       within=BACK_PATIENCE)

    def postgres(self, fault, _):
        postgres, before = self.suite.postgres, self.suite.postgres.pid
        if fault.how == "freeze":
            with standing_still(before):
                time.sleep(fault.lasts)
            return
        postgres.strike(SIGNALS[fault.how])
        wait_until("PostgreSQL is back", lambda: postgres.pid != before and self.suite.run_sql("SELECT 1").returncode == 0,
                   within=2 * BACK_PATIENCE, pause=0.1)

    def socket(self, fault, target):
        self.suite.links.disturb(target, fault.how, fault.lasts)
        if fault.how != "cut":
            time.sleep(fault.lasts)

    def clock(self, fault, target):
        self.suite.set_clock(target, int(fault.how))
        time.sleep(fault.lasts)
        self.suite.set_clock(target, 0)

    def apns(self, fault, _):
        match = {"forMs": int(fault.lasts * 1_000)}
        if fault.how == "goaway":
            trouble = {"match": match | {"count": COUNT}, "goaway": "Shutdown", "processed": False}
        elif fault.how.startswith("close"):
            trouble = {"match": match | {"count": COUNT}, "close": True, "delivered": fault.how != "close"}
        else:
            trouble = {"match": match | {"share": SHARE}, "reason": fault.how}
        self.control("POST", "/faults", trouble)
        time.sleep(fault.lasts)

    def provider(self, fault, _):
        live = {"endpoint": "livescores"}
        troubles = {
            "freeze": [{"kind": "timeout", "count": MANY}], "forget": [live | {"kind": "forgotten", "count": MANY}],
            "flap": [live | {"kind": "forgotten", "afterCalls": 2 * number} for number in range(FLAPS)],
            "429": [{"kind": "429", "count": MANY, "retryAfter": 1}],
        }
        self.suite.control("POST", "faults", troubles[fault.how])
        try:
            time.sleep(fault.lasts)
        finally:
            self.suite.control("DELETE", "faults")

    def channels(self, fault, _):
        match = {"call": "publish", "forMs": int(fault.lasts * 1_000)}
        if fault.how == "capability":
            try:
                self.control("PUT", "/capability", {"enabled": False})
                time.sleep(fault.lasts)
            finally:
                self.control("PUT", "/capability", {"enabled": True})
            return
        if fault.how == "forgotten":
            if not self.channels_known:
                return
            trouble = {"match": match | {"count": 1, "channel": min(self.channels_known)}, "reason": "ChannelNotRegistered"}
        elif fault.how == "lost":
            trouble = {"match": match, "lostShare": LOST_SHARE}
        else:
            trouble = {"match": match, "reason": "TooManyRequests"} | (
                {"retryAfter": RETRY_AFTER} if fault.how == "retryAfter" else {})
        self.control("POST", "/faults", trouble)
        time.sleep(fault.lasts)

    def control(self, method, path, body):
        status, answer = call(self.suite.endpoints["apnsControl"], method, path, body)
        if status >= 300:
            raise HarnessError(f"apns-simulator, {method} {path}: {status} {answer}")
