"""What is seen while it happens: each push as the simulator takes it, each version as it is committed, and who holds which
lease."""

import contextlib
import http.client
import threading
import time

from chaos_records import Rows, read_push
from harness import HarnessError, Session

LEASES_EVERY, TOKENS_EVERY = 0.25, 1.0


def ms(column, name):
    return f"floor(extract(epoch FROM {column}) * 1000)::bigint AS {name}"


class Deliveries(threading.Thread):
    """Hands each line of the simulator's log to `receive`."""

    def __init__(self, simulator, receive):
        super().__init__(daemon=True)
        self.simulator = simulator
        self.receive = receive
        self.trouble = None
        self.connection = http.client.HTTPConnection(simulator.control)

    def run(self):
        try:
            self.connection.request("GET", "/deliveries?since=0&follow=1")
            for line in self.connection.getresponse():
                self.receive(read_push(line))
        except Exception as error:  # noqa: BLE001: whatever it is, we are blind from here on, and says so
            self.trouble = error

    def stop(self):
        with contextlib.suppress(OSError, AttributeError):
            self.connection.sock.close()


class Commits(threading.Thread):
    """Tells of each version of a match as it is committed, and keeps what leases and provider tokens there were."""

    def __init__(self, suite, committed):
        super().__init__(daemon=True)
        self.session = Session(suite)
        self.committed = committed
        self.stopping = threading.Event()
        self.match, self.version = None, 0
        self.leases, self.holders = [], {}
        self.provider_tokens = set()
        self.next_leases = self.next_tokens = 0.0

    def follow(self, match):
        """From now on, this one."""
        self.version, self.match = 0, match
        self.leases = [(name, holder, epoch) for name, (holder, epoch) in self.holders.items()]

    def run(self):
        while not self.stopping.wait(0.012):
            try:
                self.look()
            except HarnessError:
                # PostgreSQL is away, which is what some faults are for.
                time.sleep(0.05)
        self.session.close()

    def look(self):
        now, match = time.monotonic(), self.match
        if match is not None:
            rows = self.session.rows(
                f"SELECT version, alert IS NOT NULL AS alerts FROM match_updates WHERE match_id = {match}"
                f" AND version > {self.version} ORDER BY version")
            for row in rows:
                if match == self.match:
                    self.version = row["version"]
                    self.committed(row["version"], row["alerts"])
        if now >= self.next_leases:
            self.next_leases = now + LEASES_EVERY
            for row in self.session.rows("SELECT name, holder, epoch FROM leases"):
                known = (row["holder"], row["epoch"])
                if self.holders.get(row["name"]) != known:
                    self.holders[row["name"]] = known
                    self.leases.append((row["name"], *known))
        if now >= self.next_tokens:
            self.next_tokens = now + TOKENS_EVERY
            for row in self.session.rows(
                    f"SELECT {ms('issued_at', 'made')}, {ms('previous_issued_at', 'before')} FROM apns_provider_tokens"):
                self.provider_tokens |= {row["made"], row["before"]} - {None}

    def holder(self, prefix):
        """The instance that holds most of the leases whose names begin so."""
        instances = [holder.split("/")[0] for name, (holder, _) in self.holders.items() if name.startswith(prefix)]
        return max(set(instances), key=instances.count, default=None)

    def stop(self):
        self.stopping.set()
        self.join(5)


def read_rows(session, match, users):
    """The tables as they are at one moment, about one match and these users: a version may be committed at any time."""
    listed = ",".join(f"'{user}'" for user in users)
    rows = Rows()
    [[now], rows.updates, rows.activities, rows.follows, rows.devices, rows.claims, found, rows.channels] = session.at_once([
        f"SELECT {ms('clock_timestamp()', 'now_ms')}",
        f"SELECT version, stamp, content_state, priority, alert, retracted, overtaken, {ms('committed_at', 'committed_ms')}"
        f" FROM match_updates WHERE match_id = {match} ORDER BY version",
        f"SELECT user_id, device_id, generation, shard, status, end_reason, start_attempts, activity_id, update_token,"
        f" start_id, channel_id,"
        f" end_push, end_attempts, {ms('start_lease_until', 'start_lease_until')}, {ms('token_at', 'token_ms')},"
        f" {ms('end_lease_until', 'end_lease_until')}, {ms('ended_at', 'ended_ms')}"
        f" FROM live_activities WHERE match_id = {match}",
        f"SELECT user_id, alerts FROM match_follows WHERE match_id = {match}",
        f"SELECT user_id, device_id, shard, push_to_start_token, device_token FROM devices WHERE user_id IN ({listed})",
        f"SELECT alert_version, bucket, holder, {ms('claimed_at', 'claimed_ms')} FROM alert_claims WHERE match_id = {match}",
        f"SELECT version, stamp, epoch, display_state FROM active_matches WHERE match_id = {match}",
        f"SELECT class, generation, channel_id, ends, {ms('lost_at', 'lost_ms')} FROM broadcast_channels"
        f" WHERE match_id = {match} ORDER BY class, generation",
    ])
    rows.match = found[0] if found else {}
    rows.now_ms = now["now_ms"]
    return rows
